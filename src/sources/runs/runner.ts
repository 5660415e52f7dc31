/** Runs sources that have work, two at once, each in its lane. */
import { createFairLane } from '../../base/jobs/fair-lane.ts'
import type { Logger } from '../../base/runtime/log.ts'
import { AppError, notFound } from '../../contract/errors.ts'
import type { Tables } from '../../database/tables.ts'
import type { Job } from '../../kernel/context.ts'
import type { Ctx } from '../../kernel/ctx.ts'
import { createLanes, type Hold } from '../../kernel/jobs/lanes.ts'
import { LostLeaseError } from '../../kernel/jobs/leases.ts'
import type { Kernel } from '../../kernel/kernel.ts'
import type { SourceOutcome } from '../fetch/protocol.ts'
import { judgeStale } from '../judge/judge.ts'
import { findMarkedSources } from '../judge/object-reads.ts'
import { settleStatus } from '../status.ts'
import * as store from '../store.ts'
import type { SourceRunRow } from '../table.ts'
import { type Begun, beginRun, RunEndedError, type RunOptions, runSource, toJudged } from './run-source.ts'

const LOOK_MS = 1000
/** Runs of an instance at once. */
const AT_ONCE = 2
/** Converted snapshots that wait for their turn, in memory. */
const MAX_WAITING = 4
const RETRY_AFTER_MS = 30_000
/** The pause of a source after an internal error, and after a look that had no run to begin. */
const REST_MS = { failed: 30_000, idle: 2000 } as const
/** Objects are judged so long after the first of them was changed: changes that follow each other are judged at once. */
const LINGER_MS = 2000

export type RunnerOptions = RunOptions & { readonly log: Logger; readonly kernel: () => Kernel<Tables> }

export type Runner = {
  readonly job: Job<Tables>
  /** Looks for work soon. */
  readonly wake: () => void
  /** @throws AppError UNAVAILABLE if a snapshot of the source waits already, or too many of others */
  readonly requireRoom: (id: string) => void
  /**
   * Runs the snapshot of a push, after the work before it.
   * @returns the run, once it has begun
   * @throws AppError NOT_FOUND; UNAVAILABLE if too many wait, or another instance keeps the source
   */
  readonly push: (pushed: PushedSnapshot) => Promise<SourceRunRow>
  readonly close: () => Promise<void>
}

export type PushedSnapshot = {
  readonly id: string
  readonly outcome: SourceOutcome
  /** Applies although too many objects are gone. */
  readonly force: boolean
}

/** A run in this process. It is aborted when its source changes. */
type Active = { readonly generation: number; readonly end: AbortController }

type Pushed = {
  readonly id: string
  readonly force: boolean
  readonly takeOutcome: () => SourceOutcome | undefined
  readonly begun: (run: SourceRunRow) => void
  readonly refused: (error: unknown) => void
}

/** True for an error that is on record, or that ends with the next look. */
const isExpected = (error: unknown): boolean => error instanceof RunEndedError || error instanceof LostLeaseError

