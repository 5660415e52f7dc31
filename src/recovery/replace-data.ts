/**
 * Puts a database in the place of the one that is there. A kill at any moment leaves the old data or the new ones under
 * the name that counts, and never the log of one beside the other, which SQLite would write into it.
 */
import { Database, SQLiteError } from 'bun:sqlite'
import { constants, copyFileSync, existsSync, linkSync, renameSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { AppError } from '../platform/contract/errors.ts'
import { DATA_FILE } from '../platform/db/disk/data-folder.ts'
import { replaceFile, syncFile, syncFolder } from '../platform/db/disk/durable.ts'

/** Where a kill can come between: for a terminal to show, and for tests. */
export type Step = (done: 'log merged' | 'kept aside' | 'log removed' | 'replaced') => void

const IN_USE = 'another command is reading the data (a backup, perhaps): try again when it has ended'

/**
 * Moves what the log holds into the file, and does away with the log. That nobody else has the file open is part of it.
 * A file that is damaged keeps its log as it is.
 */
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
const stampOf = (at: Date): string => at.toISOString().replace(/[-:]|\.\d+/g, '')

const freeName = (dataDir: string, at: Date): string => {
  const stem = join(dataDir, `plat-replaced-${stampOf(at)}`)
  for (let n = 1; ; n++) {
    const name = n === 1 ? `${stem}.db` : `${stem}-${n}.db`
    if (!existsSync(name)) return name
  }
}

/** A second name costs nothing; the first one goes when the new data take it. */
const keepAside = (file: string, aside: string): void => {
  try {
    linkSync(file, aside)
  } catch {
    // A file system without second names. What is wrong besides, copying will say.
    copyFileSync(file, aside, constants.COPYFILE_EXCL)
    syncFile(aside)
  }
}

export type Replaced = {
  /** Where the old data are now; undefined if there were none. */
  readonly aside: string | undefined
}

/** Only for whoever holds the lock of the folder. `incoming` is in the same folder. */
export const replaceData = (
  { dataDir, incoming, at }: { readonly dataDir: string; readonly incoming: string; readonly at: Date },
  step: Step = () => {},
): Replaced => {
  const file = join(dataDir, DATA_FILE)
  const hasOld = existsSync(file)
  const aside = freeName(dataDir, at)
  if (hasOld) {
    mergeLog(file)
    step('log merged')
    keepAside(file, aside)
    syncFolder(dataDir)
    step('kept aside')
  }
  // Still there only beside data that are damaged or gone.
  for (const log of ['-wal', '-journal']) if (existsSync(file + log)) renameSync(file + log, aside + log)
  rmSync(`${file}-shm`, { force: true })
  syncFolder(dataDir)
  step('log removed')
  replaceFile(incoming, file)
  step('replaced')
  return { aside: hasOld ? aside : undefined }
}
