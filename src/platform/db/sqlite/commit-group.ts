/**
 * Group commit on SQLite: writes that wait at the same time share one transaction, each in a savepoint of its own, and
 * are all answered after the one commit reached the disk. A write alone is a plain transaction.
 */
import { pause } from '../../runtime/pause.ts'
import { AtCommit } from '../at-commit.ts'
import { SearchChanges } from '../cache/search-cache.ts'
import type { WriteOptions } from '../database.ts'

export type Savepoint = <T>(work: () => Promise<T>) => Promise<T>
/** What a write says of itself besides its outcome. */
export type Notes = {
  readonly touched: Set<string>
  readonly atCommit: AtCommit
  /** As in `Tx.searchTextChanged`. */
  readonly searched: SearchChanges
}
/** @param shared tables that earlier writes of the same commit have written */
type Work<T> = (savepoint: Savepoint, notes: Notes, shared: ReadonlySet<string>) => Promise<T>
type Waiting = Required<Pick<WriteOptions, 'exclusive' | 'deferSync' | 'large'>> & {
  readonly work: Work<unknown>
  readonly settle: (outcome: Outcome) => void
}
type Outcome = { readonly ok: true; readonly value: unknown } | { readonly ok: false; readonly error: unknown }

/** A connection that transactions run on: of this thread, or of another one, whose `run` returns a promise. */
export type Writer = { readonly run: (sql: string) => unknown; readonly inTransaction: boolean }

/** Writes in one commit at most: bounds how long the first of them waits for the last. */
const LARGEST_GROUP = 64
/** The event loop turns at least this often while a group is under way, so that reads go on being answered. */
const LONGEST_HOLD_MS = 15

type Listeners = {
  /** Called when a transaction has begun, before its first write. */
  readonly begun?: () => void
  /** Told what failed in each transaction, after it has ended and before the next one begins. */
  readonly ended?: (errors: readonly unknown[]) => void
  /** Called in each transaction, right before its commit. */
  readonly finish?: (notes: Notes, on: Writer) => Promise<void>
  /** The connection for large transactions, opened for each; without it they run on the other one. */
  readonly large?: Writer & { readonly open: () => Promise<void>; readonly close: () => Promise<void> }
  /** Called after each transaction, when its writes are answered: the next one begins when what it answers resolves. Must not fail. */
  readonly between?: () => Promise<void> | undefined
}

const newNotes = (): Notes => ({ touched: new Set(), atCommit: new AtCommit(), searched: new SearchChanges() })

export class CommitGroup {
  readonly #database: Writer
  readonly #committed: (notes: Notes, on: Writer) => void
  readonly #listeners: Listeners
  readonly #queue: Waiting[] = []
  /** The connection of the transaction that is under way. */
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

  /** Resolves after the commit; rejects with what `work` threw, or with the error of the commit. */
  run<T>(work: Work<T>, { exclusive = false, large = false, deferSync = false }: WriteOptions = {}): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      // The outcome's value is what this very work returned.
      const settle = (outcome: Outcome) => (outcome.ok ? resolve(outcome.value as T) : reject(outcome.error))
      this.#queue.push({ work, exclusive, deferSync, large, settle })
      this.#running ??= this.#drain()
    })
  }

  /** Resolves when nothing is under way. */
  async settled(): Promise<void> {
    await this.#running
  }

  async #drain(): Promise<void> {
    // One turn of the event loop, so that requests that arrived together can share the commit.
    await pause()
    while (this.#queue.length > 0) {
      await this.#commit(this.#next())
      await this.#listeners.between?.()
      // Whoever writes one after the other is back in line by now, and would keep everybody else from being answered.
      await pause()
    }
    this.#running = undefined
  }

  #next(): Waiting[] {
    const exclusive = this.#queue.findIndex((waiting) => waiting.exclusive)
    const count = exclusive === -1 ? LARGEST_GROUP : Math.max(exclusive, 1)
    return this.#queue.splice(0, Math.min(count, LARGEST_GROUP))
  }

  async #commit(group: readonly Waiting[]): Promise<void> {
    const notes = newNotes()
    const large = group.some((waiting) => waiting.large) ? this.#listeners.large : undefined
    let outcomes: Outcome[] = []
    let isCommitting = false
    try {
      this.#waitForDisk(!group.every(({ deferSync }) => deferSync))
      if (large) await large.open()
      this.#writer = large ?? this.#database
      await this.#writer.run('BEGIN IMMEDIATE')
      this.#listeners.begun?.()
      let held = performance.now()
      for (const { work } of group) {
        outcomes.push(await this.#one(work, notes, group.length > 1))
        if (performance.now() - held < LONGEST_HOLD_MS) continue
        await pause()
        held = performance.now()
      }
      const isEmpty = outcomes.every((outcome) => !outcome.ok)
      if (!isEmpty) await this.#listeners.finish?.(notes, this.#writer)
      isCommitting = !isEmpty && large !== undefined
      const end = this.#writer.run(isEmpty ? 'ROLLBACK' : 'COMMIT')
      // Not awaited on this thread: nothing may be read between the commit and the call that tells the caches of it.
      if (end instanceof Promise) await end
      if (!isEmpty) this.#committed(notes, this.#writer)
    } catch (error) {
      await this.#rollback()
      // A thread that ends without an answer may have committed: whatever is remembered of the tables may be old.
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

  /** Whether the next commit is answered when it is on the disk. The log is one file: what is there has all that came before it. */
  #waitForDisk(isNeeded: boolean): void {
    if (isNeeded === this.#isWaitingForDisk) return
    this.#database.run(`PRAGMA synchronous = ${isNeeded ? 'FULL' : 'NORMAL'}`)
    this.#isWaitingForDisk = isNeeded
  }

  /** Whatever happens here, the writes of the group have to be answered. */
  async #rollback(): Promise<void> {
    try {
      if (this.#writer.inTransaction) await this.#writer.run('ROLLBACK')
    } catch {
      // The connection is closed or broken; its transaction ends with it.
    }
  }

  async #one(work: Work<unknown>, group: Notes, isShared: boolean): Promise<Outcome> {
    const mine = newNotes()
    const run = () => work(this.#savepoint, mine, group.touched)
    try {
      const value = await (isShared ? this.#savepoint(run) : run())
      // Only now: what fails has written nothing, and leaves nothing.
      for (const table of mine.touched) group.touched.add(table)
      group.atCommit.addAll(mine.atCommit)
      group.searched.addAll(mine.searched)
      return { ok: true, value }
    } catch (error) {
      // A full disk ends the whole transaction, not the savepoint alone: then nothing of the group may be answered as done.
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
