/** Asks a primary about itself and about the programs that are connected to its database. */
import { type Kysely, sql } from 'kysely'
import type { DatabaseInstance, DatabaseStatus } from '../../database-host.ts'
import { parseProgramName } from './program-name.ts'
import { type ProgramRow, readPrograms } from './programs.ts'

type Server = { version: string; size_bytes: number; commits_wait: boolean }

/** True if commits wait for a standby, as SQL text. */
export const COMMITS_WAIT = `(current_setting('synchronous_standby_names') <> ''
  AND current_setting('synchronous_commit') NOT IN ('off', 'local'))`

const SERVER = sql<Server>`
  SELECT current_setting('server_version') AS version, pg_database_size(current_database())::float8 AS size_bytes,
         ${sql.raw(COMMITS_WAIT)} AS commits_wait`

const toInstance = ({ name, address, since, is_this }: ProgramRow): DatabaseInstance => {
  const named = parseProgramName(name)
  return {
    name: named?.name ?? name,
    version: named?.version ?? '',
    address,
    since: since || null,
    isThis: is_this,
  }
}

export const readStatus = async <Tables>(db: Kysely<Tables>, timeline: number | undefined): Promise<DatabaseStatus> => {
  const [{ rows: servers }, programs] = await Promise.all([SERVER.execute(db), readPrograms(db)])
  const [server] = servers
  if (!server) throw new Error('a query for one row has none')
  return {
    // Debian adds the version of its package.
    version: server.version.split(' ')[0] ?? '',
    sizeBytes: server.size_bytes,
    timeline: timeline ?? null,
    commitsWait: server.commits_wait,
    instances: programs.map(toInstance),
  }
}
