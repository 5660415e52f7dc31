/**
 * A SQLite connection on another thread, for transactions that change many pages. The commit of such a transaction is
 * one call of the library, which takes about 1 ms per MB of the log. On the main thread it would delay every other
 * request.
 */
import type { Database } from 'bun:sqlite'
import { totalmem } from 'node:os'
import type { CompiledQuery, Kysely, QueryResult } from 'kysely'
import type { QueryMetrics } from '../query/query-metrics.ts'
import { WorkerError } from '../worker-error.ts'
import type { Writer } from './commit-group.ts'
import { createSqliteKysely } from './dialect.ts'
import type { LargeWriterAnswer, LargeWriterRequest, SentStatement } from './large-writer-worker.ts'

type Pending = {
  readonly resolve: (result: QueryResult<unknown>) => void
  readonly reject: (error: Error) => void
  /** The number of rollbacks before it was sent. */
  readonly undone: number
}

export type LargeWriter<Tables> = Writer & {
  readonly db: Kysely<Tables>
  /** Opens the connection; the first one starts the worker. */
  readonly open: () => Promise<void>
  /** Closes the connection, which rolls back an open transaction. Never rejects. */
  readonly close: () => Promise<void>
  /** Ends the worker. */
  readonly end: () => void
}

type Options = {
  readonly file: string
  /** The connection on this thread, from which the maximum size of the file is read. */
  readonly writer: Database
  readonly log: QueryMetrics['log']
  readonly spawn?: () => Worker
}

/** Maximum number of unsent statements, and of their parameters. A message takes 0.1 ms, regardless of its size. */
const MOST_UNSENT = 200
const MOST_UNSENT_PARAMETERS = 2000

const PAGE_BYTES = 4096
const MIB = 2 ** 20
/** The cache of the connection: a share of the memory, within these bounds. A page takes a quarter more than its size. */
const CACHE = { share: 1 / 16, leastBytes: 64 * MIB, mostBytes: 128 * MIB }

/**
 * Returns the number of pages that a large transaction caches. With fewer, it reads pages of indexes again and writes them to the log
 * repeatedly (docs/decisions/exchange.md#large-imports).
 * @param memoryBytes the memory of the machine, or the limit of the container
 */
export const computeLargeCachePages = (memoryBytes: number): number => {
  const bytes = Math.min(CACHE.mostBytes, Math.max(CACHE.leastBytes, memoryBytes * CACHE.share))
  return Math.floor(bytes / PAGE_BYTES)
}

/** An insert that returns nothing need not be awaited, as `Tx.db` documents. */
const returnsNothing = ({ query }: CompiledQuery): boolean => query.kind === 'InsertQueryNode' && !query.returning

const UNDOES = /^ROLLBACK/

// The bundler recognizes the worker by this exact form.
const spawnWorker = (): Worker => new Worker(new URL('./large-writer-worker.ts', import.meta.url).href)

export const createLargeWriter = <Tables>({ file, writer, log, spawn = spawnWorker }: Options): LargeWriter<Tables> => {
  let worker: Worker | undefined
  let inTransaction = false
  /** In the order of the requests, which is that of the answers. */
  let pending: Pending[] = []
  let unsent: SentStatement[] = []
  let unsentParameters = 0
  /** The failure of a statement that may not be awaited. All later ones fail with it until a rollback. */
  let failure: Error | undefined
  let undone = 0

  /** Discards unsent statements and failures of an earlier transaction or of a rollback. */
  const forget = (): void => {
    unsent = []
    unsentParameters = 0
    failure = undefined
    undone++
  }

  const fail = (error: Error): void => {
    worker?.terminate()
    worker = undefined
    inTransaction = false
    forget()
    for (const { reject } of pending.splice(0)) reject(error)
  }

  const start = (): Worker => {
    const started = spawn()
    const died = (reason: string): void => {
      if (worker === started) fail(new Error(reason))
    }
    started.onmessage = ({ data }: MessageEvent<LargeWriterAnswer>) => {
      inTransaction = data.inTransaction
      const [first, ...others] = pending
      pending = others
      if (data.ok) first?.resolve(data.result)
      else {
        const error = new WorkerError(data.message, data.code)
        if (first?.undone === undone) failure ??= error
        first?.reject(error)
      }
    }
    started.addEventListener('error', (event) => {
      event.preventDefault()
      died(`The writing worker failed: ${event.message}`)
    })
    started.addEventListener('close', () => died('The writing worker ended'))
    return started
  }

  const ask = (request: LargeWriterRequest): Promise<QueryResult<unknown>> => {
    const { promise, resolve, reject } = Promise.withResolvers<QueryResult<unknown>>()
    if (worker) {
      pending.push({ resolve, reject, undone })
      worker.postMessage(request)
    } else reject(new Error('The writing worker has ended'))
    return promise
  }

  /** Sends the unsent statements. Resolves with the result of the last one, or rejects with the first failure. */
  const sendAll = (): Promise<QueryResult<unknown>> => {
    const statements = unsent
    unsent = []
    unsentParameters = 0
    return failure ? Promise.reject(failure) : ask({ kind: 'statements', statements })
  }

  const runQuery = async <Row>(query: CompiledQuery): Promise<QueryResult<Row>> => {
    const startedMs = performance.now()
    try {
      // On a full disk SQLite ends the transaction itself. Later statements would then be committed individually.
      if (failure || !inTransaction) throw failure ?? new Error('The transaction has ended')
      unsent.push({ sql: query.sql, parameters: query.parameters })
      unsentParameters += query.parameters.length
      const isFull = unsent.length >= MOST_UNSENT || unsentParameters >= MOST_UNSENT_PARAMETERS
      if (returnsNothing(query) && !isFull) return { rows: [] }
      // The rows have the type of the query.
      return (await sendAll()) as QueryResult<Row>
    } finally {
      log({ level: 'query', query, queryDurationMillis: performance.now() - startedMs })
    }
  }

  return {
    db: createSqliteKysely<Tables>(runQuery),
    get inTransaction() {
      return inTransaction
    },
    run: (sql) => {
      if (UNDOES.test(sql)) forget()
      unsent.push({ sql, parameters: [] })
      return sendAll()
    },
    open: async () => {
      worker ??= start()
      worker.ref()
      forget()
      const { max_page_count: maxPages = 0 } =
        writer.query<{ max_page_count: number }, []>('PRAGMA max_page_count').get() ?? {}
      const cachePages = computeLargeCachePages(
        Math.min(totalmem(), process.constrainedMemory() || Number.POSITIVE_INFINITY),
      )
      await ask({ kind: 'open', file, maxPages, cachePages })
    },
    close: async () => {
      if (!worker) return
      await ask({ kind: 'close' }).catch(fail)
      worker?.unref()
    },
    end: () => fail(new Error('The database is closed')),
  }
}
