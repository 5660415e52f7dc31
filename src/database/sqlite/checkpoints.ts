/** Runs checkpoints of SQLite's log on a separate thread, because one within a commit delays all reads. */
import type { Database } from 'bun:sqlite'
import { createWorkerGate } from '../../base/jobs/worker-pool.ts'
import type { CheckpointJob, Moved } from './checkpoint-worker.ts'
import { isReplicated, LOG_FACTOR, leaveLog } from './litestream.ts'
import { createSnapshots, type Snapshots } from './snapshots.ts'

/** Growth of the log, in pages, that starts a checkpoint: 8 MB, or 64 MB with Litestream. */
const STEP_PAGES = 2000
/** If the disk takes longer, writes continue. */
const LONGEST_WAIT_MS = 5000
/** The same for a large transaction, which holds the writer for minutes. The log of the one before it may have a gigabyte. */
const LONGEST_WAIT_OF_LARGE_MS = 60_000
/** If snapshots have prevented a reset of the log for this long, they are recalled. */
const RESET_AFTER_MS = 5_000
/** Time limit of such a reset. With the time before, it is less than 30 s. */
const RESET_WITHIN_MS = 12_000
/** A busy writer is between two transactions within this time. */
const NEXT_COMMIT_MS = 300

/** In pages. */
type Log = {
  readonly log: number
  /** Pages that are in the file. */
  readonly checkpointed: number
}

const NO_LOG: Log = { log: 0, checkpointed: 0 }

export type CheckpointOptions = {
  readonly file: string
  /** The connection that reports the length of its log, outside of any transaction. */
  readonly writer: Database
  /** Called once per series of failures. Commits then run checkpoints when the log is large (sqlite.ts). */
  readonly onFailure: (error: unknown) => void
  readonly spawn?: () => Worker
  readonly longestWaitMs?: number
  /** False while another file may be at the path. */
  readonly mayOpen?: () => boolean
  readonly snapshots?: Snapshots
  /** Returns a function that recalls all snapshots; undefined if that is not possible now. */
  readonly recall?: () => (() => void) | undefined
  readonly resetAfterMs?: number
}

export type Checkpoints = {
  /** Called between two transactions. The next one should begin when the returned promise resolves. Never rejects. */
  readonly maintain: () => Promise<void> | undefined
  /** Called before a large transaction, which should begin when the returned promise resolves: the log is used again from its start then. */
  readonly beforeLarge: () => Promise<void> | undefined
  /** Resolves when no checkpoint is running. */
  readonly close: () => Promise<void>
}

// The bundler recognizes the worker by this exact form.
const spawnWorker = (): Worker => new Worker(new URL('./checkpoint-worker.ts', import.meta.url).href)

/** Resolves with the work, or after the time. */
const waitAtMost = (work: Promise<void>, ms: number): Promise<void> => {
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
  mayOpen = () => true,
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
  // Reports the length of the log without moving pages.
  const length = writer.prepare<Log, []>('PRAGMA wal_checkpoint(NOOP)')
  let running: Promise<void> | undefined
  let isClosed = false
  /** True if Litestream is expected to move the log. */
  let isLeftToLitestream = isReplicated(writer)
  /** The length of the log at the last checkpoint. */
  let triedAt = 0
  /** True if the last checkpoint succeeded, so the worker is running. */
  let isReady = false
  let isFailing = false
  /** True if the last checkpoint has moved all of the log. */
  let isMoved = false
  /** The time at which the log was last short or reset. */
  let shortAtMs = performance.now()
  let isResetting = false
  /** Resolves between two transactions, after another checkpoint. */
  let betweenCommits: (() => void) | undefined

  const logNow = (): Log => {
    try {
      return length.get() ?? NO_LOG
    } catch {
      // The disk cannot be read: the next write reports it.
      return NO_LOG
    }
  }

  /** Returns the growth of the log that starts a checkpoint. Litestream may have come since the last one. */
  const stepFor = (pages: number): number => {
    if (!isLeftToLitestream && pages >= STEP_PAGES && isReplicated(writer)) {
      leaveLog(writer)
      isLeftToLitestream = true
    }
    return isLeftToLitestream ? STEP_PAGES * LOG_FACTOR : STEP_PAGES
  }

  const move = async (): Promise<void> => {
    try {
      isMoved = mayOpen() && (await gate.run({ file })) === 'moved'
      isReady = true
      isFailing = false
    } catch (error) {
      isReady = false
      isMoved = false
      if (!isFailing && !isClosed) onFailure(error)
      isFailing = true
    } finally {
      running = undefined
    }
  }

  /** Runs a checkpoint while there is no snapshot, so that later ones retain nothing in the log. */
  const reset = async (ask: () => void): Promise<void> => {
    isResetting = true
    snapshots.shut()
    ask()
    try {
      if (!(await snapshots.emptied(RESET_WITHIN_MS)) || isClosed) return
      running ??= move()
      await running
      // A transaction in progress has appended to the log.
      const between = new Promise<void>((resolve) => {
        betweenCommits = resolve
      })
      await waitAtMost(between, NEXT_COMMIT_MS)
      await running
    } finally {
      betweenCommits = undefined
      isResetting = false
      shortAtMs = performance.now()
      snapshots.reopen()
    }
  }

  const isResetDue = (pages: number, step: number): boolean => {
    if (pages < step) shortAtMs = performance.now()
    return !isResetting && snapshots.open() > 0 && performance.now() - shortAtMs > resetAfterMs
  }

  /** Starts a checkpoint, for which the next transaction waits. */
  const moveNow = (pages: number): Promise<void> | undefined => {
    triedAt = pages
    const mayWait = isReady
    running = move()
    return mayWait ? waitAtMost(running, longestWaitMs) : undefined
  }

  return {
    maintain: () => {
      if (isClosed) return undefined
      if (running) return isResetting ? waitAtMost(running, longestWaitMs) : undefined
      const { log: pages, checkpointed } = logNow()
      // The log was reset, which the first write after a complete checkpoint does. It may be longer than before by now.
      if (pages < triedAt || (isMoved && checkpointed < triedAt)) {
        triedAt = 0
        isMoved = false
        shortAtMs = performance.now()
      }
      const step = stepFor(pages)
      const ask = isResetDue(pages, step) ? recall() : undefined
      if (ask) void reset(ask)
      if (betweenCommits) {
        betweenCommits()
        betweenCommits = undefined
        return moveNow(pages)
      }
      return pages - triedAt < step ? undefined : moveNow(pages)
    },
    beforeLarge: () => (running && !isClosed ? waitAtMost(running, LONGEST_WAIT_OF_LARGE_MS) : undefined),
    close: async () => {
      isClosed = true
      if (running) await waitAtMost(running, longestWaitMs)
      gate.close()
      length.finalize()
    },
  }
}
