/** Temporary files for the rest of answers to slow clients, with one bound for all of them. */
import { mkdirSync } from 'node:fs'
import { readFreeBytes } from '../../../base/disk/reserve.ts'
import { openUnnamedFile, removeLeftNames, writeAt } from '../../../base/runtime/unnamed-file.ts'

/** Maximum size of all files together: about 25 complete lists of 100,000 devices. */
export const MOST_SPOOLED_BYTES = 1024 ** 3
/** The part of the disk's free space that the files may take. The database needs the rest. */
const PART_OF_FREE = 0.25

export type Spool = {
  readonly length: () => number
  /** Appends. @throws if the disk does not accept it */
  readonly append: (bytes: Uint8Array) => Promise<void>
  /** Reads from a position on, at most `most` bytes. */
  readonly read: (position: number, most: number) => Promise<Uint8Array<ArrayBuffer>>
  /** Frees the space. */
  readonly close: () => void
}

export type SpoolSpace = {
  /** Returns true if this many more bytes may be written. */
  readonly hasRoomFor: (bytes: number) => boolean
  readonly create: () => Promise<Spool>
}

export type SpoolOptions = {
  readonly folder: string
  readonly mostBytes?: number
  readonly freeBytes?: () => number
}

/** Creates the folder first: with PostgreSQL there may be none, and its free space is then unknown. */
const measureFreeBytes = (folder: string): number => {
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 })
  } catch {
    return 0 // the folder is not writable
  }
  return readFreeBytes(folder)
}

/** @param options.folder created with the first file */
export const createSpoolSpace = (options: SpoolOptions): SpoolSpace => {
  const { folder, mostBytes = MOST_SPOOLED_BYTES, freeBytes = () => measureFreeBytes(folder) } = options
  let used = 0
  removeLeftNames(folder)

  const create = async (): Promise<Spool> => {
    const file = await openUnnamedFile(folder)
    let length = 0
    /** The last operation on the file, which is closed after it. */
    let working: Promise<unknown> = Promise.resolve()
    let isClosed = false
    const serialized = <T>(work: () => Promise<T>): Promise<T> => {
      const done = working.then(() => {
        if (isClosed) throw new Error('the temporary file is closed')
        return work()
      })
      working = done.catch(() => {})
      return done
    }
    return {
      length: () => length,
      append: (bytes) =>
        serialized(async () => {
          await writeAt(file, bytes, length)
          length += bytes.length
          if (!isClosed) used += bytes.length
        }),
      read: (position, most) =>
        serialized(async () => {
          const piece = new Uint8Array(Math.min(most, length - position))
          const { bytesRead } = await file.read(piece, 0, piece.length, position)
          if (bytesRead === 0 && piece.length > 0) throw new Error('a temporary file has lost bytes')
          return piece.subarray(0, bytesRead)
        }),
      close: () => {
        if (isClosed) return
        isClosed = true
        used -= length
        void working.then(() => file.close()).catch(() => {})
      },
    }
  }

  return {
    hasRoomFor: (bytes) => used + bytes <= Math.min(mostBytes, (used + freeBytes()) * PART_OF_FREE),
    create,
  }
}
