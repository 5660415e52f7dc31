/** Files that survive a power cut: their content, and their name in the folder. */
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

/** Resolves what was written to a file. @throws what the disk reports, such as that it is full after all */
export const syncFile = (file: string): void => sync(file)

/** The names in a folder: without it a file may be there and its name not. */
export const syncFolder = (folder: string): void => {
  try {
    sync(folder)
  } catch {
    // Some file systems (those of Windows, some network ones) know no such thing, and write names at once.
  }
}

/** Puts a whole file in the place of another, or of nothing: whoever looks, at whatever moment, sees one of the two. */
export const replaceFile = (from: string, to: string): void => {
  syncFile(from)
  renameSync(from, to)
  syncFolder(dirname(to))
}
