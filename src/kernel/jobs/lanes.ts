/** Work on one object at a time, such as a DNS zone: in this process by a queue, and of all instances by a lease. */

import { pause } from '../../base/runtime/pause.ts'
import { AppError } from '../../contract/errors.ts'
import type { Ctx } from '../ctx.ts'
import type { Leases } from './leases.ts'

/** The right to write the state of an object, until its work has ended. */
export type Hold = {
  readonly id: string
  /** Runs a short transaction. @throws LostLeaseError if another instance has the object now */
  readonly write: Ctx['write']
  /** Aborted when another instance has the object. */
  readonly lost: AbortSignal
}

export type Lanes = {
  /** Runs work on an object after the work before it. @throws AppError UNAVAILABLE if another instance keeps the object */
  readonly hold: <T>(ctx: Ctx, id: string, work: (hold: Hold) => Promise<T>) => Promise<T>
  /** Like `hold`, or undefined without waiting. */
  readonly tryHold: <T>(ctx: Ctx, id: string, work: (hold: Hold) => Promise<T>) => Promise<T | undefined>
  readonly isBusy: (id: string) => boolean
  /** Resolves when no work is running. */
  readonly close: () => Promise<void>
}

export type LaneOptions = {
  /** The noun of the objects, for errors. */
  readonly noun: string
  readonly leases: Leases
  /** Locks the row with the lease of an object until commit, if no instance holds it. */
  readonly lockFree: (ctx: Ctx, id: string) => Promise<boolean>
}

const PATIENCE_MS = 30_000
const LOOK_MS = 50

const sleep = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms))

type Lease = { readonly hold: Hold; readonly release: () => Promise<void> }

/** Returns undefined if another instance holds the lease. */
const take = async ({ leases, lockFree }: LaneOptions, ctx: Ctx, id: string): Promise<Lease | undefined> => {
  const { rows, held } = await leases.claim(ctx, {
    find: async () => [id],
    lockFree: async (inner: Ctx) => ((await lockFree(inner, id)) ? [id] : []),
    key: (one) => one,
    write: ctx.write,
  })
  if (rows.length === 0) return undefined
  const lost = new AbortController()
  const stop = leases.keep(held, ctx.write, () => lost.abort())
  const fence = leases.fence(held)
  return {
    hold: {
      id,
      lost: lost.signal,
      write: (work, options) =>
        ctx.write(async (inner) => {
          await fence(inner)
          return await work(inner)
        }, options),
    },
    release: async () => {
      stop()
      // If that fails, the lease expires.
      await leases.end(held, ctx.write).catch(() => {})
    },
  }
}

export const createLanes = (options: LaneOptions): Lanes => {
  const lanes = new Map<string, Promise<unknown>>()

  /** Begins after the work before it has ended. */
  const enqueue = async <T>(id: string, work: () => Promise<T>): Promise<T> => {
    const before = lanes.get(id)
    const running = (async () => {
      await before?.catch(() => {})
      return await work()
    })()
    lanes.set(id, running)
    try {
      return await running
    } finally {
      if (lanes.get(id) === running) lanes.delete(id)
    }
  }

  const runInLease = async <T>({ hold, release }: Lease, work: (hold: Hold) => Promise<T>): Promise<T> => {
    try {
      return await work(hold)
    } finally {
      await release()
    }
  }

  return {
    hold: (ctx, id, work) =>
      enqueue(id, async () => {
        const endMs = performance.now() + PATIENCE_MS
        for (;;) {
          const lease = await take(options, ctx, id)
          if (lease) return await runInLease(lease, work)
          if (performance.now() > endMs)
            throw new AppError('UNAVAILABLE', `Another instance is working on this ${options.noun}; try again`)
          await sleep(LOOK_MS)
        }
      }),
    tryHold: (ctx, id, work) =>
      enqueue(id, async () => {
        const lease = await take(options, ctx, id)
        return lease && (await runInLease(lease, work))
      }),
    isBusy: (id) => lanes.has(id),
    close: async () => {
      while (lanes.size > 0) {
        await Promise.allSettled(lanes.values())
        await pause()
      }
    },
  }
}
