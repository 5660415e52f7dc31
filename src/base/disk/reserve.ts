/** A file that is deleted when the disk is full, because a checkpoint and deletes need space as well. */
import { randomFillSync } from 'node:crypto'
import { closeSync, fsyncSync, openSync, rmSync, statfsSync, statSync, writeSync } from 'node:fs'
import { join } from 'node:path'

/**
 * Twice the size of the log (`wal_autocheckpoint` in sqlite.ts), because all of it may have to move into the file. A log
 * that is left to Litestream may be longer (litestream.ts).
 */
export const RESERVE_BYTES = 24 * 1024 * 1024
/** Free space that remains beside the reserve. Without it, the reserve would be needed at once. */
export const RESERVE_MARGIN_BYTES = 8 * 1024 * 1024
export const RESERVE_FILE = 'plat.ballast'

export type DiskReserve = {
  /** Creates the file if it is missing. @returns true if it exists, with free space beside it */
  readonly take: () => boolean
  /** Deletes the file. */
  readonly release: () => void
  /** Returns the number of bytes that could be written to this disk. */
  readonly freeBytes: () => number
}

/** Returns the free bytes of the file system for this process; 0 if unknown. */
export const readFreeBytes = (folder: string): number => {
  try {
    const { bfree, bavail, bsize } = statfsSync(folder)
    // Space that a file system reserves for root is available to root.
    return (process.getuid?.() === 0 ? bfree : bavail) * bsize
  } catch {
    // The folder or its disk is missing, so there is no space.
    return 0
  }
}

const readSize = (file: string): number => statSync(file, { throwIfNoEntry: false })?.size ?? 0

const writeWhole = (file: string, bytes: Uint8Array): void => {
  const descriptor = openSync(file, 'w', 0o600)
  try {
    for (let at = 0; at < bytes.length; ) at += writeSync(descriptor, bytes, at)
    // Some file systems report the lack of space only now.
    fsyncSync(descriptor)
  } finally {
    closeSync(descriptor)
  }
}

export const createDiskReserve = (folder: string, freeBytes = () => readFreeBytes(folder)): DiskReserve => {
  const file = join(folder, RESERVE_FILE)
  const release = () => rmSync(file, { force: true })
  return {
    release,
    freeBytes,
    take: () => {
      if (readSize(file) === RESERVE_BYTES) return true
      if (freeBytes() < RESERVE_BYTES + RESERVE_MARGIN_BYTES) return false
      try {
        // Random, because a compressing file system stores zeros without using space.
        writeWhole(file, randomFillSync(new Uint8Array(RESERVE_BYTES)))
        return true
      } catch {
        // There is less space than reported, or a quota: a partial reserve only wastes space.
        release()
        return false
      }
    },
  }
}
