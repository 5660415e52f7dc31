/** Writes on PostgreSQL: named locks, the counters for readers, and several callers in one transaction. */
import { SQL } from 'bun'
import { CompiledQuery, type Dialect, type Kysely, type LogEvent, sql } from 'kysely'
import { AtCommit } from '../at-commit.ts'
import { type Db, type Guard, GuardError, type Sql, type Tx, type WriteOptions } from '../database.ts'
import { trackWrittenTables } from '../query/written-tables.ts'
import { createLocal } from '../transaction-state.ts'
import type { PostgresPool } from './connections/pool.ts'
import { isAway, isLockConflict } from './errors.ts'
import { buildCountSql, countGuarded, guardAlone, isGuardFailure, joinGuards } from './guards.ts'
import { TIMELINE_PREFIX } from './standbys/timeline.ts'
import { createTransactionKysely, PostgresTransaction } from './transaction.ts'

/** Names of a kind share this many locks: a transaction with 100,000 names must not fill the server's lock table. */
const LOCK_BUCKETS = 1024
const LOCK_KINDS = 65_536
/** The first key of Plat's advisory locks, which separates them from other programs on the same server. */
const LOCK_SPACE = 0x504c4154
/** Takes the locks in the given order. */
const buildLockSql = (take: string): string =>
  `SELECT ${take}(${LOCK_SPACE}, bucket) FROM unnest(string_to_array($1, ',')::int4[]) AS locks (bucket)`
const LOCK = buildLockSql('pg_advisory_xact_lock')
const LOCK_SHARED = buildLockSql('pg_advisory_xact_lock_shared')

/** Maximum number of rows of a table's counter, so that concurrent commits seldom wait. */
const REVISION_SHARDS = 16
const COUNT = buildCountSql('$1', '$2::int4')

/**
 * Serialization failure and deadlock; and a broken constraint, which happens only if another writer was faster than our
 * own check. The transaction is repeated. It then sees the other writer's changes, and returns the correct error.
 */
const RETRYABLE = new Set(['40001', '40P01', '23503', '23505'])
const MAX_TRIES = 5
/** Longest pause after the first try; it doubles with each. It is random, so that two writers do not meet again. */
const PAUSE_MS = 4
/**
 * A prepared statement, such as `SELECT *`, with other result columns since a migration of another program. The client prepares it
 * again, but cannot repeat it in a transaction. The code has many causes; the routine is the same in all languages.
 */
const isStalePlan = (error: unknown): boolean =>
  error instanceof SQL.PostgresError && error.errno === '0A000' && error.routine === 'RevalidateCachedQuery'
/** Each try finds one such statement. More than any transaction has. */
const MOST_STALE_PLANS = 100
const isRetryable = (error: unknown): boolean =>
  isStalePlan(error) || (error instanceof SQL.PostgresError && RETRYABLE.has(error.errno ?? ''))

/** Rights and scopes have these guards. More would make too many different statements. */
const MOST_JOINED = 2

/** Maximum number of callers in one transaction, and the time in which it accepts more of them. */
const LARGEST_GROUP = 64
const LONGEST_GROUP_MS = 50
/**
 * The share of the limit on waiting for a lock (10 s). When a caller gets no lock or connection in time, those that have waited behind it
 * for this share get the same error. So each has its answer within 15 s, however long the line.
 */
const LINE_SHARE = 0.4

/** Returns the lock of a name. The kind, its first word, is included: locks shared by kinds could deadlock. */
const computeLock = (name: string): number => {
  const kind = Bun.hash.crc32(name.split(' ', 1)[0] ?? '') % LOCK_KINDS
  return kind * LOCK_BUCKETS + (Bun.hash.crc32(name) % LOCK_BUCKETS)
}

/** The named locks of a transaction. A lock that it holds is not requested again. */
type HeldLocks = { readonly buckets: Set<number>; readonly shared: Set<number>; changes: number }
const heldLocks = new WeakMap<object, HeldLocks>()

