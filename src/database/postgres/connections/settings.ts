/**
 * The settings of every connection. They are sent at its start, so that they hold whatever the server, the database or the user has
 * (PostgreSQL documentation, 20.1.3).
 */
import { PROGRAM_NAME } from './program-name.ts'

export type Settings = Readonly<Record<string, string | number>>

export type PostgresLimits = {
  /** At least two; for everything but streams and notifications. */
  readonly connections: number
  /** Time limit of one statement; long work has none. */
  readonly statementMs: number
  /** Time limit of waiting for the lock of a row or a name. */
  readonly lockMs: number
}

export const DEFAULT_LIMITS: PostgresLimits = { connections: 20, statementMs: 60_000, lockMs: 10_000 }

/** Ends a connection that takes no answer for 10 s, or whose network has not answered for 11 s. */
export const NETWORK_SETTINGS = {
  tcp_user_timeout: 10_000,
  tcp_keepalives_idle: 5,
  tcp_keepalives_interval: 3,
  tcp_keepalives_count: 3,
} as const

/** Ends the connection of a program that was cut off or frozen in a transaction, so that others get its locks within 15 s. */
export const LOSS_SETTINGS = { idle_in_transaction_session_timeout: 12_000, ...NETWORK_SETTINGS } as const

/** Streams hold no lock for which a write waits. Their readers may be slow, and their snapshots last 30 s at most. */
const STREAM_IDLE_MS = 60_000

/** Statements and their answers would mean something else with other values. */
export const MEANING_SETTINGS = {
  standard_conforming_strings: 'on',
  extra_float_digits: 1,
  default_transaction_isolation: 'read committed',
  exit_on_error: 'off',
} as const

/** The default assumes a rotating disk, where a row by index is expensive. A substring search would then scan all addresses. */
const COST_SETTINGS = { random_page_cost: 1.1 } as const

/** Returns the settings of a connection with limits. */
export const getConnectionSettings = ({ statementMs, lockMs }: PostgresLimits, name: string = PROGRAM_NAME) => ({
  statement_timeout: statementMs,
  lock_timeout: lockMs,
  ...LOSS_SETTINGS,
  ...MEANING_SETTINGS,
  ...COST_SETTINGS,
  application_name: name,
})

/** Returns the settings of a connection for streams. */
export const getStreamSettings = (settings: Settings): Settings => ({
  ...settings,
  idle_in_transaction_session_timeout: STREAM_IDLE_MS,
})

/** PgBouncer passes these on. */
const KNOWN_TO_POOLERS = new Set(['application_name', 'standard_conforming_strings'])

/** Returns the names of the settings that a pooler must be told to ignore. */
export const listIgnorable = (settings: Settings): string[] =>
  Object.keys(settings).filter((name) => !KNOWN_TO_POOLERS.has(name))
