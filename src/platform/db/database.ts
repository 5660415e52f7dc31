/**
 * What the product needs of a database, whichever engine it is. Features see `Tx` and the named capabilities in `Sql`;
 * only the files of this folder know which engine they talk to.
 */
import type { Compilable, Expression, Kysely, QueryExecutorProvider, RawBuilder, SqlBool } from 'kysely'
import type { Batch } from './at-commit.ts'
import type { ChangeNotifier } from './change-notifier.ts'
import type { QueryListener } from './query/query-metrics.ts'

export type Engine = 'sqlite' | 'postgres'

/** One write transaction. */
export type Tx<Tables> = {
  /**
   * An insert that returns nothing may be sent and not waited for: its failure is thrown by the next awaited statement, by the
   * end of the savepoint, or by the commit, whichever comes first.
   */
  readonly db: Kysely<Tables>
  /** Runs `work` so that its failure undoes only what it did itself. */
  readonly savepoint: <T>(work: () => Promise<T>) => Promise<T>
  /** Hands an item to a batch; where that fails, so does the commit. Not from within a savepoint, which might be undone. */
  readonly atCommit: <Item>(batch: Batch<Tables, Item>, item: Item) => void
  /** Declares which search texts a transaction removes from a table and adds to it: every one of them, or none for that table. */
  readonly searchTextChanged: SearchTextChanged
  /**
   * As `Db.revision`, for the state that this transaction began with. Undefined where only a query can tell: other servers write
   * as well, or a transaction that shares the commit has written one of the tables.
   */
  readonly revision: (tables: readonly string[]) => string | undefined
  /**
   * Has the commit fail with `GuardError` unless the guard's demand is met then; that costs no round trip. Answers false, and
   * does nothing, where the transaction has written one of the tables itself, or there are no guards.
   */
  readonly guard: (guard: Guard) => boolean
}

/** What must be so when a transaction commits. */
export type Demand = {
  /** Each of these rows is there, with these values. */
  readonly rows: readonly { readonly table: string; readonly where: Readonly<Record<string, string | number | null>> }[]
  /** These tables have the revision, as `Db.revision` tells it. */
  readonly tables: readonly string[]
  readonly revision: string
}

/** A demand as the database is asked. */
export type Guard = {
  /** Tables that it reads. */
  readonly tables: readonly string[]
  /** With `$1` to `$n` for the values. */
  readonly condition: string
  readonly values: readonly (string | number)[]
}

/** The commit was refused by a guard; the transaction is undone. */
export class GuardError extends Error {
  override readonly name = 'GuardError'
  constructor() {
    super('what the transaction was guarded by has changed')
  }
}

export type SearchTexts = { readonly removed?: readonly string[]; readonly added?: readonly string[] }
export type SearchTextChanged = (table: string, texts: SearchTexts) => void

/** Which rows a cached search finds, by their search text. */
export type SearchMatch = {
  /** Returns true if a row with this text matches. */
  readonly finds: (text: string) => boolean
  /** Returns the result after `more` rows matched (negative: fewer). Where absent, the search is run again. */
  readonly follow?: (found: string, more: number) => string
}

export type WriteOptions = {
  /** Shares its commit with no other write, and has no time limit: for long work, so that a short write never fails with it. */
  readonly exclusive?: boolean
  /**
   * Of an exclusive write that changes thousands of rows. SQLite runs it on another thread, where its commit delays no request;
   * each of its statements takes a little longer.
   */
  readonly large?: boolean
  /**
   * Returns before the commit is synced to disk: for data that can be collected again. A power loss may undo the write and those
   * after it, up to the next write without `deferSync`; the end of the process does not. PostgreSQL ignores it.
   */
  readonly deferSync?: boolean
  /**
   * Writes with equal names take the same locks and so wait for each other: those that wait may share a transaction. On SQLite
   * all writes may.
   */
  readonly serializeBy?: string
}

/** A committed state of the database: answers that use it are at least as new as that state. */
export type ReadPoint = {
  /** As `Db.revision`. */
  readonly revision: (tables: readonly string[]) => string
  /** As `Db.remember`. */
  readonly remember: (
    table: string,
    key: string,
    read: () => Promise<string | undefined>,
    by?: SearchMatch,
  ) => string | undefined | Promise<string | undefined>
}

