/**
 * Reads on standbys. Each read names a position in the write-ahead log that the standby must have replayed, so that no
 * answer is older than its question: docs/decisions/reads-on-standbys.md.
 */
import type { Compilable, CompiledQuery, LogEvent, QueryResult } from 'kysely'
import { createSnapshotAges, type SnapshotAges } from '../snapshot-ages.ts'
import { resultOf, send } from './dialect.ts'
import { isAway, isCancelledByReplay, rethrowTranslated } from './errors.ts'
import type { Lent, PostgresPool } from './pool.ts'
import { streamRows } from './stream.ts'

/** How long a read waits for a standby to replay its position. */
const REPLAY_MS = 20
/** How long a read waits for a connection to a standby, and for the answer to the check. A running server answers at once. */
const ANSWER_MS = 1000
/** A standby that did not answer is not asked for this time. By then its host was looked at again. */
const AWAY_MS = 2000

/** A statement by itself: the snapshot of the next one is taken after it. */
const CHECK = 'SELECT pg_last_wal_replay_lsn() >= $1::pg_lsn AS has'

export type StandbyOptions = {
  /** The names of the standbys that may be asked now. */
  readonly hosts: () => readonly string[]
  /** Opens the connections to a standby: for queries, and for streams. */
  readonly open: (host: string) => { readonly queries: PostgresPool; readonly streams: PostgresPool }
  /** The number of connections for streams to one standby. */
  readonly streams: number
  readonly log: (event: LogEvent) => void
  /** Called when a standby was lost or did not answer. */
  readonly onLoss: (host: string) => void
}

export type StandbyReads = {
  /** Runs a query on a standby that has replayed the position. Undefined: the primary must run it. */
  readonly run: <R>(position: string, query: CompiledQuery) => Promise<QueryResult<R> | undefined>
  /**
   * Streams as `Db.stream`, from such a standby. Returns false if it has sent nothing and the primary must do it. A failure after the first
   * rows is thrown.
   */
  readonly stream: <Row>(position: string, queries: readonly Compilable<Row>[]) => AsyncGenerator<Row[], boolean>
  /** The number of queries and streams that each standby has answered. */
  readonly answers: () => ReadonlyMap<string, number>
  readonly onSnapshotsDue: SnapshotAges['listen']
  /** Closes all connections to a standby that does not answer, or is none any more. Queries under way go to the primary. */
  readonly leave: (host: string) => void
  readonly close: () => Promise<void>
}

type Standby = {
  readonly host: string
  readonly queries: PostgresPool
  readonly streams: PostgresPool
  readonly ages: SnapshotAges
  /** Its last wait for a position had no effect. Reads then ask once, and before they send their query. */
  isLate: boolean
  /** Not asked before, by `performance.now()`. */
  awayUntilMs: number
}

