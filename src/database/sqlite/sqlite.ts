/** SQLite: one file, concurrent readers, and one writer. Commits are on the disk before they are answered. */
import type { Database, SQLQueryBindings, Statement } from 'bun:sqlite'
import { hostname } from 'node:os'
import { type Compilable, type CompiledQuery, type Kysely, type SqlBool, sql } from 'kysely'
import { getDiskFault, getDiskProblem, translateFileError } from '../../base/disk/disk-errors.ts'
import { FaultError } from '../../base/disk/fault.ts'
import type { Logger } from '../../base/runtime/log.ts'
import { pause } from '../../base/runtime/pause.ts'
import { createQueryCache } from '../cache/query-cache.ts'
import { RevisionCache } from '../cache/revision-cache.ts'
import { createSearchCache } from '../cache/search-cache.ts'
import type { Db, ReadPoint, Sql } from '../database.ts'
import { inThisProcess } from '../deployment.ts'
import { type DiskGuard, unguarded } from '../disk/disk-guard.ts'
import { createFaultWatch } from '../fault-watch.ts'
import { createQueryMetrics } from '../query/query-metrics.ts'
import { createWeightLimit } from '../query/row-weight.ts'
import { trackWrittenTables } from '../query/written-tables.ts'
import { createLocal } from '../transaction-state.ts'
import { pastSql } from './as-of-views.ts'
import { createCheckpoints } from './checkpoints.ts'
import { CommitGroup, type Notes, type Savepoint, type Writer } from './commit-group.ts'
import { connect, connectWriter } from './connection.ts'
import { createSqliteKysely, createStatementCache, type Run, runOn } from './dialect.ts'
import { createFileIdentity } from './file-identity.ts'
import { createLargeWriter } from './large-writer.ts'
import { areFew, countWords, inPart, matchesColumns, matchesWords, matchesWordsInOrder, selective } from './search.ts'
import { createSlowReads, SLOW } from './slow-reads.ts'
import { createSnapshots } from './snapshots.ts'
import { vacuumFile } from './vacuum.ts'

/** Older versions can lose a WAL reset race and corrupt the file (fixed in 3.51.3). */
const OLDEST_VERSION = [3, 51, 3] as const
/** 12 MB: then a commit itself runs a checkpoint. checkpoints.ts does earlier; disk/reserve.ts is twice that. */
const LOG_PAGES = 3000
/** Pages that the reader caches: 4 MB. Any write empties the cache, and the operating system caches them as well. */
const READER_CACHE_PAGES = 1024
/** Pages that a retained snapshot caches: 2 MB, for the next list. */
const SNAPSHOT_CACHE_PAGES = 512
/** Pages that each further snapshot caches: 1 MB, because there may be many. */
const EXTRA_SNAPSHOT_CACHE_PAGES = 256
/** Rows per chunk of a stream: about 250 KB of devices, well under a millisecond of work. */
const STREAM_CHUNK = 500
/** Maximum length of a chunk in characters; long rows make it smaller. */
const STREAM_CHUNK_LENGTH = 512 * 1024
/** Each commit looks for a replaced file as well. */
const LOOK_MS = 1000
const SIZE = 'SELECT page_count * page_size AS size FROM pragma_page_count(), pragma_page_size()'
/** Snapshots that stay open for the next stream. */
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
  ...inThisProcess,
  slowMark: SLOW,
  hasOneWriter: true,
  isInProcess: true,
  areFew,
  selective,
  matchesWords,
  matchesColumns,
  matchesWordsInOrder,
  countWords,
  inPart,
  hasText: (column, text) =>
    sql<SqlBool>`EXISTS (SELECT 1 FROM json_each(${sql.ref(column)}) AS e WHERE e.value = ${text})`,
  guard: undefined,
  underWay: async () => undefined,
  nextTransaction: () => sql<number>`0`,
  nowMs: (ownMs) => sql<number>`${ownMs}`,
  nowMsFrom: (leastMs) => sql<number>`${leastMs}`,
  lockRows: (query) => query,
  lockRowsShared: (query) => query,
  lockFreeRows: (query) => query,
  lockNames: async () => {},
  lockNamesShared: async () => {},
  lockTables: async () => {},
  revisionIn: async () => undefined,
  locksHeld: () => undefined,
  otherPrograms: async () => [],
  limitLockWaits: async () => {},
  isLockConflict: () => false,
  past: pastSql,
}

