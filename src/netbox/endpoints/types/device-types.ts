/** `dcim/device-types`: the types of devices, and one for each text that devices have in place of a type. */
import { compareNames } from '../../../net/name-order.ts'
import { toNameSlug } from '../../../net/slug.ts'
import { AIRFLOW, SUBDEVICE_ROLE } from '../../choices/devices.ts'
import { WEIGHT_UNIT } from '../../choices/places.ts'
import { resolveName } from '../../endpoint/custom.ts'
import type { Draft } from '../../endpoint/draft.ts'
import type { Endpoint } from '../../endpoint/endpoint.ts'
import type { Field } from '../../endpoint/field.ts'
import { counted, flag, head, number, parseText, readOnly, text, times } from '../../endpoint/fields.ts'
import { objectFilters } from '../../endpoint/place-filters.ts'
import { placeless, untagged } from '../../endpoint/placeless.ts'
import { RESOLVERS } from '../../endpoint/resolvers.ts'
import { textFilters, wordsFilter } from '../../endpoint/set-filters.ts'
import { parseSlug } from '../../endpoint/slug-fields.ts'
import { fromMemory } from '../../endpoint/source.ts'
import { buildNameKey } from '../../numbers/keys.ts'
import { TYPE_DEVICES } from '../../world/counters.ts'
import { UNKNOWN } from '../../world/keys.ts'
import { MANUFACTURERS } from '../../world/names.ts'
import { nestManufacturer, toDescription, toTextSlug } from '../../world/nested.ts'
import { prepareWorld } from '../../world/prepare.ts'
import { TEXT_TYPES, TYPES, type TypeMember } from '../../world/sets.ts'
import type { Member } from '../../world/small-set.ts'
import type { World } from '../../world/world.ts'
import { descriptionFields } from '../device-writes.ts'

type TypeItem = Member<TypeMember>
type TypeDraft = Draft<TypeItem>

const listTypes = async (world: World): Promise<readonly TypeItem[]> => {
  const { all } = await world.read(TYPES)
  const texts = (await world.read(TEXT_TYPES)).all.map((one) => ({ ...one, slug: toTextSlug(world, one.name) }))
  return [...all, ...texts].sort((a, b) => compareNames(a.name, b.name) || (a.key < b.key ? -1 : 1))
}

const listOthers = async (draft: TypeDraft): Promise<TypeItem[]> =>
  (await listTypes(draft.world)).filter(({ key }) => key !== draft.item?.key)

const writeManufacturer = async (value: unknown, draft: TypeDraft): Promise<void> => {
  const manufacturer = await resolveName(draft, RESOLVERS['dcim.manufacturer'], value)
  if (manufacturer === null) draft.refuse('This field may not be null.')
  else if (manufacturer !== undefined) draft.set('manufacturer', manufacturer)
}

const writeModel = async (value: unknown, draft: TypeDraft): Promise<void> => {
  const model = parseText(value, draft, { isRequired: true, max: 100 })
  if (model === undefined) return
  draft.set('model', model)
  const manufacturer = buildNameKey(String(draft.input.manufacturer ?? draft.item?.manufacturer ?? ''))
  const isTaken = (await listOthers(draft)).some(
    (one) => buildNameKey(one.name) === buildNameKey(model) && buildNameKey(one.manufacturer) === manufacturer,
  )
  if (isTaken) draft.refuseAt('non_field_errors', 'The fields manufacturer, model must make a unique set.')
}

const writeSlug = async (value: unknown, draft: TypeDraft): Promise<void> => {
  const slug = parseSlug(value, draft)
  const model = String(draft.input.model ?? draft.item?.name ?? '')
  if (slug === undefined || (slug === draft.item?.slug && model === draft.item.name)) return
  if ((await listOthers(draft)).some((one) => one.slug === slug))
    return draft.refuse('device type with this slug already exists.')
  // A slug that is not stored follows the model.
  if (draft.item?.type?.slug || slug !== toNameSlug(model)) draft.set('slug', slug)
}

const { description, comments } = descriptionFields<TypeItem>(({ type }) => type?.description ?? '')

const portCount = (name: string, kind: 'console' | 'power' | 'network'): Field<TypeItem> =>
  readOnly(
    name,
    'integer',
    ({ type }) => (type?.ports ?? []).filter((port) => port.kind === kind && !port.pass_through).length,
  )

