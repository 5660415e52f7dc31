/** `plat backup FILE`: writes a verified backup. */
import { existsSync, realpathSync, statSync } from 'node:fs'
import { basename, dirname, join, resolve } from 'node:path'
import { AppError } from '../../contract/errors.ts'
import { writeBackup } from '../../database/disk/backup.ts'
import type { Manifest } from '../../database/disk/backup-file.ts'
import { DATA_FILE } from '../../database/disk/data-folder.ts'
import { toPrintable, toPrintableJson } from '../../surfaces/cli/output/display.ts'
import { getText, isOn, type Session, type Texts } from '../../surfaces/cli/parse/command.ts'
import { createUsageError } from '../../surfaces/cli/parse/usage-error.ts'
import { inWords } from './disk-words.ts'
import { formatSize, loadSessionConfig, runWatched } from './offline.ts'

const ON_POSTGRES = [
  'The data are in PostgreSQL, which has its own tool for this:',
  'pg_dump --format=custom --file=plat.dump "$DATABASE_URL"',
].join('\n')

/** The database, its log, the lock, the reserve. */
const OF_THE_DATA = /^plat\.(db(-\w+|\.restoring.*)?|lock|ballast)$/

/** Returns the absolute path of a file that may not exist yet, by its folder's real name. */
const realPath = (file: string): string => join(realpathSync(dirname(resolve(file))), basename(file))

/** @throws AppError for a path at which a backup must not be written */
const checkTarget = (file: string, { database, isForced }: { database: string; isForced: boolean }): string => {
  if (file === '-') throw createUsageError('a backup is read back once it is written, so it needs a FILE')
  const folder = dirname(resolve(file))
  if (!existsSync(folder)) throw new AppError('NOT_FOUND', `There is no folder ${folder}`)
  const target = realPath(file)
  const found = statSync(target, { throwIfNoEntry: false })
  if (found && !found.isFile()) throw createUsageError(`${file} is not a regular file: name another one`)
  // The data themselves must never be overwritten, with or without --force.
  if (dirname(target) === dirname(realPath(database)) && OF_THE_DATA.test(basename(target)))
    throw createUsageError(`${file} belongs to the data: name another file`)
  if (found && !isForced) throw new AppError('ALREADY_EXISTS', `${file} exists already; --force replaces it`)
  return target
}

const rowsIn = ({ counts }: Manifest): number => Object.values(counts).reduce((sum, n) => sum + n, 0)

const report = async (session: Session, file: string, manifest: Manifest): Promise<void> => {
  const { io, globals } = session
  const bytes = statSync(file).size
  if (globals.isQuiet) return
  if (globals.output === 'json') {
    await io.stdout.write(`${toPrintableJson(JSON.stringify({ file, bytes, ...manifest }))}\n`)
    return
  }
  const { devices = 0 } = manifest.counts
  const content = `${devices} devices and ${rowsIn(manifest) - devices} other rows, ${formatSize(manifest.size)}`
  await io.stdout.write(`${toPrintable(file)}: ${content}, in ${formatSize(bytes)}; read back and found whole\n`)
}

export const backup = async (session: Session, texts: Texts): Promise<number> => {
  const file = getText(texts, 'file')
  if (file === undefined) throw createUsageError('FILE missing')
  const config = loadSessionConfig(session, texts)
  if (config.databaseUrl !== undefined) throw new AppError('INVALID_INPUT', ON_POSTGRES)
  const database = join(config.dataDir, DATA_FILE)
  if (!existsSync(database))
    throw new AppError('NOT_FOUND', `There is no ${database}; DATA_DIR or --data-dir names the folder of the data`)
  const target = checkTarget(file, { database, isForced: isOn(texts, 'force') })
  const manifest = await runWatched(session, 'backup', (watch) =>
    writeBackup({ database, target, version: session.program.version, now: () => new Date() }, watch),
  ).catch(inWords(`writing ${target}`))
  await report(session, target, manifest)
  return 0
}
