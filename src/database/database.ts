/** The interface of the database, independent of the engine. Only the files of this folder know the engine. */

import type { Compilable, Expression, Kysely, QueryExecutorProvider, RawBuilder, SqlBool } from 'kysely'
import type { Fault } from '../base/disk/fault.ts'
import type { Hosts } from '../base/hosts/hosts.ts'
import type { Word } from '../net/words/word.ts'
import type { Batch } from './at-commit.ts'
import type { RevisionCache } from './cache/revision-cache.ts'
import type { ChangeNotifier } from './change-notifier.ts'
import type { DatabaseHost, DatabaseStatus } from './database-host.ts'
import type { Deployment } from './deployment.ts'
import type { PastSql } from './query/past-sql.ts'
import type { QueryListener } from './query/query-metrics.ts'
import type { Local } from './transaction-state.ts'

export type Engine = 'sqlite' | 'postgres'

/** One write transaction. */
export type Tx<Tables> = {
  /** An insert that returns nothing need not be awaited: the next statement or the commit throws its failure. */
  readonly db: Kysely<Tables>
  /** Runs `work` in a savepoint. If it throws, only its own changes are rolled back. */
  readonly savepoint: <T>(work: () => Promise<T>) => Promise<T>
  /** Adds an item to a batch, with which the commit fails. Not within a savepoint. */
  readonly atCommit: <Item>(batch: Batch<Tables, Item>, item: Item) => void
  /** Declares which search texts a transaction removes from a table and adds to it: every one of them, or none for that table. */
  readonly searchTextChanged: SearchTextChanged
  /**
   * Like `Db.revision`, for the state in which this transaction began. Undefined if that takes a query: other servers
   * write as well, or a transaction of the same commit has written one of the tables.
   */
  readonly revision: (tables: readonly string[]) => string | undefined
  /**
   * Makes the commit fail with `GuardError` unless the guard's demand is met then, without a round trip. Does nothing
   * and returns false if the transaction has written one of the tables itself, or there are no guards.
   */
  readonly guard: (guard: Guard) => boolean
  /**
   * The state of this transaction of the database: a repeat of it begins without any. On PostgreSQL, calls that share a transaction share the
   * state. A savepoint that is rolled back leaves it as it is.
   */
  readonly local: Local
}

/** Conditions for the commit of a transaction. */
export type Demand = {
  /** Each of these rows exists, with these values. */
  readonly rows: readonly { readonly table: string; readonly where: Readonly<Record<string, string | number | null>> }[]
  /** These tables have the revision, as `Db.revision` returns it. */
  readonly tables: readonly string[]
  readonly revision: string
}

/** A demand in the form of SQL. */
export type Guard = {
  /** The tables that the condition reads. */
  readonly tables: readonly string[]
  /** Has `$1` to `$n` for the values. */
  readonly condition: string
  readonly values: readonly (string | number)[]
}

/** A guard has made the commit fail; the transaction is rolled back. */
export class GuardError extends Error {
  override readonly name = 'GuardError'
  constructor() {
    super('a guarded row or table of the transaction has changed')
  }
}

export type SearchTexts = { readonly removed?: readonly string[]; readonly added?: readonly string[] }
export type SearchTextChanged = (table: string, texts: SearchTexts) => void

/** Describes the rows that a cached search finds, by their search text. */
export type SearchMatch = {
  /** Returns true if a row with this text matches. */
  readonly finds: (text: string) => boolean
  /** Returns the result after `more` rows matched (negative: fewer). If absent, the search is run again. */
  readonly follow?: (found: string, more: number) => string
}

export type WriteOptions = {
  /** Does not share its commit with other writes, and has no time limit. For long work. */
  readonly exclusive?: boolean
  /** For an exclusive write of thousands of rows: SQLite commits it on another thread. */
  readonly large?: boolean
  /**
   * Returns before the commit is synced to disk, for data that can be collected again. A power failure may undo the
   * write and later ones, up to the next write without `deferSync`; the end of the process does not. PostgreSQL ignores
   * it.
   */
  readonly deferSync?: boolean
  /** Writes with equal names may share a transaction if they wait. On SQLite all writes may. */
  readonly serializeBy?: string
}

