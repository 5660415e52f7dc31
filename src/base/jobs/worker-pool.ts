// Runs CPU-bound jobs on a few workers, behind a fair, bounded queue. Independent of the workers' code.
import { createFairQueue, type Turn } from './fair-queue.ts'

/** The answer of a worker to each message. */
export type WorkerAnswer<Value> =
  | { readonly ok: true; readonly value: Value }
  | { readonly ok: false; readonly message: string }

/** Time in milliseconds, as `performance.now()`; tests pass a fake clock. */
export type Clock = {
  readonly now: () => number
  /** Calls back after that time. Returns a function that cancels it. */
  readonly after: (ms: number, callback: () => void) => () => void
}

export type WorkerGateOptions = {
  /** Starts a worker that posts exactly one `WorkerAnswer` per message. */
  readonly spawn: () => Worker
  /** Maximum number of workers, and so of concurrent jobs. */
  readonly workers: number
  /** Maximum number of jobs that wait in each lane. */
  readonly queueLimit: number
  /** Creates the error of a job that waited too long, or was in the longest queue when its lane was full. */
  readonly busy: () => Error
  readonly clock?: Clock
}

export type Wait = {
  /** The turn of the process itself by default; it runs one job at a time. */
  readonly turn?: Turn
  /** The time after which a waiting job is rejected, by the clock. By default there is no limit. */
  readonly deadlineMs?: number
  /** Aborted when the value is no longer needed. */
  readonly signal?: AbortSignal | undefined
}

export type WorkerGate<Job, Value> = {
  /** Runs a job. Rejects with `busy()`, with the worker's own error, or because a worker died or the gate closed. */
  run(job: Job, wait?: Wait): Promise<Value>
  /** Terminates the workers and rejects every job that is running or waiting. */
  close(): void
}

type Pending<Job, Value> = {
  readonly job: Job
  readonly turn: Turn
  readonly resolve: (value: Value) => void
  readonly reject: (error: Error) => void
  /** Removes the timer and the listener of a waiting job. */
  stopWaiting: () => void
}
type Slot<Job, Value> = { readonly worker: Worker; current: Pending<Job, Value> | undefined }

const OWN_TURN: Turn = { lane: 'known', group: '', key: '' }

const REAL_TIME: Clock = {
  now: () => performance.now(),
  after: (ms, callback) => {
    const timer = setTimeout(callback, ms)
    return () => clearTimeout(timer)
  },
}

/** Starts workers when a job needs them. A worker keeps the process alive only while it computes. */
export function createWorkerGate<Job, Value>(options: WorkerGateOptions): WorkerGate<Job, Value> {
  const { clock = REAL_TIME } = options
  const slots = new Set<Slot<Job, Value>>()
  const queue = createFairQueue<Pending<Job, Value>>(options.queueLimit)
  let isClosed = false

  function run(job: Job, wait: Wait = {}): Promise<Value> {
    const { turn = OWN_TURN, deadlineMs = Number.POSITIVE_INFINITY, signal } = wait
    const { promise, resolve, reject } = Promise.withResolvers<Value>()
    if (isClosed) reject(createClosedError())
    else if (signal?.aborted) reject(options.busy())
    else {
      const pending: Pending<Job, Value> = { job, turn, resolve, reject, stopWaiting: () => {} }
      const giveUp = () => {
        queue.remove(pending)
        refuse(pending)
      }
      const cancelTimer = Number.isFinite(deadlineMs)
        ? clock.after(Math.max(0, deadlineMs - clock.now()), giveUp)
        : () => {}
      signal?.addEventListener('abort', giveUp)
      pending.stopWaiting = () => {
        cancelTimer()
        signal?.removeEventListener('abort', giveUp)
      }
      queue.add(pending)
      startWaiting()
      // Checked after the job had its chance to start: a limit of 0 rejects only jobs that would have to wait.
      const tooMany = queue.overflow()
      if (tooMany) refuse(tooMany)
    }
    return promise
  }

  function refuse(pending: Pending<Job, Value>): void {
    pending.stopWaiting()
    pending.reject(options.busy())
  }

  function freeSlot(): Slot<Job, Value> | undefined {
    for (const slot of slots) if (!slot.current) return slot
    return undefined
  }

  function openSlot(): Slot<Job, Value> {
    const worker = options.spawn()
    const slot: Slot<Job, Value> = { worker, current: undefined }
    worker.unref()
    worker.onmessage = (event: MessageEvent<WorkerAnswer<Value>>) => finish(slot, event.data)
    worker.addEventListener('error', (event) => {
      event.preventDefault()
      drop(slot, new Error(`A worker failed: ${event.message}`))
    })
    worker.addEventListener('close', () => drop(slot, new Error('A worker ended before it answered')))
    slots.add(slot)
    return slot
  }

  /** Starts waiting jobs while a worker is free or may be started. */
  function startWaiting(): void {
    while (!isClosed && (slots.size < options.workers || freeSlot())) {
      const next = queue.next()
      if (!next) return
      next.stopWaiting()
      start(freeSlot() ?? openSlot(), next)
    }
  }

  function start(slot: Slot<Job, Value>, pending: Pending<Job, Value>): void {
    slot.current = pending
    slot.worker.ref()
    slot.worker.postMessage(pending.job)
  }

  function finish(slot: Slot<Job, Value>, answer: WorkerAnswer<Value>): void {
    const { current } = slot
    slot.current = undefined
    slot.worker.unref()
    if (current) queue.done(current.turn)
    if (answer.ok) current?.resolve(answer.value)
    else current?.reject(new Error(answer.message))
    startWaiting()
  }

  function drop(slot: Slot<Job, Value>, reason: Error): void {
    // A dying worker reports both its error and its end; the first one counts.
    if (!slots.delete(slot)) return
    slot.worker.terminate()
    if (slot.current) queue.done(slot.current.turn)
    slot.current?.reject(reason)
    startWaiting()
  }

  function close(): void {
    isClosed = true
    for (const pending of queue.clear()) {
      pending.stopWaiting()
      pending.reject(createClosedError())
    }
    for (const slot of slots) drop(slot, createClosedError())
  }

  return { run, close }
}

function createClosedError(): Error {
  return new Error('The worker gate is closed')
}
