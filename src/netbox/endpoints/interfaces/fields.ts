/** The fields that interfaces of devices and of virtual machines have alike. */
import { INTERFACE_MODE } from '../../choices/interfaces.ts'
import type { CustomFields } from '../../endpoint/custom.ts'
import type { Field } from '../../endpoint/field.ts'
import { flag, head, readOnly, text, times, toChoice } from '../../endpoint/fields.ts'
import { RESOLVERS } from '../../endpoint/resolvers.ts'
import { NESTED_SETS, nestVlan, nestVrf } from '../../world/nested.ts'
import { nestInterface, nestMac, nestParentInterface, toShownMac } from '../../world/nested-interfaces.ts'
import { prepareWorld } from '../../world/prepare.ts'
import type { World } from '../../world/world.ts'
import { writeAbove, writeMac, writePrimaryMac, writeTagged, writeUntagged } from './field-writes.ts'
import { type InterfaceItem, toShown } from './items.ts'
import { readAbove, readMode } from './values.ts'

export type InterfaceField = Field<InterfaceItem>

const nestAbove = (item: InterfaceItem, world: World) => {
  const { parent, device, links } = item
  return parent
    ? nestParentInterface(world, { key: parent.id, name: parent.name, device, cable: links?.parentCable })
    : null
}

export const headFields: InterfaceField[] = head<InterfaceItem>({
  page: ({ device }) => `/devices/${device.id}`,
  display: ({ name }) => name,
})

/** @param kind of the interfaces */
export const createReads = (
  custom: CustomFields<InterfaceItem>,
  kind: 'dcim.interface' | 'virtualization.vminterface',
) => {
  // The readers of the custom field are replaced, but it serves as the field.
  const mode = custom.choice('mode', INTERFACE_MODE)
  return {
    name: text<InterfaceItem>('name', { read: ({ name }) => name, to: 'name', isRequired: true, max: 64 }),
    enabled: flag<InterfaceItem>('enabled', { read: ({ port }) => port?.enabled ?? true, to: 'enabled' }),
    parent: {
      name: 'parent',
      type: { is: 'object', of: kind, isNested: true },
      isNullable: true,
      read: (item, world) => (readAbove(item) === 'parent' ? nestAbove(item, world) : null),
      write: writeAbove('parent', kind),
    } satisfies InterfaceField,
    lag: {
      name: 'lag',
      type: { is: 'object', of: kind, isNested: true },
      isNullable: true,
      read: (item, world) => (readAbove(item) === 'lag' ? nestAbove(item, world) : null),
      write: writeAbove('lag', kind),
    } satisfies InterfaceField,
    mac: {
      name: 'mac_address',
      type: { is: 'string' },
      isNullable: true,
      read: ({ macs: [mac] }) => (mac === undefined ? null : toShownMac(mac)),
      write: writeMac,
    } satisfies InterfaceField,
    primaryMac: {
      name: 'primary_mac_address',
      type: { is: 'object', of: 'dcim.macaddress' },
      isNullable: true,
      read: ({ macs: [mac], key }, world) => (mac === undefined ? null : nestMac(world, mac, key)),
      write: writePrimaryMac,
    } satisfies InterfaceField,
    macs: readOnly<InterfaceItem>('mac_addresses', { is: 'objects', of: 'dcim.macaddress' }, ({ macs, key }, world) =>
      macs.map((mac) => nestMac(world, mac, key)),
    ),
    description: text<InterfaceItem>('description', {
      read: ({ port }) => port?.description ?? '',
      to: 'description',
    }),
    mode: {
      ...mode,
      read: (item: InterfaceItem, world: World) => toChoice(INTERFACE_MODE, readMode(custom, item, world)),
      // It is compared with the VLANs once they are known.
      write: () => {},
    },
    untagged: {
      name: 'untagged_vlan',
      type: { is: 'object', of: 'ipam.vlan' },
      isNullable: true,
      read: ({ untagged }, world) => nestVlan(world, untagged),
      write: writeUntagged,
    } satisfies InterfaceField,
    tagged: {
      name: 'tagged_vlans',
      type: { is: 'objects', of: 'ipam.vlan' },
      read: ({ tagged }, world) => tagged.map((vlan) => nestVlan(world, vlan)),
      write: writeTagged,
    } satisfies InterfaceField,
    vrf: custom.object('vrf', RESOLVERS['ipam.vrf'], (world, id) => nestVrf(world, typeof id === 'string' ? id : null)),
    tags: custom.tags(),
    times: times<InterfaceItem>(({ port }) => port),
    addresses: readOnly<InterfaceItem>('count_ipaddresses', 'integer', ({ addresses }) => addresses),
  }
}

/** The other end of the cable, or of the path, as a list of at most one. */
export const nestEnd = (world: World, item: InterfaceItem, end: 'peer' | 'endpoint') => {
  const one = item.links?.[end]
  return one ? nestInterface(world, one) : null
}

export const nestItem = (world: World, item: InterfaceItem) => nestInterface(world, toShown(item))

export const prepareInterfaces = (world: World): Promise<void> =>
  prepareWorld(world, {
    sets: NESTED_SETS,
    names: ['extras.tag'],
    definitions: ['ports', 'devices', 'spaces', 'tenants', 'clusters'],
  })
