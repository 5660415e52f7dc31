/**
 * Reads on standbys. Each read names a position in the primary's log that the standby must have replayed, so that no answer
 * is older than its question: docs/decisions/failover.md#reads-on-standbys.
 */
import type { Compilable, CompiledQuery, LogEvent, QueryResult } from 'kysely'
import { createSnapshotAges, type SnapshotAges } from '../../snapshot-ages.ts'
import type { Lent, PostgresPool } from '../connections/pool.ts'
import { send, toQueryResult } from '../dialect.ts'
import { isAway, isCancelledByReplay, rethrowTranslated } from '../errors.ts'
import { streamRows } from '../stream.ts'
import { createPositionChecks, type Log, lent, NoAnswerError } from './standby-check.ts'

/** A standby that did not answer is not asked for this time. By then its host was looked at again. */
const AWAY_MS = 2000

export type StandbyPools = { readonly queries: PostgresPool; readonly streams: PostgresPool }

export type StandbyOptions = {
  /** The names of the standbys that may be asked now. */
  readonly hosts: () => readonly string[]
  /** Undefined while there is no primary. */
  readonly primaryLog: () => Log | undefined
  /** Opens the connections to a standby. */
  readonly open: (host: string) => StandbyPools
  /** The number of connections for streams to one standby. */
  readonly mostStreams: number
  readonly onQuery: (event: LogEvent) => void
  /** Called when a standby was lost or did not answer. */
  readonly onLoss: () => void
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
  /** Closes the connections to all standbys but these. Queries under way there go to the primary. */
  readonly keepOnly: (hosts: readonly string[]) => void
  readonly close: () => Promise<void>
}

type Standby = StandbyPools & {
  readonly host: string
  readonly ages: SnapshotAges
  /** Its last wait for a position had no effect. Reads then ask once, and before they send their query. */
  isLate: boolean
  /** Not asked before, by `performance.now()`. */
  awayUntilMs: number
}

export const createStandbyReads = (options: StandbyOptions): StandbyReads => {
  const { hosts, primaryLog, open, mostStreams, onQuery, onLoss } = options
  const checks = createPositionChecks(primaryLog)
  const standbys = new Map<string, Standby>()
  const answers = new Map<string, number>()
  let turn = 0
  let snapshotsDue: (beforeMs: number) => void = () => {}

  const opened = (host: string): Standby => {
    const known = standbys.get(host)
    if (known) return known
    const ages = createSnapshotAges(mostStreams)
    ages.listen((beforeMs) => snapshotsDue(beforeMs))
    const standby = { host, ...open(host), ages, isLate: false, awayUntilMs: 0 }
    standbys.set(host, standby)
    return standby
  }

  /** Returns the next standby in turn. */
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

  /** Returns true if the primary must answer because of this error. */
  const isForPrimary = (standby: Standby, error: unknown): boolean => {
    if (!(error instanceof NoAnswerError) && !isAway(error)) return isCancelledByReplay(error)
    standby.awayUntilMs = performance.now() + AWAY_MS
    onLoss()
    return true
  }

  const replayed = async (standby: Standby, connection: Lent['connection'], position: string): Promise<boolean> => {
    const isReplayed = await checks.wait(connection, position, standby.isLate)
    standby.isLate = !isReplayed
    return isReplayed
  }

  const answered = ({ host }: Standby): void => {
    answers.set(host, (answers.get(host) ?? 0) + 1)
  }

  const query = async <R>(standby: Standby, position: string, { sql, parameters }: CompiledQuery) => {
    const { connection, release } = await lent(standby.queries)
    const ask = () => send(connection, sql, parameters)
    let first: ReturnType<typeof ask> | undefined
    try {
      if (!standby.isLate && !checks.isKnown(connection, position)) {
        const check = checks.ask(connection, position)
        // In the same round trip. Its failure is reported where it is awaited, if it is.
        first = ask()
        first.catch(() => {})
        if (await check) return toQueryResult<R>(await first)
      }
      return (await replayed(standby, connection, position)) ? toQueryResult<R>(await ask()) : undefined
    } finally {
      // The first answer may still be under way.
      if (first) first.then(release, release)
      else release()
    }
  }

  /** Returns a connection for a stream to a standby that has replayed the position. */
  const lentForStream = async (standby: Standby, position: string): Promise<Lent | undefined> => {
    const one = await lent(standby.streams)
    let isReplayed = false
    try {
      isReplayed = await replayed(standby, one.connection, position)
    } finally {
      if (!isReplayed) one.release()
    }
    return isReplayed ? one : undefined
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
        onQuery({ level: 'query', ...event() })
        answered(standby)
        return result
      } catch (error) {
        if (isForPrimary(standby, error)) return undefined
        onQuery({ level: 'error', error, ...event() })
        return rethrowTranslated(error)
      }
    },
    stream: async function* <Row>(position: string, queries: readonly Compilable<Row>[]) {
      const standby = next()
      if (!standby) return false
      let hasSent = false
      try {
        const one = await lentForStream(standby, position)
        if (!one) return false
        for await (const rows of streamRows(async () => one, queries, standby.ages.enter)) {
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
    keepOnly: (names) => {
      for (const { host, queries, streams } of standbys.values()) {
        if (names.includes(host)) continue
        queries.drop()
        streams.drop()
      }
    },
    close: async () => {
      const all = [...standbys.values()]
      standbys.clear()
      for (const { ages } of all) ages.close()
      await Promise.all(all.flatMap(({ queries, streams }) => [queries.close(), streams.close()]))
    },
  }
}
