/** Opens connections to a SQLite file with the common settings. */
import { Database } from 'bun:sqlite'
import { isReplicated, leaveLog } from './litestream.ts'

/** Pages that a writing connection caches: 8 MB. */
const WRITER_CACHE_PAGES = 2048
/** Pages that one transaction may change before some are written to the log ahead of its commit: 16 MB. */
const WRITER_CHANGED_PAGES = 4096

/** @param cachePages pages of 4 KiB that the connection caches @param create whether a missing file is created */
export const connect = (file: string, cachePages: number, create = false): Database => {
  const database = new Database(file, { readwrite: true, create, strict: true })
  database.run('PRAGMA busy_timeout = 5000') // first: the next ones may meet a lock
  database.run('PRAGMA journal_mode = WAL')
  database.run('PRAGMA synchronous = FULL')
  database.run('PRAGMA foreign_keys = ON')
  database.run(`PRAGMA cache_size = ${cachePages}`)
  database.run('PRAGMA journal_size_limit = 67108864')
  database.run('PRAGMA temp_store = MEMORY')
  return database
}

type WriterOptions = {
  /** Pages in the log from which on a commit itself runs a checkpoint; 0 for never. */
  readonly logPages: number
  /** See `connect`. Above the default, that many pages may change before some are written to the log. */
  readonly cachePages?: number
  /** Whether a missing file is created. */
  readonly create?: boolean
}

export const connectWriter = (
  file: string,
  { logPages, cachePages = WRITER_CACHE_PAGES, create = false }: WriterOptions,
): Database => {
  const database = connect(file, cachePages, create)
  database.run(`PRAGMA wal_autocheckpoint = ${logPages}`)
  database.run(`PRAGMA cache_spill = ${WRITER_CHANGED_PAGES}`)
  if (isReplicated(database)) leaveLog(database)
  return database
}
