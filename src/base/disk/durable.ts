/** Makes files survive a power failure: their content, and their name in the folder. */
import { closeSync, fsyncSync, openSync, renameSync } from 'node:fs'
import { dirname } from 'node:path'

const sync = (path: string): void => {
  const descriptor = openSync(path, 'r')
  try {
    fsyncSync(descriptor)
  } finally {
    closeSync(descriptor)
  }
}

/** Syncs the content of a file. @throws the error of the disk, such as a full disk that shows only now */
export const syncFile = (file: string): void => sync(file)

/** Syncs the names in a folder: without it a file may exist under no name. */
export const syncFolder = (folder: string): void => {
  try {
    sync(folder)
  } catch {
    // Some file systems (on Windows, some on networks) do not support this, and write names at once.
  }
}

/** Replaces a file atomically: readers see the old or the new file at any time. */
export const replaceFile = (from: string, to: string): void => {
  syncFile(from)
  renameSync(from, to)
  syncFolder(dirname(to))
}