export const createRunner = (options: RunnerOptions): Runner => {
  const { log, now } = options
  const lanes = createLanes({ noun: 'source', leases: store.leases, lockFree: store.lockFreeState })
  const refuseLater = (reason: string) =>
    new AppError('UNAVAILABLE', `${reason}: try again later`, {
      retryAt: new Date(now().getTime() + RETRY_AFTER_MS),
    })
  const createRefusal = () => refuseLater(`${AT_ONCE} sources are read at once, and too many snapshots wait`)
  const turns = createFairLane({ atOnce: AT_ONCE, waiting: MAX_WAITING + AT_ONCE, refusal: createRefusal })
  const closing = new AbortController()
  const active = new Map<string, Active>()
  /** Sources that the next looks pass over. */
  const resting = new Set<string>()
  /** Sources that have a turn, or wait for one. */
  const started = new Set<string>()
  /** The time at which each source was first seen with changed objects. */
  const marked = new Map<string, number>()
  let pushes: Pushed[] = []
  /** Sources of which a snapshot waits for its turn. */
  const waiting = new Set<string>()

  const requireRoom = (id: string): void => {
    if (waiting.has(id)) throw refuseLater('a snapshot of this source waits for its turn already')
    if (waiting.size >= MAX_WAITING) throw createRefusal()
  }

  const run = async (ctx: Ctx, hold: Hold, begun: Begun, takeOutcome?: Pushed['takeOutcome']): Promise<void> => {
    const end = new AbortController()
    active.set(hold.id, { generation: begun.generation, end })
    const signal = AbortSignal.any([closing.signal, hold.lost, end.signal])
    try {
      await runSource(ctx, options, { hold, begun, signal, takeOutcome })
    } finally {
      active.delete(hold.id)
    }
  }

  /** Judges the objects that people have changed. */
  const judgeChanged = async (ctx: Ctx, hold: Hold): Promise<void> => {
    const stored = await store.find({ db: ctx.store.read }, hold.id)
    if (!stored) return
    const signal = AbortSignal.any([closing.signal, hold.lost])
    await judgeStale({ ...ctx, write: hold.write }, toJudged(stored.source), signal)
    await hold.write((tx) => settleStatus(tx, hold.id))
  }

  const rest = (id: string, ms: number): void => {
    resting.add(id)
    setTimeout(() => resting.delete(id), ms).unref()
  }

  const runDue = async (ctx: Ctx, hold: Hold): Promise<void> => {
    const begun = await hold.write((tx) => beginRun(tx, hold.id))
    if (begun) await run(ctx, hold, begun)
    else rest(hold.id, REST_MS.idle)
  }

  const fail = (id: string, error: unknown): void => {
    if (isExpected(error) || closing.signal.aborted) return
    log.error('a source could not be read', { source_id: id, error })
    rest(id, REST_MS.failed)
  }

  const canStart = (id: string): boolean => !started.has(id) && !lanes.isBusy(id) && !resting.has(id)

  const start = (ctx: Ctx, id: string, work: (ctx: Ctx, hold: Hold) => Promise<void>): void => {
    started.add(id)
    turns
      .run({ group: 'schedule', key: id }, () => lanes.tryHold(ctx, id, (hold) => work(ctx, hold)), closing.signal)
      .catch((error: unknown) => fail(id, error))
      .finally(() => {
        started.delete(id)
        wake()
      })
  }

  const startPushed = (ctx: Ctx, { id, force, takeOutcome, begun: resolve, refused }: Pushed): void => {
    const asked = { source_id: id, trigger: 'push', applies: true, force } as const
    let isBegun = false
    const runPushed = async (hold: Hold): Promise<void> => {
      const begun = await hold.write((tx) => beginRun(tx, id, asked))
      if (!begun) throw notFound('source', id)
      isBegun = true
      resolve(begun.run)
      await run(ctx, hold, begun, takeOutcome)
    }
    turns
      .run({ group: 'push', key: id }, () => lanes.hold(ctx, id, runPushed), closing.signal)
      .catch((error: unknown) => (isBegun ? fail(id, error) : refused(error)))
      .finally(wake)
  }

  /** Ends the runs in this process of sources that were changed or deleted. */
  const endChanged = async (ctx: Ctx): Promise<void> => {
    if (active.size === 0) return
    const states = await store.findStates(ctx)
    for (const [id, { generation, end }] of active)
      if (states.get(id)?.generation !== generation) end.abort(new RunEndedError('the source was changed'))
  }

  /** Judges the objects of sources that have waited long enough. */
  const startJudging = async (ctx: Ctx): Promise<void> => {
    const found = await findMarkedSources(ctx)
    const nowMs = performance.now()
    for (const id of marked.keys()) if (!found.includes(id)) marked.delete(id)
    for (const id of found) {
      const sinceMs = marked.get(id) ?? nowMs
      marked.set(id, sinceMs)
      if (nowMs - sinceMs < LINGER_MS || started.size >= AT_ONCE || !canStart(id)) continue
      marked.delete(id)
      start(ctx, id, judgeChanged)
    }
  }

  const poll = async (ctx: Ctx): Promise<void> => {
    const sent = pushes
    pushes = []
    for (const pushed of sent) startPushed(ctx, pushed)
    if (closing.signal.aborted) return
    await endChanged(ctx)
    for (const id of await store.findDue(ctx, now().getTime()))
      if (started.size < AT_ONCE && canStart(id)) start(ctx, id, runDue)
    await startJudging(ctx)
  }

  // The changes of the history name this job.
  const job: Job<Tables> = {
    name: 'sources.run',
    summary: 'Reads sources that are due, and judges objects that people have changed',
    everyMs: LOOK_MS,
    runsAtStart: true,
    onEveryInstance: true,
    run: poll,
  }

  const wake = (): void => {
    if (closing.signal.aborted) return
    // Errors are logged where they occur, and the next look tries again.
    options
      .kernel()
      .runJob(job)
      .catch(() => {})
  }

  return {
    job,
    wake,
    requireRoom,
    push: async ({ id, outcome, force }) => {
      requireRoom(id)
      waiting.add(id)
      const { promise, resolve, reject } = Promise.withResolvers<SourceRunRow>()
      // The rows are taken once, so that their memory is free while they are judged.
      let left: SourceOutcome | undefined = outcome
      const takeOutcome = (): SourceOutcome | undefined => {
        const taken = left
        left = undefined
        return taken
      }
      pushes.push({ id, force, takeOutcome, begun: resolve, refused: reject })
      wake()
      try {
        return await promise
      } finally {
        waiting.delete(id)
      }
    },
    close: async () => {
      closing.abort(new Error('the server ends'))
      for (const { refused } of pushes) refused(closing.signal.reason)
      await lanes.close()
    },
  }
}
