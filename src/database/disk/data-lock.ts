/** Permits one process per data folder, by SQLite's own file lock, which ends with the process. */
import { Database, SQLiteError } from 'bun:sqlite'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { makePrivateFile } from '../../base/disk/private-files.ts'

export const LOCK_FILE = 'plat.lock'

/** Another process serves the data folder. */
export class DataLockedError extends Error {
  override readonly name = 'DataLockedError'
}

/** @returns the function that releases the lock @throws DataLockedError, DataFolderOpenError */
export const lockDataDir = (dataDir: string): (() => void) => {
  const file = join(dataDir, LOCK_FILE)
  // Created before SQLite does: any user who can read it can lock it.
  if (existsSync(dataDir)) makePrivateFile(file)
  const lock = new Database(file)
  try {
    lock.run('PRAGMA busy_timeout = 0')
    lock.run('PRAGMA locking_mode = EXCLUSIVE')
    lock.run('BEGIN EXCLUSIVE')
  } catch (cause) {
    lock.close()
    if (!(cause instanceof SQLiteError) || !cause.code?.startsWith('SQLITE_BUSY')) throw cause
    throw new DataLockedError(
      `Another Plat is using the data folder ${dataDir}. Stop it first, or set DATA_DIR to another folder.`,
      { cause },
    )
  }
  return () => {
    lock.run('ROLLBACK')
    lock.close()
  }
}
