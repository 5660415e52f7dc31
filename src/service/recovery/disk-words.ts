/** Explains errors of the disk and the system to the user of the terminal. */

import { type DiskProblem, getDiskProblem } from '../../base/disk/disk-errors.ts'
import { AppError } from '../../contract/errors.ts'
import { getErrorCode } from '../../contract/unknown.ts'

const PROBLEMS: Readonly<Record<DiskProblem, string>> = {
  full: 'there is no space left on the disk',
  failing: 'the disk fails',
  'read-only': 'the file system can only be read',
  damaged: 'the data file is damaged. plat doctor shows details',
  replaced: 'the data file was replaced',
  locked: 'the data are in use; try again in a moment',
}

const CODES: Readonly<Record<string, string>> = {
  EACCES: 'this user lacks the permission; run it as the user that the server runs as',
  EPERM: 'this user lacks the permission; run it as the user that the server runs as',
  SQLITE_CANTOPEN: 'the data file cannot be opened; run it as the user that the server runs as',
  SQLITE_NOTADB: 'the data file is damaged: it is not a database. plat doctor shows details',
}

/** @returns a function that throws: known errors with an explanation, others unchanged */
export const inWords =
  (what: string) =>
  (error: unknown): never => {
    const problem = getDiskProblem(error)
    const words = CODES[getErrorCode(error)] ?? (problem && PROBLEMS[problem])
    if (words === undefined) throw error
    throw new AppError('INTERNAL_ERROR', `${what}: ${words}`, { cause: error })
  }
