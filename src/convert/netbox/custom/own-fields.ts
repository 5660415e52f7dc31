/** Values of NetBox itself that have no field in Plat and become custom fields: roles, statuses, tags and kinds of places. */
import type { CustomResource } from '../../../resource/custom/fields.ts'
import type { SourceField } from '../../custom/definition.ts'
import { toRef } from '../mapping.ts'
import type { NetboxModel } from '../model.ts'
import { PLACE_TYPES, REGION, SITE, SITE_GROUP } from '../places.ts'
import type { NetboxObject } from '../read/objects.ts'
import { getCustomResource } from './custom-kinds.ts'

type OwnName = 'place_type' | 'role' | 'site_group' | 'status' | 'tags'

const FIELDS: Readonly<Record<OwnName, Omit<SourceField, 'resource' | 'key'>>> = {
  place_type: { label: 'Place type', type: 'choice', choices: Object.values(PLACE_TYPES) },
  role: { label: 'Role', type: 'choice' },
  site_group: { label: 'Site group', type: 'reference', reference_to: 'datacenters' },
  status: { label: 'Status', type: 'choice' },
  tags: { label: 'Tags', type: 'choice', multiple: true },
}

/** The kinds with a role, and the kind of the role. */
const ROLES: Readonly<Record<string, string>> = {
  'ipam.iprange': 'ipam.role',
  'ipam.prefix': 'ipam.role',
  'ipam.vlan': 'ipam.role',
}

const STATUSES = new Set(['dcim.rack', 'ipam.ipaddress', 'ipam.iprange', 'ipam.prefix', 'ipam.vlan'])

/** Resources with tags. */
const TAGGED: readonly string[] = ['devices', 'pools']

/** Keys of fields of NetBox itself, which no custom field of it has. They are sorted after its custom fields. */
const PREFIX = '~'

/** Returns the values of an object that are no custom fields in NetBox, by their keys. */
export const listOwnValues = (model: NetboxModel, kind: string, object: NetboxObject): [string, unknown][] => {
  const resource = getCustomResource(kind)
  const role = ROLES[kind]
  const tags = model.tags(object)
  const { region, group } = object
  const isRow = (of: string, id: unknown): id is number => typeof id === 'number' && model.isListed(of, id)
  const values: [OwnName, unknown][] = []
  if (kind in PLACE_TYPES && model.hasSeveralPlaces) values.push(['place_type', PLACE_TYPES[kind]])
  if (role !== undefined && object.role !== undefined) values.push(['role', model.label(role, object.role)])
  // A site in a region and a group is below its region.
  if (kind === SITE && isRow(REGION, region) && isRow(SITE_GROUP, group))
    values.push(['site_group', toRef(SITE_GROUP, group)])
  if (STATUSES.has(kind) && (object.status ?? 'active') !== 'active') values.push(['status', object.status])
  if (resource !== undefined && !TAGGED.includes(resource) && tags.length > 0) values.push(['tags', tags])
  return values.map(([name, value]) => [PREFIX + name, value])
}

const isOwnName = (name: string): name is OwnName => Object.hasOwn(FIELDS, name)

/** Returns the field of a key of `listOwnValues`; undefined for a custom field of NetBox. */
export const findOwnField = (resource: CustomResource, key: string): SourceField | undefined => {
  const name = key.slice(PREFIX.length)
  if (!key.startsWith(PREFIX) || !isOwnName(name)) return undefined
  return { resource, key, name, ...FIELDS[name], refs: { netbox: `field.${name}.${resource}` } }
}