const lock =
  (statement: string, isShared: boolean): Sql['lockNames'] =>
  async (db, names) => {
    const held = heldLocks.get(db)
    const isHeld = (bucket: number) => held?.buckets.has(bucket) || (isShared && held?.shared.has(bucket))
    const wanted = [...new Set(names.map(computeLock))].filter((bucket) => !isHeld(bucket))
    if (wanted.length === 0) return
    if (held) held.changes++
    for (const bucket of wanted) (isShared ? held?.shared : held?.buckets)?.add(bucket)
    // All transactions use one order, so they cannot deadlock.
    await db.executeQuery(CompiledQuery.raw(statement, [wanted.sort((a, b) => a - b).join(',')]))
  }

export const lockNames: Sql['lockNames'] = lock(LOCK, false)
export const lockNamesShared: Sql['lockNamesShared'] = lock(LOCK_SHARED, true)

/** Names of tables are the program's own. */
export const lockTables: Sql['lockTables'] = async (db, tables) => {
  await db.executeQuery(CompiledQuery.raw(`LOCK TABLE ${tables.join(', ')} IN SHARE ROW EXCLUSIVE MODE`))
}

export const limitLockWaits: Sql['limitLockWaits'] = async (db, ms) => {
  await db.executeQuery(CompiledQuery.raw("SELECT set_config('lock_timeout', $1, true)", [String(ms)]))
}

const buildRevisionSql = (timeline: string): string =>
  `SELECT ${timeline} || coalesce(sum(n), 0)::text AS n FROM revisions WHERE name = ANY (string_to_array($1, ','))`
const REVISION = buildRevisionSql(TIMELINE_PREFIX)
const REVISION_WITHOUT_TIMELINE = buildRevisionSql("''")

/** @param tellsTimeline returns false if the server does not tell its timeline */
export const createRevisionIn =
  (tellsTimeline: () => boolean): Sql['revisionIn'] =>
  async (db, tables) => {
    const text = tellsTimeline() ? REVISION : REVISION_WITHOUT_TIMELINE
    const { rows } = await db.executeQuery<{ n: string }>(CompiledQuery.raw(text, [tables.join(',')]))
    return rows[0]?.n
  }

export const locksHeld: Sql['locksHeld'] = (db) => heldLocks.get(db)?.changes

type Options = {
  readonly pool: PostgresPool
  readonly dialect: Dialect
  readonly log: (event: LogEvent) => void
  /** Time limit of waiting for a lock. */
  readonly lockMs: number
}
type Work<Tables, T> = (tx: Tx<Tables>) => Promise<T>
type Waiting<Tables> = {
  readonly work: Work<Tables, unknown>
  readonly resolve: (value: unknown) => void
  readonly reject: (error: unknown) => void
  /** A `performance.now()`. */
  readonly sinceMs: number
}

/** One transaction, to which work is added piece by piece. */
class Writing<Tables> {
  readonly #transaction: PostgresTransaction
  readonly #unnoticed: Kysely<Tables>
  readonly #noticed: Kysely<Tables>
  readonly #touched = new Set<string>()
  readonly #left = new AtCommit()
  readonly #guards = new Set<Guard>()
  readonly #local = createLocal()
  readonly #locks: HeldLocks = { buckets: new Set(), shared: new Set(), changes: 0 }
  #depth = 0

  constructor(transaction: PostgresTransaction, dialect: Dialect) {
    this.#transaction = transaction
    this.#unnoticed = createTransactionKysely<Tables>(transaction, dialect)
    this.#noticed = createTransactionKysely<Tables>(transaction, dialect, [trackWrittenTables(this.#touched)])
    heldLocks.set(this.#noticed, this.#locks)
  }

  /**
   * Lifts the time limits, and plans each statement again: a cached plan may be of a table that was small. A statement without a limit
   * ends if the network has lost its program, where the server can notice that (since PostgreSQL 14).
   */
  takesLong(): Promise<void> {
    return this.#transaction.give(
      "SELECT set_config('statement_timeout', '0', true), set_config('lock_timeout', '0', true), " +
        "set_config('plan_cache_mode', 'force_custom_plan', true), CASE WHEN version() LIKE '%linux%' AND " +
        "current_setting('client_connection_check_interval', true) IS NOT NULL " +
        "THEN set_config('client_connection_check_interval', '2s', true) END",
    )
  }

