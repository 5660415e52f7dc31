/** Temporary files without a name: the system frees one when it is closed, and when the process ends in any way (unlink(2)). */
import { readdirSync, rmSync } from 'node:fs'
import { type FileHandle, mkdir, open, unlink } from 'node:fs/promises'
import { join } from 'node:path'

/** Of the names that exist for the moment between opening and unlinking. */
const PREFIX = 'spool-'

/** The folder of temporary files in the data folder. */
export const temporaryFolder = (dataDir: string): string => join(dataDir, 'tmp')

/** @param folder made if it is missing. @throws what the file system reports */
export const openUnnamedFile = async (folder: string): Promise<FileHandle> => {
  await mkdir(folder, { recursive: true, mode: 0o700 })
  const path = join(folder, `${PREFIX}${Bun.randomUUIDv7()}`)
  const file = await open(path, 'wx+', 0o600)
  await unlink(path)
  return file
}

/** Writes all bytes from a position of the file on: one call of the system may write fewer. */
export const writeAt = async (file: FileHandle, bytes: Uint8Array, position: number): Promise<void> => {
  for (let done = 0; done < bytes.length; )
    done += (await file.write(bytes, done, bytes.length - done, position + done)).bytesWritten
}

/** Removes the names that a process left which was killed right after opening a file. */
export const removeLeftNames = (folder: string): void => {
  const names = (() => {
    try {
      return readdirSync(folder)
    } catch {
      return [] // no such file was ever made here
    }
  })()
  for (const name of names) if (name.startsWith(PREFIX)) rmSync(join(folder, name), { force: true })
}
