/** `dcim/sites`: the datacenters that are no region, site group or location, and the site of objects without one. */
import { compareNames } from '../../../net/name-order.ts'
import { SITE_STATUS } from '../../choices/places.ts'
import type { Endpoint } from '../../endpoint/endpoint.ts'
import { counted, head, readOnly, text, times } from '../../endpoint/fields.ts'
import { placeFilters } from '../../endpoint/place-filters.ts'
import { RESOLVERS } from '../../endpoint/resolvers.ts'
import { customChoiceFilter } from '../../endpoint/set-filters.ts'
import { slugField, uniqueName } from '../../endpoint/slug-fields.ts'
import { fromMemory } from '../../endpoint/source.ts'
import { countFor } from '../../world/counters.ts'
import { countIn, groupRacks, groupVlans, listIdsIn } from '../../world/groups.ts'
import { UNASSIGNED, UNASSIGNED_KEY } from '../../world/keys.ts'
import { nestPlace } from '../../world/nested.ts'
import { PLACE_DEVICES, PLACE_MACHINES } from '../../world/place-counters.ts'
import { findGroup, findNearest, PLACES } from '../../world/places.ts'
import { RACKS, VLANS } from '../../world/sets.ts'
import type { World } from '../../world/world.ts'
import { customObjectFilters } from '../device-filters.ts'
import { descriptionFields } from '../device-writes.ts'
import {
  buildPage,
  createPlaceCustom,
  getText,
  listPlaces,
  PLACE_TABLES,
  type PlaceItem,
  placeTextFilters,
  prefixCount,
  preparePlaces,
} from './place-fields.ts'
import { siteWrites, writeGroup, writeRegion } from './site-writes.ts'

const STAND_IN: PlaceItem = { key: UNASSIGNED_KEY, ...UNASSIGNED, datacenter: undefined }

const isStandIn = ({ datacenter }: PlaceItem): boolean => datacenter === undefined

/** The datacenters of a site; of objects in no site, also none. */
const listIds = ({ key }: { readonly key: string }, world: World): readonly string[] =>
  key === UNASSIGNED_KEY
    ? ['', ...listIdsIn(world.get(PLACES), 'dcim.site', '')]
    : listIdsIn(world.get(PLACES), 'dcim.site', key)

/** Devices, racks and locations must have a site in NetBox; other objects may have none. */
const listIdsOfOptional = (item: PlaceItem, world: World): readonly string[] =>
  isStandIn(item) ? [] : listIds(item, world)

const countRacks = (item: PlaceItem, world: World): number =>
  countIn(groupRacks(world.get(RACKS)), listIds(item, world))

const isStandInNeeded = async (world: World): Promise<boolean> => {
  const places = await world.read(PLACES)
  await world.read(RACKS)
  if (places.all.some(({ kind, key }) => kind === 'dcim.location' && !findNearest(places, key, 'dcim.site')))
    return true
  if (countRacks(STAND_IN, world) > 0) return true
  const ids = listIds(STAND_IN, world)
  const counts = await countFor(world.ctx, PLACE_DEVICES, ids)
  return ids.some((id) => (counts.get(id) ?? 0) > 0)
}

const listSites = async (world: World): Promise<readonly PlaceItem[]> => {
  const sites = await listPlaces(world, 'dcim.site')
  if (!(await isStandInNeeded(world))) return sites
  return [...sites, STAND_IN].sort((a, b) => compareNames(a.name, b.name) || (a.key < b.key ? -1 : 1))
}

const custom = createPlaceCustom<PlaceItem>()
const { description, comments } = descriptionFields<PlaceItem>(getText)
const unique = { label: 'site', all: listSites }

/** NetBox's names of the filters by the places above a site. */
const ABOVE: Readonly<Record<string, string>> = {
  region: 'region',
  region_id: 'region_id',
  site_group: 'group',
  site_group_id: 'group_id',
}

const aboveFilters = Object.fromEntries(
  Object.entries(placeFilters<PlaceItem>({ datacenterId: ({ key }) => key })).flatMap(([name, filter]) => {
    const { [name]: own } = ABOVE
    return own === undefined ? [] : [[own, filter]]
  }),
)

export const sites: Endpoint<PlaceItem> = {
  path: 'dcim/sites',
  kind: 'dcim.site',
  key: ({ key }) => key,
  brief: ['id', 'url', 'display', 'name', 'slug', 'description'],
  isStandIn,
  isSmall: true,
  fields: [
    ...head<PlaceItem>({ page: buildPage, display: ({ name }) => name }),
    uniqueName(unique, { max: 100 }),
    slugField({ ...unique, custom }),
    custom.choice('status', SITE_STATUS, { usual: 'active' }),
    {
      name: 'region',
      type: { is: 'object', of: 'dcim.region' },
      isNullable: true,
      read: ({ parentKey }, world) => nestPlace(world, findNearest(world.get(PLACES), parentKey, 'dcim.region')),
      write: writeRegion,
    },
    {
      name: 'group',
      type: { is: 'object', of: 'dcim.sitegroup' },
      isNullable: true,
      read: ({ key }, world) => {
        const places = world.get(PLACES)
        const place = places.find(key)
        return nestPlace(world, place && findGroup(places, place))
      },
      write: writeGroup,
    },
    custom.tenant(),
    custom.text('facility'),
    custom.text('time_zone', { usual: null, isNullable: true }),
    description,
    text('physical_address', { read: ({ datacenter }) => datacenter?.location ?? '', to: 'location' }),
    custom.text('shipping_address'),
    custom.number('latitude'),
    custom.number('longitude'),
    custom.nothing('owner'),
    comments,
    custom.nothing('asns', { is: 'json' }, []),
    custom.tags(),
    custom.rest(),
    ...times<PlaceItem>(({ datacenter }) => datacenter),
    readOnly('circuit_count', 'integer', () => 0),
    counted('device_count', PLACE_DEVICES, listIds),
    prefixCount('dcim.site'),
    readOnly('rack_count', 'integer', countRacks),
    counted('virtualmachine_count', PLACE_MACHINES, listIdsOfOptional),
    readOnly('vlan_count', 'integer', (item, world) =>
      countIn(groupVlans(world.get(VLANS)), listIdsOfOptional(item, world)),
    ),
  ],
  custom,
  source: fromMemory({
    tables: [...PLACE_TABLES, 'devices', 'device_tags', 'racks'],
    key: ({ key }) => key,
    all: listSites,
  }),
  prepare: preparePlaces,
  filters: {
    ...placeTextFilters(custom),
    status: customChoiceFilter(custom, 'status', { choices: SITE_STATUS, usual: 'active' }),
    ...aboveFilters,
    ...customObjectFilters(custom, { name: 'tenant', by: 'slug', of: RESOLVERS['tenancy.tenant'] }),
  },
  writes: siteWrites,
}