export type Db<Tables> = {
  readonly engine: Engine
  /** Reads see the last commit; each statement on its own. */
  readonly read: Kysely<Tables>
  /** The same, for queries that are answered at once: of a few rows, by an index. Each may have to wait for those before it. */
  readonly quick: Kysely<Tables>
  readonly sql: Sql
  /**
   * Runs `work` in one transaction and resolves once the commit is durable; a throw undoes all of it.
   * `work` must do nothing but SQL and thinking: it holds the writer (SQLite) or a connection (PostgreSQL).
   */
  readonly write: <T>(work: (tx: Tx<Tables>) => Promise<T>, options?: WriteOptions) => Promise<T>
  /** The rows of the queries, one after another, in one snapshot, in chunks, in bounded memory, yielding to the event loop in between. */
  readonly stream: <Row>(...queries: readonly Compilable<Row>[]) => AsyncGenerator<Row[]>
  /** As `stream`, for work of the server itself: its snapshot is never due back, because no client keeps it waiting. */
  readonly scan: <Row>(...queries: readonly Compilable<Row>[]) => AsyncGenerator<Row[]>
  /**
   * Names the listener that is called when snapshots of streams are due back: the streams that began before a moment
   * (`performance.now()`) must be read to their end soon, or given up.
   */
  readonly onSnapshotsDue: (listener: (beforeMs: number) => void) => void
  /**
   * Returns the text that `read` finds in the last committed state, cached until a commit writes the table. `read` runs one query,
   * and not in a transaction. A search may pass `by`: with one writer its result is then cached until a matching row is added,
   * changed or removed, whatever else is written.
   */
  readonly remember: (
    table: keyof Tables & string,
    key: string,
    read: () => Promise<string | undefined>,
    by?: SearchMatch,
  ) => string | undefined | Promise<string | undefined>
  /** Changes whenever a committed write touched one of the tables: the ground of every list's ETag. */
  readonly revision: (tables: readonly (keyof Tables & string)[]) => string | Promise<string>
  /** Returns a committed state no older than the call: one request needs to ask only once. */
  readonly readPoint: () => ReadPoint | Promise<ReadPoint>
  /** Notifications between the servers that share the database; undefined on SQLite. */
  readonly notifier: ChangeNotifier | undefined
  /** Sets the listener that gets the name and the duration of every query. */
  readonly watch: (listener: QueryListener) => void
  /** Connections open now; 0 means that the database is away. */
  readonly connections: () => number
  /** A cheap round trip; throws when the database is away. */
  readonly ping: () => Promise<void>
  /**
   * Rewrites the files of the tables, so that no replaced or deleted row is left in them. SQLite rewrites its whole file. Nothing
   * else may write at that time: for the start alone.
   * @throws Error when the files cannot be rewritten
   */
  readonly vacuum: (tables: readonly (keyof Tables & string)[]) => Promise<void>
  readonly close: () => Promise<void>
}

/** How many of the first rows are wanted; or all, of which there are so many. */
export type Part =
  | { readonly wanted: number; readonly count?: undefined }
  | { readonly wanted?: undefined; readonly count: number }

export type WordsWanted = {
  readonly words: readonly string[]
  /** It is worth while to find up to so many first; 0 where there are known to be very many. */
  readonly most?: number | undefined
}

export type WordsInOrder = {
  readonly condition: (part: Part) => Promise<Expression<SqlBool>>
  /** How many rows it is true for, where that has turned out on the way. */
  readonly count: number | undefined
}

/** Transactions are numbered when they first write: those below `oldest` have ended, those from `next` on do so after the question. */
export type UnderWay = { readonly oldest: bigint; readonly next: bigint }

/** A transaction or a connection, whichever tables it is typed with. */
export type QueryRunner = Pick<Kysely<never>, 'executeQuery'>

/** The named differences between the engines, for use inside queries. */
export type Sql = {
  /** True where no other server writes to the same database. */
  readonly hasOneWriter: boolean
  /** True where the database is in this process: elsewhere a few queries at once take as long as one. */
  readonly isInProcess: boolean
  /** True where `table.search_text` holds every one of `words` as a substring; both are lower case. Backed by an index for words of 3 characters and more. */
  readonly matchesWords: (table: string, words: readonly string[]) => Expression<SqlBool>
  /** As `matchesWords`, in the form that finds the first rows in the order of `name_key` and `id`, which is an index, soonest. */
  readonly matchesWordsInOrder: (db: QueryExecutorProvider, table: string, wanted: WordsWanted) => Promise<WordsInOrder>
  /** How many rows `matchesWords` is true for. */
  readonly countWords: (db: QueryExecutorProvider, table: string, words: readonly string[]) => Promise<number>
  /**
   * Whether the rows of a table that `rows` names are so few that they are found soonest in the order of an index when they are
   * fetched and put in order; more, and it is soonest to look at all in that order. Always true where the planner finds that out.
   */
  readonly areFew: (db: QueryExecutorProvider, table: string, rows: RawBuilder<unknown>) => Promise<boolean>
  /** Makes a guard, where other servers write as well; elsewhere `Tx.revision` tells as much. */
  readonly guard: ((demand: Demand) => Guard) | undefined
  /** Which transactions are under way, where there may be several; undefined where there is one writer. */
  readonly underWay: (db: QueryExecutorProvider) => Promise<UnderWay | undefined>
  /**
   * The clock by which servers that share a database agree on what is over: the database's own, in ms since the epoch. Where there
   * is one server it is that server's, which is given.
   */
  readonly nowMs: (ownMs: number) => RawBuilder<number>
  /** Adds the lock that keeps other writers off the selected rows until commit, where the engine has more than one writer. */
  readonly lockRows: <Q>(query: Q) => Q
  /** As `lockRows`, and passes over rows that others have locked instead of waiting for them. */
  readonly lockFreeRows: <Q>(query: Q) => Q
  /**
   * Takes named locks until the transaction ends, where the engine has more than one writer. Many names may share a lock,
   * so that a transaction never holds more than a bounded number of them. A name begins with the word for its kind. What is asked
   * of the database after the call is asked when they are held; the call itself need not wait for that.
   */
  readonly lockNames: (db: QueryRunner, names: readonly string[]) => Promise<void>
  /** As `lockNames`; several transactions may hold the locks in this mode, but none while another holds them by `lockNames`. */
  readonly lockNamesShared: (db: QueryRunner, names: readonly string[]) => Promise<void>
  /**
   * Another number each time the transaction takes such a lock or lets go of one; undefined where there are none. Where it is the
   * same before something is read and after its name was locked, the lock was held all the time: nobody else has changed it.
   */
  readonly locksHeld: (db: QueryRunner) => number | undefined
}

/** Escapes `%`, `_` and the escape character itself, for `LIKE ... ESCAPE '\'`. */
export const escapeLike = (text: string): string => text.replace(/[\\%_]/g, (c) => `\\${c}`)
