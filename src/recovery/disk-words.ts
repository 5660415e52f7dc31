/** Errors of the disk and of the system, in words for whoever sits at the terminal. */

import { AppError } from '../platform/contract/errors.ts'
import { type DiskProblem, diskProblemOf } from '../platform/db/disk/disk-errors.ts'

const PROBLEMS: Readonly<Record<DiskProblem, string>> = {
  full: 'there is no space left on the disk',
  failing: 'the disk fails',
  'read-only': 'the file system can only be read',
}

const CODES: Readonly<Record<string, string>> = {
  EACCES: 'this user may not; run it as the user that the server runs as',
  EPERM: 'this user may not; run it as the user that the server runs as',
  SQLITE_CANTOPEN: 'the data file cannot be opened; run it as the user that the server runs as',
  SQLITE_BUSY: 'the data are in use; try again in a moment',
  SQLITE_NOTADB: 'the data file is damaged: it is no database. plat doctor says more',
  SQLITE_CORRUPT: 'the data file is damaged. plat doctor says more',
}

const codeOf = (error: unknown): string => (error instanceof Error && 'code' in error ? String(error.code) : '')

/** @returns a function that throws: what is known in words, the rest as it is */
export const inWords =
  (what: string) =>
  (error: unknown): never => {
    const problem = diskProblemOf(error)
    const words = problem ? PROBLEMS[problem] : CODES[codeOf(error)]
    if (words === undefined) throw error
    throw new AppError('INTERNAL_ERROR', `${what}: ${words}`, { cause: error })
  }
