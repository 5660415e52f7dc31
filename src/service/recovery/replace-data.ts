/** Replaces a database file so that a kill leaves the old or the new data, never with the other's log. */
import { Database, SQLiteError } from 'bun:sqlite'
import { constants, copyFileSync, existsSync, linkSync, renameSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { replaceFile, syncFile, syncFolder } from '../../base/disk/durable.ts'
import { AppError } from '../../contract/errors.ts'
import { DATA_FILE } from '../../database/disk/data-folder.ts'

/** The steps between which a kill may happen, for the terminal and for tests. */
export type Step = (done: 'log merged' | 'kept aside' | 'log removed' | 'replaced') => void

const IN_USE = 'another command is reading the data (a backup, perhaps): try again when it has ended'

/** Merges the log into the file and removes it. Fails if another process has the file open. */
const mergeLog = (file: string): void => {
  const database = new Database(file, { readwrite: true, create: false })
  try {
    database.run('PRAGMA busy_timeout = 2000')
    const row = database.query<{ journal_mode: string }, []>('PRAGMA journal_mode = DELETE').get()
    if (row?.journal_mode !== 'delete') throw new AppError('UNAVAILABLE', IN_USE)
  } catch (error) {
    if (!(error instanceof SQLiteError)) throw error
    if (error.code === 'SQLITE_NOTADB' || error.code?.startsWith('SQLITE_CORRUPT')) return
    if (error.code?.startsWith('SQLITE_BUSY')) throw new AppError('UNAVAILABLE', IN_USE, { cause: error })
    throw error
  } finally {
    database.close()
  }
}

/** `20260102T030405Z` */
const formatStamp = (at: Date): string => at.toISOString().replace(/[-:]|\.\d+/g, '')

const findFreeName = (dataDir: string, at: Date): string => {
  const stem = join(dataDir, `plat-replaced-${formatStamp(at)}`)
  for (let n = 1; ; n++) {
    const name = n === 1 ? `${stem}.db` : `${stem}-${n}.db`
    if (!existsSync(name)) return name
  }
}

/** A second name (hard link) costs nothing. The new data then replace the first one. */
const keepAside = (file: string, aside: string): void => {
  try {
    linkSync(file, aside)
  } catch {
    // The file system has no hard links. Any other error shows when copying.
    copyFileSync(file, aside, constants.COPYFILE_EXCL)
    syncFile(aside)
  }
}

export type Replaced = {
  /** The path of the old data; undefined if there were none. */
  readonly aside: string | undefined
}

/** The caller must hold the lock of the folder. `incoming` is in the same folder. */
export const replaceData = (
  { dataDir, incoming, at }: { readonly dataDir: string; readonly incoming: string; readonly at: Date },
  step: Step = () => {},
): Replaced => {
  const file = join(dataDir, DATA_FILE)
  const hasOld = existsSync(file)
  const aside = findFreeName(dataDir, at)
  if (hasOld) {
    mergeLog(file)
    step('log merged')
    keepAside(file, aside)
    syncFolder(dataDir)
    step('kept aside')
  }
  // A log remains only beside data that are damaged or missing.
  for (const log of ['-wal', '-journal']) if (existsSync(file + log)) renameSync(file + log, aside + log)
  rmSync(`${file}-shm`, { force: true })
  syncFolder(dataDir)
  step('log removed')
  replaceFile(incoming, file)
  step('replaced')
  return { aside: hasOld ? aside : undefined }
}
