/**
 * Litestream copies the log of a SQLite file while it grows, and moves it into the file itself. It has a lock that keeps the log from
 * being reset, but only while it runs. After a reset in its absence it continues with the new log if its last copied frame is still in
 * the log file. It then misses all frames between that frame and the reset (`DB.verify` of Litestream 0.5). It makes a full copy if that
 * frame is gone.
 */
import type { Database } from 'bun:sqlite'

/** Litestream has tables of its own in the database that it replicates. */
export const isOfLitestream = (table: string): boolean => table.startsWith('_litestream_')

/** Returns true if Litestream replicates the file, or has done so. */
export const isReplicated = (database: Database): boolean =>
  database.query("SELECT 1 FROM sqlite_schema WHERE name = '_litestream_seq'").get() !== null

/** The log may have this many times its pages without Litestream. Litestream takes a second or more to start. */
export const LOG_FACTOR = 8

/** Sets the limits of a writing connection so that Litestream finds what it has not copied, or makes a full copy. */
export const leaveLog = (database: Database): void => {
  // The first commit after a reset then truncates the file of the log, so no frame of before the reset is in it.
  // Not set without Litestream, because a file that grows again with each write is slower.
  database.run('PRAGMA journal_size_limit = 0')
  const { wal_autocheckpoint: pages = 0 } =
    database.query<{ wal_autocheckpoint: number }, []>('PRAGMA wal_autocheckpoint').get() ?? {}
  database.run(`PRAGMA wal_autocheckpoint = ${pages * LOG_FACTOR}`)
}
