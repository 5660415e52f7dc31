/** Files without a name, which the system frees when they are closed or the process ends (unlink(2)). */
import { readdirSync, rmSync } from 'node:fs'
import { type FileHandle, mkdir, open, unlink } from 'node:fs/promises'
import { join } from 'node:path'

/** Prefix of the names, which exist only between opening and unlinking. */
const PREFIX = 'spool-'

/** Returns the folder of temporary files in the data folder. */
export const getTemporaryFolder = (dataDir: string): string => join(dataDir, 'tmp')

/** @param folder created if missing. @throws the errors of the file system */
export const openUnnamedFile = async (folder: string): Promise<FileHandle> => {
  await mkdir(folder, { recursive: true, mode: 0o700 })
  const path = join(folder, `${PREFIX}${Bun.randomUUIDv7()}`)
  const file = await open(path, 'wx+', 0o600)
  await unlink(path)
  return file
}

/** Writes all bytes from a position on. One system call may write fewer. */
export const writeAt = async (file: FileHandle, bytes: Uint8Array, position: number): Promise<void> => {
  for (let done = 0; done < bytes.length; )
    done += (await file.write(bytes, done, bytes.length - done, position + done)).bytesWritten
}

/** Removes the names left by a process that was killed right after it had opened a file. */
export const removeLeftNames = (folder: string): void => {
  const names = (() => {
    try {
      return readdirSync(folder)
    } catch {
      return [] // no such file has been created here
    }
  })()
  for (const name of names) if (name.startsWith(PREFIX)) rmSync(join(folder, name), { force: true })
}
