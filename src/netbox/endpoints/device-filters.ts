/** The filters of devices and virtual machines. */
import { type RawBuilder, type SqlBool, sql } from 'kysely'
import { parseMac } from '../../net/mac.ts'
import type { CustomFields } from '../endpoint/custom.ts'
import { type Filter, flagFilter, ownFilter, textFilter } from '../endpoint/filter.ts'
import { allOfFilter, objectFilter } from '../endpoint/object-filter.ts'
import { objectFilters, placeFilters } from '../endpoint/place-filters.ts'
import type { Resolver } from '../endpoint/resolver.ts'
import { RESOLVERS } from '../endpoint/resolvers.ts'
import { buildNameKey } from '../numbers/keys.ts'
import { getAddressKey } from '../world/addresses.ts'
import { UNASSIGNED } from '../world/keys.ts'
import { MACHINE_TAG } from '../world/machines.ts'
import { PLATFORMS, TAGS } from '../world/names.ts'
import { toDescription } from '../world/nested.ts'
import type { World } from '../world/world.ts'
import { buildWordsCondition, type DeviceItem, getPrimary } from './device-items.ts'

type Sql = RawBuilder<SqlBool>
type Filters = Readonly<Record<string, Filter<DeviceItem>>>
type Wanted = { readonly keys: readonly string[]; readonly isNoneWanted: boolean }

const NEVER = sql<SqlBool>`1 = 0`

const isAnyOf = (column: string, texts: readonly string[]): Sql =>
  texts.length === 0 ? NEVER : sql<SqlBool>`${sql.ref(column)} IN (${sql.join([...texts])})`

const joinOr = (...some: readonly Sql[]): Sql => sql<SqlBool>`(${sql.join([...some], sql` OR `)})`

const UNASSIGNED_ROLE = buildNameKey(UNASSIGNED.name)

/** The columns hold name keys. */
const hasRole =
  (hasUnassigned: boolean) =>
  ({ keys, isNoneWanted }: Wanted): Sql =>
    joinOr(
      sql<SqlBool>`(devices.role_key IS NOT NULL AND ${isAnyOf('devices.role_key', keys)})`,
      (hasUnassigned ? keys.includes(UNASSIGNED_ROLE) : isNoneWanted) ? sql<SqlBool>`devices.role_key IS NULL` : NEVER,
    )

const hasPlatform = ({ keys, isNoneWanted }: Wanted, world: World): Sql => {
  // The resolver has read the set of a key.
  const texts = keys.flatMap((key) => world.get(PLATFORMS).find(key)?.texts ?? [])
  return joinOr(isAnyOf('devices.os', texts), isNoneWanted ? sql<SqlBool>`devices.os = ''` : NEVER)
}

/** Returns the condition that a device refers to an object by a custom field. */
export const hasCustomObject =
  <Item>({ resource }: CustomFields<Item>, field: string, id: string) =>
  ({ keys, isNoneWanted }: Wanted, world: World): Sql => {
    const definition = world.getDefinitions(resource).get(field)
    if (!definition) return isNoneWanted ? sql<SqlBool>`1 = 1` : NEVER
    const held = sql`SELECT 1 FROM custom_values WHERE custom_values.field = ${definition.number} AND custom_values.object_id = ${sql.ref(id)}`
    return joinOr(
      keys.length === 0 ? NEVER : sql<SqlBool>`EXISTS (${held} AND custom_values.value IN (${sql.join([...keys])}))`,
      isNoneWanted ? sql<SqlBool>`NOT EXISTS (${held})` : NEVER,
    )
  }

/** The filters by an object of a custom field, such as the tenant. */
export const customObjectFilters = <Item>(
  custom: CustomFields<Item>,
  { name, by, of, id }: { readonly name: string; readonly by: string; readonly of: Resolver; readonly id?: string },
): Readonly<Record<string, Filter<Item>>> =>
  objectFilters<Item>(name, by, {
    of,
    keys: (item, world) => {
      const value = custom.get(item, name, world)
      return typeof value === 'string' ? [value] : []
    },
    ...(id !== undefined && { sql: hasCustomObject(custom, name, id) }),
  })

const hasTag = (key: string, world: World): Sql => {
  const texts = world.get(TAGS).find(key)?.texts ?? []
  return sql<SqlBool>`EXISTS (SELECT 1 FROM device_tags WHERE device_tags.device_id = devices.id AND ${isAnyOf('device_tags.tag', texts)})`
}

