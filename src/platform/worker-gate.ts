// A few workers and a short, bounded queue before them: work that burns a core is refused early rather
// than piled up. Knows nothing of what the workers compute.

/** What a worker posts back for each job it was sent. */
export type WorkerAnswer<Value> =
  | { readonly ok: true; readonly value: Value }
  | { readonly ok: false; readonly message: string }

export type WorkerGateOptions = {
  /** Starts a worker that posts exactly one `WorkerAnswer` per message. */
  readonly spawn: () => Worker
  /** Most workers, and so jobs, at one time. */
  readonly workers: number
  /** Most jobs that wait for a worker. */
  readonly queueLimit: number
  /** Longest a job waits for a worker, in milliseconds. */
  readonly maxWaitMs: number
  /** The error of a job that found the queue full or waited too long. */
  readonly busy: () => Error
}

export type WorkerGate<Job, Value> = {
  /** Runs a job; rejects with `busy()`, with the worker's own error, or because a worker died or the gate closed. */
  run(job: Job): Promise<Value>
  /** Terminates the workers and rejects every job that is running or waiting. */
  close(): void
}

type Pending<Job, Value> = {
  readonly job: Job
  readonly resolve: (value: Value) => void
  readonly reject: (error: Error) => void
}
type Waiting<Job, Value> = Pending<Job, Value> & { readonly timer: ReturnType<typeof setTimeout> }
type Slot<Job, Value> = { readonly worker: Worker; current: Pending<Job, Value> | undefined }

/**
 * Workers start with the first job that needs them and are replaced when they die. A worker holds the
 * process open while it computes and never while it is idle.
 */
export function createWorkerGate<Job, Value>(options: WorkerGateOptions): WorkerGate<Job, Value> {
  const slots = new Set<Slot<Job, Value>>()
  const queue: Waiting<Job, Value>[] = []
  let isClosed = false

  function run(job: Job): Promise<Value> {
    const { promise, resolve, reject } = Promise.withResolvers<Value>()
    const slot = isClosed ? undefined : freeSlot()
    if (isClosed) reject(closedError())
    else if (slot) start(slot, { job, resolve, reject })
    else if (queue.length >= options.queueLimit) reject(options.busy())
    else enqueue({ job, resolve, reject })
    return promise
  }

  function freeSlot(): Slot<Job, Value> | undefined {
    for (const slot of slots) if (!slot.current) return slot
    return slots.size < options.workers ? openSlot() : undefined
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

  function enqueue(pending: Pending<Job, Value>): void {
    const timer = setTimeout(() => {
      queue.splice(queue.indexOf(waiting), 1)
      pending.reject(options.busy())
    }, options.maxWaitMs)
    const waiting = { ...pending, timer }
    queue.push(waiting)
  }

  function start(slot: Slot<Job, Value>, pending: Pending<Job, Value>): void {
    slot.current = pending
    slot.worker.ref()
    slot.worker.postMessage(pending.job)
  }

  function startNext(): void {
    if (isClosed || queue.length === 0) return
    const slot = freeSlot()
    const next = slot && queue.shift()
    if (!next) return
    clearTimeout(next.timer)
    start(slot, next)
  }

  function finish(slot: Slot<Job, Value>, answer: WorkerAnswer<Value>): void {
    const { current } = slot
    slot.current = undefined
    slot.worker.unref()
    if (answer.ok) current?.resolve(answer.value)
    else current?.reject(new Error(answer.message))
    startNext()
  }

  function drop(slot: Slot<Job, Value>, reason: Error): void {
    // A dying worker reports both its error and its end; the first one counts.
    if (!slots.delete(slot)) return
    slot.worker.terminate()
    slot.current?.reject(reason)
    startNext()
  }

  function close(): void {
    isClosed = true
    for (const waiting of queue.splice(0)) {
      clearTimeout(waiting.timer)
      waiting.reject(closedError())
    }
    for (const slot of slots) drop(slot, closedError())
  }

  return { run, close }
}

function closedError(): Error {
  return new Error('The worker gate is closed')
}
