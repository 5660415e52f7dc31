/** Reads the possible causes of conflicts: devices that share an address, and networks that share a subnet. */
import type { Kysely } from 'kysely'
import { prepared } from '../../database/query/prepared.ts'
import { preparedKeys } from '../../database/query/prepared-lists.ts'
import type { Tables } from '../../database/tables.ts'
import type { StoreScope } from '../../kernel/ctx.ts'
import { getSpaceKey, type IpKey, type SpaceKey } from '../../net/ip.ts'

/** The current state of a cause; with fewer than two members there is no conflict. */
export type Cause = {
  readonly cause: string
  readonly ip: string
  readonly subnet: string
  readonly space: SpaceKey
  /** The ids of devices or networks, sorted; MAX_MEMBERS at most. */
  readonly members: readonly string[]
}

export const buildAddressKey = (ipKey: IpKey): string => `ip ${ipKey}`
/** Networks without a datacenter share one place. */
export const buildSubnetKey = ({ datacenter_id, subnet, space }: Place): string =>
  `subnet ${datacenter_id ?? ''} ${space}${subnet}`

/** The number of members that a conflict names; thousands may have the address of a container bridge. */
export const MAX_MEMBERS = 100

const buildCause = (ipKey: IpKey, ip: string, ids: ReadonlySet<string>): Cause => ({
  cause: buildAddressKey(ipKey),
  ip,
  subnet: '',
  space: getSpaceKey(ipKey),
  members: [...ids].sort().slice(0, MAX_MEMBERS),
})

const holders = preparedKeys((db: Kysely<Tables>, keys: IpKey[]) =>
  db.selectFrom('addresses').select(['ip_key', 'ip', 'device_id']).where('ip_key', 'in', keys),
)

/** Returns the causes of the addresses, none of which very many devices have. */
export const findAddressCauses = async (scope: StoreScope, ipKeys: readonly IpKey[]): Promise<Cause[]> => {
  const found = new Map<IpKey, { ip: string; ids: Set<string> }>(ipKeys.map((key) => [key, { ip: '', ids: new Set() }]))
  for (const { ip_key, ip, device_id } of await holders(scope, ipKeys)) {
    const known = found.get(ip_key)
    if (!known) continue
    known.ip = ip
    known.ids.add(device_id)
  }
  return [...found].map(([key, { ip, ids }]) => buildCause(key, ip, ids))
}

const someHolders = prepared((db: Kysely<Tables>, { key }: { key: IpKey }) =>
  db.selectFrom('addresses').select(['ip', 'device_id']).distinct().where('ip_key', '=', key).limit(MAX_MEMBERS),
)

/** Returns the cause of an address that any number of devices may have. */
export const findAddressCause = async (scope: StoreScope, ipKey: IpKey): Promise<Cause> => {
  const rows = await someHolders(scope, { key: ipKey })
  return buildCause(ipKey, rows[0]?.ip ?? '', new Set(rows.map(({ device_id }) => device_id)))
}

export type Place = { readonly datacenter_id: string | null; readonly subnet: string; readonly space: SpaceKey }

export const findSubnetCause = async ({ db }: StoreScope, place: Place): Promise<Cause> => {
  const { datacenter_id, subnet, space } = place
  const rows = await db
    .selectFrom('networks')
    .select('id')
    .where('subnet_key', '=', `${space}${subnet}`)
    .where('datacenter_id', datacenter_id === null ? 'is' : '=', datacenter_id)
    .limit(MAX_MEMBERS)
    .execute()
  const members = rows.map(({ id }) => id).sort()
  return { cause: buildSubnetKey(place), ip: '', subnet, space, members }
}

/** Returns every device that has an address. */
export const findDevicesWithAddress = async ({ db }: StoreScope, ipKey: IpKey): Promise<string[]> => {
  const rows = await db.selectFrom('addresses').select('device_id').distinct().where('ip_key', '=', ipKey).execute()
  return rows.map(({ device_id }) => device_id)
}

/** Returns the keys of all addresses that several devices have. */
export const findSharedAddresses = async ({ db }: StoreScope): Promise<IpKey[]> => {
  const rows = await db
    .selectFrom('addresses')
    .select('ip_key')
    .groupBy('ip_key')
    .having((eb) => eb(eb.fn.min('device_id'), '<', eb.fn.max('device_id')))
    .execute()
  return rows.map(({ ip_key }) => ip_key)
}

/** Returns all places that several networks have. */
export const findSharedPlaces = async ({ db }: StoreScope): Promise<Place[]> => {
  const rows = await db
    .selectFrom('networks')
    .select(['datacenter_id', 'subnet_key'])
    .groupBy(['datacenter_id', 'subnet_key'])
    .having((eb) => eb(eb.fn.countAll(), '>', 1))
    .execute()
  return rows.map(({ datacenter_id, subnet_key }) => {
    const space = getSpaceKey(subnet_key)
    return { datacenter_id, subnet: subnet_key.slice(space.length), space }
  })
}
