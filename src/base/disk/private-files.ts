/** Makes the data folder and its files private: they contain password hashes and sessions. */
import { chmodSync, closeSync, mkdirSync, openSync, statSync } from 'node:fs'

/** Other users can access the data folder or own a file of it, and that cannot be changed. */
export class DataFolderOpenError extends Error {
  override readonly name = 'DataFolderOpenError'
}

const OTHERS = 0o077
const STICKY = 0o1000

const octal = (mode: number): string => (mode & 0o7777).toString(8).padStart(4, '0')

const restrict = (path: string, mode: number): void => {
  const current = statSync(path).mode
  if ((current & OTHERS) === 0) return
  try {
    chmodSync(path, mode)
  } catch (cause) {
    throw new DataFolderOpenError(
      `Other users of this machine can get at ${path} (mode ${octal(current)}), and its mode cannot be changed. ` +
        `As its owner run: chmod ${mode.toString(8)} ${path}`,
      { cause },
    )
  }
}

/** Creates the folder, or removes the permissions of other users. @throws DataFolderOpenError */
export const makePrivateFolder = (folder: string): void => {
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  const { mode } = statSync(folder)
  // A shared folder such as /tmp: closing it would lock out other users.
  if ((mode & STICKY) !== 0 && (mode & OTHERS) !== 0)
    throw new DataFolderOpenError(
      `The data folder ${folder} is shared by all users of this machine (mode ${octal(mode)}). Set DATA_DIR to a separate folder.`,
    )
  restrict(folder, 0o700)
}

/** Creates an empty file, or removes the permissions of other users on an existing one. @throws DataFolderOpenError */
export const makePrivateFile = (file: string): void => {
  try {
    closeSync(openSync(file, 'wx', 0o600))
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST')) throw error
    // Changes the mode by name: closing the file would release this process's locks on it (fcntl(2)).
    restrict(file, 0o600)
  }
}