/** A committed state of the database: answers that use it are at least as new as that state. */
export type ReadPoint = {
  /** See `Db.revision`. */
  readonly revision: (tables: readonly string[]) => string
  /** See `Db.remember`. */
  readonly remember: (
    table: string,
    key: string,
    read: () => Promise<string | undefined>,
    by?: SearchMatch,
  ) => string | undefined | Promise<string | undefined>
  /** See `Db.timeline`. */
  readonly timeline: () => string
  /** Where the write-ahead log holds these commits, if standbys answer reads. */
  readonly position?: string
}

/** The hosts that answer reads: docs/decisions/failover.md#reads-on-standbys. */
export type ReadHosts = {
  readonly mode: 'primary' | 'standbys'
  /** The number of reads outside of transactions that each host has answered since the start, by its name. */
  readonly answers: () => ReadonlyMap<string, number>
  /** Returns why a standby is not asked; '' if it is. */
  readonly getMessage: (host: string) => string
}

/**
 * @param beforeMs a `performance.now()`: streams that began later go on. @param owner the user that owns the streams; all users by
 * default
 */
export type SnapshotsDue = (beforeMs: number, owner?: string) => void

export type Db<Tables> = {
  readonly engine: Engine
  /** The areas of the rows of a part. Undefined for a whole database, and for a part with different areas of its tables. */
  readonly areas?: ReadonlySet<number> | undefined
  /** Reads see the last commit; each statement on its own. */
  readonly read: Kysely<Tables>
  /** Like `read`, for fast queries: of a few rows, by an index. A query may wait for earlier ones on its connection. */
  readonly quick: Kysely<Tables>
  /** Like `quick`, for the rows of several objects. */
  readonly quickMany: Kysely<Tables>
  /** Values that are valid for a revision: `remember` and others keep theirs in it, in one bound. */
  readonly cache: RevisionCache
  readonly sql: Sql
  /** Resolves when the commit is durable; a throw rolls back. `work` does only SQL: it holds a writer or connection. */
  readonly write: <T>(work: (tx: Tx<Tables>) => Promise<T>, options?: WriteOptions) => Promise<T>
  /** Yields the rows of the queries in sequence, in one snapshot, in chunks of bounded size. */
  readonly stream: <Row>(...queries: readonly Compilable<Row>[]) => AsyncGenerator<Row[]>
  /** The most streams that one user may have at a time; undefined if a stream needs no connection of its own. */
  readonly streamsOfUser: number | undefined
  /** Like `stream`, for work of the server itself: its snapshot is never recalled, because no client delays it. */
  readonly scan: <Row>(...queries: readonly Compilable<Row>[]) => AsyncGenerator<Row[]>
  /** The listener is called when streams must soon be read to their end, or closed. */
  readonly onSnapshotsDue: (listener: SnapshotsDue) => void
  /** Calls the listener of `onSnapshotsDue`. Does nothing where a stream needs no connection of its own. */
  readonly recallSnapshots: SnapshotsDue
  /**
   * Returns the result of `read` in the last committed state, cached until a commit writes the table. `read` runs one
   * query outside of transactions. A search may pass `by`: with one writer its result is then cached until a matching
   * row is added, changed or removed.
   */
  readonly remember: (
    table: keyof Tables & string,
    key: string,
    read: () => Promise<string | undefined>,
    by?: SearchMatch,
  ) => string | undefined | Promise<string | undefined>
  /** Changes with every committed write to one of the tables. The ETags of lists are derived from it. */
  readonly revision: (tables: readonly (keyof Tables & string)[]) => string | Promise<string>
  /**
   * Names the history of the database: after the promotion of a standby, commits may be lost and their numbers be used
   * again. Every revision has it; texts that are made of other numbers need it. '' if there is only one history.
   */
  readonly timeline: () => string | Promise<string>
  /** Returns a committed state no older than the call. One call per request suffices. */
  readonly readPoint: () => ReadPoint | Promise<ReadPoint>
  /**
   * Returns the database for one read that must see the commits of the point. Its `read`, `quickMany` and `stream` may be answered by a
   * standby that has replayed the commits of the point.
   */
  readonly at: (point: ReadPoint) => Db<Tables>
  readonly readHosts: ReadHosts
  /** The hosts of PostgreSQL, one of which is the primary; undefined on SQLite. */
  readonly cluster: Hosts | undefined
  /** Notifications between the servers that share the database; undefined on SQLite. */
  readonly notifier: ChangeNotifier | undefined
  /** The servers of the database, as they were last seen. */
  readonly hosts: () => readonly DatabaseHost[]
  /** The number of times that another server, or another timeline, became the primary since the start. */
  readonly failovers: () => number
  readonly status: () => Promise<DatabaseStatus>
  /** Sets the listener that gets the name and the duration of every query. */
  readonly watch: (listener: QueryListener) => void
  /** The number of open connections; 0 means that the database is unreachable. */
  readonly connections: () => number
  /**
   * From now on, makes every use of the database throw UNAVAILABLE when its floor is none of these migrations, which a
   * newer program may cause. Does nothing if no other program can. @param outdated called then
   */
  readonly watchFloor: (migrations: readonly string[], outdated: () => void) => void
  /** Creates missing indexes while others read and write. Returns at once while another program creates them. To be repeated if interrupted. */
  readonly createIndexes: (indexes: readonly Index[]) => Promise<void>
  /** Returns the fault for which changes are refused. A successful write ends it. */
  readonly fault: () => Fault | undefined
  /** A fast round trip; throws if the database is unreachable, or has a fault. */
  readonly ping: () => Promise<void>
  /**
   * Rewrites the files of the tables, so that they contain no replaced or deleted row. SQLite rewrites its whole file.
   * For the start only: nothing else may write at that time.
   * @throws Error if the files cannot be rewritten
   */
  readonly vacuum: (tables: readonly (keyof Tables & string)[]) => Promise<void>
  readonly close: () => Promise<void>
}

