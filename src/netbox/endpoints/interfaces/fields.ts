/** The fields that interfaces of devices and of virtual machines have alike. */
import { INTERFACE_MODE, INTERFACE_TYPE } from '../../choices/interfaces.ts'
import { CustomFields } from '../../endpoint/custom.ts'
import type { Field } from '../../endpoint/field.ts'
import { flag, head, readOnly, text, times, toChoice } from '../../endpoint/fields.ts'
import { RESOLVERS } from '../../endpoint/resolvers.ts'
import { isMachine, NESTED_SETS, nestVlan, nestVrf } from '../../world/nested.ts'
import { nestInterface, nestMac, nestParentInterface, toShownMac } from '../../world/nested-interfaces.ts'
import { prepareWorld } from '../../world/prepare.ts'
import type { World } from '../../world/world.ts'
import { type InterfaceItem, toShown } from './items.ts'

export type InterfaceField = Field<InterfaceItem>

/** Custom fields of ports. An interface without a port has no values. */
export const createPortFields = (): CustomFields<InterfaceItem> =>
  new CustomFields<InterfaceItem>('ports', ({ port }) => port?.custom)

export const readInterfaceType = ({ port }: InterfaceItem): keyof typeof INTERFACE_TYPE => {
  const type = port?.type.toLowerCase() ?? ''
  // The keys of a constant.
  return Object.hasOwn(INTERFACE_TYPE, type) ? (type as keyof typeof INTERFACE_TYPE) : 'other'
}

/** Types that are no hardware: the port above one of them is its parent, that above another one its LAG. */
export const VIRTUAL_TYPES: ReadonlySet<string> = new Set(['virtual', 'bridge', 'lag'])

/** Returns whether the port above is shown as LAG or as parent. */
export const readAbove = (item: InterfaceItem): 'lag' | 'parent' | undefined => {
  if (!item.parent) return undefined
  // Virtual machines have no LAGs in NetBox.
  if (isMachine(item.device)) return 'parent'
  return item.parent.type.toLowerCase() === 'lag' && !VIRTUAL_TYPES.has(readInterfaceType(item)) ? 'lag' : 'parent'
}

/** The mode that follows from VLANs. */
export const deriveMode = (hasUntagged: boolean, hasTagged: boolean): 'tagged' | 'access' | null => {
  if (hasTagged) return 'tagged'
  return hasUntagged ? 'access' : null
}

type Mode = keyof typeof INTERFACE_MODE

/** True if an interface with the VLANs of one mode may be of another one by a custom field. */
export const fitsMode = (stored: unknown, derived: Mode | null): stored is Mode => {
  if (typeof stored !== 'string' || !Object.hasOwn(INTERFACE_MODE, stored)) return false
  if (derived === null || stored === 'q-in-q') return true
  return derived === 'access' && stored !== 'access'
}

export const readMode = (custom: CustomFields<InterfaceItem>, item: InterfaceItem, world: World): Mode | null => {
  const derived = deriveMode(item.untagged !== undefined, item.tagged.length > 0)
  const stored = custom.get(item, 'mode', world)
  return fitsMode(stored, derived) ? stored : derived
}

export const isOccupied = (custom: CustomFields<InterfaceItem>, item: InterfaceItem, world: World): boolean =>
  item.links?.cable !== undefined || custom.get(item, 'mark_connected', world) === true

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
      type: { is: 'object', of: kind },
      isNullable: true,
      read: (item, world) => (readAbove(item) === 'parent' ? nestAbove(item, world) : null),
    } satisfies InterfaceField,
    lag: {
      name: 'lag',
      type: { is: 'object', of: kind },
      isNullable: true,
      read: (item, world) => (readAbove(item) === 'lag' ? nestAbove(item, world) : null),
    } satisfies InterfaceField,
    mac: {
      name: 'mac_address',
      type: { is: 'string' },
      isNullable: true,
      read: ({ macs: [mac] }) => (mac === undefined ? null : toShownMac(mac)),
    } satisfies InterfaceField,
    primaryMac: {
      name: 'primary_mac_address',
      type: { is: 'object', of: 'dcim.macaddress' },
      isNullable: true,
      read: ({ macs: [mac], key }, world) => (mac === undefined ? null : nestMac(world, mac, key)),
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
    },
    untagged: {
      name: 'untagged_vlan',
      type: { is: 'object', of: 'ipam.vlan' },
      isNullable: true,
      read: ({ untagged }, world) => nestVlan(world, untagged),
    } satisfies InterfaceField,
    tagged: {
      name: 'tagged_vlans',
      type: { is: 'objects', of: 'ipam.vlan' },
      read: ({ tagged }, world) => tagged.map((vlan) => nestVlan(world, vlan)),
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
