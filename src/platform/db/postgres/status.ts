/** Asks a primary about itself and about the programs that are connected to its database. */
import { type Kysely, sql } from 'kysely'
import type { DatabaseInstance, DatabaseStatus } from '../database-host.ts'
import { IS_PROGRAM, parseProgramName } from './program-name.ts'

type Server = { version: string; size_bytes: number; commits_wait: boolean }
type Program = { name: string; address: string; since: Date | null; is_this: boolean }

// A name and an address together are a program: the names of two containers may be equal.
const PROGRAMS = sql<Program>`
  SELECT application_name AS name, coalesce(host(client_addr), '') AS address, min(backend_start) AS since,
         bool_or(pid = pg_backend_pid()) AS is_this
  FROM pg_stat_activity WHERE datname = current_database() AND ${sql.raw(IS_PROGRAM)}
  GROUP BY application_name, client_addr ORDER BY since, name, address`

/** True if commits wait for a standby, as SQL text. */
export const COMMITS_WAIT = `(current_setting('synchronous_standby_names') <> ''
  AND current_setting('synchronous_commit') NOT IN ('off', 'local'))`

const SERVER = sql<Server>`
  SELECT current_setting('server_version') AS version, pg_database_size(current_database())::float8 AS size_bytes,
         ${sql.raw(COMMITS_WAIT)} AS commits_wait`

const instanceOf = ({ name, address, since, is_this }: Program): DatabaseInstance => {
  const named = parseProgramName(name)
  return {
    name: named?.name ?? name,
    version: named?.version ?? '',
    address,
    since: since?.toISOString() ?? null,
    isThis: is_this,
  }
}

export const readStatus = async <Tables>(db: Kysely<Tables>, timeline: number | undefined): Promise<DatabaseStatus> => {
  const [{ rows: servers }, { rows: programs }] = await Promise.all([SERVER.execute(db), PROGRAMS.execute(db)])
  const [server] = servers
  if (!server) throw new Error('a query for one row has none')
  return {
    // Debian adds the version of its package.
    version: server.version.split(' ')[0] ?? '',
    sizeBytes: server.size_bytes,
    timeline: timeline ?? null,
    commitsWait: server.commits_wait,
    instances: programs.map(instanceOf),
  }
}
