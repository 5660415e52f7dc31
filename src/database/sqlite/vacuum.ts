/** Rewrites SQLite files, so that they contain no replaced or deleted text (SQLite, section "VACUUM"). */
import { Database } from 'bun:sqlite'
import { closeSync, openSync, rmSync, statSync, utimesSync } from 'node:fs'
import { dirname } from 'node:path'
import { replaceFile } from '../../base/disk/durable.ts'
import { readFreeBytes } from '../../base/disk/reserve.ts'

const BUSY_MS = 5000
/** Free space that remains beside a copy. */
const MARGIN_BYTES = 16 * 1024 * 1024

/** A rewrite that fills the disk would block all other writes. @throws Error */
const requireSpace = (file: string): void => {
  const needed = statSync(file).size + MARGIN_BYTES
  const free = readFreeBytes(dirname(file))
  if (free < needed) throw new Error(`it takes ${needed} bytes of free space, and there are ${free}`)
}

/** Also with other connections. @throws Error if another process writes or reads old data, or for lack of space */
export const vacuumFile = (file: string): void => {
  requireSpace(file)
  // A separate connection, so that the copy of SQLite is in a temporary file and not in memory.
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
 * Changes a database file that is not in use, and rewrites it. A crash leaves the old or the new file. The time of the
 * file is preserved.
 * @param part the path of the new file, in the same folder; an existing one is removed
 */
export const rewriteFile = (file: string, part: string, change: (database: Database) => void): void => {
  rmSync(part, { force: true })
  requireSpace(file)
  try {
    const { atime, mtime } = statSync(file)
    // Created here, so that its content is never readable to others.
    closeSync(openSync(part, 'wx', 0o600))
    const source = new Database(file, { readwrite: true, create: false, strict: true })
    try {
      source.run('VACUUM INTO ?', [part])
    } finally {
      source.close()
    }
    const made = new Database(part, { readwrite: true, create: false, strict: true })
    try {
      // A part that a crash leaves behind is created again.
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
