/** Migrated databases, created once per process and copied, which takes a fraction of the time. */
import { copyFileSync, existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { getDataFile, openDatabase } from '../../src/app/compose.ts'
import { type Config, loadConfig } from '../../src/base/config/config.ts'
import { createLogger } from '../../src/base/runtime/log.ts'
import { postgres, postgresDatabase, type TestDatabase } from '../servers/servers.ts'

const quiet = createLogger({ level: 'error', format: 'text', write: () => {} })

const migrate = async (config: Config): Promise<void> => {
  const opened = await openDatabase({ config, log: quiet, now: () => new Date() })
  await opened.close()
}

let sqliteTemplate: Promise<string> | undefined

const makeSqliteTemplate = async (): Promise<string> => {
  const dataDir = mkdtempSync(join(tmpdir(), 'plat-template-'))
  process.on('exit', () => rmSync(dataDir, { recursive: true, force: true }))
  const config = loadConfig({ env: { DATA_DIR: dataDir }, cwd: dataDir })
  await migrate(config)
  return getDataFile(config)
}

/**
 * Puts a migrated data file, or a copy of `template`, at the path of the configuration.
 * @returns false, without a change, if there is one already
 */
export const copyDataFile = async (config: Config, template?: string): Promise<boolean> => {
  if (existsSync(getDataFile(config))) return false
  if (template === undefined) sqliteTemplate ??= makeSqliteTemplate()
  copyFileSync(template ?? (await sqliteTemplate) ?? '', getDataFile(config))
  return true
}

/** A cluster that dies is followed by another, without a template. */
const postgresTemplates = new WeakMap<object, Promise<string>>()

const makePostgresTemplate = async (): Promise<string> => {
  const { url } = await postgresDatabase()
  await migrate(loadConfig({ env: { DATABASE_URL: url }, cwd: tmpdir() }))
  return new URL(url).pathname.slice(1)
}

/** Creates a separate migrated database in the cluster, or a copy of the database `copied`. */
export const migratedPostgres = async (copied?: string): Promise<TestDatabase> => {
  if (copied !== undefined) return postgresDatabase(copied)
  const cluster = await postgres()
  const template = postgresTemplates.get(cluster) ?? makePostgresTemplate()
  postgresTemplates.set(cluster, template)
  return postgresDatabase(await template)
}
