/** `plat restore FILE`. It does not change existing data before its last step. */
import { chownSync, existsSync, statSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { makePrivateFolder } from '../../base/disk/private-files.ts'
import { readFreeBytes } from '../../base/disk/reserve.ts'
import { AppError } from '../../contract/errors.ts'
import { verify } from '../../database/disk/backup.ts'
import { BackupError, type BackupFile, inspect, type Manifest, unpack } from '../../database/disk/backup-file.ts'
import { DATA_FILE, RESTORING, tidyDataDir } from '../../database/disk/data-folder.ts'
import { LOCK_FILE, lockDataDir } from '../../database/disk/data-lock.ts'
import { getDdl, listPending, type Migration, MigrationError } from '../../database/migrate.ts'
import { migrations } from '../../database/migrations/index.ts'
import type { FileReport } from '../../database/sqlite/file.ts'
import { copyDatabase, readSize, type Watch } from '../../database/sqlite/file-work.ts'
import { toPrintable, toPrintableJson } from '../../surfaces/cli/output/display.ts'
import { getText, isOn, type Session, type Texts } from '../../surfaces/cli/parse/command.ts'
import { createUsageError } from '../../surfaces/cli/parse/usage-error.ts'
import { inWords } from './disk-words.ts'
import { formatSize, loadSessionConfig, runWatched } from './offline.ts'
import { type Replaced, replaceData, type Step } from './replace-data.ts'

const ON_POSTGRES = [
  'The data are in PostgreSQL, which has its own tool for this:',
  'pg_restore --clean --if-exists --dbname="$DATABASE_URL" plat.dump',
].join('\n')

export type RestoreOptions = {
  readonly file: string
  readonly dataDir: string
  /** True if existing data may be replaced. */
  readonly isForced: boolean
  readonly migrations: readonly Migration[]
  readonly now: () => Date
  readonly step?: Step
}

export type Restored = Replaced & {
  readonly report: FileReport
  /** Undefined for a plain database file. */
  readonly manifest: Manifest | undefined
  /** Migrations that the next start will apply. */
  readonly pending: readonly string[]
}

/** Checks only the manifest, before unpacking. The full check follows on the unpacked data. */
const refuseNewer = ({ schema, version }: Manifest, known: readonly Migration[]): void => {
  const names = new Set(known.map(({ name }) => name))
  const unknown = schema.find((name) => !names.has(name))
  if (unknown !== undefined)
    throw new MigrationError(
      `The backup was made by a newer Plat, ${version}: it has the migration ${unknown}, which this version doesn't know. Use that version or a newer one.`,
    )
}

const requireSpace = (dataDir: string, size: number): void => {
  const free = readFreeBytes(dataDir)
  if (free < size)
    throw new AppError(
      'INTERNAL_ERROR',
      `${dataDir} has ${formatSize(free)} free, and the data need ${formatSize(size)}`,
    )
}

/** Files that a command of root creates must belong to the server's own user. */
export const giveToOwner = (dataDir: string, name: string): void => {
  if (process.getuid?.() !== 0) return
  const { uid, gid } = statSync(dataDir)
  chownSync(join(dataDir, name), uid, gid)
}

/** Every step that can fail is done here, beside the existing data. */
const prepare = async (
  source: BackupFile,
  { file, dataDir, migrations: known }: RestoreOptions,
  watch: Watch,
): Promise<Omit<Restored, 'aside'>> => {
  const manifest = source.kind === 'backup' ? source.manifest : undefined
  if (manifest) refuseNewer(manifest, known)
  requireSpace(dataDir, manifest?.size ?? readSize(file))
  const incoming = join(dataDir, RESTORING)
  if (source.kind === 'backup') await unpack({ ...source, file, to: incoming }, watch)
  else await copyDatabase(file, incoming, watch)
  const report = await verify(incoming, { manifest, name: file }, watch)
  const pending = listPending(known, report.schema, getDdl('sqlite')).map(({ name }) => name)
  return { report, manifest, pending }
}

const isSameFile = (a: string, b: string): boolean => {
  const [one, other] = [a, b].map((file) => statSync(file, { throwIfNoEntry: false }))
  return one !== undefined && other !== undefined && one.ino === other.ino && one.dev === other.dev
}

/** @throws DataLockedError, BackupError, MigrationError, AppError; existing data are then unchanged */
export const restoreData = async (options: RestoreOptions, watch: Watch): Promise<Restored> => {
  const { file, dataDir, isForced, now, step } = options
  const database = join(dataDir, DATA_FILE)
  const source = inspect(file)
  if (isSameFile(file, database)) throw new BackupError(`${file} is the data file itself`)
  makePrivateFolder(dataDir)
  const unlock = lockDataDir(dataDir)
  try {
    giveToOwner(dataDir, LOCK_FILE)
    if (existsSync(database) && !isForced)
      throw new AppError('ALREADY_EXISTS', `There are data in ${dataDir}; --force replaces them, and keeps them aside`)
    tidyDataDir(dataDir)
    const prepared = await prepare(source, options, watch)
    watch.signal.throwIfAborted()
    giveToOwner(dataDir, RESTORING)
    const replaced = replaceData({ dataDir, incoming: join(dataDir, RESTORING), at: now() }, step)
    return { ...prepared, ...replaced }
  } finally {
    tidyDataDir(dataDir)
    unlock()
  }
}

const report = async ({ io, globals }: Session, file: string, dataDir: string, restored: Restored): Promise<void> => {
  if (globals.isQuiet) return
  const { aside, manifest, pending, report } = restored
  if (globals.output === 'json') {
    const answer = { file, data_dir: dataDir, replaced: aside ?? null, pending, counts: report.counts }
    await io.stdout.write(`${toPrintableJson(JSON.stringify({ ...answer, manifest: manifest ?? null }))}\n`)
    return
  }
  const made = manifest ? `, made by Plat ${manifest.version} at ${manifest.created_at},` : ''
  const lines = [
    `${file}${made} is restored to ${dataDir}: ${report.counts.devices ?? 0} devices`,
    ...(aside === undefined ? [] : [`The previous data is in ${aside}`]),
    ...(pending.length === 0 ? [] : [`The next start brings the schema up to date: ${pending.join(', ')}`]),
  ]
  await io.stdout.write(lines.map((line) => `${toPrintable(line)}\n`).join(''))
}

export const restore = async (session: Session, texts: Texts): Promise<number> => {
  const named = getText(texts, 'file')
  if (named === undefined) throw createUsageError('FILE missing')
  const config = loadSessionConfig(session, texts)
  if (config.databaseUrl !== undefined) throw new AppError('INVALID_INPUT', ON_POSTGRES)
  const file = resolve(named)
  if (!existsSync(file)) throw new AppError('NOT_FOUND', `There is no ${named}`)
  const { dataDir } = config
  const options = { file, dataDir, isForced: isOn(texts, 'force'), migrations, now: () => new Date() }
  const restored = await runWatched(session, 'restore', (watch) => restoreData(options, watch)).catch(
    inWords(`restoring to ${dataDir}`),
  )
  await report(session, file, dataDir, restored)
  return 0
}
