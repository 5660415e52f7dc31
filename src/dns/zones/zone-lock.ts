/** Work on one zone at a time: in this process by a queue, and of all instances by a lease. */

import { pause } from '../../base/runtime/pause.ts'
import { AppError } from '../../contract/errors.ts'
import type { Ctx } from '../../kernel/ctx.ts'
import * as store from './store.ts'

/** The right to write the state of a zone, until its work has ended. */
export type Hold = {
  readonly zoneId: string
  /** Runs a short transaction. @throws LostLeaseError if another instance has the zone now */
  readonly write: Ctx['write']
}

export type Lanes = {
  /** Runs work on a zone after the work before it. @throws AppError UNAVAILABLE if another instance keeps the zone */
  readonly hold: <T>(ctx: Ctx, zoneId: string, work: (hold: Hold) => Promise<T>) => Promise<T>
  /** Like `hold`, or undefined without waiting. */
  readonly tryHold: <T>(ctx: Ctx, zoneId: string, work: (hold: Hold) => Promise<T>) => Promise<T | undefined>
  readonly isBusy: (zoneId: string) => boolean
  /** Resolves when no work is running. */
  readonly close: () => Promise<void>
}

const PATIENCE_MS = 30_000
const LOOK_MS = 50

const sleep = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms))

type Lease = { readonly hold: Hold; readonly release: () => Promise<void> }

/** Returns undefined if another instance holds the lease. */
const take = async (ctx: Ctx, zoneId: string): Promise<Lease | undefined> => {
  // A single process needs no lease.
  if (ctx.store.sql.hasOneWriter) return { hold: { zoneId, write: ctx.write }, release: async () => {} }
  const held = await ctx.write(async (inner) =>
    (await store.lockFreeState(inner, zoneId))
      ? await store.leases.take(inner, [zoneId], Bun.randomUUIDv7())
      : undefined,
  )
  if (!held) return undefined
  const stop = store.leases.keep(held, ctx.write)
  const fence = store.leases.fence(held)
  return {
    hold: {
      zoneId,
      write: (work, options) =>
        ctx.write(async (inner) => {
          await fence(inner)
          return await work(inner)
        }, options),
    },
    release: async () => {
      stop()
      // If that fails, the lease expires.
      await ctx.write((inner) => store.leases.release(inner, held)).catch(() => {})
    },
  }
}

export const createLanes = (): Lanes => {
  const lanes = new Map<string, Promise<unknown>>()

  /** Begins after the work before it has ended. */
  const enqueue = async <T>(zoneId: string, work: () => Promise<T>): Promise<T> => {
    const before = lanes.get(zoneId)
    const running = (async () => {
      await before?.catch(() => {})
      return await work()
    })()
    lanes.set(zoneId, running)
    try {
      return await running
    } finally {
      if (lanes.get(zoneId) === running) lanes.delete(zoneId)
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
    hold: (ctx, zoneId, work) =>
      enqueue(zoneId, async () => {
        const endMs = performance.now() + PATIENCE_MS
        for (;;) {
          const lease = await take(ctx, zoneId)
          if (lease) return await runInLease(lease, work)
          if (performance.now() > endMs)
            throw new AppError('UNAVAILABLE', 'Another instance is working on this zone; try again')
          await sleep(LOOK_MS)
        }
      }),
    tryHold: (ctx, zoneId, work) =>
      enqueue(zoneId, async () => {
        const lease = await take(ctx, zoneId)
        return lease && (await runInLease(lease, work))
      }),
    isBusy: (zoneId) => lanes.has(zoneId),
    close: async () => {
      while (lanes.size > 0) {
        await Promise.allSettled(lanes.values())
        await pause()
      }
    },
  }
}
