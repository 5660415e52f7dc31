/** Manages the data folder of SQLite: one process, one file, its reserve of space, copies before upgrades. */
import { accessSync, constants, readdirSync, rmSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { type DiskProblem, getDiskFault, getDiskProblem, translateFileError } from '../../base/disk/disk-errors.ts'
import { FaultError } from '../../base/disk/fault.ts'
import { makePrivateFile, makePrivateFolder } from '../../base/disk/private-files.ts'
import { createDiskReserve, type DiskReserve } from '../../base/disk/reserve.ts'
import type { Logger } from '../../base/runtime/log.ts'
import { type Migration, migrate } from '../migrate.ts'
import { openSqlite, type SqliteDb } from '../sqlite/sqlite.ts'
import { lockDataDir } from './data-lock.ts'
import { guardDisk } from './disk-guard.ts'
import { copyBeforeUpgrade, removePartialCopies } from './upgrade-copy.ts'

export const DATA_FILE = 'plat.db'
/** The database that a restore has unpacked and not yet put in place. */
export const RESTORING = `${DATA_FILE}.restoring`
const REPLACED = /^plat-replaced-.*\.db$/

type Options = {
  readonly dataDir: string
  readonly migrations: readonly Migration[]
  readonly now: () => Date
  readonly log: Logger
  /** Returns the free space of the disk in bytes; by default the system's answer. */
  readonly freeBytes?: () => number
}

export type DataFolder<Tables> = {
  readonly db: SqliteDb<Tables>
  /** Called periodically: creates the reserve, and notices free space after a full disk. */
  readonly maintain: () => Promise<void>
  readonly close: () => Promise<void>
}

/**
 * Removes the remains of killed commands. The caller must hold the lock of the folder. A restore that only linked the
 * old data to a second name leaves two names. The second one is removed, because SQLite must not open one file by two
 * names.
 */
export const tidyDataDir = (dataDir: string): void => {
  removePartialCopies(dataDir)
  const data = statSync(join(dataDir, DATA_FILE), { throwIfNoEntry: false })
  for (const name of readdirSync(dataDir)) {
    const file = join(dataDir, name)
    const isAlias = REPLACED.test(name) && data !== undefined && statSync(file).ino === data.ino
    if (isAlias || name.startsWith(RESTORING)) rmSync(file, { force: true })
  }
}

/** A full disk has these problems when files are opened. */
const OF_FULL_DISK: ReadonlySet<DiskProblem> = new Set(['full', 'failing', 'read-only'])

/** A disk that filled up before the start may lack space for the small files that opening needs. */
const startOn = (reserve: DiskReserve) => {
  let isFull = false
  return {
    isFull: () => isFull,
    run: <T>(work: () => T): T => {
      try {
        return work()
      } catch (error) {
        const problem = getDiskProblem(error)
        if (problem === undefined || !OF_FULL_DISK.has(problem)) throw error
        isFull = true
        reserve.release()
        return work()
      }
    },
  }
}

/** SQLite reports a file system that can only be read as a file that cannot be opened. @throws FaultError */
const requireWritable = (dataDir: string): void => {
  try {
    accessSync(dataDir, constants.W_OK)
  } catch (error) {
    const fault = getDiskFault(error)
    if (fault) throw new FaultError(fault, { cause: error })
  }
}

/** Creates, opens and migrates the data. @throws DataLockedError, FaultError, DataFolderOpenError, MigrationError */
export const openDataFolder = async <Tables>(options: Options): Promise<DataFolder<Tables>> => {
  const { dataDir, migrations, now, log, freeBytes } = options
  makePrivateFolder(dataDir)
  requireWritable(dataDir)
  const reserve = createDiskReserve(dataDir, freeBytes)
  const start = startOn(reserve)
  const unlock = start.run(() => lockDataDir(dataDir))
  let db: SqliteDb<Tables> | undefined
  const close = async () => {
    await db?.close()
    unlock()
  }
  try {
    tidyDataDir(dataDir)
    const file = join(dataDir, DATA_FILE)
    const guardFor = guardDisk({ reserve, log, isFull: start.isFull })
    const onCheckpointFailure = (error: unknown) =>
      log.warn('the log of the database is not moved into its file beside the writing, but by it', { error })
    // Created before SQLite does, so that its log and its index get the permissions of the file.
    start.run(() => makePrivateFile(file))
    const opened = start.run(() => openSqlite<Tables>(file, { guardFor, log, onCheckpointFailure }))
    db = opened
    const applied = await migrate(opened, {
      migrations,
      now,
      beforeUpgrade: async (before) => {
        const copy = copyBeforeUpgrade(opened, dataDir, before.length + 1)
        log.info('database copied before the upgrade', { copy })
      },
    })
    if (applied.length > 0) log.info('database migrated', { applied })
    const maintain = async () => {
      if (opened.fault() === undefined) reserve.take()
    }
    return { db: opened, maintain, close }
  } catch (error) {
    await close()
    throw translateFileError(error)
  }
}
