/**
 * Runs queries that read very many rows on another thread. SQLite runs a query in the thread that asks it, and the main thread
 * answers no request during that time.
 */
import { type CompiledQuery, type QueryResult, sql } from 'kysely'
import { createWorkerGate } from '../../base/jobs/worker-pool.ts'
import type { QueryMetrics } from '../query/query-metrics.ts'
import type { Run } from './dialect.ts'
import type { SentStatement } from './large-writer-worker.ts'
import type { SlowRead } from './slow-reads-worker.ts'

/** The end of a statement that is worth the way to the other thread. It passes every rewriting of statements. */
const MARK = '/* slow */'

/** To append to a statement. A transaction and a read of the past run it like any other one. */
export const SLOW = sql.raw(MARK)

export type SlowReads = {
  /** Runs queries with the mark on the other thread, and all others by `run`. */
  readonly elsewhere: (run: Run) => Run
  readonly close: () => void
}

// The bundler recognizes the worker by this exact form.
const spawnWorker = (): Worker => new Worker(new URL('./slow-reads-worker.ts', import.meta.url).href)

type Options = {
  readonly spawn?: () => Worker
  /** False while another file may be at the path. */
  readonly mayOpen?: () => boolean
}

/** @param log gets the queries of the other thread */
export const createSlowReads = (
  file: string,
  log: QueryMetrics['log'],
  { spawn = spawnWorker, mayOpen = () => true }: Options = {},
): SlowReads => {
  const gate = createWorkerGate<SlowRead, QueryResult<unknown>['rows']>({
    spawn,
    workers: 1,
    queueLimit: Number.MAX_SAFE_INTEGER,
    busy: () => new Error('the thread for slow reads is busy'),
  })
  let last: Promise<unknown> = Promise.resolve()
  /** Queries that have not begun, by statement and parameters: their result is new enough for later callers too. */
  const waiting = new Map<string, Promise<QueryResult<unknown>>>()
  const read = ({ sql: text, parameters }: CompiledQuery): Promise<QueryResult<unknown>> => {
    const statement: SentStatement = { sql: text, parameters }
    const key = JSON.stringify(statement)
    const known = waiting.get(key)
    if (known) return known
    const result = last.then(async () => {
      waiting.delete(key)
      if (!mayOpen()) throw new Error('another file is at the path')
      return { rows: await gate.run({ file, statement }) }
    })
    last = result.catch(() => {})
    waiting.set(key, result)
    return result
  }
  return {
    elsewhere:
      (run) =>
      <Row>(query: CompiledQuery) => {
        if (!query.sql.endsWith(MARK)) return run<Row>(query)
        const startedMs = performance.now()
        return read(query).then(
          (result) => {
            log({ level: 'query', query, queryDurationMillis: performance.now() - startedMs })
            // The rows have the type of the query.
            return result as QueryResult<Row>
          },
          // A query that the thread cannot run still gets its answer, or an error with its code.
          () => run<Row>(query),
        )
      },
    close: gate.close,
  }
}
