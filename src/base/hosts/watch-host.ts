/** Asks one host every second for its role, its cluster, its timeline and its position in the log. */
import { SQL } from 'bun'
import { getErrorCode, getErrorMessage } from '../../contract/unknown.ts'
import type { Host } from './database-url.ts'
import type { Look, Seen } from './primary.ts'

/** Between the beginnings of two questions. */
const EVERY_MS = 1000
/** The same if one is asked for: many connections may be lost at once. */
const SOON_MS = 100
export const LOOK_LIMIT_MS = 2000
/** A host that has not answered as many in a row is away. */
const MISSES = 2
/** A timer that fires so late shows that this process was busy; the answer may wait to be read. */
const LATE_MS = 250

/** The timeline up to which a server in recovery has replayed or received, as SQL. */
export const REPLAYED_TIMELINE = `(SELECT greatest(c.timeline_id, r.min_recovery_end_timeline, w.received_tli)
  FROM pg_control_checkpoint() AS c, pg_control_recovery() AS r LEFT JOIN pg_stat_wal_receiver AS w ON true)`

/** The timeline of a primary is that of its log: its control file has it only after the next checkpoint. */
const LOOK = `
  SELECT pg_is_in_recovery() AS is_in_recovery,
    (SELECT system_identifier::text FROM pg_control_system()) AS system_id,
    CASE WHEN pg_is_in_recovery()
      THEN ${REPLAYED_TIMELINE}
      ELSE ('x' || left(pg_walfile_name(pg_current_wal_insert_lsn()), 8))::bit(32)::int END AS timeline,
    at.lsn::text AS lsn, pg_wal_lsn_diff(at.lsn, '0/0')::float8 AS position,
    CASE WHEN pg_is_in_recovery()
      THEN (extract(epoch FROM clock_timestamp() - pg_last_xact_replay_timestamp()) * 1000)::float8 END AS since_replay_ms
  FROM (SELECT CASE WHEN pg_is_in_recovery() THEN pg_last_wal_replay_lsn() ELSE pg_current_wal_flush_lsn() END AS lsn) AS at`
/** For a server that lacks these functions. */
const SHORT_LOOK = 'SELECT pg_is_in_recovery() AS is_in_recovery'
/** Unknown functions, unsupported functions, and functions that the user may not call. */
const LACKING = /^(42|0A)/
/** `too_many_connections`: the host answers, but not this question. */
const FULL = '53300'

type Row = {
  readonly is_in_recovery: boolean
  readonly system_id?: string | null
  readonly timeline?: number | null
  readonly lsn?: string | null
  readonly position?: number | null
  readonly since_replay_ms?: number | null
}

const toLook = (row: Row): Look => ({
  isInRecovery: row.is_in_recovery,
  systemId: row.system_id ?? undefined,
  timeline: row.timeline ?? undefined,
  lsn: row.lsn ?? undefined,
  position: row.position ?? undefined,
  sinceReplayMs: row.since_replay_ms ?? undefined,
})

const getSqlState = (error: unknown): string => (error instanceof SQL.PostgresError ? String(error.errno ?? '') : '')

/** Returns the message of the server or of the client, but never the URL, which contains the password. */
const describeFailure = (error: unknown): string => {
  const message = getErrorMessage(error)
  const code = getErrorCode(error)
  if (getSqlState(error) === FULL) return `accepts no more connections: ${message}`
  return `does not answer: ${message}${code === '' ? '' : ` (${code})`}`
}

class TooLate extends Error {
  constructor() {
    super(`no answer within ${LOOK_LIMIT_MS / 1000} seconds`)
  }
}

/** Rejects when no answer has come in time, unless this process was too busy to read it. */
const withTimeout = async <T>(answer: Promise<T>): Promise<T> => {
  const { promise: late, reject } = Promise.withResolvers<never>()
  let timer: Timer | undefined
  const arm = (): void => {
    const dueMs = performance.now() + LOOK_LIMIT_MS
    timer = setTimeout(() => (performance.now() - dueMs > LATE_MS ? arm() : reject(new TooLate())), LOOK_LIMIT_MS)
  }
  arm()
  try {
    return await Promise.race([answer, late])
  } finally {
    clearTimeout(timer)
  }
}

export type HostWatch = {
  readonly seen: () => Seen
  /** Settles after the first answer, or its absence. */
  readonly first: Promise<void>
  /** Asks at once, but not more often than ten times a second. */
  readonly lookSoon: () => void
  readonly close: () => Promise<void>
}

/** Creates a client of one connection to a host, and calls `lost` when it has been closed. */
export type ConnectTo = (host: Host, lost: () => void) => SQL

/** @param changed called after each answer and each missing one; returns true if the host is to be asked again soon */
export const watchHost = (host: Host, connect: ConnectTo, changed: () => boolean): HostWatch => {
  let client: SQL | undefined
  let seen: Seen = { host, look: undefined, problem: 'was not asked yet' }
  let misses = 0
  let isClosed = false
  let isHurried = false
  let isAsking = false
  let lacksFunctions = false
  let beganMs = 0
  let timer: Timer | undefined

  const drop = async (): Promise<void> => {
    const dropped = client
    client = undefined
    // It may be lost already, or frozen.
    await dropped?.close({ timeout: 0 }).catch(() => {})
  }

  const open = (): SQL => {
    const opened = connect(host, () => {
      // The failure of a question is noticed by itself.
      if (client !== opened || isAsking) return
      client = undefined
      lookSoon()
    })
    return opened
  }

  const ask = async (): Promise<Look> => {
    client ??= open()
    try {
      const [row] = (await withTimeout(client.unsafe(lacksFunctions ? SHORT_LOOK : LOOK))) as Row[]
      if (!row) throw new Error('a query for one row has none')
      return toLook(row)
    } catch (error) {
      if (lacksFunctions || !LACKING.test(getSqlState(error))) throw error
      lacksFunctions = true
      return ask()
    }
  }

  const look = async (): Promise<void> => {
    try {
      seen = { host, look: await ask(), problem: '' }
      misses = 0
    } catch (error) {
      void drop()
      if (seen.look && getSqlState(error) === FULL) return
      misses++
      if (misses >= MISSES || !seen.look) seen = { host, look: undefined, problem: describeFailure(error) }
    }
  }

  const run = async (): Promise<void> => {
    clearTimeout(timer)
    isAsking = true
    isHurried = false
    beganMs = performance.now()
    await look()
    isAsking = false
    if (isClosed) return
    const isUrgent = changed()
    schedule(isHurried || isUrgent ? SOON_MS : EVERY_MS)
  }

  const schedule = (pauseMs: number): void => {
    clearTimeout(timer)
    // A server lives by its requests, not by these questions.
    timer = setTimeout(run, Math.max(0, beganMs + pauseMs - performance.now())).unref()
  }

  const lookSoon = (): void => {
    if (isAsking) isHurried = true
    else if (!isClosed) schedule(SOON_MS)
  }

  return {
    seen: () => seen,
    first: run(),
    lookSoon,
    close: async () => {
      isClosed = true
      clearTimeout(timer)
      await drop()
    },
  }
}
