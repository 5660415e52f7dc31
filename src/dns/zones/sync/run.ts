/** One run of the lane of a zone, with the settings of all zones of its address space. Its writes fail after the server or the mode of the zone has changed. */
import type { Ctx } from '../../../kernel/ctx.ts'
import type { Hold } from '../../../kernel/jobs/lanes.ts'
import * as store from '../store.ts'
import { findZonePlace, type Zone, type ZoneIndex } from '../zone-index.ts'

export type Run = {
  readonly ctx: Ctx
  readonly hold: Hold
  readonly zone: Zone
  readonly index: ZoneIndex
  /** Runs a short transaction. @throws ZoneChangedError, LostLeaseError */
  readonly write: <T>(work: (ctx: Ctx) => Promise<T>) => Promise<T>
}

/** The zone was deleted, or has another server or mode: nothing that is known about its RRsets holds any more. */
export class ZoneChangedError extends Error {
  override readonly name = 'ZoneChangedError'
}

/** Returns undefined if the zone is gone. */
export const openRun = async (ctx: Ctx, hold: Hold): Promise<Run | undefined> => {
  const place = findZonePlace(await store.findAllSettings({ db: ctx.store.read, store: ctx.store }), hold.id)
  if (!place) return undefined
  const { zone, index } = place
  const write: Run['write'] = (work) =>
    hold.write(async (inner) => {
      // The lock of the state row comes first, as in a change of the zone.
      await store.lockState(inner, zone.id)
      const now = await store.find(inner, zone.id)
      if (now?.provider_id !== zone.provider_id || now.mode !== zone.mode)
        throw new ZoneChangedError(`the zone ${zone.name} was changed`)
      return await work(inner)
    })
  return { ctx, hold, zone, index, write }
}

/** Reads the settings again. @throws ZoneChangedError */
export const reopen = async ({ ctx, hold, zone }: Run): Promise<Run> => {
  const run = await openRun(ctx, hold)
  if (run?.zone.provider_id !== zone.provider_id || run.zone.mode !== zone.mode)
    throw new ZoneChangedError(`the zone ${zone.name} was changed`)
  return run
}
