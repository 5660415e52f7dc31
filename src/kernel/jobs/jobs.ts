/**
 * Runs registered jobs on their timers, one run of each at a time. The health check asks whether the timer is alive.
 */

import { FaultError } from '../../base/disk/fault.ts'
import type { Logger } from '../../base/runtime/log.ts'
import { AppError } from '../../contract/errors.ts'
import type { Job } from '../context.ts'
import type { Kernel } from '../kernel.ts'
import type { JobLeases, JobState, StartedJob } from './job-leases.ts'
import { LostLeaseError } from './leases.ts'

export type Scheduler = {
  /** The time of the last tick, in ms since the epoch. */
  readonly lastTick: () => number
  /** Resolves when no job is running. */
  readonly stop: () => Promise<void>
}

type Options<Tables> = {
  readonly kernel: Kernel<Tables>
  readonly jobs: readonly Job<Tables>[]
  /** Undefined if no other instance shares the database. */
  readonly leases: JobLeases | undefined
  readonly log: Logger
  readonly now: () => Date
}

type Leased = StartedJob & Pick<JobState, 'aheadMs'>

const TICK_MS = 1000

/** The key of all jobs that are looked up together. */
const ALL = 'all'

const isAway = (error: unknown): boolean => error instanceof AppError && error.code === 'UNAVAILABLE'

export const startScheduler = <Tables>({ kernel, jobs, leases, log, now }: Options<Tables>): Scheduler => {
  const isOwn = (job: Job<Tables>): boolean => !leases || job.onEveryInstance === true
  const own = jobs.filter(isOwn)
  const shared = jobs.filter((job) => !isOwn(job))
  const due = new Map(own.map((job) => [job.name, now().getTime() + (job.runsAtStart ? 0 : job.everyMs)]))
  const running = new Map<string, Promise<void>>()
  /** The work that failed because the database is down: logged once, not at each attempt. */
  const waiting = new Set<string>()
  let lastTick = now().getTime()
  let isRegistered = false
  let looking: Promise<void> | undefined
  let isStopped = false

  const failed = (name: string, error: unknown): void => {
    const isKnown = isAway(error) && waiting.has(name)
    if (isAway(error)) waiting.add(name)
    if (error instanceof LostLeaseError) log.warn('a job is done elsewhere by now', { job: name })
    // The database has logged the fault.
    else if (!isKnown && !(error instanceof FaultError)) log.error('job failed', { job: name, error })
  }

  const start = (job: Job<Tables>, run: () => Promise<void>): void => {
    const work = run()
      .then(() => void waiting.delete(job.name))
      .catch((error: unknown) => failed(job.name, error))
      .finally(() => running.delete(job.name))
    running.set(job.name, work)
  }

  /** Runs a job while this instance holds its lease. Later writes of the job are refused. */
  const runLeased = async (job: Job<Tables>, { held, fence, aheadMs }: Leased, from: JobLeases): Promise<void> => {
    const lost = new AbortController()
    const stop = from.keep(held, () => lost.abort())
    log.debug('job begun', { job: job.name, fence })
    try {
      await kernel.runJob(job, { signal: lost.signal, fence: from.fence(held), aheadMs })
      log.debug('job done', { job: job.name, fence })
    } finally {
      stop()
      // If that fails, the lease expires.
      await from.release(held).catch(() => {})
    }
  }

  const isDue = ({ everyMs }: Job<Tables>, { isHeld, isLeft, sinceMs }: JobState): boolean =>
    isLeft || (!isHeld && sinceMs >= everyMs)

  const lookAtShared = async (from: JobLeases): Promise<void> => {
    if (!isRegistered)
      await from.register(shared.map(({ name, runsAtStart }) => ({ name, isDue: runsAtStart === true })))
    isRegistered = true
    const states = new Map((await from.list(() => now().getTime())).map((state) => [state.name, state]))
    for (const job of shared) {
      const state = states.get(job.name)
      if (isStopped || !state || running.has(job.name) || !isDue(job, state)) continue
      const started = await from.take(state)
      if (started) start(job, () => runLeased(job, { ...started, aheadMs: state.aheadMs }, from))
    }
    waiting.delete(ALL)
  }

  const timer = setInterval(() => {
    lastTick = now().getTime()
    for (const job of own) {
      if (running.has(job.name) || lastTick < (due.get(job.name) ?? 0)) continue
      due.set(job.name, lastTick + job.everyMs)
      start(job, () => kernel.runJob(job))
    }
    if (!leases || shared.length === 0 || looking) return
    looking = lookAtShared(leases)
      .catch((error: unknown) => failed(ALL, error))
      .finally(() => {
        looking = undefined
      })
  }, TICK_MS)
  timer.unref()

  return {
    lastTick: () => lastTick,
    stop: async () => {
      isStopped = true
      clearInterval(timer)
      await looking
      await Promise.all(running.values())
    },
  }
}