  /** @param isShared true if other callers' work in the transaction must survive a failure */
  async do<T>(work: Work<Tables, T>, isShared = false): Promise<T> {
    const left = new AtCommit()
    const guards: Guard[] = []
    const savepoint = <V>(inner: () => Promise<V>) => this.#savepoint(inner)
    const run = () =>
      work({
        db: this.#noticed,
        savepoint,
        atCommit: (batch, item) => left.add(batch, [item]),
        // Other servers write as well, without reporting texts. Cached searches are validated by the shared counters.
        searchTextChanged: () => {},
        revision: () => undefined,
        guard: (guard) => {
          if (guard.tables.some((table) => this.#touched.has(table))) return false
          guards.push(guard)
          return true
        },
        local: this.#local,
      })
    const value = await (isShared ? savepoint(run) : run())
    // Only after success: failed work leaves nothing.
    this.#left.addAll(left)
    for (const guard of guards) this.#guards.add(guard)
    return value
  }

  async #savepoint<T>(inner: () => Promise<T>): Promise<T> {
    const name = sql.id(`s${++this.#depth}`)
    await this.#transaction.give(`SAVEPOINT s${this.#depth}`)
    try {
      const value = await inner()
      await sql`RELEASE SAVEPOINT ${name}`.execute(this.#unnoticed)
      return value
    } catch (error) {
      await sql`ROLLBACK TO SAVEPOINT ${name}`.execute(this.#unnoticed)
      // The rollback releases the locks that were taken in the savepoint.
      this.#locks.buckets.clear()
      this.#locks.shared.clear()
      this.#locks.changes++
      // A savepoint survives its rollback, and thousands of them would slow the server down.
      await sql`RELEASE SAVEPOINT ${name}`.execute(this.#unnoticed)
      throw error
    } finally {
      this.#depth--
    }
  }

  get isGuarded(): boolean {
    return this.#guards.size > 0
  }

  /** @param shard of the counters; no other transaction of this server uses it until the commit */
  async finish(shard: number): Promise<void> {
    await this.#left.run(this.#unnoticed)
    const guards = [...this.#guards]
    // Sorted, so that two commits cannot deadlock.
    const touched = [...this.#touched].sort().join(',')
    // The last guards are part of the statement for the counters, which is sent anyway.
    const last = touched === '' || guards.length === 0 ? undefined : joinGuards(guards.splice(-MOST_JOINED))
    for (const { condition, values } of guards) await this.#transaction.give(guardAlone(condition), values)
    if (last) await this.#transaction.give(countGuarded(last), [...last.values, touched, shard])
    else if (touched !== '') await this.#transaction.give(COUNT, [touched, shard])
  }
}

export const createWriter = <Tables>({ pool, dialect, log, lockMs }: Options): Db<Tables>['write'] => {
  // Each server begins with a random shard. Few are used, because readers add them up.
  const first = Math.floor(Math.random() * REVISION_SHARDS)
  const shards = Array.from({ length: REVISION_SHARDS }, (_, at) => (first + at) % REVISION_SHARDS)

  const inTransaction = async <T>(work: (writing: Writing<Tables>) => Promise<T>): Promise<T> => {
    const { connection, release } = await pool.reserve()
    const transaction = new PostgresTransaction(connection, log)
    const writing = new Writing<Tables>(transaction, dialect)
    let shard: number | undefined
    try {
      const value = await work(writing)
      shard = shards.shift()
      await writing.finish(shard ?? first)
      await transaction.commit()
      return value
    } catch (error) {
      await transaction.rollback()
      throw writing.isGuarded && isGuardFailure(error) ? new GuardError() : error
    } finally {
      if (shard !== undefined) shards.unshift(shard)
      release()
    }
  }

  const alone = async <T>(work: Work<Tables, T>, takesLong = false): Promise<T> => {
    let stalePlans = 0
    for (let tries = 1; ; ) {
      try {
        return await inTransaction(async (writing) => {
          if (takesLong) await writing.takesLong()
          return writing.do(work)
        })
      } catch (error) {
        if (isStalePlan(error) && stalePlans++ < MOST_STALE_PLANS) continue
        if (!isRetryable(error) || tries === MAX_TRIES) throw error
        await Bun.sleep(Math.random() * PAUSE_MS * 2 ** tries++)
      }
    }
  }

  /** Refuses those who have waited long, if the error is one for which they would wait again. */
  const refuseLate = (queue: Waiting<Tables>[], error: unknown): void => {
    if (!isLockConflict(error) && !isAway(error)) return
    const dueMs = performance.now() - lockMs * LINE_SHARE
    while (queue[0] && queue[0].sinceMs <= dueMs) queue.shift()?.reject(error)
  }

  /** Runs one work of a queue that others may join until it ends. */
  const answer = async ({ work, resolve, reject }: Waiting<Tables>, queue: Waiting<Tables>[]): Promise<void> =>
    alone(work).then(resolve, (error: unknown) => {
      reject(error)
      refuseLate(queue, error)
    })

  /** Runs all queued work, and work that is queued until it ends, in one transaction. */
  const together = async (queue: Waiting<Tables>[]): Promise<void> => {
    const answerAgain = (all: readonly Waiting<Tables>[]) => Promise.all(all.map((one) => answer(one, queue)))
    const done: (() => void)[] = []
    const again: Waiting<Tables>[] = []
    const taken: Waiting<Tables>[] = []
    try {
      await inTransaction(async (writing) => {
        const endMs = performance.now() + LONGEST_GROUP_MS
        while (taken.length < LARGEST_GROUP && performance.now() < endMs) {
          const next = queue.shift()
          if (!next) break
          taken.push(next)
          try {
            const value = await writing.do(next.work, true)
            done.push(() => next.resolve(value))
          } catch (error) {
            if (isRetryable(error)) again.push(next)
            else
              done.push(() => {
                next.reject(error)
                refuseLate(queue, error)
              })
          }
        }
      })
    } catch (error) {
      // Nothing was committed, which is certain only if the server has said so.
      if (isRetryable(error) || error instanceof GuardError) return void (await answerAgain(taken))
      for (const { reject } of taken) reject(error)
      refuseLate(queue, error)
      return
    }
    for (const settle of done) settle()
    await answerAgain(again)
  }

  const queues = new Map<string, Waiting<Tables>[]>()
  const drain = async (name: string, queue: Waiting<Tables>[]): Promise<void> => {
    while (queue.length > 0) {
      const only = queue.length === 1 ? queue.shift() : undefined
      await (only ? answer(only, queue) : together(queue))
    }
    queues.delete(name)
  }

  return <T>(work: Work<Tables, T>, { exclusive: takesLong = false, serializeBy }: WriteOptions = {}): Promise<T> => {
    if (serializeBy === undefined) return alone(work, takesLong)
    return new Promise<T>((resolve, reject) => {
      // The resolved value is the result of this very work.
      const waiting: Waiting<Tables> = {
        work,
        resolve: (value) => resolve(value as T),
        reject,
        sinceMs: performance.now(),
      }
      const queue = queues.get(serializeBy)
      if (queue) return void queue.push(waiting)
      const made = [waiting]
      queues.set(serializeBy, made)
      void drain(serializeBy, made)
    })
  }
}