const noCount = (name: string): Field<TypeItem> => readOnly(`${name}_template_count`, 'integer', () => 0)

export const deviceTypes: Endpoint<TypeItem> = {
  path: 'dcim/device-types',
  kind: 'dcim.devicetype',
  key: ({ key }) => key,
  brief: ['id', 'url', 'display', 'manufacturer', 'model', 'slug', 'description', 'device_count'],
  isStandIn: ({ type }) => type === undefined,
  isSmall: true,
  fields: [
    ...head<TypeItem>({
      page: () => '/device-types',
      display: ({ name }) => name,
    }),
    {
      name: 'manufacturer',
      type: { is: 'object', of: 'dcim.manufacturer' },
      isRequired: true,
      read: ({ manufacturer }, world) => nestManufacturer(world, manufacturer),
      write: writeManufacturer,
    },
    placeless('default_platform', { type: { is: 'object', of: 'dcim.platform' } }),
    { name: 'model', type: { is: 'string' }, isRequired: true, read: ({ name }) => name, write: writeModel },
    { name: 'slug', type: { is: 'string' }, isRequired: true, read: ({ slug }) => slug, write: writeSlug },
    text('part_number', { read: ({ type }) => type?.part_number ?? '', to: 'part_number', max: 50 }),
    number('u_height', { read: ({ type }) => type?.height ?? 1, to: 'height' }),
    placeless('exclude_from_utilization', { type: { is: 'boolean' }, usual: false }),
    flag('is_full_depth', { read: ({ type }) => type?.full_depth ?? true, to: 'full_depth' }),
    placeless('subdevice_role', { type: { is: 'choice', of: SUBDEVICE_ROLE } }),
    placeless('airflow', { type: { is: 'choice', of: AIRFLOW } }),
    placeless('weight', { type: { is: 'decimal' } }),
    placeless('weight_unit', { type: { is: 'choice', of: WEIGHT_UNIT } }),
    placeless('front_image', { type: { is: 'string' } }),
    placeless('rear_image', { type: { is: 'string' } }),
    description,
    placeless('owner'),
    comments,
    ...untagged<TypeItem>(),
    ...times<TypeItem>(({ type }) => type),
    counted('device_count', TYPE_DEVICES, ({ key }) => [key]),
    portCount('console_port_template_count', 'console'),
    noCount('console_server_port'),
    portCount('power_port_template_count', 'power'),
    noCount('power_outlet'),
    portCount('interface_template_count', 'network'),
    ...['front_port', 'rear_port', 'device_bay', 'module_bay', 'inventory_item'].map(noCount),
  ],
  source: fromMemory<TypeItem>({
    tables: ['device_types', 'devices', 'netbox_ids'],
    key: ({ key }) => key,
    all: listTypes,
  }),
  prepare: (world) =>
    prepareWorld(world, { sets: [TYPES, TEXT_TYPES, MANUFACTURERS], names: ['dcim.manufacturer'], definitions: [] }),
  filters: {
    q: wordsFilter<TypeItem>(({ name, manufacturer, slug, type }) => [
      ...[name, manufacturer, slug],
      ...[type?.part_number ?? '', type?.description ?? ''],
    ]),
    ...textFilters<TypeItem>({
      model: ({ name }) => name,
      slug: ({ slug }) => slug,
      part_number: ({ type }) => type?.part_number ?? '',
      description: ({ type }) => toDescription(type?.description ?? ''),
    }),
    ...objectFilters<TypeItem>('manufacturer', 'slug', {
      of: RESOLVERS['dcim.manufacturer'],
      keys: ({ manufacturer }) => [buildNameKey(manufacturer || UNKNOWN)],
    }),
  },
  writes: {
    create: async (draft) => {
      // The answer of the operation is the device type.
      const { id } = (await draft.run('device-types.create', draft.input)) as { id: string }
      return id
    },
    update: async (draft, { key }) => {
      if (Object.keys(draft.input).length > 0) await draft.run('device-types.update', { ...draft.input, id: key })
      return key
    },
    remove: async (draft, { key }) => {
      await draft.run('device-types.delete', { id: key })
    },
  },
}
