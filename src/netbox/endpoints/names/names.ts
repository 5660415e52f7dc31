/** The endpoints of names: texts of Plat where NetBox has objects. */
import { named } from '../../../contract/fields/fields.ts'
import type { Endpoint } from '../../endpoint/endpoint.ts'
import type { Field } from '../../endpoint/field.ts'
import { counted, flag, head, parseText, readOnly, text, times } from '../../endpoint/fields.ts'
import { flagFilter } from '../../endpoint/filter.ts'
import { placeless, untagged } from '../../endpoint/placeless.ts'
import { textFilters, wordsFilter } from '../../endpoint/set-filters.ts'
import { parseSlug } from '../../endpoint/slug-fields.ts'
import { fromMemory } from '../../endpoint/source.ts'
import * as counters from '../../world/counters.ts'
import { UNASSIGNED, UNKNOWN } from '../../world/keys.ts'
import { MACHINE_TAG } from '../../world/machines.ts'
import { MANUFACTURER_TYPES, TAG_TEXTS, TAG_VALUES } from '../../world/name-counters.ts'
import { DEVICE_ROLES, MANUFACTURERS, NETWORK_ROLES, PLATFORMS, TAGS, VLAN_GROUPS } from '../../world/names.ts'
import { USUAL_COLOR } from '../../world/nested.ts'
import { createNameWrites, isReserved, type NameItem, type NameKind, readAttributes } from './name-writes.ts'

const MAX_NAME = 100
const Name = named(MAX_NAME)

const name: Field<NameItem> = {
  name: 'name',
  type: { is: 'string' },
  isRequired: true,
  read: (item) => item.name,
  write: (value, draft) => {
    const given = parseText(value, draft, { isRequired: true, max: MAX_NAME })
    if (given === undefined) return
    const parsed = Name.safeParse(given)
    if (parsed.success) draft.set('name', parsed.data)
    else for (const { message } of parsed.error.issues) draft.refuse(message)
  },
}

const slug: Field<NameItem> = {
  name: 'slug',
  type: { is: 'string' },
  isRequired: true,
  read: (item) => item.slug,
  write: (value, draft) => {
    const given = parseSlug(value, draft)
    if (given !== undefined) draft.set('slug', given)
  },
}

const color: Field<NameItem> = {
  name: 'color',
  type: { is: 'string' },
  read: (item) => readAttributes(item).color,
  write: (value, draft) => {
    const given = parseText(value, draft, {})
    if (given === undefined) return
    if (given === '') draft.set('color', USUAL_COLOR)
    else if (/^[0-9a-f]{6}$/.test(given)) draft.set('color', given)
    else draft.refuse('Enter a valid hexadecimal RGB color code.')
  },
}

const description = text<NameItem>('description', {
  read: (item) => readAttributes(item).description,
  to: 'description',
  max: 200,
})

const vmRole = flag<NameItem>('vm_role', { read: (item) => readAttributes(item).vm_role, to: 'vm_role' })

const comments = placeless<NameItem>('comments', { type: { is: 'string' }, usual: '' })
const noTimes = times<NameItem>(() => undefined)
const zero = (field: string): Field<NameItem> => readOnly(field, 'integer', () => 0)
const byKey = (field: string, by: counters.Counter): Field<NameItem> => counted(field, by, ({ key }) => [key])
const weight = placeless<NameItem>('weight', { type: { is: 'integer' }, usual: 1000 })

type Parts = NameKind & {
  /** The list of its objects in Plat. */
  readonly page: string
  /** The fields behind the slug. */
  readonly fields: readonly Field<NameItem>[]
  /** The fields of the brief form behind the slug, and of the nested one. */
  readonly brief: readonly string[]
  readonly nested?: readonly string[]
  readonly filters?: Endpoint<NameItem>['filters']
  readonly isReadOnly?: true
}

const createNames = ({ page, fields, brief, nested, filters = {}, isReadOnly, ...own }: Parts): Endpoint<NameItem> => ({
  path: own.path,
  kind: own.kind,
  key: ({ key }) => key,
  brief: ['id', 'url', 'display', 'name', 'slug', ...brief],
  ...(nested && { nested: ['id', 'url', 'display_url', 'display', 'name', 'slug', ...nested] }),
  isSmall: true,
  isStandIn: ({ key }) => isReserved(own, key),
  fields: [...head<NameItem>({ page: () => page, display: (item) => item.name }), name, slug, ...fields],
  source: fromMemory<NameItem>({
    tables: own.set.tables,
    key: ({ key }) => key,
    all: async (world) => (await world.read(own.set)).all,
  }),
  prepare: async (world) => {
    await world.read(own.set)
  },
  filters: {
    q: wordsFilter<NameItem>((item) => [item.name, item.slug]),
    ...textFilters<NameItem>({
      name: (item) => item.name,
      slug: (item) => item.slug,
      description: (item) => readAttributes(item).description,
    }),
    ...filters,
  },
  ...(!isReadOnly && { writes: createNameWrites(own) }),
})

