/** The resources of objects with custom fields, and of the objects that they refer to. */
import { type CustomResource, isReferenceTarget, type ReferenceTarget } from '../../../resource/custom/fields.ts'
import { findPackKind } from '../../objects/packs.ts'
import { getPluginKindId } from '../read/plugin-kinds.ts'

/** The kinds whose objects become objects of the kinds of packs. */
const PACK_KINDS: Readonly<Record<string, CustomResource>> = {
  'circuits.circuit': 'circuits',
  'circuits.provider': 'providers',
  'circuits.providernetwork': 'provider-networks',
  'circuits.virtualcircuit': 'circuits',
  'dcim.inventoryitem': 'parts',
  'dcim.module': 'parts',
  'dcim.modulebay': 'parts',
  'dcim.rackreservation': 'rack-reservations',
  'dcim.virtualchassis': 'stacks',
  'ipam.asn': 'as-numbers',
  'ipam.fhrpgroup': 'fhrp-groups',
  'ipam.l2vpn': 'vpns',
  'ipam.routetarget': 'route-targets',
  'ipam.service': 'services',
  'tenancy.contact': 'contacts',
  'tenancy.contactgroup': 'contacts',
  'tenancy.tenant': 'tenants',
  'tenancy.tenantgroup': 'tenants',
  'virtualization.cluster': 'clusters',
  'virtualization.clustergroup': 'clusters',
  'virtualization.virtualdisk': 'parts',
  'vpn.l2vpn': 'vpns',
  'vpn.tunnel': 'vpns',
  'wireless.wirelesslan': 'wireless-networks',
}

/** The resource of the objects of each kind. Objects of other kinds have no custom fields in Plat. */
const RESOURCES: Readonly<Record<string, CustomResource>> = {
  ...PACK_KINDS,
  'dcim.cable': 'cables',
  'dcim.consoleport': 'ports',
  'dcim.consoleserverport': 'ports',
  'dcim.device': 'devices',
  'dcim.frontport': 'ports',
  'dcim.interface': 'ports',
  'dcim.location': 'datacenters',
  'dcim.powerfeed': 'ports',
  'dcim.poweroutlet': 'ports',
  'dcim.powerpanel': 'devices',
  'dcim.powerport': 'ports',
  'dcim.rack': 'racks',
  'dcim.rearport': 'ports',
  'dcim.region': 'datacenters',
  'dcim.site': 'datacenters',
  'dcim.sitegroup': 'datacenters',
  'ipam.aggregate': 'networks',
  'ipam.ipaddress': 'addresses',
  'ipam.iprange': 'pools',
  'ipam.prefix': 'networks',
  'ipam.vlan': 'vlans',
  'ipam.vrf': 'spaces',
  'virtualization.virtualmachine': 'devices',
  'virtualization.vminterface': 'ports',
}

export const getCustomResource = (kind: string): CustomResource | undefined =>
  Object.hasOwn(RESOURCES, kind) ? RESOURCES[kind] : getPluginKindId(kind)

/** Kinds that had no row before, so that earlier imports have the names of their objects as texts. */
const NEW_ROWS = new Set(['dcim.location', 'dcim.powerpanel', 'dcim.region', 'dcim.sitegroup'])

/** True for a field that an earlier import may have as a text, and that is a reference now. */
export const wasText = (related: string): boolean =>
  NEW_ROWS.has(related) || Object.hasOwn(PACK_KINDS, related) || getPluginKindId(related) !== undefined

/** Returns the resource that a reference to an object of a kind can name. */
export const getTarget = (kind: string): ReferenceTarget | undefined => {
  const resource = getCustomResource(kind)
  if (resource === undefined) return undefined
  const isKind = findPackKind(resource) !== undefined || getPluginKindId(kind) !== undefined
  return isKind || isReferenceTarget(resource) ? resource : undefined
}
