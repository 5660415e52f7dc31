/** Stores bytes to be read again later, in bounded memory: larger amounts are in an unnamed temporary file. */
import type { FileHandle } from 'node:fs/promises'
import { AppError } from '../../contract/errors.ts'
import { translateDiskError } from '../disk/disk-errors.ts'
import { readFreeBytes } from '../disk/reserve.ts'
import { openUnnamedFile, writeAt } from './unnamed-file.ts'

/** Bytes that stay in memory: a small input needs no file, and a larger one is written in pieces of this size. */
const MEMORY_BYTES = 1024 * 1024
/** Size of one read. */
const READ_BYTES = 256 * 1024
/** Free space that is left to the database, which may be on the same disk. */
const SPARE_BYTES = 32 * 1024 * 1024
/** Bytes written between two checks of the free space. */
const LOOK_BYTES = 8 * 1024 * 1024

export type Spool = {
  /** Keeps the bytes, which must not change any more. @throws AppError UNAVAILABLE if the disk is full, fails or can't be written to */
  readonly write: (bytes: Uint8Array) => Promise<void>
  /** Yields all written bytes from the start. A piece is valid until the next one is requested. */
  readonly read: () => AsyncGenerator<Uint8Array>
  /** Frees memory and disk. Never rejects. */
  readonly close: () => Promise<void>
}

type Options = {
  /** Created if it is missing. */
  readonly dir: string
  /** Returns the free space of the disk in bytes; by default the system's answer. */
  readonly freeBytes?: (dir: string) => number
}

const createNoSpaceError = () =>
  new AppError(
    'UNAVAILABLE',
    'The disk has not enough space for this file: nothing was changed. Try again once there is space',
  )

const openFile = async (dir: string): Promise<FileHandle> => {
  try {
    return await openUnnamedFile(dir)
  } catch (error) {
    const translated = translateDiskError(error)
    if (translated !== error) throw translated
    throw new AppError('UNAVAILABLE', 'The server has no place for a file of this size; its log says more', {
      cause: error,
    })
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

export const createSpool = ({ dir, freeBytes = readFreeBytes }: Options): Spool => {
  /** The last bytes, which are not in the file. */
  let parts: Uint8Array[] = []
  let size = 0
  /** The number of bytes in the file. */
  let written = 0
  let lookAt = 0
  let file: FileHandle | undefined

  const toFile = async (bytes: Uint8Array): Promise<void> => {
    file ??= await openFile(dir)
    if (size >= lookAt) {
      if (freeBytes(dir) < SPARE_BYTES + LOOK_BYTES) throw createNoSpaceError()
      lookAt = size + LOOK_BYTES
    }
    await writeAt(file, bytes, written).catch((error: unknown) => {
      throw translateDiskError(error)
    })
    written += bytes.length
  }

  return {
    write: async (bytes) => {
      size += bytes.length
      parts.push(bytes)
      if (size - written <= MEMORY_BYTES) return
      const whole = Buffer.concat(parts)
      parts = []
      await toFile(whole)
    },
    read: async function* () {
      if (file) yield* readWhole(file)
      yield* parts
    },
    close: async () => {
      parts = []
      const open = file
      file = undefined
      // The disk fails. The file has no name, and is freed at the latest when the process ends.
      await open?.close().catch(() => {})
    },
  }
}