export type SqliteDb<Tables> = Db<Tables> & {
  /** Writes a consistent copy to a file that doesn't exist yet. */
  readonly copyTo: (file: string) => void
}

export type SqliteOptions = {
  readonly guardFor?: (writer: Database) => DiskGuard
  /** Gets the beginning and the end of each fault. */
  readonly log?: Logger
  /** Called when a checkpoint beside the writes fails. Commits then run checkpoints. */
  readonly onCheckpointFailure?: (error: unknown) => void
  /** Maximum wait of a write while another program holds the lock of the file. */
  readonly lockWaitMs?: number
  /** Between two looks for a replaced file. Each commit looks as well. */
  readonly lookMs?: number
  /** The time for which snapshots may prevent a reset of the log before they are recalled. */
  readonly resetAfterMs?: number
}

/** Translates the errors of a connection. */
const reportTo = (translate: (error: unknown) => unknown, run: Run): Run => {
  const fail = (error: unknown): never => {
    throw translate(error)
  }
  return <Row>(query: CompiledQuery) => {
    try {
      const result = run<Row>(query)
      return result instanceof Promise ? result.catch(fail) : result
    } catch (error) {
      return fail(error)
    }
  }
}

/** Opens or creates a database file. @throws if SQLite is too old, or the file can't be opened */
export const openSqlite = <Tables>(
  file: string,
  {
    guardFor = unguarded,
    log,
    onCheckpointFailure = () => {},
    lockWaitMs,
    lookMs = LOOK_MS,
    ...timing
  }: SqliteOptions = {},
): SqliteDb<Tables> => {
  const writer = connectWriter(file, { logPages: LOG_PAGES, create: true })
  const { version } = writer.query<{ version: string }, []>('SELECT sqlite_version() AS version').get() ?? {}
  if (!version || isTooOld(version))
    throw new Error(`SQLite ${version} is too old: ${OLDEST_VERSION.join('.')} or newer is needed`)
  // The group of writes waits for the lock itself: SQLite would block this thread.
  writer.run('PRAGMA busy_timeout = 0')
  const identity = createFileIdentity(file, writer)
  const reader = connect(file, READER_CACHE_PAGES)
  const writeCache = createStatementCache(writer)
  const readCache = createStatementCache(reader)
  const watch = createQueryMetrics()
  const host = hostname()
  const faults = createFaultWatch({
    log,
    getFault: getDiskFault,
    // The number is not used. It is in the header of the file, so each setting of it is a write.
    probe: () => db.write(({ db: tx }) => sql`PRAGMA user_version = 0`.execute(tx)),
  })
  /** Returns the error for the caller. */
  const noticed = (error: unknown): unknown => {
    faults.noticed(error)
    return translateFileError(error)
  }
  const fault = () => disk.fault() ?? faults.current()
  const look = (): void => {
    try {
      identity.checkAll()
    } catch (error) {
      faults.noticed(error)
      leaveFile()
    }
  }
  const leaveFile = (): void => {
    if (identity.isInPlace() || writer.inTransaction) return
    try {
      identity.leave()
    } catch (error) {
      log?.warn('the log of the replaced data file could not be moved', { error })
    }
  }
  const looking = setInterval(look, lookMs)
  looking.unref()
  const ended = (errors: readonly unknown[]): void => {
    leaveFile()
    if (!disk.ended(errors)) for (const error of errors) faults.noticed(error)
  }
  let answers = 0
  const logRead: typeof watch.log = (event) => {
    answers++
    watch.log(event)
  }
  const slowReads = createSlowReads(file, logRead, { mayOpen: identity.mayOpen })
  const readDb = createSqliteKysely<Tables>(reportTo(noticed, slowReads.elsewhere(runOn(readCache, logRead))))
  const writeDb = createSqliteKysely<Tables>(runOn(writeCache, watch.log, writer))
  const largeWriter = createLargeWriter<Tables>({ file, writer, log: watch.log })

  // The process counts its own commits. The start time makes the counts unique, so that an old ETag never matches.
  const start = Date.now().toString(36)
  const counts = new Map<string, number>()
  // A command on the host may write as well; SQLite counts the commits of other connections.
  const dataVersion = writer.prepare<{ data_version: number }, []>('PRAGMA data_version')
  let ofOthers = 0
  const begun = () => {
    ofOthers = dataVersion.get()?.data_version ?? 0
  }
  begun()
  const disk = guardFor(writer)
  const cache = new RevisionCache()
  const searchCache = createSearchCache(cache)
  const committed = ({ touched, searched }: Notes, on: Writer) => {
    for (const table of touched) counts.set(table, (counts.get(table) ?? 0) + 1)
    if (on === writer) searched.applyTo(searchCache)
    else searched.invalidateTables(searchCache)
  }
  const queryCache = createQueryCache(cache)
  const commits = (table: string): number => counts.get(table) ?? 0
  const readPoint: ReadPoint = {
    remember: (table, key, read, by) =>
      by ? searchCache.remember({ table, key, by }, read) : queryCache({ table, state: commits(table), key }, read),
    timeline: () => '',
    revision: (tables) => `${start}.${ofOthers}.${tables.map(commits).join('.')}`,
  }
  const selectDb = (on: Writer): Kysely<Tables> => (on === writer ? writeDb : largeWriter.db)
  const finish = ({ atCommit }: Notes, on: Writer): Promise<void> => atCommit.run(selectDb(on))
  const snapshots = createSnapshots()
  let scans = 0
  let snapshotsDue: ((beforeMs: number) => void) | undefined
  // A scan is not recalled, and then recalling the others has no effect.
  const recall = () => (scans > 0 || !snapshotsDue ? undefined : () => snapshotsDue?.(performance.now()))
  const { check, mayOpen } = identity
  const moving = { onFailure: onCheckpointFailure, mayOpen, snapshots, recall }
  const checkpoints = createCheckpoints({ file, writer, ...moving, ...timing })
  const { maintain: between, beforeLarge } = checkpoints
  const listeners = { check, lockWaitMs, begun, ended, finish, between, beforeLarge, large: largeWriter }
  const group = new CommitGroup(writer, committed, listeners)

  let isOpen = true
  const idle: Database[] = []
  const cachePages = () => (snapshots.open() > IDLE_SNAPSHOTS ? EXTRA_SNAPSHOT_CACHE_PAGES : SNAPSHOT_CACHE_PAGES)
  const giveBack = (snapshot: Database): void => {
    if (snapshot === reader) return
    if (snapshot.inTransaction) snapshot.run('COMMIT')
    if (isOpen && idle.length < IDLE_SNAPSHOTS) {
      snapshot.run(`PRAGMA cache_size = ${SNAPSHOT_CACHE_PAGES}`)
      idle.push(snapshot)
    } else snapshot.close()
  }
  const openSnapshot = (): Database => {
    // Another file may be at the path, and without changes every read sees the same state.
    if (!mayOpen()) return reader
    const snapshot = idle.pop() ?? connect(file, cachePages())
    snapshot.run('BEGIN')
    return snapshot
  }
  async function* stream<Row>(...queries: readonly Compilable<Row>[]): AsyncGenerator<Row[]> {
    await snapshots.enter()
    let snapshot: Database | undefined
    let statement: Statement<Row, SQLQueryBindings[]> | undefined
    let chunk: Row[] = []
    try {
      snapshot = openSnapshot()
      for (const query of queries) {
        const compiled = query.compile()
        statement?.finalize()
        statement = snapshot.prepare<Row, SQLQueryBindings[]>(compiled.sql)
        const isFull = createWeightLimit<Row>(STREAM_CHUNK, STREAM_CHUNK_LENGTH)
        // The parameters of our queries are text, numbers and null.
        for (const row of statement.iterate(...(compiled.parameters as SQLQueryBindings[]))) {
          chunk.push(row)
          if (!isFull(row)) continue
          yield chunk
          chunk = []
          await pause()
        }
      }
    } catch (error) {
      throw noticed(error)
    } finally {
      statement?.finalize()
      if (snapshot) giveBack(snapshot)
      snapshots.leave()
    }
    // After the release, so that a reader of the last chunk, or of a short list, holds no snapshot.
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

  const db: SqliteDb<Tables> = {
    engine: 'sqlite',
    copyTo: (target) => writer.run('VACUUM INTO ?', [target]),
    read: readDb,
    quick: readDb,
    quickMany: readDb,
    cache,
    sql: sqliteSql,
    notifier: undefined,
    watchFloor: () => {},
    createIndexes: (indexes) =>
      db.write(
        async ({ db: tx }) => {
          for (const { name, on } of indexes)
            await sql`CREATE INDEX IF NOT EXISTS ${sql.raw(name)} ON ${sql.raw(on)}`.execute(tx)
        },
        { exclusive: true },
      ),
    cluster: undefined,
    fault,
    write: async (work, options) => {
      disk.fault() // there may be space again
      const run = (savepoint: Savepoint, notes: Notes, shared: ReadonlySet<string>) =>
        work({
          db: (options?.large ? largeWriter.db : writeDb).withPlugin(trackWrittenTables(notes.touched)),
          savepoint: async (inner) => {
            const before = notes.searched.count
            try {
              return await savepoint(inner)
            } catch (error) {
              // The texts of rolled-back changes were not added.
              notes.searched.undo(before)
              throw error
            }
          },
          atCommit: (batch, item) => notes.atCommit.add(batch, [item]),
          searchTextChanged: (table, texts) => notes.searched.add(table, texts),
          revision: (tables) => (tables.some((table) => shared.has(table)) ? undefined : readPoint.revision(tables)),
          guard: () => false,
          local: createLocal(),
        })
      try {
        return await group.run(run, options)
      } catch (error) {
        throw translateFileError(error)
      }
    },
    stream,
    streamsOfUser: undefined,
    scan,
    onSnapshotsDue: (listener) => {
      snapshotsDue = listener
    },
    recallSnapshots: () => {},
    ...readPoint,
    readPoint: () => readPoint,
    at: (point) => ({ ...db, ...point }),
    readHosts: { mode: 'primary', answers: () => new Map([[host, answers]]), getMessage: () => '' },
    hosts: () => [{ host, role: 'primary', lagBytes: null, lagMs: null, message: '' }],
    failovers: () => 0,
    status: async () => {
      const { size } = reader.query<{ size: number }, []>(SIZE).get() ?? { size: 0 }
      return { version, sizeBytes: size, timeline: null, commitsWait: null, instances: undefined }
    },
    watch: watch.listen,
    connections: () => (isOpen ? 2 : 0),
    ping: async () => {
      look()
      const known = fault()
      if (known) throw new FaultError(known)
      reader.query('SELECT 1').get()
    },
    vacuum: async () => {
      await group.settled()
      vacuumFile(file)
    },
    close: async () => {
      await group.settled()
      isOpen = false
      faults.close()
      clearInterval(looking)
      look()
      await checkpoints.close()
      slowReads.close()
      largeWriter.end()
      dataVersion.finalize()
      writeCache.clear()
      readCache.clear()
      for (const snapshot of idle.splice(0)) snapshot.close()
      reader.close()
      // An unfinished stream prevents truncating the log; the next start does it.
      try {
        writer.run('PRAGMA wal_checkpoint(TRUNCATE)')
      } catch (error) {
        // Acknowledged writes are in the log, which a full disk does not damage. The next start reads it.
        if (getDiskProblem(error) === undefined) throw error
      } finally {
        writer.close()
      }
    },
  }
  return db
}