export const createStandbyReads = ({ hosts, open, streams, log, onLoss }: StandbyOptions): StandbyReads => {
  const standbys = new Map<string, Standby>()
  const answers = new Map<string, number>()
  let turn = 0
  let snapshotsDue: (beforeMs: number) => void = () => {}

  const opened = (host: string): Standby => {
    const known = standbys.get(host)
    if (known) return known
    const ages = createSnapshotAges(streams)
    ages.listen((beforeMs) => snapshotsDue(beforeMs))
    const standby = { host, ...open(host), ages, isLate: false, awayUntilMs: 0 }
    standbys.set(host, standby)
    return standby
  }

  /** Returns the standby whose turn it is. */
  const next = (): Standby | undefined => {
    const names = hosts()
    for (let tried = 0; tried < names.length; tried++) {
      turn = (turn + 1) % names.length
      const name = names[turn]
      const standby = name === undefined ? undefined : opened(name)
      if (standby && standby.awayUntilMs <= performance.now()) return standby
    }
    return undefined
  }

  const lost = (standby: Standby): void => {
    standby.awayUntilMs = performance.now() + AWAY_MS
    onLoss(standby.host)
  }

  /** Returns true if the primary must answer because of this error. */
  const isForPrimary = (standby: Standby, error: unknown): boolean => {
    if (error instanceof NoAnswerError || isAway(error)) {
      lost(standby)
      return true
    }
    return isCancelledByReplay(error)
  }

  /** The last position that the server of a connection was seen to have replayed. It stays so as long as the connection is open. */
  const seen = new WeakMap<Lent['connection'], string>()

  const asked = async (connection: Lent['connection'], position: string): Promise<boolean> => {
    const [row] = (await inTime(send(connection, CHECK, [position]))) as { has: boolean | null }[]
    if (row?.has !== true) return false
    seen.set(connection, position)
    return true
  }

  /** Waits until the server of a connection has replayed the position. @returns false if that takes too long */
  const replayed = async (standby: Standby, connection: Lent['connection'], position: string): Promise<boolean> => {
    if (seen.get(connection) === position) return true
    const endMs = performance.now() + (standby.isLate ? 0 : REPLAY_MS)
    for (;;) {
      if (await asked(connection, position)) {
        standby.isLate = false
        return true
      }
      if (performance.now() >= endMs) {
        standby.isLate = true
        return false
      }
      await Bun.sleep(1)
    }
  }

  const answered = ({ host }: Standby): void => {
    answers.set(host, (answers.get(host) ?? 0) + 1)
  }

  const query = async <R>(standby: Standby, position: string, { sql, parameters }: CompiledQuery) => {
    const { connection, release } = await lent(standby.queries)
    const ask = () => send(connection, sql, parameters)
    let first: ReturnType<typeof ask> | undefined
    try {
      if (!standby.isLate && seen.get(connection) !== position) {
        const check = asked(connection, position)
        // In the same round trip. Its failure is reported where it is awaited, if it is.
        first = ask()
        first.catch(() => {})
        if (await check) return resultOf<R>(await first)
      }
      return (await replayed(standby, connection, position)) ? resultOf<R>(await ask()) : undefined
    } finally {
      // The first answer may still be under way.
      if (first) first.then(release, release)
      else release()
    }
  }

  /** Returns a connection for a stream to a standby that has replayed the position. */
  const lentForStream = async (standby: Standby, position: string): Promise<Lent | undefined> => {
    const connection = await lent(standby.streams)
    let isReplayed = false
    try {
      isReplayed = await replayed(standby, connection.connection, position)
    } finally {
      if (!isReplayed) connection.release()
    }
    return isReplayed ? connection : undefined
  }

  return {
    run: async <R>(position: string, compiled: CompiledQuery) => {
      const standby = next()
      if (!standby) return undefined
      const began = performance.now()
      const event = () => ({ query: compiled, queryDurationMillis: performance.now() - began })
      try {
        const result = await query<R>(standby, position, compiled)
        if (!result) return undefined
        log({ level: 'query', ...event() })
        answered(standby)
        return result
      } catch (error) {
        if (isForPrimary(standby, error)) return undefined
        log({ level: 'error', error, ...event() })
        return rethrowTranslated(error)
      }
    },
    stream: async function* <Row>(position: string, queries: readonly Compilable<Row>[]) {
      const standby = next()
      if (!standby) return false
      let hasSent = false
      try {
        const connection = await lentForStream(standby, position)
        if (!connection) return false
        for await (const rows of streamRows(async () => connection, queries, standby.ages.enter)) {
          if (!hasSent) answered(standby)
          hasSent = true
          yield rows
        }
        return true
      } catch (error) {
        if (!hasSent && isForPrimary(standby, error)) return false
        throw error
      }
    },
    answers: () => answers,
    onSnapshotsDue: (listener) => {
      snapshotsDue = listener
    },
    leave: (host) => {
      const standby = standbys.get(host)
      standby?.queries.drop()
      standby?.streams.drop()
    },
    close: async () => {
      const all = [...standbys.values()]
      standbys.clear()
      for (const { ages } of all) ages.close()
      await Promise.all(all.flatMap(({ queries, streams }) => [queries.close(), streams.close()]))
    },
  }
}

/** A standby does not answer, although nothing tells that its connections are lost. */
class NoAnswerError extends Error {
  override readonly name = 'NoAnswerError'
}

/** @param late called with an answer that comes later @throws NoAnswerError */
const inTime = async <T>(answer: Promise<T>, late: (value: T) => void = () => {}): Promise<T> => {
  const { promise, reject } = Promise.withResolvers<never>()
  const timer = setTimeout(() => {
    reject(new NoAnswerError(`no answer within ${ANSWER_MS} ms`))
    answer.then(late, () => {})
  }, ANSWER_MS)
  try {
    return await Promise.race([answer, promise])
  } finally {
    clearTimeout(timer)
  }
}

const lent = (pool: PostgresPool): Promise<Lent> => inTime(pool.reserve(), ({ release }) => release())
