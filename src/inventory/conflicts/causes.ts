/** Reads the possible causes of conflicts: devices that share an address, and networks that share a subnet. */
import type { Kysely } from 'kysely'
import { prepared } from '../../database/query/prepared.ts'
import { preparedKeys } from '../../database/query/prepared-lists.ts'
import type { Tables } from '../../database/tables.ts'
import type { StoreScope } from '../../kernel/ctx.ts'
import { getSpaceKey, type IpKey, type SpaceKey } from '../../net/ip.ts'

/**
 * The current state of a cause; with fewer than two members there is no conflict. An address that all of its devices share by its role has
 * none.
 */
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

/** The devices that have an address. `isShared` as long as none of them has it without a role that says so. */
type Holders = { ip: string; readonly ids: Set<string>; isShared: boolean }

const buildCause = (ipKey: IpKey, { ip, ids, isShared }: Holders): Cause => ({
  cause: buildAddressKey(ipKey),
  ip,
  subnet: '',
  space: getSpaceKey(ipKey),
  members: isShared ? [] : [...ids].sort().slice(0, MAX_MEMBERS),
})

const holders = preparedKeys((db: Kysely<Tables>, keys: IpKey[]) =>
  db.selectFrom('addresses').select(['ip_key', 'ip', 'device_id', 'is_shared']).where('ip_key', 'in', keys),
)

/** Returns the causes of the addresses, none of which very many devices have. */
export const findAddressCauses = async (scope: StoreScope, ipKeys: readonly IpKey[]): Promise<Cause[]> => {
  const found = new Map<IpKey, Holders>(ipKeys.map((key) => [key, { ip: '', ids: new Set(), isShared: true }]))
  for (const { ip_key, ip, device_id, is_shared } of await holders(scope, ipKeys)) {
    const known = found.get(ip_key)
    if (!known) continue
    known.ip = ip
    known.ids.add(device_id)
    if (is_shared === 0) known.isShared = false
  }
  return [...found].map(([key, one]) => buildCause(key, one))
}

const someHolders = prepared((db: Kysely<Tables>, { key }: { key: IpKey }) =>
  db
    .selectFrom('addresses')
    .select(['ip', 'device_id', 'is_shared'])
    .distinct()
    .where('ip_key', '=', key)
    .limit(MAX_MEMBERS),
)

/** Returns true if a device has the address without a role by which others may have it. */
const hasOwner = async ({ db }: StoreScope, ipKey: IpKey): Promise<boolean> => {
  const query = db.selectFrom('addresses').select('device_id').where('ip_key', '=', ipKey).where('is_shared', '=', 0)
  return (await query.limit(1).executeTakeFirst()) !== undefined
}

/** Returns the cause of an address that any number of devices may have. */
export const findAddressCause = async (scope: StoreScope, ipKey: IpKey): Promise<Cause> => {
  const rows = await someHolders(scope, { key: ipKey })
  const areShared = rows.every(({ is_shared }) => is_shared !== 0)
  const isShared = areShared && !(rows.length === MAX_MEMBERS && (await hasOwner(scope, ipKey)))
  return buildCause(ipKey, { ip: rows[0]?.ip ?? '', ids: new Set(rows.map(({ device_id }) => device_id)), isShared })
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
    .having((eb) => eb(eb.fn.min('is_shared'), '=', 0))
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
