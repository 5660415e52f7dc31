/** Checks PostgreSQL: it answers, in UTF-8, with pg_trgm, and has a schema that this program knows. */
import { SQL } from 'bun'
import type { Config } from '../../base/config/config.ts'
import { type DatabaseUrl, type Host, parseDatabaseUrl } from '../../base/hosts/database-url.ts'
import { getErrorCode, getErrorMessage } from '../../contract/unknown.ts'
import { getDdl } from '../../database/migrate.ts'
import { migrations } from '../../database/migrations/index.ts'
import { PROGRAM } from '../../database/migrations/program.ts'
import { formatProgramName, parseProgramName } from '../../database/postgres/connections/program-name.ts'
import { PROGRAMS } from '../../database/postgres/connections/programs.ts'
import { describeRefusal } from '../../database/postgres/connections/refusals.ts'
import {
  checkServer,
  describeRefusedEncoding,
  describeRefusedEngine,
} from '../../database/postgres/connections/server-check.ts'
import { getConnectionSettings } from '../../database/postgres/connections/settings.ts'
import { COMMITS_WAIT } from '../../database/postgres/connections/status.ts'
import { UnsuitableServerError } from '../../database/postgres/connections/unsuitable-server.ts'
import { getPostgresFault } from '../../database/postgres/errors.ts'
import { countMaxConnections } from '../../database/postgres/postgres.ts'
import { PROBE } from '../../database/postgres/probe-write.ts'
import { findSchemaProblem } from '../../database/schema-check.ts'
import { checkBreakGlass, checkHeaders, checkKey, checkSchema, type Query } from './doctor-data.ts'
import { lookAtHosts } from './doctor-hosts.ts'
import { checkTls } from './doctor-tls.ts'
import { checkUpgrade, loadApplied } from './doctor-upgrade.ts'
import { type Finding, ok, problem, warning } from './finding.ts'

const TIMEOUT_S = 5
/** Since this version the owner of a database may create pg_trgm in it. */
const OLDEST = 13

const checkDatabase = async (query: Query, place: string): Promise<Finding> => {
  const [row = {}] = await query(
    "SELECT current_setting('server_version') AS version, current_setting('server_encoding') AS encoding",
  )
  const version = String(row.version)
  if (Number.parseInt(version, 10) < OLDEST)
    return problem('database', `${place} is PostgreSQL ${version}`, `upgrade it: ${OLDEST} or newer is needed`)
  const refused = describeRefusedEncoding(String(row.encoding))
  if (refused) return problem('database', `${place} ${refused.reason}`, refused.remedy)
  return ok('database', `${place} answers: PostgreSQL ${version}`)
}

const checkTrigrams = async (query: Query): Promise<Finding> => {
  const [row] = await query(
    "SELECT installed_version, has_database_privilege(current_database(), 'CREATE') AS may_create FROM pg_available_extensions WHERE name = 'pg_trgm'",
  )
  if (!row)
    return problem('pg_trgm', 'the server does not have it', 'install the contrib package of PostgreSQL on its machine')
  if (row.installed_version !== null) return ok('pg_trgm', `installed, ${row.installed_version}`)
  if (row.may_create === true) return ok('pg_trgm', 'the first start installs it')
  return problem(
    'pg_trgm',
    'it is not in the database, and this user may not add it',
    'as a superuser, in that database: CREATE EXTENSION pg_trgm',
  )
}

const checkEngine = async (query: Query, place: string): Promise<Finding | undefined> => {
  const [row] = await query('SELECT version() AS version')
  const refused = describeRefusedEngine(String(row?.version))
  return refused === undefined ? undefined : problem('database', `${place}: ${refused}`, 'use PostgreSQL itself')
}

/** Each connection needs its own session, with the settings that Plat asks for. */
const checkPooler = async ({ url, name }: Host, config: Config): Promise<Finding[]> => {
  const { databaseConnections: connections, databaseStatementTimeoutMs: statementMs } = config
  const limits = { connections, statementMs, lockMs: config.databaseLockTimeoutMs }
  const settings = getConnectionSettings(limits, formatProgramName(PROGRAM))
  const connection = { url, max: 1, connectionTimeout: TIMEOUT_S, connection: settings }
  try {
    const ignored = await checkServer({ host: name, connect: () => new SQL(connection), settings })
    if (ignored.length === 0) return []
    const message = `a connection pooler at ${name} ignores settings: ${ignored.join(', ')}`
    return [
      warning(
        'pooler',
        message,
        'connect Plat to PostgreSQL itself, or give its user these settings: ALTER ROLE ... SET',
      ),
    ]
  } catch (error) {
    if (error instanceof UnsuitableServerError) return [problem('pooler', error.reason, error.remedy)]
    throw error
  }
}

