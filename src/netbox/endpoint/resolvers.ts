/** How requests name objects, by NetBox's names of their models. */

import { parseVlanKey } from '../numbers/keys.ts'
import { findKeys } from '../numbers/numbers.ts'
import { UNASSIGNED, UNASSIGNED_KEY } from '../world/keys.ts'
import { DEVICE_ROLES, MANUFACTURERS, NETWORK_ROLES, PLATFORMS, TAGS, VLAN_GROUPS } from '../world/names.ts'
import { getRd } from '../world/nested.ts'
import { PLACES } from '../world/places.ts'
import { CLUSTERS, RACKS, SPACES, TENANTS, TEXT_TYPES, TYPES, VLANS } from '../world/sets.ts'
import { ADDRESS_RESOLVER, createDeviceResolver, createInterfaceResolver } from './query-resolvers.ts'
import { type Resolver, setResolver } from './resolver.ts'

/** Sites have one more: the one of objects in none. */
const sites = setResolver('dcim.site', PLACES)
const SITES: Resolver = {
  ...sites,
  byNumbers: async (world, numbers) => {
    const found = new Map(await sites.byNumbers(world, numbers))
    for (const [number, key] of await findKeys(world.writer, 'dcim.site', numbers))
      if (key === UNASSIGNED_KEY) found.set(number, key)
    return found
  },
  byAttribute: async (world, attribute, value) => {
    const found = await sites.byAttribute(world, attribute, value)
    const isUnassigned = value === (attribute === 'slug' ? UNASSIGNED.slug : UNASSIGNED.name)
    return found.length === 0 && isUnassigned ? [UNASSIGNED_KEY] : found
  },
}

const vrfs = setResolver('ipam.vrf', SPACES)
const VRFS: Resolver = {
  ...vrfs,
  attributes: ['name', 'rd'],
  byAttribute: async (world, attribute, value) => {
    if (attribute === 'name') return vrfs.byAttribute(world, attribute, value)
    const { all } = await world.read(SPACES)
    const keys = all.filter(({ space }) => getRd(space) === value).map(({ key }) => key)
    // As a filter, a value is a route distinguisher or a name.
    return keys.length === 0 && attribute === 'rd_or_name' ? vrfs.byAttribute(world, 'name', value) : keys
  },
}

const vlans = setResolver('ipam.vlan', VLANS)
const VLAN_RESOLVER: Resolver = {
  ...vlans,
  attributes: ['vid', 'name'],
  byNumbers: async (world, numbers) => {
    const found = new Map(await vlans.byNumbers(world, numbers))
    const places = await world.read(PLACES)
    // Interfaces have numbers that no network has.
    for (const [number, key] of await findKeys(world.writer, 'ipam.vlan', numbers)) {
      const place = parseVlanKey(key)
      if (place && (place.datacenterId === null || places.find(place.datacenterId))) found.set(number, key)
    }
    return found
  },
  byAttribute: async (world, attribute, value) =>
    attribute === 'vid'
      ? (await world.read(VLANS)).all.flatMap(({ key, vid }) => (String(vid) === value ? [key] : []))
      : vlans.byAttribute(world, attribute, value),
}

const types = setResolver('dcim.devicetype', TYPES)
const texts = setResolver('dcim.devicetype', TEXT_TYPES)
const TYPE_RESOLVER: Resolver = {
  ...types,
  attributes: ['model', 'slug'],
  byNumbers: async (world, numbers) =>
    new Map([...(await texts.byNumbers(world, numbers)), ...(await types.byNumbers(world, numbers))]),
  byAttribute: async (world, attribute, value) => [
    ...(await types.byAttribute(world, attribute, value)),
    ...(await texts.byAttribute(world, attribute, value)),
  ],
}

export const RESOLVERS = {
  'dcim.interface': createInterfaceResolver('dcim.interface'),
  'dcim.device': createDeviceResolver('dcim.device', false),
  'dcim.devicerole': setResolver('dcim.devicerole', DEVICE_ROLES),
  'dcim.devicetype': TYPE_RESOLVER,
  'dcim.location': setResolver('dcim.location', PLACES),
  'dcim.manufacturer': setResolver('dcim.manufacturer', MANUFACTURERS),
  'dcim.platform': setResolver('dcim.platform', PLATFORMS),
  'dcim.rack': setResolver('dcim.rack', RACKS),
  'dcim.region': setResolver('dcim.region', PLACES),
  'dcim.site': SITES,
  'dcim.sitegroup': setResolver('dcim.sitegroup', PLACES),
  'extras.tag': setResolver('extras.tag', TAGS),
  'ipam.ipaddress': ADDRESS_RESOLVER,
  'ipam.role': setResolver('ipam.role', NETWORK_ROLES),
  'ipam.vlan': VLAN_RESOLVER,
  'ipam.vlangroup': setResolver('ipam.vlangroup', VLAN_GROUPS),
  'ipam.vrf': VRFS,
  'tenancy.tenant': setResolver('tenancy.tenant', TENANTS),
  'virtualization.cluster': setResolver('virtualization.cluster', CLUSTERS),
  'virtualization.virtualmachine': createDeviceResolver('virtualization.virtualmachine', true),
  'virtualization.vminterface': createInterfaceResolver('virtualization.vminterface'),
} as const satisfies Readonly<Record<string, Resolver>>

/** The kinds of the objects that custom fields of a resource or a kind of Plat refer to. */
export const CUSTOM_TARGETS: Readonly<Record<string, readonly (keyof typeof RESOLVERS)[]>> = {
  datacenters: ['dcim.site', 'dcim.location', 'dcim.region', 'dcim.sitegroup'],
  devices: ['dcim.device', 'virtualization.virtualmachine'],
  racks: ['dcim.rack'],
  spaces: ['ipam.vrf'],
  vlans: ['ipam.vlan'],
  tenants: ['tenancy.tenant'],
  clusters: ['virtualization.cluster'],
}
