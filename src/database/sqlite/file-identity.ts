/**
 * Notices that the data file or its log was replaced or deleted while it is open. SQLite goes on with the files that it has opened: what
 * it writes then is in no folder any more, and its log at the old path would be applied to the new file.
 */
import { constants, type Database } from 'bun:sqlite'
import { realpathSync, renameSync, rmSync, type Stats, statSync } from 'node:fs'
import { DISK_FAULTS } from '../../base/disk/disk-errors.ts'
import { FaultError } from '../../base/disk/fault.ts'

export type FileIdentity = {
  /** Compares device and inode of the data file, in 1 us. @throws FaultError unless it is the opened one */
  readonly check: () => void
  /** Like `check`, and compares the log, whose content `leave` can still save. @throws FaultError */
  readonly checkAll: () => void
  /** Returns the result of the last check. */
  readonly isInPlace: () => boolean
  /** Returns true if a new connection to the path would open the same files, in 2 us. With others it would mix the old log with the new file. */
  readonly mayOpen: () => boolean
  /** Called outside of any transaction after a failed check: moves the log into the opened file, and out of the way of the new one. */
  readonly leave: () => void
}

type Place = Pick<Stats, 'dev' | 'ino'>

const readPlace = (file: string): Place | undefined => statSync(file, { throwIfNoEntry: false })

const isSame = (a: Place | undefined, b: Place | undefined): boolean =>
  a !== undefined && b !== undefined && a.ino === b.ino && a.dev === b.dev

/** @param writer a connection that has read the file, so that its log exists */
export const createFileIdentity = (file: string, writer: Database, now = () => new Date()): FileIdentity => {
  // SQLite follows a symbolic link, and puts its files beside the target.
  const target = realpathSync(file)
  const log = `${target}-wal`
  const index = `${target}-shm`
  const places = { file: readPlace(file), log: readPlace(log), index: readPlace(index) }
  let isInPlace = true
  let isOwnLog = true
  let hasLeft = false

  const isOwnFile = (): boolean => isSame(readPlace(file), places.file)

  const readIsOwnLog = (): boolean => places.log === undefined || isSame(readPlace(log), places.log)

  const requirePlace = (isKept: boolean): void => {
    isInPlace = isKept
    if (!isKept) throw new FaultError(DISK_FAULTS.replaced)
  }

  /** Removes a file that is still the opened one. */
  const removeOwn = (path: string, place: Place | undefined): void => {
    if (isSame(readPlace(path), place)) rmSync(path, { force: true })
  }

  return {
    isInPlace: () => isInPlace,
    mayOpen: () => isInPlace && isOwnFile() && readIsOwnLog(),
    check: () => requirePlace(isOwnFile() && isOwnLog),
    checkAll: () => {
      places.log ??= readPlace(log)
      isOwnLog = readIsOwnLog()
      requirePlace(isOwnFile() && isOwnLog)
    },
    leave: () => {
      if (hasLeft) return
      hasLeft = true
      // SQLite writes to the files that it has opened, so the new file is not touched.
      const row = writer.query<{ busy: number }, []>('PRAGMA wal_checkpoint(TRUNCATE)').get()
      // The last connection would delete a log that is at the path of its own.
      writer.fileControl(constants.SQLITE_FCNTL_PERSIST_WAL, 1)
      if (isOwnFile()) return
      if (row?.busy === 0) removeOwn(log, places.log)
      else if (isSame(readPlace(log), places.log)) {
        const stamp = now()
          .toISOString()
          .replace(/[-:]|\.\d+/g, '')
        renameSync(log, `${target.replace(/\.db$/, '')}-replaced-${stamp}.db-wal`)
      }
      removeOwn(index, places.index)
    },
  }
}
