/** Classifies errors of the disk: full, failing, read-only, whether SQLite or the system reports them. */
import { AppError } from '../../contract/errors.ts'
import { getTextErrorCode } from '../../contract/unknown.ts'

export type DiskProblem = 'full' | 'failing' | 'read-only'

const PROBLEMS: readonly (readonly [RegExp, DiskProblem])[] = [
  [/^(SQLITE_FULL|ENOSPC|EDQUOT)$/, 'full'],
  [/^(SQLITE_IOERR.*|EIO)$/, 'failing'],
  [/^(SQLITE_READONLY.*|EROFS)$/, 'read-only'],
]

const MESSAGES: Readonly<Record<DiskProblem, string>> = {
  full: 'The disk is full: nothing was changed. Changes are taken again once there is space',
  failing: 'The disk fails: nothing was changed. The log of the server says more',
  'read-only': 'The data can only be read: nothing was changed. The log of the server says more',
}

/** @example getDiskProblem(new SQLiteError('database or disk is full')) // 'full', by its code */
export const getDiskProblem = (error: unknown): DiskProblem | undefined => {
  const code = getTextErrorCode(error)
  return PROBLEMS.find(([pattern]) => pattern.test(code))?.[1]
}

/** Returns true if another process has held the one writer of SQLite for longer than `busy_timeout`. */
export const isBusy = (error: unknown): boolean => getTextErrorCode(error).startsWith('SQLITE_BUSY')

/** Returns a 503 for an error of the disk; any other error unchanged. */
export const translateDiskError = (error: unknown): unknown => {
  const problem = getDiskProblem(error)
  return problem ? new AppError('UNAVAILABLE', MESSAGES[problem], { cause: error }) : error
}