/** The number of first rows to find; or all, with their number. */
export type Part =
  | { readonly wanted: number; readonly count?: undefined }
  | { readonly wanted?: undefined; readonly count: number }

/** The indexed columns of a table, in the order of the index, which also has the column `custom`. */
export type ColumnsIndex = {
  readonly table: string
  readonly columns: readonly string[]
  /** Whether the values of custom fields are searched. */
  readonly custom: 'searched' | 'ignored'
}

export type WordsWanted = {
  readonly words: readonly Word[]
  /** The number of matches that are worth finding first; 0 if there are known to be very many. */
  readonly most?: number | undefined
}

export type WordsInOrder = {
  readonly condition: (part: Part) => Promise<Expression<SqlBool>>
  /** The number of matching rows, if it became known. */
  readonly count: number | undefined
}

/** Transactions are numbered at their first write: numbers below `oldest` have ended, `next` is not yet used. */
export type UnderWay = { readonly oldest: bigint; readonly next: bigint }

/** An index, as SQL text. */
export type Index = {
  readonly name: string
  /** Its table and columns: `devices (name_order, id)`, `devices USING gin (...)`. */
  readonly on: string
}

/** A program that is connected to the same database. */
export type OtherProgram = {
  /** Undefined for programs before 0059: their connections do not carry it. */
  readonly version: string | undefined
  /** The number of the newest migration that it knows. */
  readonly level: number | undefined
  readonly address: string
  /** The time of its oldest connection, in UTC; '' if this user may not know it. */
  readonly since: string
}

/** A transaction or a connection, with any type of tables. */
export type QueryRunner = Pick<Kysely<never>, 'executeQuery'>

