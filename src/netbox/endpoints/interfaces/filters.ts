/** The filters of interfaces. Their SQL chooses devices, and the tests choose the interfaces of them. */
import { type RawBuilder, type SqlBool, sql } from 'kysely'
import { parseMac } from '../../../net/mac.ts'
import { toNameKey } from '../../../net/name-order.ts'
import { INTERFACE_MODE, INTERFACE_TYPE } from '../../choices/interfaces.ts'
import type { CustomFields } from '../../endpoint/custom.ts'
import { choiceFilter, type Filter, flagFilter, ownFilter, textFilter } from '../../endpoint/filter.ts'
import { objectFilter } from '../../endpoint/object-filter.ts'
import { objectFilters, placeFilters } from '../../endpoint/place-filters.ts'
import { RESOLVERS } from '../../endpoint/resolvers.ts'
import type { World } from '../../world/world.ts'
import { customObjectFilters, tagFilters } from '../device-filters.ts'
import type { InterfaceItem } from './items.ts'
import type { DeviceCondition } from './source.ts'
import { readAbove, readInterfaceType, readMode, VIRTUAL_TYPES } from './values.ts'

type Filters = Readonly<Record<string, Filter<InterfaceItem>>>
type Sql = RawBuilder<SqlBool>

/** Adds to the conditions that are no negation which devices may have items that meet them. */
export const narrowDevices = <Item>(
  filter: Filter<Item>,
  build: (values: readonly string[]) => Sql | undefined,
): Filter<Item> => ({
  ...filter,
  compile: async (asked, world): Promise<DeviceCondition<Item> | undefined> => {
    const condition = await filter.compile(asked, world)
    return condition && asked.lookup === '' ? { ...condition, sql: build(asked.values), narrows: true } : condition
  },
})

/** Marks the conditions that need the cables. */
const withLinks = (filter: Filter<InterfaceItem>): Filter<InterfaceItem> => ({
  ...filter,
  compile: async (asked, world): Promise<DeviceCondition<InterfaceItem> | undefined> => {
    const condition = await filter.compile(asked, world)
    return condition && { ...condition, needsLoad: true }
  },
})

/** The devices with a MAC address at a port or an address. */
export const hasMac = (values: readonly string[]): Sql => {
  const macs = sql.join(values.flatMap((text) => parseMac(text) ?? []))
  return sql<SqlBool>`devices.id IN (SELECT device_id FROM ports WHERE mac_address <> '' AND mac_address IN (${macs})
    UNION SELECT device_id FROM addresses WHERE mac_address IN (${macs}))`
}

const isCabled = sql<SqlBool>`EXISTS (SELECT 1 FROM ports JOIN cable_ends ON cable_ends.port_id = ports.id
  WHERE ports.device_id = devices.id)`

const narrowCabled = (filter: Filter<InterfaceItem>) =>
  withLinks(
    narrowDevices(filter, (values) => (values.some((value) => /^(true|1)$/i.test(value)) ? isCabled : undefined)),
  )

const KINDS: Readonly<Record<string, (type: string) => boolean>> = {
  physical: (type) => !VIRTUAL_TYPES.has(type) && !WIRELESS_TYPES.has(type),
  virtual: (type) => VIRTUAL_TYPES.has(type),
  wireless: (type) => WIRELESS_TYPES.has(type),
}

/** The keys of a constant. */
const TYPES = Object.keys(INTERFACE_TYPE)
const WIRELESS_TYPES: ReadonlySet<string> = new Set(TYPES.slice(TYPES.indexOf('ieee802.11a'), TYPES.indexOf('5g') + 1))

const listVlanKeys = ({ untagged, tagged }: InterfaceItem): string[] =>
  [...(untagged ? [untagged] : []), ...tagged].map(({ key }) => key)

/** Returns the words of an item that a search finds. */
const listTexts = ({ name, port, macs }: InterfaceItem): string[] =>
  [name, port?.description ?? '', ...macs].map(toNameKey)

const typeFilter = choiceFilter<InterfaceItem>({ choices: INTERFACE_TYPE, get: readInterfaceType })

