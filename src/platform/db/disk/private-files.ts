/** The data folder and its lock are for the user that the server runs as: they hold password hashes, sessions and the map of the network. */
import { chmodSync, closeSync, mkdirSync, openSync, statSync } from 'node:fs'

/** Other users can look into the data folder, or hold a file of it, and that cannot be changed. */
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

/** Makes the folder, or takes the rights of all other users to it. @throws DataFolderOpenError */
export const makePrivateFolder = (folder: string): void => {
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  const { mode } = statSync(folder)
  // Such as /tmp: to close it would shut out the others.
  if ((mode & STICKY) !== 0 && (mode & OTHERS) !== 0)
    throw new DataFolderOpenError(
      `The data folder ${folder} is shared by all users of this machine (mode ${octal(mode)}). Set DATA_DIR to a folder of its own.`,
    )
  restrict(folder, 0o700)
}

/** Makes an empty file, or takes the rights of all other users to the one that exists. @throws DataFolderOpenError */
export const makePrivateFile = (file: string): void => {
  try {
    closeSync(openSync(file, 'wx', 0o600))
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST')) throw error
    // By its name: to open and close it would end the locks that this process holds on it (fcntl(2), advisory record locking).
    restrict(file, 0o600)
  }
}