/** The named differences between the engines, for use inside queries. */
export type Sql = Deployment & {
  /** To append to a query that reads very many rows: SQLite runs it on another thread, so that no request waits for it. */
  readonly slowMark: RawBuilder<unknown>
  /** True if no other server writes to the same database. */
  readonly hasOneWriter: boolean
  /** True if the database is in this process. Otherwise several concurrent queries take as long as one. */
  readonly isInProcess: boolean
  /** True if `table.search_text` contains all `words`, each in one of its spellings. Indexed from 3 characters on. */
  readonly matchesWords: (table: string, words: readonly Word[]) => Expression<SqlBool>
  /**
   * True if the columns of a row contain all `words`. Undefined if no word has the 3 characters of which the index knows.
   * @param most the number of matches that suffice, in any order
   */
  readonly matchesColumns: (
    index: ColumnsIndex,
    words: readonly Word[],
    most?: number,
  ) => Expression<SqlBool> | undefined
  /** Like `matchesWords`, fastest for the first rows in the order of `name_order` and `id`. */
  readonly matchesWordsInOrder: (db: QueryExecutorProvider, table: string, wanted: WordsWanted) => Promise<WordsInOrder>
  /** Counts the rows that match. */
  readonly countWords: (db: QueryExecutorProvider, table: string, words: readonly Word[]) => Promise<number>
  /** The same for a view that shows a part of the table: the index of the words finds rows that it leaves out. */
  readonly inPart: Pick<Sql, 'matchesWordsInOrder' | 'countWords'>
  /**
   * Returns true if the rows named by `rows` are few enough that fetching and sorting them is the fastest way to the
   * first ones. With more, scanning an index in the order of the list is faster. Always true if the planner decides
   * that itself.
   */
  readonly areFew: (db: QueryExecutorProvider, table: string, rows: RawBuilder<unknown>) => Promise<boolean>
  /** Tells the planner that few rows fulfill the condition, if it cannot know: it then uses the index of its column. */
  readonly selective: (condition: Expression<SqlBool>) => Expression<SqlBool>
  /** True if a column with a JSON list of texts has this text. */
  readonly hasText: (column: string, text: string) => RawBuilder<SqlBool>
  /** Creates a guard, if other servers write as well. Otherwise `Tx.revision` suffices. */
  readonly guard: ((demand: Demand) => Guard) | undefined
  /** Returns the transactions in progress, if there may be several; undefined with one writer. */
  readonly underWay: (db: QueryExecutorProvider) => Promise<UnderWay | undefined>
  /** The number of the next transaction, as `UnderWay.next`; 0 with one writer. */
  readonly nextTransaction: () => RawBuilder<number>
  /** The time in ms since the epoch by the database's clock; with a single server it is `ownMs`. `nowMsFrom`: at least `leastMs`. */
  readonly nowMs: (ownMs: number) => RawBuilder<number>
  readonly nowMsFrom: (leastMs: number) => RawBuilder<number>
  /** Locks the selected rows against other writers until commit, if there are several. Shared: others may lock them in the same way. */
  readonly lockRows: <Q>(query: Q) => Q
  readonly lockRowsShared: <Q>(query: Q) => Q
  /** Like `lockRows`, but skips rows that others have locked instead of waiting for them. */
  readonly lockFreeRows: <Q>(query: Q) => Q
  /**
   * Takes named locks until the transaction ends, if the engine has more than one writer. Names may share a lock, so
   * that a transaction holds a bounded number of locks. The first word of a name is its kind. Queries sent after the
   * call run when the locks are held; the call need not be awaited.
   */
  readonly lockNames: (db: QueryRunner, names: readonly string[]) => Promise<void>
  /** Like `lockNames`, in shared mode: excludes only `lockNames`. */
  readonly lockNamesShared: (db: QueryRunner, names: readonly string[]) => Promise<void>
  /** Locks tables against all other writes until commit, if the engine has more than one writer. */
  readonly lockTables: (db: QueryRunner, tables: readonly string[]) => Promise<void>
  /** Like `Tx.revision`, if the engine has more than one writer; counts only commits, not the transaction's own writes. */
  readonly revisionIn: (db: QueryRunner, tables: readonly string[]) => Promise<string | undefined>
  /**
   * Returns a number that changes with each named lock taken or released; undefined without such locks. If it is equal
   * before a read and after the name was locked, the lock was held throughout, and no other transaction changed the
   * data.
   */
  readonly locksHeld: (db: QueryRunner) => number | undefined
  /** The other programs that are connected to the database, if there may be several. */
  readonly otherPrograms: (db: QueryRunner) => Promise<readonly OtherProgram[]>
  /** Limits the wait for each lock until the transaction ends, if the engine has more than one writer. */
  readonly limitLockWaits: (db: QueryRunner, ms: number) => Promise<void>
  /** Returns true for the error of a transaction that did not get a lock. */
  readonly isLockConflict: (error: unknown) => boolean
  readonly past: PastSql
}

/** Escapes `%`, `_` and the escape character itself, for `LIKE ... ESCAPE '\'`. */
export const escapeLike = (text: string): string => text.replace(/[\\%_]/g, (c) => `\\${c}`)
