/** Classifies errors of SQLite's file and of its disk, whether SQLite or the system reports them. */
import { AppError } from '../../contract/errors.ts'
import { getTextErrorCode } from '../../contract/unknown.ts'
import { type Fault, FaultError, type FaultKind } from './fault.ts'

export type DiskProblem = Extract<FaultKind, 'full' | 'failing' | 'read-only' | 'damaged' | 'replaced' | 'locked'>

/** SQLite, section "Result and Error Codes"; errno(3). */
const PROBLEMS: readonly (readonly [RegExp, DiskProblem])[] = [
  [/^(SQLITE_FULL|ENOSPC|EDQUOT)$/, 'full'],
  [/^(SQLITE_IOERR.*|EIO)$/, 'failing'],
  [/^(SQLITE_READONLY.*|EROFS)$/, 'read-only'],
  [/^(SQLITE_CORRUPT.*|SQLITE_NOTADB)$/, 'damaged'],
  [/^SQLITE_BUSY.*$/, 'locked'],
]

/** Returns the reason and the remedy of a problem of the data file. */
export const DISK_FAULTS: Readonly<Record<DiskProblem, Fault>> = {
  full: {
    kind: 'full',
    reason: 'the disk is full: changes are refused until there is space, reading and deleting go on',
    remedy: 'free space on the disk of the data folder',
  },
  failing: {
    kind: 'failing',
    reason: 'the disk fails (I/O error): changes are refused until one succeeds',
    remedy: 'look at the log of the kernel (dmesg), make a backup, and replace the disk if it is broken',
  },
  'read-only': {
    kind: 'read-only',
    reason: 'the data file can only be read: changes are refused until it can be written',
    remedy: 'mount its file system for writing, and give the data folder to the user that the server runs as',
  },
  damaged: {
    kind: 'damaged',
    // SQLite reports a read that fails with EIO within a statement in the same way.
    reason: 'the data file is damaged, or its disk fails to read it: changes are refused until one succeeds',
    remedy: 'plat doctor shows details; if it is damaged, keep the folder as it is, and plat restore the latest backup',
  },
  replaced: {
    kind: 'replaced',
    reason: 'the data file was replaced or deleted: changes are refused, reading goes on, and the new file is not used',
    remedy: 'export what you need, then start the server again: it takes the file that is there then',
  },
  locked: {
    kind: 'locked',
    reason: 'another program holds the lock of the data file: changes are refused until it ends, reading goes on',
    remedy: 'end its transaction; plat backup copies the data without this lock',
  },
}

const MESSAGES: Readonly<Record<'full' | 'failing' | 'read-only', string>> = {
  full: 'The disk is full: nothing was changed. Changes are taken again once there is space',
  failing: 'The disk fails: nothing was changed. The log of the server says more',
  'read-only': 'The data can only be read: nothing was changed. The log of the server says more',
}

/** @example getDiskProblem(new SQLiteError('database or disk is full')) // 'full', by its code */
export const getDiskProblem = (error: unknown): DiskProblem | undefined => {
  const code = getTextErrorCode(error)
  return code === '' ? undefined : PROBLEMS.find(([pattern]) => pattern.test(code))?.[1]
}

/** Returns the fault that an error of SQLite reports; undefined for any other error. */
export const getDiskFault = (error: unknown): Fault | undefined => {
  if (error instanceof FaultError) return error.fault
  const problem = getDiskProblem(error)
  return problem && DISK_FAULTS[problem]
}

/** Returns true if another process has held the one writer of SQLite for too long. */
export const isBusy = (error: unknown): boolean => getDiskFault(error)?.kind === 'locked'

/** Returns a 503 for an error of SQLite's file; any other error unchanged. */
export const translateFileError = (error: unknown): unknown => {
  const fault = error instanceof FaultError ? undefined : getDiskFault(error)
  return fault ? new FaultError(fault, { cause: error }) : error
}

/** Returns a 503 for an error of the disk of a temporary file; any other error unchanged. */
export const translateDiskError = (error: unknown): unknown => {
  const problem = getDiskProblem(error)
  return problem && Object.hasOwn(MESSAGES, problem)
    ? new AppError('UNAVAILABLE', MESSAGES[problem as keyof typeof MESSAGES], { cause: error })
    : error
}