/** The filters by tags, which several kinds of objects have. @param tags without that of virtual machines */
export const tagFilters = <Item>(
  tags: (item: Item, world: World) => readonly string[],
  has?: (key: string, world: World) => Sql,
): Readonly<Record<string, Filter<Item>>> => {
  const parts = {
    of: RESOLVERS['extras.tag'],
    keys: (item: Item, world: World) => tags(item, world).map(buildNameKey),
    ...(has && { sql: has }),
  }
  return { tag: allOfFilter<Item>({ ...parts, by: 'slug' }), tag_id: allOfFilter<Item>({ ...parts, by: 'number' }) }
}

export const listTags = ({ device }: DeviceItem): string[] => device.tags.filter((tag) => tag !== MACHINE_TAG)

const primaryFilter = (family: 4 | 6): Filter<DeviceItem> =>
  objectFilter<DeviceItem>({
    of: RESOLVERS['ipam.ipaddress'],
    by: 'number',
    keys: (item) => {
      const primary = getPrimary(item, family)
      return primary ? [getAddressKey(primary)] : []
    },
  })

/** Words, as in Plat's own list. */
const wordsFilter: Filter<DeviceItem> = {
  lookups: [''],
  type: 'string',
  compile: async ({ parameter, values }, world) => {
    const words = values.filter((value) => value.trim() !== '')
    if (words.length === 0) return undefined
    const conditions = await Promise.all(words.map((text) => buildWordsCondition(world, text)))
    return { name: `${parameter}=${values.join()}`, sql: joinOr(...conditions), test: () => true, isSqlOnly: true }
  },
}

/**
 * The filters that devices and virtual machines have alike.
 * @param options.hasUnassigned an object without a site or a role has `Unassigned`, as NetBox demands of devices
 */
export const deviceFilters = (
  custom: CustomFields<DeviceItem>,
  { hasUnassigned }: { readonly hasUnassigned: boolean },
): Filters => ({
  q: wordsFilter,
  name: textFilter({
    get: ({ device }) => device.name,
    columns: { value: 'devices.name', key: 'devices.name_key' },
    isAnyCase: true,
  }),
  description: textFilter({ get: ({ device }) => toDescription(device.description) }),
  serial: textFilter({
    get: ({ device }) => device.serial ?? '',
    columns: { value: 'devices.serial_key', key: 'devices.serial_key' },
    isAnyCase: true,
  }),
  ...placeFilters<DeviceItem>({
    datacenterId: ({ device }) => device.datacenter_id,
    column: 'devices.datacenter_id',
    hasUnassigned,
  }),
  ...objectFilters<DeviceItem>('role', 'slug', {
    of: RESOLVERS['dcim.devicerole'],
    keys: ({ device }) => (device.role ? [buildNameKey(device.role)] : hasUnassigned ? [UNASSIGNED_ROLE] : []),
    sql: hasRole(hasUnassigned),
  }),
  ...objectFilters<DeviceItem>('platform', 'slug', {
    of: RESOLVERS['dcim.platform'],
    keys: ({ device }) => (device.os === '' ? [] : [buildNameKey(device.os)]),
    sql: hasPlatform,
  }),
  ...customObjectFilters(custom, { name: 'tenant', by: 'slug', of: RESOLVERS['tenancy.tenant'], id: 'devices.id' }),
  ...customObjectFilters(custom, {
    name: 'cluster',
    by: 'name',
    of: RESOLVERS['virtualization.cluster'],
    id: 'devices.id',
  }),
  ...tagFilters<DeviceItem>(listTags, hasTag),
  has_primary_ip: flagFilter<DeviceItem>({
    get: ({ device }) => device.addresses.length > 0,
    sql: () => sql<SqlBool>`EXISTS (SELECT 1 FROM addresses WHERE addresses.device_id = devices.id)`,
  }),
  primary_ip4_id: primaryFilter(4),
  primary_ip6_id: primaryFilter(6),
  mac_address: ownFilter<DeviceItem, string>({
    message: 'Enter a valid MAC address.',
    lookups: ['', 'n'],
    parse: parseMac,
    test: ({ macs }, mac) => macs.includes(mac),
    sql: (mac) =>
      joinOr(
        sql<SqlBool>`EXISTS (SELECT 1 FROM ports WHERE ports.device_id = devices.id AND ports.mac_address = ${mac})`,
        sql<SqlBool>`EXISTS (SELECT 1 FROM addresses WHERE addresses.device_id = devices.id AND addresses.mac_address = ${mac})`,
      ),
  }),
})
