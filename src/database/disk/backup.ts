/** Makes a verified backup: copied in one snapshot, packed, unpacked again, and checked. */
import { mkdirSync, readdirSync, rmSync, statSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { replaceFile } from '../../base/disk/durable.ts'
import type { FileReport } from '../sqlite/file.ts'
import { checkDatabase, copyDatabase, type Watch } from '../sqlite/file-work.ts'
import { isOfLitestream } from '../sqlite/litestream.ts'
import { BackupError, inspect, type Manifest, pack, unpack } from './backup-file.ts'

export type BackupOptions = {
  /** The database; a server may be writing to it. */
  readonly database: string
  readonly target: string
  /** The version of the program. */
  readonly version: string
  readonly now: () => Date
}

const isRunning = (pid: number): boolean => {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    // The process belongs to another user, but it exists.
    return error instanceof Error && 'code' in error && error.code === 'EPERM'
  }
}

/** `FILE.123.part`: a folder named by the working process, so that concurrent backups do not conflict. */
const getWorkshop = (target: string): string => `${target}.${process.pid}.part`

/** The id may belong to another process by now, or to a zombie. */
const LONGEST_BACKUP_MS = 24 * 60 * 60_000

const removeStale = (target: string): void => {
  const folder = dirname(target)
  const prefix = `${basename(target)}.`
  for (const name of readdirSync(folder)) {
    const [, pid] = name.startsWith(prefix) ? (/^(\d+)\.part$/.exec(name.slice(prefix.length)) ?? []) : []
    if (pid === undefined) continue
    const path = join(folder, name)
    const age = Date.now() - (statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0)
    if (!isRunning(Number(pid)) || age > LONGEST_BACKUP_MS) rmSync(path, { recursive: true, force: true })
  }
}

const hasSameText = (a: unknown, b: unknown): boolean => JSON.stringify(a) === JSON.stringify(b)

const listNames = ({ schema }: FileReport): string[] => schema.map(({ name }) => name)

/** A manifest of an earlier version counts the rows of Litestream's tables as well. */
const filterCounts = ({ counts }: Manifest): Manifest['counts'] =>
  Object.fromEntries(Object.entries(counts).filter(([table]) => !isOfLitestream(table)))

/** Checks an unpacked backup, or a file called `name`. @throws BackupError if damaged, or unlike the manifest */
export const verify = async (
  database: string,
  { manifest, name }: { readonly manifest?: Manifest | undefined; readonly name: string },
  watch: Watch,
): Promise<FileReport> => {
  const report = await checkDatabase(database, watch)
  if (report.problems.length > 0) throw new BackupError(`${name} is damaged: ${report.problems.join('; ')}`)
  if (report.schema.length === 0) throw new BackupError(`${name} is no database of Plat`)
  if (
    manifest &&
    !(hasSameText(report.counts, filterCounts(manifest)) && hasSameText(listNames(report), manifest.schema))
  )
    throw new BackupError(`${name} is damaged: its content does not match its manifest`)
  return report
}

/** @returns the manifest of the backup that is now at `packed` */
const makeIn = async (workshop: string, options: BackupOptions, watch: Watch): Promise<Manifest> => {
  const { database, version, now } = options
  const copy = join(workshop, 'plat.db')
  const packed = getPackedPath(workshop)
  const created_at = now().toISOString()
  const report = await copyDatabase(database, copy, watch)
  const about = { version, schema: listNames(report), created_at, counts: report.counts }
  await pack({ database: copy, to: packed, ...about }, watch)
  rmSync(copy)

  // Read from the file itself: a backup that cannot be read back is useless.
  const file = inspect(packed)
  if (file.kind !== 'backup') throw new BackupError(`${packed} can't be read back`)
  await unpack({ ...file, file: packed, to: copy }, watch)
  await verify(copy, { manifest: file.manifest, name: database }, watch)
  return file.manifest
}

const getPackedPath = (workshop: string): string => join(workshop, 'packed')

/** @throws BackupError; errors of the disk. In any case `target` is a complete backup or unchanged. */
export const writeBackup = async (options: BackupOptions, watch: Watch): Promise<Manifest> => {
  const { target } = options
  removeStale(target)
  const workshop = getWorkshop(target)
  // Private to its owner. A folder, so that a worker that ends late can't leave a file behind.
  mkdirSync(workshop, { mode: 0o700 })
  try {
    const manifest = await makeIn(workshop, options, watch)
    watch.signal.throwIfAborted()
    replaceFile(getPackedPath(workshop), target)
    return manifest
  } finally {
    rmSync(workshop, { recursive: true, force: true })
  }
}
