/**
 * Moves what SQLite's log holds into the file, on a thread of its own: done by the writer within a commit, it would keep
 * everybody waiting who only reads. Writes wait meanwhile, because the log begins anew only once all of it has been moved.
 */
import type { Database } from 'bun:sqlite'
import { createWorkerGate } from '../../runtime/worker-gate.ts'
import type { CheckpointJob, Moved } from './checkpoint-worker.ts'
import { createSnapshots, type Snapshots } from './snapshots.ts'

/** Pages by which the log has grown when they are moved: 8 MB. Twice as many take hardly longer, for the disk is waited for twice either way. */
const STEP_PAGES = 2000
/** Beside a disk that takes longer, writes go on. */
const LONGEST_WAIT_MS = 5000
/** A log that snapshots have kept from beginning again for this long is reset: its snapshots are asked back. */
const RESET_AFTER_MS = 5_000
/** How long that may take. With the time before, it is less than 30 s. */
const RESET_WITHIN_MS = 12_000
/** A writer that is at work is between two transactions within this time. */
const NEXT_COMMIT_MS = 300

export type CheckpointOptions = {
  readonly file: string
  /** Asked how long its log is, outside of any transaction. */
  readonly writer: Database
  /** Told once of a row of failures. The log is moved within a commit then, when it has grown large (sqlite.ts). */
  readonly onFailure: (error: unknown) => void
  readonly spawn?: () => Worker
  readonly longestWaitMs?: number
  readonly snapshots?: Snapshots
  /** Asks for all snapshots to be given back; undefined where that is not possible now. */
  readonly recall?: () => (() => void) | undefined
  readonly resetAfterMs?: number
}

export type Checkpoints = {
  /** To be called between two transactions. The next one should begin when what it answers resolves; it never rejects. */
  readonly maintain: () => Promise<void> | undefined
  /** Resolves when nothing is being moved any more. */
  readonly close: () => Promise<void>
}

// The bundler finds the worker by this very form.
const spawnWorker = (): Worker => new Worker(new URL('./checkpoint-worker.ts', import.meta.url).href)

/** Resolves with the work, or when the time is over. */
const atMost = (work: Promise<void>, ms: number): Promise<void> => {
  const { promise, resolve } = Promise.withResolvers<void>()
  const timer = setTimeout(resolve, ms)
  void work.then(() => {
    clearTimeout(timer)
    resolve()
  })
  return promise
}

export const createCheckpoints = ({
  file,
  writer,
  onFailure,
  spawn = spawnWorker,
  longestWaitMs = LONGEST_WAIT_MS,
  snapshots = createSnapshots(),
  recall = () => undefined,
  resetAfterMs = RESET_AFTER_MS,
}: CheckpointOptions): Checkpoints => {
  const gate = createWorkerGate<CheckpointJob, Moved>({
    spawn,
    workers: 1,
    queueLimit: 0,
    busy: () => new Error('the log is being moved already'),
  })
  // Tells how long the log is, and moves nothing.
  const length = writer.prepare<{ log: number }, []>('PRAGMA wal_checkpoint(NOOP)')
  let running: Promise<void> | undefined
  let isClosed = false
  /** The length of the log when it was last to be moved. */
  let triedAt = 0
  /** Whether the last time went well, so that there is a worker that need not be started first. */
  let isReady = false
  let isFailing = false
  /** When the log was last short, or began again. */
  let shortAtMs = performance.now()
  let isResetting = false
  /** Resolved between two transactions, with the log moved once more. */
  let betweenCommits: (() => void) | undefined

  const pagesInLog = (): number => {
    try {
      return length.get()?.log ?? 0
    } catch {
      // A disk that cannot be read: the next write tells of it.
      return 0
    }
  }

  const move = async (): Promise<void> => {
    try {
      await gate.run({ file })
      isReady = true
      isFailing = false
    } catch (error) {
      isReady = false
      if (!isFailing && !isClosed) onFailure(error)
      isFailing = true
    } finally {
      running = undefined
    }
  }

  /** Moves the log at a moment without a snapshot. Those that begin after it read the file alone, and keep nothing in the log. */
  const reset = async (ask: () => void): Promise<void> => {
    isResetting = true
    snapshots.shut()
    ask()
    try {
      if (!(await snapshots.emptied(RESET_WITHIN_MS)) || isClosed) return
      running ??= move()
      await running
      // A transaction that was under way has written behind it.
      const between = new Promise<void>((resolve) => {
        betweenCommits = resolve
      })
      await atMost(between, NEXT_COMMIT_MS)
      await running
    } finally {
      betweenCommits = undefined
      isResetting = false
      shortAtMs = performance.now()
      snapshots.reopen()
    }
  }

  const isResetDue = (pages: number): boolean => {
    if (pages < STEP_PAGES) shortAtMs = performance.now()
    return !isResetting && snapshots.open() > 0 && performance.now() - shortAtMs > resetAfterMs
  }

  /** Starts a move, for which the next transaction waits. */
  const moveNow = (pages: number): Promise<void> | undefined => {
    triedAt = pages
    const mayWait = isReady
    running = move()
    return mayWait ? atMost(running, longestWaitMs) : undefined
  }

  return {
    maintain: () => {
      if (isClosed) return undefined
      if (running) return isResetting ? atMost(running, longestWaitMs) : undefined
      const pages = pagesInLog()
      // It has begun anew, which it does with the first write after all of it was moved.
      if (pages < triedAt) {
        triedAt = 0
        shortAtMs = performance.now()
      }
      const ask = isResetDue(pages) ? recall() : undefined
      if (ask) void reset(ask)
      if (betweenCommits) {
        betweenCommits()
        betweenCommits = undefined
        return moveNow(pages)
      }
      return pages - triedAt < STEP_PAGES ? undefined : moveNow(pages)
    },
    close: async () => {
      isClosed = true
      if (running) await atMost(running, longestWaitMs)
      gate.close()
      length.finalize()
    },
  }
}
