/** Answers who had an address when: by scans, by listening, and by the recorded leases. */
import { type Kysely, sql } from 'kysely'
import { preparedKeys } from '../../database/query/prepared-lists.ts'
import type { Tables } from '../../database/tables.ts'
import { buildNetworkKey } from '../../discovery/discovery.ts'
import type { AddressHolder } from '../../discovery/presence/api.ts'
import { findHolderNames } from '../../discovery/presence/names.ts'
import { limitRange, MAX_ROWS, parseRange, toEnd } from '../../discovery/presence/range.ts'
import { findAtAddress, type Range } from '../../discovery/presence/store.ts'
import { isDefault } from '../../inventory/spaces/fields.ts'
import { findSpaceKeys } from '../../inventory/spaces/keys.ts'
import type { Ctx } from '../../kernel/ctx.ts'
import { listEnclosingCidrs } from '../../net/cidr.ts'
import { parseIp, parseIpKeyOrThrow } from '../../net/ip.ts'
import type { AddressPresence } from './api.ts'
import * as store from './store.ts'

type Asked = {
  readonly ip: string
  readonly from?: string | undefined
  readonly to?: string | undefined
  readonly space_id?: string | undefined
}

/** An interval before its device has its names. */
type Unnamed = Omit<AddressHolder, 'device_id' | 'name' | 'discovered_id'> & { readonly discovered_id: string }

/** Leases without end have one in this year. */
const ENDLESS = '9999-'

/** Repeats the condition of a recorded lease. */
const leasesAtPlaces = preparedKeys((db: Kysely<Tables>, places) =>
  db
    .selectFrom('discovered_addresses')
    .innerJoin('discovered_devices', 'discovered_devices.id', 'discovered_addresses.device_id')
    .select(['device_id', 'network_id', 'observation', 'first_seen', 'lease_end'])
    .where('place', 'in', places)
    .where('lease_end', '<>', sql.lit('')),
)

/** Networks that contain the address, in one space or in all. */
const findNetworks = async (ctx: Ctx, { ip, space_id }: Asked): Promise<store.NetworkFound[]> => {
  const parsed = parseIp(ip)
  const all = parsed ? await store.networksBySubnets(ctx, listEnclosingCidrs(parsed)) : []
  const wanted = space_id !== undefined && isDefault(space_id) ? null : space_id
  return all.filter((one) => wanted === undefined || (one.space_id ?? null) === wanted)
}

const findLeases = async (ctx: Ctx, asked: Asked, { from, to }: Range): Promise<Unnamed[]> => {
  const networks = await findNetworks(ctx, asked)
  const space = await findSpaceKeys(ctx, networks)
  const places = networks.map((one) => buildNetworkKey(one.id, parseIpKeyOrThrow(asked.ip, space(one))))
  const rows = await leasesAtPlaces(ctx, places)
  return rows
    .filter(({ first_seen, lease_end }) => first_seen <= to && lease_end >= from)
    .map(({ device_id, network_id, observation, first_seen, lease_end }) => ({
      ...{ network_id, discovered_id: device_id, from: first_seen, source: 'lease' },
      // The stored JSON of an observation.
      mac_address: (JSON.parse(observation) as { readonly mac: string }).mac,
      to: lease_end.startsWith(ENDLESS) ? null : lease_end,
    }))
}

/** Adds the documented devices, and the names. */
const nameHolders = async (ctx: Ctx, all: readonly Unnamed[]): Promise<AddressHolder[]> => {
  const holders = await findHolderNames(ctx, [...new Set(all.map(({ discovered_id }) => discovered_id))])
  return all.map(({ network_id, discovered_id, mac_address, from, to, source }) => {
    const { device_id = null, name = '' } = holders.get(discovered_id) ?? {}
    return {
      ...{ network_id, discovered_id: holders.has(discovered_id) ? discovered_id : null, device_id, name },
      ...{ mac_address, from, to, source },
    }
  })
}

export const showPresence = async (ctx: Ctx, asked: Asked): Promise<AddressPresence> => {
  const wanted = parseRange(asked, ctx.now)
  const { ip, space_id } = asked
  const found = await findAtAddress(ctx, { ip, space_id, ...wanted, limit: MAX_ROWS })
  const { rows, range, complete_since } = limitRange(found, wanted)
  const seen = rows.map((row): Unnamed => {
    const { network_id, discovered_id, mac_address, source, began_at } = row
    return { network_id, discovered_id, mac_address, source, from: began_at, to: toEnd(row) }
  })
  const all = [...seen, ...(await findLeases(ctx, asked, range))]
  const intervals = (await nameHolders(ctx, all)).sort((a, b) => (a.from === b.from ? 0 : a.from < b.from ? 1 : -1))
  return { intervals, complete_since }
}
