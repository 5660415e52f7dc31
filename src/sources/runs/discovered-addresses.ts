/** The addresses of machines that the source does not tell, as discovery sees them by their MAC addresses. */
import { splitBatches } from '../../database/query/batches.ts'
import { findSpaceKey } from '../../inventory/spaces/keys.ts'
import type { StoreScope } from '../../kernel/ctx.ts'
import { getSpaceKey } from '../../net/ip.ts'

type Found = { readonly deviceId: string; readonly mac: string; readonly ip: string; readonly space: string }

/** Returns the addresses of the one discovered device in a space that has one of the MAC addresses; none for several devices. */
export type FindAddresses = (
  macs: readonly string[],
  spaceId: string | null,
) => Promise<readonly { readonly ip: string; readonly mac_address: string }[]>

const PREFIX = 'mac:'

const findByMacs = async ({ db }: StoreScope, macs: readonly string[]): Promise<Map<string, Found[]>> => {
  const found: Found[] = []
  for (const batch of splitBatches([...new Set(macs)])) {
    const rows = await db
      .selectFrom('discovered_identities as i')
      .innerJoin('discovered_addresses as a', 'a.device_id', 'i.device_id')
      .select(['a.device_id', 'a.ip', 'a.ip_key', 'a.seen_mac'])
      .where(
        'i.key',
        'in',
        batch.map((mac) => `${PREFIX}${mac}`),
      )
      .where('a.status', '=', 'up')
      .orderBy('a.ip_key')
      .execute()
    for (const { device_id, ip, ip_key, seen_mac } of rows)
      found.push({ deviceId: device_id, mac: seen_mac, ip, space: getSpaceKey(ip_key) })
  }
  return Map.groupBy(found, ({ mac }) => mac)
}

/** @param macs all MAC addresses that may be looked for */
export const createFindAddresses = async (scope: StoreScope, macs: readonly string[]): Promise<FindAddresses> => {
  if (macs.length === 0) return async () => []
  const byMac = await findByMacs(scope, macs)
  return async (some, spaceId) => {
    const all = some.flatMap((mac) => byMac.get(mac) ?? [])
    if (all.length === 0) return []
    const space = await findSpaceKey(scope, { space_id: spaceId })
    const here = all.filter((one) => one.space === space)
    if (new Set(here.map(({ deviceId }) => deviceId)).size !== 1) return []
    return [...new Map(here.map(({ ip, mac }) => [ip, { ip, mac_address: mac }])).values()]
  }
}
