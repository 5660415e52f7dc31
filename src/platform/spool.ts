/** Bytes that are read again later, in bounded memory: what is more than a little lies in a temporary file without a name. */
import { readdirSync, rmSync } from 'node:fs'
import { type FileHandle, mkdir, open, unlink } from 'node:fs/promises'
import { join } from 'node:path'
import { freeBytesOf } from './db/ballast.ts'
import { translateDiskError } from './db/disk-errors.ts'
import { AppError } from './errors.ts'

/** Bytes that stay in memory: no file is made for a small input. */
const MEMORY_BYTES = 1024 * 1024
/** Bytes that are read at once. */
const READ_BYTES = 256 * 1024
/** Space that is left to the database, which may be on the same disk. */
const SPARE_BYTES = 32 * 1024 * 1024
/** Bytes written between two looks at the free space. */
const LOOK_BYTES = 8 * 1024 * 1024
const PREFIX = 'spool-'

export type Spool = {
  /** @throws AppError UNAVAILABLE when the disk is full, fails or can't be written to */
  readonly write: (bytes: Uint8Array) => Promise<void>
  /** All that was written, from the beginning. A piece is valid until the next one is asked for. */
  readonly read: () => AsyncGenerator<Uint8Array>
  /** Frees memory and disk. Never rejects. */
  readonly close: () => Promise<void>
}

type Options = {
  /** Made if it is not there. */
  readonly dir: string
  /** Free space of the disk, in bytes; asked of the system unless a test says otherwise. */
  readonly freeBytes?: (dir: string) => number
}

const noSpace = () =>
  new AppError(
    'UNAVAILABLE',
    'The disk has not enough space for this file: nothing was changed. Try again once there is space',
  )

/** The file's name is deleted while it is open: the system frees it with the process, however that ends (unlink(2)). */
const openUnnamed = async (dir: string): Promise<FileHandle> => {
  try {
    await mkdir(dir, { recursive: true, mode: 0o700 })
    const path = join(dir, `${PREFIX}${Bun.randomUUIDv7()}`)
    const file = await open(path, 'wx+', 0o600)
    await unlink(path)
    return file
  } catch (error) {
    const translated = translateDiskError(error)
    if (translated !== error) throw translated
    throw new AppError('UNAVAILABLE', 'The server has no place for a file of this size; its log says more', {
      cause: error,
    })
  }
}

const writeWhole = async (file: FileHandle, bytes: Uint8Array): Promise<void> => {
  try {
    for (let at = 0; at < bytes.length; ) at += (await file.write(bytes, at)).bytesWritten
  } catch (error) {
    throw translateDiskError(error)
  }
}

async function* readWhole(file: FileHandle): AsyncGenerator<Uint8Array> {
  const buffer = new Uint8Array(READ_BYTES)
  for (let at = 0; ; ) {
    const { bytesRead } = await file.read(buffer, 0, buffer.length, at)
    if (bytesRead === 0) return
    at += bytesRead
    yield buffer.subarray(0, bytesRead)
  }
}

export const createSpool = ({ dir, freeBytes = freeBytesOf }: Options): Spool => {
  let parts: Uint8Array[] = []
  let size = 0
  let lookAt = 0
  let file: FileHandle | undefined

  const toFile = async (bytes: Uint8Array): Promise<void> => {
    file ??= await openUnnamed(dir)
    if (size >= lookAt) {
      if (freeBytes(dir) < SPARE_BYTES + LOOK_BYTES) throw noSpace()
      lookAt = size + LOOK_BYTES
    }
    await writeWhole(file, bytes)
  }

  return {
    write: async (bytes) => {
      size += bytes.length
      if (size <= MEMORY_BYTES) {
        parts.push(bytes)
        return
      }
      const kept = parts
      parts = []
      for (const part of [...kept, bytes]) await toFile(part)
    },
    read: async function* () {
      if (file) yield* readWhole(file)
      else yield* parts
    },
    close: async () => {
      parts = []
      const open = file
      file = undefined
      // A failing disk: the file has no name, and goes with the process at the latest.
      await open?.close().catch(() => {})
    },
  }
}

/** Removes what a crash has left in the moment between the making of a file and the end of its name. */
export const removeLeftSpools = (dir: string): void => {
  const names = (() => {
    try {
      return readdirSync(dir)
    } catch {
      return [] // no spool was ever made here
    }
  })()
  for (const name of names) if (name.startsWith(PREFIX)) rmSync(join(dir, name), { force: true })
}
