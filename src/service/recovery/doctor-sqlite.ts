/** Checks the SQLite file: sound, of a known schema, with the right key. Works beside a running server. */
import { Database } from 'bun:sqlite'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { Config } from '../../base/config/config.ts'
import { getDiskFault } from '../../base/disk/disk-errors.ts'
import { getErrorMessage } from '../../contract/unknown.ts'
import { DATA_FILE } from '../../database/disk/data-folder.ts'
import { DataLockedError, LOCK_FILE, lockDataDir } from '../../database/disk/data-lock.ts'
import { getDdl } from '../../database/migrate.ts'
import { migrations } from '../../database/migrations/index.ts'
import { findSchemaProblem } from '../../database/schema-check.ts'
import { checkDatabase, readSize, type Watch } from '../../database/sqlite/file-work.ts'
import { isTooOld } from '../../database/sqlite/sqlite.ts'
import { checkBreakGlass, checkHeaders, checkKey, checkSchema, type Query } from './doctor-data.ts'
import { type Finding, ok, problem } from './finding.ts'
import { formatSize } from './offline.ts'

/** Returns true if a server, or another command with exclusive access, is running. */
export const isServing = (dataDir: string): boolean => {
  // A lock exists only in its file, and the check must not create the file.
  if (!existsSync(join(dataDir, LOCK_FILE))) return false
  try {
    lockDataDir(dataDir)()
    return false
  } catch (error) {
    return error instanceof DataLockedError
  }
}

const checkVersion = (): Finding => {
  const database = new Database(':memory:')
  const row = database.query<{ version: string }, []>('SELECT sqlite_version() AS version').get()
  database.close()
  const version = row?.version ?? 'none'
  return isTooOld(version)
    ? problem(
        'sqlite',
        `${version} can corrupt a database`,
        'install the dependencies that Plat was released with: npm ci',
      )
    : ok('sqlite', version)
}

const onFile =
  (database: Database): Query =>
  async (sql) =>
    // A row is an object of its columns.
    database.query(sql).all() as Record<string, unknown>[]

const DAMAGED = 'stop the server, keep the folder as it is, and plat restore the latest backup'

const STATEMENTS = migrations.flatMap(({ statements }) => statements(getDdl('sqlite')))

/** Looks for another application's tables. */
const checkOwner = async (file: string): Promise<Finding | undefined> => {
  const database = new Database(file, { readwrite: true, create: false })
  try {
    database.run('PRAGMA busy_timeout = 5000')
    const found = await findSchemaProblem(onFile(database), 'sqlite', STATEMENTS)
    return found && problem('schema', found.reason, found.remedy)
  } finally {
    database.close()
  }
}

/** Reads the whole file. */
const checkContent = async (file: string, config: Config, watch: Watch): Promise<Finding[]> => {
  const { problems, schema } = await checkDatabase(file, watch, 'quick-check')
  if (problems.length > 0) return [problem('database', `${file} is damaged: ${problems.join('; ')}`, DAMAGED)]
  const database = new Database(file, { readwrite: true, create: false })
  try {
    database.run('PRAGMA busy_timeout = 5000')
    const sound = ok('database', `${file} is sound, ${formatSize(readSize(file))}`)
    const step = checkSchema(schema, 'sqlite')
    // The tables of an unknown schema are unknown.
    if (step.status !== 'ok') return [sound, step]
    const query = onFile(database)
    const content = [...(await checkHeaders(query)), ...(await checkBreakGlass(query, config))]
    return [sound, step, await checkKey(query, config), ...content]
  } finally {
    database.close()
  }
}

const toFinding = (file: string, error: unknown): Finding => {
  const fault = getDiskFault(error)
  if (fault?.kind === 'damaged') return problem('database', `${file} is damaged: ${getErrorMessage(error)}`, DAMAGED)
  return fault
    ? problem('database', `${file}: ${fault.reason} (${getErrorMessage(error)})`, fault.remedy)
    : problem(
        'database',
        `${file} cannot be read: ${getErrorMessage(error)}`,
        'run this as the user that the server runs as',
      )
}

export const checkSqlite = async (config: Config, watch: Watch): Promise<Finding[]> => {
  const file = join(config.dataDir, DATA_FILE)
  const version = checkVersion()
  if (!existsSync(file)) return [version, ok('database', 'there is none yet')]
  try {
    const owner = await checkOwner(file)
    return owner ? [version, owner] : [version, ...(await checkContent(file, config, watch))]
  } catch (error) {
    watch.signal.throwIfAborted()
    return [version, toFinding(file, error)]
  }
}
