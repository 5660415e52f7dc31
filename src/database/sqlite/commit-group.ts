/** Group commit on SQLite: waiting writes share one transaction, each in a savepoint, and one sync. */
import { isBusy } from '../../base/disk/disk-errors.ts'
import { pause } from '../../base/runtime/pause.ts'
import { AtCommit } from '../at-commit.ts'
import { SearchChanges } from '../cache/search-cache.ts'
import type { WriteOptions } from '../database.ts'

export type Savepoint = <T>(work: () => Promise<T>) => Promise<T>
/** The effects of a write besides its result. */
export type Notes = {
  readonly touched: Set<string>
  readonly atCommit: AtCommit
  /** See `Tx.searchTextChanged`. */
  readonly searched: SearchChanges
}
/** @param shared tables that earlier writes of the same commit have written */
type Work<T> = (savepoint: Savepoint, notes: Notes, shared: ReadonlySet<string>) => Promise<T>
type Waiting = Required<Pick<WriteOptions, 'exclusive' | 'deferSync' | 'large'>> & {
  readonly work: Work<unknown>
  /** A `performance.now()`. */
  readonly sinceMs: number
  readonly settle: (outcome: Outcome) => void
}
type Outcome = { readonly ok: true; readonly value: unknown } | { readonly ok: false; readonly error: unknown }

/** A connection for transactions: on this thread, or on another one, where `run` returns a promise. */
export type Writer = { readonly run: (sql: string) => unknown; readonly inTransaction: boolean }

/** Maximum number of writes in one commit, which bounds how long the first one waits for the last. */
const LARGEST_GROUP = 64
/** Maximum time without a turn of the event loop during a group, so that reads are still answered. */
const LONGEST_HOLD_MS = 15
const LONGEST_LOCK_WAIT_MS = 5000
/** Pause between two tries to get the lock of the file. */
const LOCK_STEP_MS = 5

type Listeners = {
  /** Called before each commit, and after it, before it is answered. @throws Error if the file was replaced */
  readonly check?: () => void
  /** Maximum wait of a write while another program holds the lock of the file. */
  readonly lockWaitMs?: number | undefined
  /** Called when a transaction has begun, before its first write. */
  readonly begun?: () => void
  /** Called with the errors of each transaction, after it has ended and before the next one begins. */
  readonly ended?: (errors: readonly unknown[]) => void
  /** Called in each transaction, right before its commit. */
  readonly finish?: (notes: Notes, on: Writer) => Promise<void>
  /** The connection for large transactions, opened for each. Without it they run on the other one. */
  readonly large?: Writer & { readonly open: () => Promise<void>; readonly close: () => Promise<void> }
  /** Called before each large transaction, which waits for it. Must not fail. */
  readonly beforeLarge?: () => Promise<void> | undefined
  /** Called after each transaction, when its writes are answered; the next one waits for it. Must not fail. */
  readonly between?: () => Promise<void> | undefined
}

const createNotes = (): Notes => ({ touched: new Set(), atCommit: new AtCommit(), searched: new SearchChanges() })

export class CommitGroup {
  readonly #database: Writer
  readonly #committed: (notes: Notes, on: Writer) => void
  readonly #listeners: Listeners
  readonly #queue: Waiting[] = []
  /** The connection of the current transaction. */
  #writer: Writer
  #running: Promise<void> | undefined
  #depth = 0
  #isWaitingForDisk = true

  constructor(database: Writer, committed: (notes: Notes, on: Writer) => void, listeners: Listeners = {}) {
    this.#database = database
    this.#writer = database
    this.#committed = committed
    this.#listeners = listeners
  }

