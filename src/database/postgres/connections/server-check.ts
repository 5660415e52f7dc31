/**
 * Checks that a server can be used: it is PostgreSQL itself, and each connection has its own session. Behind a pooler that shares
 * connections out by transactions, prepared statements, settings and LISTEN get lost.
 */
import { SQL } from 'bun'
import type { Logger } from '../../../base/runtime/log.ts'
import { createAwayError, translatePostgresError } from '../errors.ts'
import { listIgnorable, MEANING_SETTINGS, type Settings } from './settings.ts'
import { UnsuitableServerError } from './unsuitable-server.ts'

/** Engines that speak the protocol of PostgreSQL, and the parts that they lack. */
const REFUSED: readonly { readonly engine: string; readonly pattern: RegExp; readonly lacks: string }[] = [
  { engine: 'CockroachDB', pattern: /cockroach/i, lacks: 'its advisory locks lock nothing and it has no LISTEN' },
  {
    engine: 'YugabyteDB',
    pattern: /yugabyte|-YB-/i,
    lacks: 'its LISTEN is off by default and it has no GIN index for pg_trgm',
  },
  { engine: 'Citus', pattern: /\bcitus\b/i, lacks: 'all locks of Plat would be those of its coordinator' },
]

/** Turns the connections are asked in. A pooler usually gives both the same server process in the first one. */
const TURNS = 8
/** A pooler without a free session lets a connection wait. */
const PATIENCE_MS = 4000
const PROTOCOL_VIOLATION = '08P01'

type Checked = {
  /** `db1:5432` */
  readonly host: string
  /** Creates a client of one connection with the settings. */
  readonly connect: () => SQL
  readonly settings: Settings
}

type Row = Readonly<Record<string, unknown>>

/** Returns the reason why an engine is refused. @param version the answer of `version()` */
export const describeRefusedEngine = (version: string): string | undefined => {
  const known = REFUSED.find(({ pattern }) => pattern.test(version))
  if (known) return `${known.engine} is not supported, because ${known.lacks}`
  if (version.startsWith('PostgreSQL')) return undefined
  return `${version.split(' ')[0] || 'This server'} is not supported`
}

/** Returns the setting that the error of a connection names, if a pooler refuses it. */
const getRefusedSetting = (error: unknown, settings: Settings): string | undefined => {
  if (!(error instanceof SQL.PostgresError) || String(error.errno) !== PROTOCOL_VIOLATION) return undefined
  return Object.keys(settings).find((name) => error.message.includes(name))
}

const fetchRows = async (client: SQL, text: string): Promise<readonly Row[]> => [...(await client.unsafe(text))]

const fetchProcessId = async (client: SQL): Promise<unknown> =>
  (await fetchRows(client, 'SELECT pg_backend_pid() AS pid'))[0]?.pid

const areShared = async (first: SQL, second: SQL): Promise<boolean> => {
  const [ofFirst, ofSecond] = [new Set<unknown>(), new Set<unknown>()]
  for (let turn = 0; turn < TURNS; turn++) {
    ofFirst.add(await fetchProcessId(first))
    ofSecond.add(await fetchProcessId(second))
  }
  return ofFirst.size + ofSecond.size > 2 || !ofFirst.isDisjointFrom(ofSecond)
}

/**
 * Returns the names of settings that the connection does not have, if `statement_timeout` is one of them.
 * @throws UnsuitableServerError if statements would have another meaning
 */
const findSettingsNotInForce = async (client: SQL, { host, settings }: Omit<Checked, 'connect'>): Promise<string[]> => {
  const names = Object.keys(settings)
  const rows = await fetchRows(
    client,
    `SELECT name, setting FROM pg_settings WHERE name IN (${names.map((name) => `'${name}'`).join(', ')})`,
  )
  const found = new Map(rows.map(({ name, setting }) => [name, setting]))
  const missing = names.filter((name) => found.get(name) !== String(settings[name]))
  const other = missing.find((name) => name in MEANING_SETTINGS)
  if (other !== undefined)
    throw new UnsuitableServerError(
      `${host} has ${other} = '${found.get(other)}', and a connection pooler ignores that Plat sets it`,
      `ALTER ROLE ... SET ${other} = '${settings[other]}'`,
    )
  return missing.includes('statement_timeout') ? missing : []
}

/** Returns the reason why a database is refused, and what to do; undefined for UTF-8. @param encoding its `server_encoding` */
export const describeRefusedEncoding = (encoding: string): { reason: string; remedy: string } | undefined =>
  encoding === 'UTF8'
    ? undefined
    : {
        reason: `stores text as ${encoding}, and Plat needs UTF8`,
        remedy: 'make a database with ENCODING UTF8 and TEMPLATE template0, and move the data there',
      }

/** Rejects when no answer has come in time. */
const withTimeout = async <T>(answer: Promise<T>): Promise<T> => {
  const { promise: late, reject } = Promise.withResolvers<never>()
  const timer = setTimeout(() => reject(createAwayError()), PATIENCE_MS)
  try {
    return await Promise.race([answer, late])
  } finally {
    clearTimeout(timer)
  }
}

/**
 * Opens two connections and closes them.
 * @returns the names of settings that are not in force because something between ignores them
 * @throws UnsuitableServerError; AppError UNAVAILABLE if it does not answer
 */
export const checkServer = async ({ host, connect, settings }: Checked): Promise<string[]> => {
  const [first, second] = [connect(), connect()]
  try {
    return await withTimeout(
      (async () => {
        const [row] = await fetchRows(
          first,
          "SELECT version() AS version, current_setting('server_encoding') AS encoding",
        )
        const refused = describeRefusedEngine(String(row?.version))
        if (refused !== undefined) throw new UnsuitableServerError(`${host}: ${refused}`, 'use PostgreSQL itself')
        const encoding = describeRefusedEncoding(String(row?.encoding))
        if (encoding) throw new UnsuitableServerError(`the database at ${host} ${encoding.reason}`, encoding.remedy)
        if (await areShared(first, second))
          throw new UnsuitableServerError(
            `${host} is a connection pooler that shares connections by transactions (PgBouncer: pool_mode = transaction)`,
            'connect Plat to PostgreSQL itself, or use pool_mode = session',
          )
        return findSettingsNotInForce(first, { host, settings })
      })(),
    )
  } catch (error) {
    const setting = getRefusedSetting(error, settings)
    if (setting === undefined) throw translatePostgresError(error)
    throw new UnsuitableServerError(
      `the connection pooler at ${host} refuses the setting ${setting}`,
      `connect Plat to PostgreSQL itself, or let the pooler ignore its settings (PgBouncer: ignore_startup_parameters = ${listIgnorable(settings).join(',')}) and use pool_mode = session`,
      { cause: error },
    )
  } finally {
    // A client that never connected has nothing to close.
    await Promise.allSettled([first.close({ timeout: 0 }), second.close({ timeout: 0 })])
  }
}

/**
 * Returns `checkServer` with one warning for settings that are not in force, however often it runs.
 * @param server the one to check, which may be another each time
 */
export const createServerCheck = (server: () => Checked, log: Logger | undefined) => {
  let hasWarned = false
  return async (): Promise<void> => {
    const checked = server()
    const settings = await checkServer(checked)
    if (settings.length === 0 || hasWarned) return
    hasWarned = true
    log?.warn('settings of the connection are not in force: a connection pooler ignores them', {
      host: checked.host,
      settings,
    })
  }
}
