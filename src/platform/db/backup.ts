/** Makes a backup that is known to be good: copied in one snapshot, packed, unpacked again, and read through. */
import { closeSync, openSync, readdirSync, rmSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { BackupError, inspect, type Manifest, pack, unpack } from './backup-file.ts'
import { replaceFile } from './durable.ts'
import { checkDatabase, copyDatabase, type Watch } from './file-work.ts'
import type { FileReport } from './sqlite-file.ts'

export type BackupOptions = {
  /** The database; a server may be writing to it. */
  readonly database: string
  readonly target: string
  /** Of the program. */
  readonly version: string
  readonly now: () => Date
}

const isRunning = (pid: number): boolean => {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    // It is another user's, but it is there.
    return error instanceof Error && 'code' in error && error.code === 'EPERM'
  }
}

/** `FILE.123.part`: by the process that writes it, so that two backups at once don't meet. */
const partOf = (target: string): string => `${target}.${process.pid}.part`

const removeStale = (target: string): void => {
  const folder = dirname(target)
  const prefix = `${basename(target)}.`
  for (const name of readdirSync(folder)) {
    const [, pid] = name.startsWith(prefix) ? (/^(\d+)\.part(\.db(-\w+)?)?$/.exec(name.slice(prefix.length)) ?? []) : []
    if (pid !== undefined && !isRunning(Number(pid))) rmSync(join(folder, name), { force: true })
  }
}

const sameText = (a: unknown, b: unknown): boolean => JSON.stringify(a) === JSON.stringify(b)

const namesOf = ({ schema }: FileReport): string[] => schema.map(({ name }) => name)

/**
 * What a database holds that came out of a backup, or of another file called `name`.
 * @throws BackupError if it is damaged, or holds other things than the manifest says
 */
export const verify = async (
  database: string,
  { manifest, name }: { readonly manifest?: Manifest | undefined; readonly name: string },
  watch: Watch,
): Promise<FileReport> => {
  const report = await checkDatabase(database, watch)
  if (report.problems.length > 0) throw new BackupError(`${name} is damaged: ${report.problems.join('; ')}`)
  if (report.schema.length === 0) throw new BackupError(`${name} is no database of Plat`)
  if (manifest && !(sameText(report.counts, manifest.counts) && sameText(namesOf(report), manifest.schema)))
    throw new BackupError(`${name} is damaged: it does not hold what it says it holds`)
  return report
}

const makeIn = async (part: string, options: BackupOptions, watch: Watch): Promise<Manifest> => {
  const { database, version, now } = options
  const copy = `${part}.db`
  const created_at = now().toISOString()
  // Made here, so that its content is never readable to others.
  closeSync(openSync(copy, 'wx', 0o600))
  const report = await copyDatabase(database, copy, watch)
  const about = { version, schema: namesOf(report), created_at, counts: report.counts }
  await pack({ database: copy, to: part, ...about }, watch)
  rmSync(copy)

  // From the file itself: what can't be had back is no backup.
  const file = inspect(part)
  if (file.kind !== 'backup') throw new BackupError(`${part} can't be read back`)
  await unpack({ ...file, file: part, to: copy }, watch)
  await verify(copy, { manifest: file.manifest, name: database }, watch)
  return file.manifest
}

/** @throws BackupError; what the disk reports. Whatever happens, `target` is a whole backup or what it was before. */
export const writeBackup = async (options: BackupOptions, watch: Watch): Promise<Manifest> => {
  const { target } = options
  removeStale(target)
  const part = partOf(target)
  try {
    const manifest = await makeIn(part, options, watch)
    watch.signal.throwIfAborted()
    replaceFile(part, target)
    return manifest
  } finally {
    for (const leftover of [part, `${part}.db`, `${part}.db-journal`]) rmSync(leftover, { force: true })
  }
}
