/**
 * A reserve of disk space: a file that is deleted when the disk is full. The room lets a checkpoint and deletes run, which free space
 * and fail on a full disk like every write.
 */
import { randomFillSync } from 'node:crypto'
import { closeSync, fsyncSync, openSync, rmSync, statfsSync, statSync, writeSync } from 'node:fs'
import { join } from 'node:path'

/** Twice what the log holds (`wal_autocheckpoint` in sqlite.ts): all of it may have to go into the file. */
export const RESERVE_BYTES = 24 * 1024 * 1024
/** Left free beside it: a reserve that is made of the last space would be needed the next moment. */
export const RESERVE_MARGIN_BYTES = 8 * 1024 * 1024
export const RESERVE_FILE = 'plat.ballast'

export type DiskReserve = {
  /** Creates the file if it is missing. @returns true if it exists, with free space beside it */
  readonly take: () => boolean
  /** Deletes the file. */
  readonly release: () => void
  /** Bytes that could be written to this disk. */
  readonly freeBytes: () => number
}

/** Bytes of the file system that this process could still write; 0 if it can't tell. */
export const freeBytesOf = (folder: string): number => {
  try {
    const { bfree, bavail, bsize } = statfsSync(folder)
    // What a file system keeps back for root counts for root.
    return (process.getuid?.() === 0 ? bfree : bavail) * bsize
  } catch {
    // The folder is gone, or its disk is: there is no space there.
    return 0
  }
}

const sizeOf = (file: string): number => statSync(file, { throwIfNoEntry: false })?.size ?? 0

const writeWhole = (file: string, bytes: Uint8Array): void => {
  const descriptor = openSync(file, 'w', 0o600)
  try {
    for (let at = 0; at < bytes.length; ) at += writeSync(descriptor, bytes, at)
    // Some file systems find out only now that there is no space.
    fsyncSync(descriptor)
  } finally {
    closeSync(descriptor)
  }
}

export const createDiskReserve = (folder: string, freeBytes = () => freeBytesOf(folder)): DiskReserve => {
  const file = join(folder, RESERVE_FILE)
  const release = () => rmSync(file, { force: true })
  return {
    release,
    freeBytes,
    take: () => {
      if (sizeOf(file) === RESERVE_BYTES) return true
      if (freeBytes() < RESERVE_BYTES + RESERVE_MARGIN_BYTES) return false
      try {
        // Random, because zeros take no space on a file system that compresses.
        writeWhole(file, randomFillSync(new Uint8Array(RESERVE_BYTES)))
        return true
      } catch {
        // The disk is fuller than it said, or there is a quota: half a reserve only takes space away.
        release()
        return false
      }
    },
  }
}