  /** Resolves after the commit; rejects with the error of `work` or of the commit. */
  run<T>(work: Work<T>, { exclusive = false, large = false, deferSync = false }: WriteOptions = {}): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      // The value is the result of this very work.
      const settle = (outcome: Outcome) => (outcome.ok ? resolve(outcome.value as T) : reject(outcome.error))
      this.#queue.push({ work, exclusive, deferSync, large, settle, sinceMs: performance.now() })
      this.#running ??= this.#drain()
    })
  }

  /** Resolves when no transaction is running. */
  async settled(): Promise<void> {
    await this.#running
  }

  async #drain(): Promise<void> {
    // One turn of the event loop, so that requests that arrived together can share the commit.
    await pause()
    while (this.#queue.length > 0) {
      await this.#commit(this.#next())
      await this.#listeners.between?.()
      // A client that writes in sequence has queued its next write by now, and would starve other requests.
      await pause()
    }
    this.#running = undefined
  }

  #next(): Waiting[] {
    const exclusive = this.#queue.findIndex((waiting) => waiting.exclusive)
    const count = exclusive === -1 ? LARGEST_GROUP : Math.max(exclusive, 1)
    return this.#queue.splice(0, Math.min(count, LARGEST_GROUP))
  }

  /**
   * Begins a transaction. While another program holds the lock, this thread answers other requests, and rejects the writes that have
   * waited too long. @returns the writes that still wait; the transaction has begun if there are any
   */
  async #begin(group: readonly Waiting[]): Promise<readonly Waiting[]> {
    let waiting = group
    let lockedSinceMs: number | undefined
    for (;;) {
      try {
        await this.#writer.run('BEGIN IMMEDIATE')
        return waiting
      } catch (error) {
        // Another thread has waited for the lock already.
        if (!isBusy(error) || this.#writer !== this.#database) throw error
        const nowMs = performance.now()
        lockedSinceMs ??= nowMs
        const lateMs = nowMs - (this.#listeners.lockWaitMs ?? LONGEST_LOCK_WAIT_MS)
        if (lockedSinceMs <= lateMs) waiting = this.#rejectOlder(waiting, lateMs, error)
        if (waiting.length === 0) return waiting
      }
      await Bun.sleep(LOCK_STEP_MS)
    }
  }

  /** Rejects the writes that wait since then or longer. @returns those of the group that still wait */
  #rejectOlder(group: readonly Waiting[], sinceMs: number, error: unknown): readonly Waiting[] {
    const isLate = (one: Waiting) => one.sinceMs <= sinceMs
    const late = [...group, ...this.#queue].filter(isLate)
    if (late.length === 0) return group
    this.#listeners.ended?.([error])
    this.#queue.splice(0, this.#queue.length, ...this.#queue.filter((one) => !isLate(one)))
    for (const { settle } of late) settle({ ok: false, error })
    return group.filter((one) => !isLate(one))
  }

  async #commit(together: readonly Waiting[]): Promise<void> {
    let group = together
    const notes = createNotes()
    const large = group.some((waiting) => waiting.large) ? this.#listeners.large : undefined
    let outcomes: Outcome[] = []
    let isCommitting = false
    try {
      this.#waitForDisk(!group.every(({ deferSync }) => deferSync))
      if (large) {
        await this.#listeners.beforeLarge?.()
        this.#listeners.check?.()
        await large.open()
      }
      this.#writer = large ?? this.#database
      group = await this.#begin(group)
      if (group.length === 0) return
      this.#listeners.begun?.()
      let held = performance.now()
      for (const { work } of group) {
        outcomes.push(await this.#one(work, notes, group.length > 1))
        if (performance.now() - held < LONGEST_HOLD_MS) continue
        await pause()
        held = performance.now()
      }
      const isEmpty = outcomes.every((outcome) => !outcome.ok)
      if (!isEmpty) {
        await this.#listeners.finish?.(notes, this.#writer)
        this.#listeners.check?.()
      }
      isCommitting = !isEmpty && large !== undefined
      const end = this.#writer.run(isEmpty ? 'ROLLBACK' : 'COMMIT')
      // Not awaited on this thread: no read may run between the commit and the call that invalidates the caches.
      if (end instanceof Promise) await end
      if (!isEmpty) {
        this.#committed(notes, this.#writer)
        this.#listeners.check?.()
      }
    } catch (error) {
      await this.#rollback()
      // A thread that ends without an answer may have committed, so cached results of the tables may be stale.
      if (isCommitting) this.#committed(notes, this.#writer)
      outcomes = group.map(() => ({ ok: false, error }))
    }
    this.#writer = this.#database
    await large?.close()
    this.#listeners.ended?.(outcomes.flatMap((outcome) => (outcome.ok ? [] : [outcome.error])))
    for (const [i, { settle }] of group.entries()) {
      const outcome = outcomes[i]
      if (outcome) settle(outcome)
    }
  }

  /** Sets whether the next commit is synced, with all earlier ones, before it is answered. */
  #waitForDisk(isNeeded: boolean): void {
    if (isNeeded === this.#isWaitingForDisk) return
    this.#database.run(`PRAGMA synchronous = ${isNeeded ? 'FULL' : 'NORMAL'}`)
    this.#isWaitingForDisk = isNeeded
  }

  /** The writes of the group must be answered in any case. */
  async #rollback(): Promise<void> {
    try {
      if (this.#writer.inTransaction) await this.#writer.run('ROLLBACK')
    } catch {
      // The connection is closed or broken, which has ended its transaction.
    }
  }

  async #one(work: Work<unknown>, group: Notes, isShared: boolean): Promise<Outcome> {
    const mine = createNotes()
    const run = () => work(this.#savepoint, mine, group.touched)
    try {
      const value = await (isShared ? this.#savepoint(run) : run())
      // Only after success: failed work leaves nothing.
      for (const table of mine.touched) group.touched.add(table)
      group.atCommit.addAll(mine.atCommit)
      group.searched.addAll(mine.searched)
      return { ok: true, value }
    } catch (error) {
      // A full disk ends the whole transaction, so no write of the group may be answered as done.
      if (!this.#writer.inTransaction) throw error
      return { ok: false, error }
    }
  }

  readonly #savepoint: Savepoint = async (work) => {
    const name = `s${++this.#depth}`
    await this.#writer.run(`SAVEPOINT ${name}`)
    try {
      const value = await work()
      await this.#writer.run(`RELEASE ${name}`)
      return value
    } catch (error) {
      if (this.#writer.inTransaction) {
        await this.#writer.run(`ROLLBACK TO ${name}`)
        await this.#writer.run(`RELEASE ${name}`)
      }
      throw error
    } finally {
      this.#depth--
    }
  }
}
