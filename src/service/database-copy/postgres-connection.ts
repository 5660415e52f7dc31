/** One connection to PostgreSQL for a whole copy, and a check for other connections. Knows no table. */
import { type ReservedSQL, SQL } from 'bun'
import { parseDatabaseUrl } from '../../base/hosts/database-url.ts'
import { createHosts } from '../../base/hosts/hosts.ts'
import { AppError } from '../../contract/errors.ts'
import { getErrorMessage } from '../../contract/unknown.ts'
import { IS_PROGRAM } from '../../database/postgres/connections/program-name.ts'
import { NETWORK_SETTINGS } from '../../database/postgres/connections/settings.ts'

const TIMEOUT_S = 10
/** @example formatPlace('postgres://plat:secret@db/plat') // 'postgres://db/plat' */
export const formatPlace = (url: string): string => `postgres://${parseDatabaseUrl(url).place}`

/** Returns the server's own message, but never the URL, which contains the password. */
const createUnusableError = (place: string, cause: unknown): AppError =>
  new AppError('UNAVAILABLE', `${place} cannot be used: ${getErrorMessage(cause)}`, {
    cause,
  })

export type Connection = {
  readonly sql: ReservedSQL
  readonly run: (statement: string, values?: readonly unknown[]) => Promise<readonly Record<string, unknown>[]>
  readonly close: () => Promise<void>
}

/** @throws AppError UNAVAILABLE if none of several hosts is the primary */
const findPrimaryUrl = async (url: string): Promise<string> => {
  const parsed = parseDatabaseUrl(url)
  const [first, ...others] = parsed.hosts
  // A single host says by itself why it cannot be used.
  if (others.length === 0) return first.url
  const hosts = createHosts({
    ...parsed,
    connect: (host, lost) => new SQL({ url: host.url, max: 1, connectionTimeout: TIMEOUT_S, onclose: lost }),
  })
  try {
    await hosts.requirePrimary()
    return hosts.primary()?.url ?? first.url
  } finally {
    await hosts.close()
  }
}

export const connect = async (url: string): Promise<Connection> => {
  const client = new SQL({
    url: await findPrimaryUrl(url),
    max: 1,
    connectionTimeout: TIMEOUT_S,
    idleTimeout: 0,
    maxLifetime: 0,
  })
  const end = () => client.close({ timeout: 0 }).catch(() => {}) // a client that never connected has nothing to close
  try {
    const sql = await client.reserve()
    const run: Connection['run'] = async (statement, values = []) => [...(await sql.unsafe(statement, [...values]))]
    // A copy has no time limit, and reads wait for writes.
    for (const limit of ['statement_timeout', 'lock_timeout', 'idle_in_transaction_session_timeout'])
      await run(`SET ${limit} = 0`)
    // The locks of a copy that was cut off would keep the next one waiting.
    for (const [name, value] of Object.entries(NETWORK_SETTINGS)) await run(`SET ${name} = ${value}`)
    return {
      sql,
      run,
      close: async () => {
        sql.release()
        await end()
      },
    }
  } catch (error) {
    await end()
    throw createUnusableError(formatPlace(url), error)
  }
}

const OTHERS = `SELECT count(*)::int AS n FROM pg_stat_activity
  WHERE datname = current_database() AND ${IS_PROGRAM} AND pid <> pg_backend_pid()`

/** A server that has just stopped is still listed for a moment. */
const GONE_MS = 2000
const LOOK_MS = 100

/** @throws AppError while Plat servers are connected: their further writes would not be copied */
export const refuseServers = async ({ run }: Connection, place: string): Promise<void> => {
  const connected = async () => Number((await run(OTHERS))[0]?.n)
  const untilMs = performance.now() + GONE_MS
  let n = await connected()
  while (n > 0 && performance.now() < untilMs) {
    await Bun.sleep(LOOK_MS)
    n = await connected()
  }
  if (n > 0)
    throw new AppError(
      'UNAVAILABLE',
      `Plat is connected to ${place} (${n} connections): stop every instance first, because further writes would not be copied`,
    )
}

export const runInTransaction =
  ({ run }: Connection) =>
  async (work: () => Promise<void>): Promise<void> => {
    await run('BEGIN')
    try {
      await work()
      await run('COMMIT')
    } catch (error) {
      // The earlier error explains more than a lost connection.
      await run('ROLLBACK').catch(() => {})
      throw error
    }
  }
