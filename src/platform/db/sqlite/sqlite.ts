/** SQLite: one file, one writer whose commits reach the disk before they are answered, readers beside it. */
import type { Database, SQLQueryBindings, Statement } from 'bun:sqlite'
import { type Compilable, type Kysely, sql } from 'kysely'
import { AppError } from '../../contract/errors.ts'
import { pause } from '../../runtime/pause.ts'
import { createQueryCache } from '../cache/query-cache.ts'
import { createSearchCache } from '../cache/search-cache.ts'
import type { Db, ReadPoint, Sql } from '../database.ts'
import { diskProblemOf, translateDiskError } from '../disk/disk-errors.ts'
import { type DiskGuard, unguarded } from '../disk/disk-guard.ts'
import { createQueryMetrics } from '../query/query-metrics.ts'
import { trackWrittenTables } from '../query/written-tables.ts'
import { byWeight } from '../row-weight.ts'
import { createCheckpoints } from './checkpoints.ts'
import { CommitGroup, type Notes, type Savepoint, type Writer } from './commit-group.ts'
import { connect, connectWriter } from './connection.ts'
import { runOn, sqliteKysely, statementCache } from './dialect.ts'
import { createLargeWriter } from './large-writer.ts'
import { areFew, countWords, matchesWords, matchesWordsInOrder } from './search.ts'
import { createSnapshots } from './snapshots.ts'
import { vacuumFile } from './vacuum.ts'

/** Older ones can lose a WAL reset race and corrupt the file (fixed in 3.51.3). */
const OLDEST_VERSION = [3, 51, 3] as const
/**
 * Pages in the log before a commit itself moves them into the file: 12 MB. checkpoints.ts moves them before that, unless a
 * reader or a failure keeps it from it. The reserve for a full disk (disk/reserve.ts) is twice as large.
 */
const LOG_PAGES = 3000
/** Pages that the reader keeps: 4 MB. Any write empties it, and the operating system has them as well. */
const READER_CACHE_PAGES = 1024
/** Pages that a kept snapshot caches: 2 MB, so that the next list finds them. */
const SNAPSHOT_CACHE_PAGES = 512
/** Pages that the others cache, of which there may be many: 1 MB. */
const EXTRA_SNAPSHOT_CACHE_PAGES = 256
/** Rows per chunk of a stream: about 250 KB of devices, well under a millisecond of work. */
const STREAM_CHUNK = 500
/** Characters of a chunk's rows: fewer rows where they are long. */
const STREAM_CHUNK_LENGTH = 512 * 1024
/** Snapshots kept open for the next stream. */
const IDLE_SNAPSHOTS = 2

/** @example isTooOld('3.51.2') // true */
export const isTooOld = (version: string): boolean => {
  const parts = version.split('.').map(Number)
  for (const [i, wanted] of OLDEST_VERSION.entries()) {
    const part = parts[i] ?? 0
    if (part !== wanted) return part < wanted
  }
  return false
}

const sqliteSql: Sql = {
  hasOneWriter: true,
  isInProcess: true,
  areFew,
  matchesWords,
  matchesWordsInOrder,
  countWords,
  guard: undefined,
  underWay: async () => undefined,
  nowMs: (ownMs) => sql<number>`${ownMs}`,
  lockRows: (query) => query,
  lockFreeRows: (query) => query,
  lockNames: async () => {},
  lockNamesShared: async () => {},
  locksHeld: () => undefined,
}

export type SqliteDb<Tables> = Db<Tables> & {
  /** Writes a consistent copy to a file that doesn't exist yet. */
  readonly copyTo: (file: string) => void
  /** Why changes are refused now; undefined while they are not. */
  readonly diskProblem: () => string | undefined
}

export type SqliteOptions = {
  readonly guardFor?: (writer: Database) => DiskGuard
  /** Told when the log cannot be moved into the file beside the writing; it goes on being moved by commits. */
  readonly onCheckpointFailure?: (error: unknown) => void
  /** How long snapshots may keep the log from beginning again before they are due back. */
  readonly resetAfterMs?: number
}

