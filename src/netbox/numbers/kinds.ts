/** The kinds of objects that have numbers, by NetBox's names of its models. Loads no schema. */
import type { Resource } from '../../inventory/resources.ts'

/**
 * The resource with refs `netbox` that have numbers of the kind, in the form `<kind>.<number>` of the importer; null for a kind without such refs.
 * The key of an object of a resource is its id.
 */
const KINDS = {
  'dcim.cable': 'cables',
  'dcim.device': 'devices',
  'dcim.devicerole': null,
  'dcim.devicetype': 'device-types',
  'dcim.interface': 'ports',
  'dcim.location': 'datacenters',
  'dcim.macaddress': null,
  'dcim.manufacturer': null,
  'dcim.platform': null,
  'dcim.rack': 'racks',
  'dcim.region': 'datacenters',
  'dcim.site': 'datacenters',
  'dcim.sitegroup': 'datacenters',
  // Its refs also name the resource, because a field of NetBox is several of Plat.
  'extras.customfield': null,
  'extras.tag': null,
  'ipam.ipaddress': 'reservations',
  'ipam.iprange': 'pools',
  'ipam.prefix': 'networks',
  'ipam.role': null,
  'ipam.service': 'objects',
  'ipam.vlan': 'vlans',
  'ipam.vlangroup': null,
  'ipam.vrf': 'spaces',
  'tenancy.tenant': 'objects',
  'virtualization.cluster': 'objects',
  'virtualization.clustertype': null,
  'virtualization.virtualmachine': 'devices',
  'virtualization.vminterface': 'ports',
} as const satisfies Readonly<Record<string, Resource | null>>

/** NetBox's name of a model. */
export type Kind = keyof typeof KINDS

/** All kinds. */
export const KIND_NAMES = Object.keys(KINDS) as readonly Kind[] // the keys of a constant

/** Returns the resource with the refs of the kind. */
export const getRefResource = (kind: Kind): Resource | undefined => KINDS[kind] ?? undefined

/** The largest number that NetBox may have given. Plat counts beyond it. */
export const MAX_GIVEN_NUMBER = 999_999_999
/** The first number that Plat gives, of each kind. */
export const FIRST_OWN_NUMBER = 1_000_000_001
/** Clients hold numbers in 32 bits. */
export const MAX_NUMBER = 2_147_483_647

const GIVEN = /^[1-9]\d{0,8}$/

/** Returns the external id of an object of NetBox, as its ref has it. */
export const toExternalId = (kind: Kind, number: number): string => `${kind}.${number}`

/** Returns the number in an external id; undefined for another kind, and for an object that did not come from NetBox. @example 'dcim.device.42' */
export const parseExternalId = (kind: Kind, externalId: string): number | undefined => {
  if (!externalId.startsWith(`${kind}.`)) return undefined
  const digits = externalId.slice(kind.length + 1)
  return GIVEN.test(digits) ? Number(digits) : undefined
}
