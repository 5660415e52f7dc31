/** Runs registered jobs on their timers, one at a time each; the health check asks whether it is alive. */
import type { Job, Kernel } from './kernel.ts'
import type { Logger } from './log.ts'

export type Scheduler = {
  /** The moment of the last tick, in ms since the epoch. */
  readonly lastTick: () => number
  /** Resolves when nothing is running any more. */
  readonly stop: () => Promise<void>
}

type Options<Tables> = {
  readonly kernel: Kernel<Tables>
  readonly jobs: readonly Job<Tables>[]
  readonly log: Logger
  readonly now: () => Date
}

const TICK_MS = 1000

export const startScheduler = <Tables>({ kernel, jobs, log, now }: Options<Tables>): Scheduler => {
  const due = new Map(jobs.map((job) => [job.name, now().getTime() + (job.runsAtStart ? 0 : job.everyMs)]))
  const running = new Map<string, Promise<void>>()
  let lastTick = now().getTime()

  const start = (job: Job<Tables>): void => {
    const run = kernel
      .runJob(job)
      .catch((error: unknown) => log.error('job failed', { job: job.name, error }))
      .finally(() => running.delete(job.name))
    running.set(job.name, run)
  }

  const timer = setInterval(() => {
    lastTick = now().getTime()
    for (const job of jobs) {
      if (running.has(job.name) || lastTick < (due.get(job.name) ?? 0)) continue
      due.set(job.name, lastTick + job.everyMs)
      start(job)
    }
  }, TICK_MS)
  timer.unref()

  return {
    lastTick: () => lastTick,
    stop: async () => {
      clearInterval(timer)
      await Promise.all(running.values())
    },
  }
}
