/** `dcim/racks`. */
import {
  DIMENSION_UNIT,
  RACK_AIRFLOW,
  RACK_FORM_FACTOR,
  RACK_STATUS,
  RACK_WIDTH,
  WEIGHT_UNIT,
} from '../../choices/places.ts'
import { CustomFields } from '../../endpoint/custom.ts'
import type { Endpoint } from '../../endpoint/endpoint.ts'
import { counted, head, readOnly, times } from '../../endpoint/fields.ts'
import { placeFilters } from '../../endpoint/place-filters.ts'
import { placeless } from '../../endpoint/placeless.ts'
import { RESOLVERS } from '../../endpoint/resolvers.ts'
import { customChoiceFilter, customTagFilters, textFilters, wordsFilter } from '../../endpoint/set-filters.ts'
import { fromMemory } from '../../endpoint/source.ts'
import { RACK_DEVICES } from '../../world/counters.ts'
import { NESTED_SETS, nestPlace, nestSiteAt, toDescription } from '../../world/nested.ts'
import { findNearest, PLACES } from '../../world/places.ts'
import { prepareWorld } from '../../world/prepare.ts'
import { RACKS, type RackMember } from '../../world/sets.ts'
import type { Member } from '../../world/small-set.ts'
import type { World } from '../../world/world.ts'
import { customObjectFilters } from '../device-filters.ts'
import { descriptionFields } from '../device-writes.ts'

type RackItem = Member<RackMember>

const custom = new CustomFields<RackItem>('racks', ({ rack }) => rack.custom)
const { description, comments } = descriptionFields<RackItem>(({ rack }) => rack.description)

/** The name of the rack at the operator of the building, in the field of the pack `racks`. */
const facilityId = custom.text('facility_id', { usual: null, isNullable: true, field: 'facility' })

const readText = (name: string) => (item: RackItem, world: World) => String(custom.get(item, name, world) ?? '')

const getFacility = readText('facility')

export const racks: Endpoint<RackItem> = {
  path: 'dcim/racks',
  kind: 'dcim.rack',
  key: ({ key }) => key,
  brief: ['id', 'url', 'display', 'name', 'description', 'device_count'],
  fields: [
    ...head<RackItem>({
      page: ({ key }) => `/racks/${key}`,
      display: (item, world) => (getFacility(item, world) ? `${item.name} (${getFacility(item, world)})` : item.name),
    }),
    readOnly('name', 'string', ({ name }) => name),
    facilityId,
    readOnly('site', { is: 'object', of: 'dcim.site' }, ({ rack }, world) => nestSiteAt(world, rack.datacenter_id)),
    readOnly('location', { is: 'object', of: 'dcim.location' }, ({ rack }, world) =>
      nestPlace(world, findNearest(world.get(PLACES), rack.datacenter_id, 'dcim.location')),
    ),
    custom.tenant(),
    custom.choice('status', RACK_STATUS, { usual: 'active' }),
    // The list of roles is empty: the text of Plat is among the custom fields.
    placeless('role'),
    custom.text('serial'),
    custom.text('asset_tag', { usual: null, isNullable: true }),
    placeless('rack_type'),
    custom.choice('form_factor', RACK_FORM_FACTOR),
    readOnly('width', { is: 'choice', of: RACK_WIDTH, isNumber: true }, (item, world) => {
      const width = String(custom.get(item, 'width', world) ?? 19)
      const value = Object.hasOwn(RACK_WIDTH, width) ? Number(width) : 19
      return { value, label: `${value} inches` }
    }),
    readOnly('u_height', 'integer', ({ rack }) => rack.height),
    readOnly('starting_unit', 'integer', ({ rack }) => rack.first_unit),
    custom.number('weight'),
    custom.number('max_weight', { isInteger: true }),
    custom.choice('weight_unit', WEIGHT_UNIT),
    readOnly('desc_units', 'boolean', ({ rack }) => rack.numbering === 'top_down'),
    custom.number('outer_width'),
    custom.number('outer_height'),
    custom.number('outer_depth'),
    custom.choice('outer_unit', DIMENSION_UNIT),
    custom.number('mounting_depth', { isInteger: true }),
    custom.choice('airflow', RACK_AIRFLOW),
    description,
    custom.nothing('owner'),
    comments,
    custom.tags(),
    custom.rest(),
    ...times<RackItem>(({ rack }) => rack),
    counted('device_count', RACK_DEVICES, ({ key }) => [key]),
    readOnly('powerfeed_count', 'integer', () => 0),
  ],
  custom,
  source: fromMemory<RackItem>({
    tables: ['racks', 'custom_fields'],
    key: ({ key }) => key,
    all: async (world) => (await world.read(RACKS)).all,
  }),
  prepare: (world) =>
    prepareWorld(world, {
      sets: NESTED_SETS,
      names: ['extras.tag'],
      definitions: ['racks', 'spaces', 'tenants', 'clusters'],
    }),
  filters: {
    q: wordsFilter<RackItem>(({ name, rack }) => [name, rack.location, rack.description]),
    ...textFilters<RackItem>({
      name: ({ name }) => name,
      description: ({ rack }) => toDescription(rack.description),
      serial: readText('serial'),
      asset_tag: readText('asset_tag'),
      facility_id: getFacility,
    }),
    ...placeFilters<RackItem>({ datacenterId: ({ rack }) => rack.datacenter_id, hasUnassigned: true }),
    status: customChoiceFilter(custom, 'status', { choices: RACK_STATUS, usual: 'active' }),
    ...customObjectFilters(custom, { name: 'tenant', by: 'slug', of: RESOLVERS['tenancy.tenant'] }),
    ...customTagFilters(custom),
  },
}
