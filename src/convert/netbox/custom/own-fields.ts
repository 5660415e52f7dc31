/** Values of NetBox itself that have no field in Plat: custom fields that packs bring, and others such as roles, statuses and tags. */
import type { CustomResource } from '../../../resource/custom/fields.ts'
import { toPackKey } from '../../custom/custom-rows.ts'
import type { SourceField } from '../../custom/definition.ts'
import { findPackField } from '../../objects/packs.ts'
import { toRef } from '../mapping.ts'
import type { NetboxModel } from '../model.ts'
import { isMadeOf } from '../objects/tenancy.ts'
import type { ObjectValues } from '../objects/values.ts'
import { PLACE_TYPES, REGION, SITE, SITE_GROUP } from '../places.ts'
import type { NetboxObject } from '../read/objects.ts'
import { getCustomResource } from './custom-kinds.ts'

type Own = Omit<SourceField, 'resource' | 'key'>

const toContacts = (label: string): Own => ({ label, type: 'reference', reference_to: 'contacts', multiple: true })

/** Fields of a resource for which no pack has one. */
const FIELDS: Readonly<Record<string, Own>> = {
  contacts: toContacts('Contacts'),
  groups: { label: 'Groups', type: 'choice', multiple: true },
  module: { label: 'Module', type: 'reference', reference_to: 'parts' },
  place_type: { label: 'Place type', type: 'choice', choices: Object.values(PLACE_TYPES) },
  role: { label: 'Role', type: 'choice' },
  site_group: { label: 'Site group', type: 'reference', reference_to: 'datacenters' },
  slug: { label: 'Slug', type: 'text' },
  status: { label: 'Status', type: 'choice' },
  tags: { label: 'Tags', type: 'choice', multiple: true },
  tenant: { label: 'Tenant', type: 'reference', reference_to: 'tenants' },
}

/** Contacts with a role have a field each. */
const CONTACTS_OF_ROLE = 'contacts_'

/** The kinds with a role, and the kind of the role. */
const ROLES: Readonly<Record<string, string>> = {
  'dcim.rack': 'dcim.rackrole',
  'ipam.asn': 'ipam.role',
  'ipam.iprange': 'ipam.role',
  'ipam.prefix': 'ipam.role',
  'ipam.vlan': 'ipam.role',
}

const STATUSES = new Set(['dcim.rack', 'ipam.ipaddress', 'ipam.iprange', 'ipam.prefix', 'ipam.vlan'])

/** The statuses of devices that are none of Plat, whose own status is the nearest one. */
export const FURTHER_STATUSES: Readonly<Record<string, ReadonlySet<string>>> = {
  'dcim.device': new Set(['staged', 'failed', 'inventory']),
  'virtualization.virtualmachine': new Set(['staged', 'failed', 'paused']),
}

/** Resources with tags. */
const TAGGED: readonly string[] = ['devices', 'pools']

/** Keys of fields of NetBox itself, which no custom field of it has. They are sorted after its custom fields. */
const PREFIX = '~'

type Reading = { readonly model: NetboxModel; readonly values: ObjectValues }

/** Returns the values of an object that are no custom fields in NetBox, by their keys. */
export const listOwnValues = (
  { model, values: others }: Reading,
  kind: string,
  object: NetboxObject,
): [string, unknown][] => {
  const resource = getCustomResource(kind)
  if (resource === undefined) return []
  const role = ROLES[kind]
  const tags = model.tags(object)
  const { region, group } = object
  const isRow = (of: string, id: unknown): id is number => typeof id === 'number' && model.isListed(of, id)
  const values: (readonly [string, unknown])[] = []
  if (kind in PLACE_TYPES && model.hasSeveralPlaces) values.push(['place_type', PLACE_TYPES[kind]])
  if (role !== undefined && object.role !== undefined) values.push(['role', model.label(role, object.role)])
  // A site in a region and a group is below its region.
  if (kind === SITE && isRow(REGION, region) && isRow(SITE_GROUP, group))
    values.push(['site_group', toRef(SITE_GROUP, group)])
  if (kind in PLACE_TYPES && !isMadeOf(object.slug, object.name)) values.push(['slug', object.slug])
  if (FURTHER_STATUSES[kind]?.has(String(object.status))) values.push(['status', object.status])
  if (STATUSES.has(kind) && (object.status ?? 'active') !== 'active') values.push(['status', object.status])
  if (!TAGGED.includes(resource) && tags.length > 0) values.push(['tags', tags])
  values.push(...others.of(kind, object))
  return values.map(([name, value]) => [findPackField(resource, name) ? toPackKey(name) : PREFIX + name, value])
}

const findOwn = (name: string, roles: ReadonlyMap<string, string>): Own | undefined => {
  if (Object.hasOwn(FIELDS, name)) return FIELDS[name]
  return name.startsWith(CONTACTS_OF_ROLE) ? toContacts(`Contacts (${roles.get(name) ?? name})`) : undefined
}

/** Returns the field of a key of `listOwnValues`; undefined for a custom field of NetBox. */
export const findOwnField = (
  { contactRoles }: ObjectValues,
  resource: CustomResource,
  key: string,
): SourceField | undefined => {
  const name = key.slice(PREFIX.length)
  const field = key.startsWith(PREFIX) ? findOwn(name, contactRoles) : undefined
  // A device has a status of its own.
  const named = resource === 'devices' && name === 'status' ? { label: 'Status in NetBox' } : {}
  return field && { resource, key, name, ...field, ...named, refs: { netbox: `field.${name}.${resource}` } }
}