/**
 * Opens (and creates) a database file.
 * @throws if the SQLite that is built in is too old to be trusted, or the file can't be opened.
 */
export const openSqlite = <Tables>(
  file: string,
  { guardFor = unguarded, onCheckpointFailure = () => {}, ...timing }: SqliteOptions = {},
): SqliteDb<Tables> => {
  const writer = connectWriter(file, LOG_PAGES)
  const { version } = writer.query<{ version: string }, []>('SELECT sqlite_version() AS version').get() ?? {}
  if (!version || isTooOld(version))
    throw new Error(`SQLite ${version} is too old: ${OLDEST_VERSION.join('.')} or newer is needed`)
  const reader = connect(file, READER_CACHE_PAGES)
  const writeCache = statementCache(writer)
  const readCache = statementCache(reader)
  const watch = createQueryMetrics()
  const readDb = sqliteKysely<Tables>(runOn(readCache, watch.log))
  const writeDb = sqliteKysely<Tables>(runOn(writeCache, watch.log, writer))
  const largeWriter = createLargeWriter<Tables>({ file, writer, log: watch.log })

  // This process counts its own commits; the start keeps an old ETag from meaning something new.
  const start = Date.now().toString(36)
  const counts = new Map<string, number>()
  // A command on the host may write as well (`plat user`). SQLite counts the commits of other connections, and tells within a transaction.
  const dataVersion = writer.prepare<{ data_version: number }, []>('PRAGMA data_version')
  let ofOthers = 0
  const begun = () => {
    ofOthers = dataVersion.get()?.data_version ?? 0
  }
  begun()
  const disk = guardFor(writer)
  const searchCache = createSearchCache()
  const committed = ({ touched, searched }: Notes, on: Writer) => {
    for (const table of touched) counts.set(table, (counts.get(table) ?? 0) + 1)
    if (on === writer) searched.applyTo(searchCache)
    else searched.invalidateTables(searchCache)
  }
  const queryCache = createQueryCache()
  const commits = (table: string): number => counts.get(table) ?? 0
  const readPoint: ReadPoint = {
    remember: (table, key, read, by) =>
      by ? searchCache.remember({ table, key, by }, read) : queryCache({ table, state: commits(table), key }, read),
    revision: (tables) => `${start}.${ofOthers}.${tables.map(commits).join('.')}`,
  }
  const dbOf = (on: Writer): Kysely<Tables> => (on === writer ? writeDb : largeWriter.db)
  const finish = ({ atCommit }: Notes, on: Writer): Promise<void> => atCommit.run(dbOf(on))
  const snapshots = createSnapshots()
  let scans = 0
  let snapshotsDue: ((beforeMs: number) => void) | undefined
  // A scan is not given back: then it is of no use to ask for the others.
  const recall = () => (scans > 0 || !snapshotsDue ? undefined : () => snapshotsDue?.(performance.now()))
  const checkpoints = createCheckpoints({ file, writer, onFailure: onCheckpointFailure, snapshots, recall, ...timing })
  const listeners = { begun, ended: disk.ended, finish, between: checkpoints.maintain, large: largeWriter }
  const group = new CommitGroup(writer, committed, listeners)

  let isOpen = true
  const idle: Database[] = []
  const cachePages = () => (snapshots.open() > IDLE_SNAPSHOTS ? EXTRA_SNAPSHOT_CACHE_PAGES : SNAPSHOT_CACHE_PAGES)
  const giveBack = (snapshot: Database): void => {
    if (snapshot.inTransaction) snapshot.run('COMMIT')
    if (isOpen && idle.length < IDLE_SNAPSHOTS) {
      snapshot.run(`PRAGMA cache_size = ${SNAPSHOT_CACHE_PAGES}`)
      idle.push(snapshot)
    } else snapshot.close()
  }
  async function* stream<Row>(...queries: readonly Compilable<Row>[]): AsyncGenerator<Row[]> {
    await snapshots.enter()
    let snapshot: Database | undefined
    let statement: Statement<Row, SQLQueryBindings[]> | undefined
    let chunk: Row[] = []
    try {
      snapshot = idle.pop() ?? connect(file, cachePages())
      snapshot.run('BEGIN')
      for (const query of queries) {
        const compiled = query.compile()
        statement?.finalize()
        statement = snapshot.prepare<Row, SQLQueryBindings[]>(compiled.sql)
        const isFull = byWeight<Row>(STREAM_CHUNK, STREAM_CHUNK_LENGTH)
        // The parameters of our queries are text, numbers and null.
        for (const row of statement.iterate(...(compiled.parameters as SQLQueryBindings[]))) {
          chunk.push(row)
          if (!isFull(row)) continue
          yield chunk
          chunk = []
          await pause()
        }
      }
    } finally {
      statement?.finalize()
      if (snapshot) giveBack(snapshot)
      snapshots.leave()
    }
    // Only now: whoever doesn't read the last chunk, or a short list at all, holds nothing.
    yield chunk
  }

  async function* scan<Row>(...queries: readonly Compilable<Row>[]): AsyncGenerator<Row[]> {
    scans++
    try {
      yield* stream(...queries)
    } finally {
      scans--
    }
  }

  return {
    engine: 'sqlite',
    copyTo: (target) => writer.run('VACUUM INTO ?', [target]),
    read: readDb,
    quick: readDb,
    sql: sqliteSql,
    notifier: undefined,
    diskProblem: disk.problem,
    write: async (work, options) => {
      disk.problem() // there may be space again
      const run = (savepoint: Savepoint, notes: Notes, shared: ReadonlySet<string>) =>
        work({
          db: (options?.large ? largeWriter.db : writeDb).withPlugin(trackWrittenTables(notes.touched)),
          savepoint: async (inner) => {
            const before = notes.searched.count
            try {
              return await savepoint(inner)
            } catch (error) {
              // What was undone has not come.
              notes.searched.undo(before)
              throw error
            }
          },
          atCommit: (batch, item) => notes.atCommit.add(batch, [item]),
          searchTextChanged: (table, texts) => notes.searched.add(table, texts),
          revision: (tables) => (tables.some((table) => shared.has(table)) ? undefined : readPoint.revision(tables)),
          guard: () => false,
        })
      try {
        return await group.run(run, options)
      } catch (error) {
        throw translateDiskError(error)
      }
    },
    stream,
    scan,
    onSnapshotsDue: (listener) => {
      snapshotsDue = listener
    },
    ...readPoint,
    readPoint: () => readPoint,
    watch: watch.listen,
    connections: () => (isOpen ? 2 : 0),
    ping: async () => {
      const problem = disk.problem()
      if (problem !== undefined) throw new AppError('UNAVAILABLE', problem)
      reader.query('SELECT 1').get()
    },
    vacuum: async () => {
      await group.settled()
      vacuumFile(file)
    },
    close: async () => {
      await group.settled()
      isOpen = false
      await checkpoints.close()
      largeWriter.end()
      dataVersion.finalize()
      writeCache.clear()
      readCache.clear()
      for (const snapshot of idle.splice(0)) snapshot.close()
      reader.close()
      // A stream that is still being sent keeps the log from being cut; the next start does it.
      writer.run('PRAGMA busy_timeout = 0')
      try {
        writer.run('PRAGMA wal_checkpoint(TRUNCATE)')
      } catch (error) {
        // What was acknowledged is in the log, which a full disk keeps as it is; the next start goes on from there.
        if (diskProblemOf(error) === undefined) throw error
      } finally {
        writer.close()
      }
    },
  }
}
