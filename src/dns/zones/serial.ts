/** The serial of the file of a zone: the time in seconds, or the last one plus 1. */
import type { Ctx } from '../../kernel/ctx.ts'
import * as store from './store.ts'
import type { Zone } from './zone-index.ts'

const toUnixSeconds = (now: Date): number => Math.floor(now.getTime() / 1000)

/** Returns the parts of the file beside the RRsets. */
export const serializeHead = ({ nameservers, admin_email, negative_ttl, ttl }: Zone): string =>
  JSON.stringify([nameservers, admin_email, negative_ttl, ttl])

/** Gives the file a new serial. */
export const raiseSerial = async (ctx: Ctx, zone: Zone, now: Date): Promise<void> => {
  const state = await store.findState(ctx, zone.id)
  const serial = Math.max((state?.serial ?? 0) + 1, toUnixSeconds(now))
  await store.updateState(ctx, zone.id, { serial, head: serializeHead(zone) })
}
