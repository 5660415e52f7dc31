/** The names of addresses that the servers of DNS zones have and Plat has not, as the last checks of the zones read them. */
import { pause } from '../../../base/runtime/pause.ts'
import type { DriftReport } from '../../../dns/zones/schema.ts'
import { toFullName } from '../../../dns/zones/zone-index.ts'
import { findSpaceKeys } from '../../../inventory/spaces/keys.ts'
import type { Ctx } from '../../../kernel/ctx.ts'
import { parseIpKey } from '../../../net/ip.ts'

export type ForwardNames = {
  readonly names: string[]
  /** The time of the check. */
  readonly at: string
}

/** The most names of all addresses. Further ones are not compared. */
const MAX_NAMES = 100_000

const TYPES: readonly string[] = ['A', 'AAAA']

/** Returns the names of addresses by their keys. @param wanted the keys of the addresses; all by default */
export const loadForwardNames = async (
  ctx: Ctx,
  wanted?: ReadonlySet<string>,
): Promise<ReadonlyMap<string, ForwardNames>> => {
  const zones = await ctx.db
    .selectFrom('dns_zones')
    .innerJoin('dns_reports', 'zone_id', 'id')
    .select(['id', 'name', 'space_id'])
    .orderBy('id')
    .execute()
  const getSpaceKey = await findSpaceKeys(ctx, zones)
  const found = new Map<string, ForwardNames>()
  let count = 0
  for (const zone of zones) {
    // One at a time: a report may have 10,000 entries.
    const { doc } = await ctx.db
      .selectFrom('dns_reports')
      .select('doc')
      .where('zone_id', '=', zone.id)
      .executeTakeFirstOrThrow()
    // Written by the check of the zone.
    const { checked_at, entries } = JSON.parse(doc) as DriftReport
    for (const { name, type, server } of entries) {
      if (!TYPES.includes(type)) continue
      for (const ip of server) {
        const key = parseIpKey(ip, getSpaceKey(zone))
        if (key === undefined || (wanted && !wanted.has(key))) continue
        if (count++ >= MAX_NAMES) return found
        const known = found.get(key)
        if (known) known.names.push(toFullName(name, zone.name))
        else found.set(key, { names: [toFullName(name, zone.name)], at: checked_at ?? '' })
      }
    }
    await pause()
  }
  return found
}