const colorFilter = textFilters<NameItem>({ color: (item) => readAttributes(item).color })

export const deviceRoles = createNames({
  ...{ path: 'dcim/device-roles', kind: 'dcim.devicerole', set: DEVICE_ROLES, reserved: UNASSIGNED.name },
  page: '/devices',
  brief: ['description', 'device_count', 'virtualmachine_count', '_depth'],
  fields: [
    color,
    vmRole,
    placeless('config_template'),
    placeless('parent'),
    description,
    ...untagged<NameItem>(),
    ...noTimes,
    byKey('device_count', counters.ROLE_DEVICES),
    byKey('virtualmachine_count', counters.ROLE_MACHINES),
    placeless('owner'),
    comments,
    zero('_depth'),
  ],
  filters: { ...colorFilter, vm_role: flagFilter<NameItem>({ get: (item) => readAttributes(item).vm_role }) },
})

const platformFields = createNames({
  ...{ path: 'dcim/platforms', kind: 'dcim.platform', set: PLATFORMS },
  page: '/devices',
  brief: ['description', 'device_count', 'virtualmachine_count', '_depth'],
  fields: [
    placeless('manufacturer'),
    placeless('config_template'),
    description,
    placeless('owner'),
    comments,
    ...untagged<NameItem>(),
    ...noTimes,
    byKey('device_count', counters.PLATFORM_DEVICES),
    byKey('virtualmachine_count', counters.PLATFORM_MACHINES),
    zero('_depth'),
  ],
})

/** NetBox has the parent of a platform before its name. */
const FIELDS_BEFORE_PARENT = 4
export const platforms: Endpoint<NameItem> = {
  ...platformFields,
  fields: platformFields.fields.toSpliced(FIELDS_BEFORE_PARENT, 0, placeless<NameItem>('parent')),
}

export const manufacturers = createNames({
  ...{ path: 'dcim/manufacturers', kind: 'dcim.manufacturer', set: MANUFACTURERS, reserved: UNKNOWN },
  page: '/device-types',
  brief: ['description'],
  fields: [
    description,
    placeless('owner'),
    comments,
    ...untagged<NameItem>(),
    ...noTimes,
    byKey('devicetype_count', MANUFACTURER_TYPES),
    ...['moduletype_count', 'inventoryitem_count', 'platform_count'].map(zero),
  ],
})

/** The keys of values of custom fields are in lower case. */
const taggedItems: Field<NameItem> = {
  ...zero('tagged_items'),
  counted: {
    of: [
      ...TAG_TEXTS.map((by) => ({ by, keys: ({ texts }: NameItem) => texts })),
      ...TAG_VALUES.map((by) => ({
        by,
        keys: ({ texts }: NameItem) => [...new Set(texts.map((one) => one.toLowerCase()))],
      })),
    ],
    show: (sum) => sum,
  },
}

export const tags = createNames({
  ...{ path: 'extras/tags', kind: 'extras.tag', set: TAGS, reserved: MACHINE_TAG },
  page: '/devices',
  brief: ['color', 'description'],
  nested: ['color'],
  fields: [
    color,
    description,
    weight,
    placeless('object_types', { type: { is: 'strings' }, usual: [] }),
    taggedItems,
    ...noTimes,
  ],
  filters: colorFilter,
})

export const networkRoles = createNames({
  ...{ path: 'ipam/roles', kind: 'ipam.role', set: NETWORK_ROLES },
  page: '/networks',
  brief: ['description', 'prefix_count', 'vlan_count'],
  fields: [
    weight,
    description,
    placeless('owner'),
    comments,
    ...untagged<NameItem>(),
    ...noTimes,
    byKey('prefix_count', counters.NETWORK_ROLE_PREFIXES),
    byKey('vlan_count', counters.NETWORK_ROLE_VLANS),
  ],
})

const MAX_VLAN = 4094

/** @returns percents of all VLAN numbers */
const formatUtilization = (vlans: number): string => {
  const percent = Math.round((vlans * 10_000) / MAX_VLAN) / 100
  return Number.isInteger(percent) ? percent.toFixed(1) : String(percent)
}

export const vlanGroups = createNames({
  ...{ path: 'ipam/vlan-groups', kind: 'ipam.vlangroup', set: VLAN_GROUPS },
  page: '/vlans',
  brief: ['description', 'vlan_count'],
  isReadOnly: true,
  fields: [
    ...['scope_type', 'scope_id', 'scope'].map((field) => placeless<NameItem>(field)),
    // Groups of Plat have no ranges. NetBox answers pairs, which its own document does not describe: go-netbox can't decode them.
    readOnly('vid_ranges', 'json', () => []),
    placeless('tenant'),
    description,
    placeless('owner'),
    comments,
    ...untagged<NameItem>(),
    ...noTimes,
    byKey('vlan_count', counters.GROUP_VLANS),
    {
      ...readOnly<NameItem>('utilization', 'string', () => formatUtilization(0)),
      counted: { of: [{ by: counters.GROUP_VLANS, keys: ({ key }) => [key] }], show: formatUtilization },
    },
  ],
})