/** Both are a choice: it is said which of them holds. */
const checkCommits = async (query: Query): Promise<Finding> => {
  const [row] = await query(`SELECT ${COMMITS_WAIT} AS is_waiting`)
  return row?.is_waiting === true
    ? ok('commits', 'wait for a standby: its promotion loses none')
    : ok('commits', 'do not wait for a standby: its promotion may lose the last ones')
}

/** A full disk and a server that can only be read refuse a write. Writes nothing. */
const checkWrites = async (query: Query): Promise<Finding[]> => {
  await query('BEGIN')
  try {
    await query(PROBE)
    return []
  } catch (error) {
    const fault = getPostgresFault(error)
    if (!fault) throw error
    return [problem('writes', fault.reason, fault.remedy)]
  } finally {
    await query('ROLLBACK')
  }
}

/** The server must permit all connections of one instance. The number of instances is unknown. */
const checkConnections = async (query: Query, { databaseConnections }: Config): Promise<Finding> => {
  const [row] = await query(
    "SELECT current_setting('max_connections')::int - current_setting('superuser_reserved_connections')::int AS n",
  )
  const [offered, wanted] = [Number(row?.n), countMaxConnections(databaseConnections)]
  const each = `one Plat opens up to ${wanted}`
  return offered < wanted
    ? problem(
        'connections',
        `the server takes ${offered}, and ${each}`,
        'raise max_connections of PostgreSQL, or lower DATABASE_CONNECTIONS',
      )
    : ok('connections', `${each}; the server takes those of ${Math.floor(offered / wanted)}`)
}

/** Returns the server's own message, but never the URL, which contains the password. */
const toFinding = (error: unknown, place: string): Finding => {
  const code = getErrorCode(error)
  const said = `${getErrorMessage(error)}${code === '' ? '' : ` (${code})`}`
  const refusal = describeRefusal(error)
  return problem(
    'database',
    `${place} cannot be used: ${refusal === undefined ? said : `${refusal}: ${said}`}`,
    'check DATABASE_URL, that the server runs and accepts this machine: psql "$DATABASE_URL" shows details',
  )
}

export type DatabaseFindings = {
  readonly findings: readonly Finding[]
  /** The host names and process ids of the instances on the database; undefined if it was not asked. */
  readonly instances: ReadonlySet<string> | undefined
}

/** Checks each host, and the database at the primary. */
export const checkPostgres = async (databaseUrl: string, config: Config): Promise<DatabaseFindings> => {
  const parsed = parseDatabaseUrl(databaseUrl)
  const { primary, findings: looked } = await lookAtHosts(parsed)
  const findings = [...looked, ...checkTls(parsed)]
  if (!primary) return { findings, instances: undefined }
  const examined = await checkPrimary(primary, { ...parsed, config })
  return { ...examined, findings: [...findings, ...examined.findings] }
}

const findInstances = async (query: Query): Promise<ReadonlySet<string>> =>
  new Set((await query(PROGRAMS)).flatMap(({ name }) => parseProgramName(String(name))?.name ?? []))

const STATEMENTS = migrations.flatMap(({ statements }) => statements(getDdl('postgres')))

type At = DatabaseUrl & { readonly config: Config }

const checkPrimary = async ({ url, name }: Host, { hosts, place: given, config }: At): Promise<DatabaseFindings> => {
  const client = new SQL({ url, max: 1, connectionTimeout: TIMEOUT_S })
  const query: Query = async (sql) => [...(await client.unsafe(sql))]
  const areSeveral = hosts.length > 1
  const place = areSeveral ? name : given
  try {
    const refused = await checkEngine(query, place)
    // Others may not even have the tables and functions of the further checks.
    if (refused) return { findings: [refused], instances: undefined }
    const server = await checkDatabase(query, place)
    const other = await findSchemaProblem(query, 'postgres', STATEMENTS)
    const applied = other ? [] : await loadApplied(query)
    const schema = other ? problem('schema', other.reason, other.remedy) : checkSchema(applied, 'postgres')
    const key =
      schema.status === 'ok'
        ? [await checkKey(query, config), ...(await checkHeaders(query)), ...(await checkBreakGlass(query, config))]
        : []
    const findings = [
      server,
      ...(server.status === 'problem' ? [] : await checkPooler({ url, name }, config)),
      ...(areSeveral ? [await checkCommits(query)] : []),
      await checkConnections(query, config),
      await checkTrigrams(query),
      schema,
      ...(applied.length === 0 ? [] : await checkWrites(query)),
      ...(schema.status === 'problem' ? [] : await checkUpgrade(query, applied)),
      ...key,
    ]
    return { findings, instances: await findInstances(query) }
  } catch (error) {
    return { findings: [toFinding(error, place)], instances: undefined }
  } finally {
    // A client that never connected has nothing to close.
    await client.close({ timeout: 0 }).catch(() => {})
  }
}