/** The filters by the device of an item: by name, and by number. */
export const ownerFilters = <Item>(
  name: 'device' | 'virtual_machine',
  deviceId: (item: Item) => string,
): Readonly<Record<string, Filter<Item>>> =>
  objectFilters<Item>(name, 'name', {
    of: RESOLVERS[name === 'device' ? 'dcim.device' : 'virtualization.virtualmachine'],
    keys: (item) => [deviceId(item)],
    column: 'devices.id',
  })

export const commonFilters = (custom: CustomFields<InterfaceItem>): Filters => ({
  q: ownFilter<InterfaceItem, string>({
    message: 'Enter a text.',
    parse: toNameKey,
    test: (item, text) => listTexts(item).some((held) => held.includes(text)),
  }),
  name: textFilter({ get: ({ name }) => name }),
  description: textFilter({ get: ({ port }) => port?.description ?? '' }),
  enabled: flagFilter({ get: ({ port }) => port?.enabled ?? true }),
  mac_address: narrowDevices(
    ownFilter<InterfaceItem, string>({
      message: 'Enter a valid MAC address.',
      lookups: ['', 'n'],
      parse: parseMac,
      test: ({ macs }, mac) => macs.includes(mac),
    }),
    hasMac,
  ),
  mode: choiceFilter({ choices: INTERFACE_MODE, get: (item, world: World) => readMode(custom, item, world) }),
  ...objectFilters<InterfaceItem>('vlan', 'vid', { of: RESOLVERS['ipam.vlan'], keys: listVlanKeys }),
  ...placeFilters<InterfaceItem>({
    datacenterId: ({ device }) => device.datacenter_id,
    column: 'devices.datacenter_id',
    hasUnassigned: true,
  }),
  ...customObjectFilters(custom, { name: 'vrf', by: 'rd_or_name', of: RESOLVERS['ipam.vrf'] }),
  ...tagFilters<InterfaceItem>((item, world) => [custom.get(item, 'tags', world) ?? []].flat().map(String)),
})

const aboveFilter = (
  above: 'lag' | 'parent',
  kind: 'dcim.interface' | 'virtualization.vminterface',
): Filter<InterfaceItem> =>
  objectFilter<InterfaceItem>({
    of: RESOLVERS[kind],
    by: 'number',
    keys: (item) => (item.parent && readAbove(item) === above ? [item.parent.id] : []),
  })

export const deviceInterfaceFilters = (custom: CustomFields<InterfaceItem>): Filters => {
  const ofDevice = ownerFilters<InterfaceItem>('device', ({ device }) => device.id)
  const ofRack = objectFilters<InterfaceItem>('rack', 'name', {
    of: RESOLVERS['dcim.rack'],
    keys: ({ device }) => (device.mount ? [device.mount.rack_id] : []),
    column: 'devices.rack_id',
  })
  return {
    ...commonFilters(custom),
    ...ofDevice,
    ...ofRack,
    virtual_chassis_member_id: objectFilter<InterfaceItem>({
      of: RESOLVERS['dcim.device'],
      by: 'number',
      keys: ({ device }) => [device.id],
      column: 'devices.id',
      isLenient: true,
    }),
    type: typeFilter,
    form_factor: typeFilter,
    kind: ownFilter<InterfaceItem, string>({
      message: `Select a valid choice: ${Object.keys(KINDS).join(', ')}.`,
      lookups: ['', 'n'],
      parse: (text) => (Object.hasOwn(KINDS, text.toLowerCase()) ? text.toLowerCase() : undefined),
      test: (item, kind) => KINDS[kind]?.(readInterfaceType(item)) === true,
    }),
    lag_id: aboveFilter('lag', 'dcim.interface'),
    parent_id: aboveFilter('parent', 'dcim.interface'),
    cabled: narrowCabled(flagFilter({ get: ({ links }) => links?.cable !== undefined })),
    connected: narrowCabled(flagFilter({ get: ({ links }) => links?.isReachable === true })),
  }
}

export const machineInterfaceFilters = (custom: CustomFields<InterfaceItem>): Filters => ({
  ...commonFilters(custom),
  ...ownerFilters<InterfaceItem>('virtual_machine', ({ device }) => device.id),
  parent_id: aboveFilter('parent', 'virtualization.vminterface'),
})
