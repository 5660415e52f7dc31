/** Rewrites SQLite files, so that no text that was replaced or deleted is left in them (SQLite, section "VACUUM"). */
import { Database } from 'bun:sqlite'
import { closeSync, openSync, rmSync, statSync, utimesSync } from 'node:fs'
import { dirname } from 'node:path'
import { replaceFile } from '../disk/durable.ts'
import { freeBytesOf } from '../disk/reserve.ts'

const BUSY_MS = 5000
/** Left free beside a copy. */
const MARGIN_BYTES = 16 * 1024 * 1024

/** A rewriting that fills the disk would keep everything else from being written. @throws Error */
const requireSpace = (file: string): void => {
  const needed = statSync(file).size + MARGIN_BYTES
  const free = freeBytesOf(dirname(file))
  if (free < needed) throw new Error(`it takes ${needed} bytes of free space, and there are ${free}`)
}

/**
 * Rewrites a database in place, and empties its write-ahead log. Other connections may be open, and must not write.
 * @throws Error when another process writes to it or still reads what was there before, and for want of space
 */
export const vacuumFile = (file: string): void => {
  requireSpace(file)
  // A connection of its own: the copy that SQLite makes goes to a temporary file, and not into memory.
  const database = new Database(file, { readwrite: true, create: false, strict: true })
  try {
    database.run(`PRAGMA busy_timeout = ${BUSY_MS}`)
    database.run('PRAGMA synchronous = FULL')
    database.run('VACUUM')
    const row = database.query<{ busy: number }, []>('PRAGMA wal_checkpoint(TRUNCATE)').get()
    if (row?.busy !== 0) throw new Error('another process reads the database')
  } finally {
    database.close()
  }
}

/**
 * Changes a database file that no server uses, and rewrites it. A crash leaves the file as it was, or as it is to be.
 * Keeps the time of the file.
 * @param part where the new file is made, in the same folder; removed if it is there
 */
export const rewriteFile = (file: string, part: string, change: (database: Database) => void): void => {
  rmSync(part, { force: true })
  requireSpace(file)
  try {
    const { atime, mtime } = statSync(file)
    // Made here, so that its content is never readable to others.
    closeSync(openSync(part, 'wx', 0o600))
    const source = new Database(file, { readwrite: true, create: false, strict: true })
    try {
      source.run('VACUUM INTO ?', [part])
    } finally {
      source.close()
    }
    const made = new Database(part, { readwrite: true, create: false, strict: true })
    try {
      // A part that a crash leaves behind is made again.
      made.run('PRAGMA journal_mode = MEMORY')
      change(made)
      made.run('VACUUM')
    } finally {
      made.close()
    }
    utimesSync(part, atime, mtime)
    replaceFile(part, file)
    for (const log of ['-wal', '-shm', '-journal']) rmSync(file + log, { force: true })
  } finally {
    rmSync(part, { force: true })
  }
}
