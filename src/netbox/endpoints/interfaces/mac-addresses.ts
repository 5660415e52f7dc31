/** `dcim/mac-addresses`: the MAC addresses of the interfaces of devices and virtual machines. */
import { type SqlBool, sql } from 'kysely'
import { isOneOf } from '../../../database/query/below.ts'
import { parseMac } from '../../../net/mac.ts'
import type { Endpoint } from '../../endpoint/endpoint.ts'
import { head, readOnly, times } from '../../endpoint/fields.ts'
import { type Filter, ownFilter } from '../../endpoint/filter.ts'
import { objectFilter } from '../../endpoint/object-filter.ts'
import { objectFilters } from '../../endpoint/place-filters.ts'
import { RESOLVERS } from '../../endpoint/resolvers.ts'
import { buildMacKey } from '../../numbers/keys.ts'
import { isMachine } from '../../world/machines.ts'
import { toInterfaceKind, toShownMac } from '../../world/nested-interfaces.ts'
import { NumberField } from '../../world/world.ts'
import { nestItem, prepareInterfaces } from './fields.ts'
import { hasMac, narrowDevices } from './filters.ts'
import { findDeviceIds, INTERFACE_TABLES } from './interface-source.ts'
import { type InterfaceItem, listInterfaces } from './items.ts'
import { loadLinks } from './links.ts'
import { fromDevices } from './source.ts'

type MacItem = { readonly mac: string; readonly owner: InterfaceItem }

const getOwnerKind = ({ owner }: MacItem) => toInterfaceKind(owner.device)

const source = fromDevices<MacItem>({
  tables: INTERFACE_TABLES,
  name: 'mac addresses',
  isOfKind: sql<SqlBool>`(EXISTS (SELECT 1 FROM ports WHERE ports.device_id = devices.id AND ports.mac_address <> '')
    OR EXISTS (SELECT 1 FROM addresses WHERE addresses.device_id = devices.id AND addresses.mac_address <> ''))`,
  list: async (world, devices) => {
    const interfaces = await listInterfaces(world, devices)
    return interfaces.flatMap((owner) => owner.macs.map((mac) => ({ mac, owner })))
  },
  load: async (world, items) => {
    const owners = await loadLinks(
      world,
      items.map(({ owner }) => owner),
    )
    return items.map((item, at) => ({ ...item, owner: owners[at] ?? item.owner }))
  },
  key: ({ mac, owner }) => buildMacKey(mac, owner.key),
  // The key of the interface is behind the MAC address.
  findDeviceIds: ({ ctx }, keys) =>
    findDeviceIds(
      ctx,
      keys.map((key) => key.slice(key.indexOf(' ') + 1)),
    ),
})

const interfaceFilter = (kind: 'dcim.interface' | 'virtualization.vminterface'): Filter<MacItem> =>
  objectFilter<MacItem>({
    of: RESOLVERS[kind],
    by: 'number',
    keys: (item) => (getOwnerKind(item) === kind ? [item.owner.key] : []),
  })

/** A MAC address of a device has no virtual machine, and the other way round. */
const ownerFilters = (name: string, kind: 'dcim.device' | 'virtualization.virtualmachine') =>
  objectFilters<MacItem>(name, 'name', {
    of: RESOLVERS[kind],
    keys: ({ owner: { device } }) => (isMachine(device) === (kind !== 'dcim.device') ? [device.id] : []),
    sql: ({ keys, isNoneWanted }) => {
      if (isNoneWanted) return undefined
      return keys.length === 0 ? sql<SqlBool>`1 = 0` : isOneOf('devices.id', keys)
    },
  })

const macFilter: Filter<MacItem> = narrowDevices(
  ownFilter<MacItem, string>({
    message: 'Enter a valid MAC address.',
    lookups: ['', 'n'],
    parse: parseMac,
    test: (item, mac) => item.mac === mac,
  }),
  hasMac,
)

export const macAddresses: Endpoint<MacItem> = {
  path: 'dcim/mac-addresses',
  kind: 'dcim.macaddress',
  key: ({ mac, owner }) => buildMacKey(mac, owner.key),
  brief: ['id', 'url', 'display', 'mac_address', 'description'],
  fields: [
    ...head<MacItem>({
      page: ({ owner }) => `/devices/${owner.device.id}`,
      display: ({ mac }) => toShownMac(mac),
    }),
    readOnly('mac_address', 'string', ({ mac }) => toShownMac(mac)),
    readOnly('assigned_object_type', 'string', getOwnerKind),
    readOnly('assigned_object_id', 'integer', (item) => new NumberField(getOwnerKind(item), item.owner.key)),
    readOnly('assigned_object', 'json', ({ owner }, world) => nestItem(world, owner)),
    readOnly('description', 'string', () => ''),
    readOnly('owner', 'json', () => null),
    readOnly('comments', 'string', () => ''),
    readOnly('tags', 'json', () => []),
    readOnly('custom_fields', 'json', () => ({})),
    ...times<MacItem>(({ owner }) => owner.port),
  ],
  source,
  prepare: prepareInterfaces,
  filters: {
    q: ownFilter<MacItem, string>({
      message: 'Enter a text.',
      parse: (text) => text.toLowerCase(),
      test: ({ mac }, text) => mac.includes(text),
    }),
    mac_address: macFilter,
    ...ownerFilters('device', 'dcim.device'),
    ...ownerFilters('virtual_machine', 'virtualization.virtualmachine'),
    interface_id: interfaceFilter('dcim.interface'),
    vminterface_id: interfaceFilter('virtualization.vminterface'),
  },
}
