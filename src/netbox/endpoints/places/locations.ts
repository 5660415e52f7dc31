/** `dcim/locations`: the datacenters that are rooms of a site. */
import { LOCATION_STATUS } from '../../choices/places.ts'
import type { Endpoint } from '../../endpoint/endpoint.ts'
import { counted, readOnly, times } from '../../endpoint/fields.ts'
import { placeFilters } from '../../endpoint/place-filters.ts'
import { RESOLVERS } from '../../endpoint/resolvers.ts'
import { customChoiceFilter } from '../../endpoint/set-filters.ts'
import { countRacks, nestSiteAt } from '../../world/nested.ts'
import { PLACE_DEVICES } from '../../world/place-counters.ts'
import { PLACES } from '../../world/places.ts'
import { customObjectFilters } from '../device-filters.ts'
import { descriptionFields } from '../device-writes.ts'
import { createPlaceCustom, getText, placeTextFilters, prefixCount, preparePlaces } from './place-fields.ts'
import {
  createPlaceSource,
  depthField,
  nameFields,
  type PlaceMember,
  parentField,
  parentFilters,
  placeHead,
} from './regions.ts'

const custom = createPlaceCustom<PlaceMember>()
const { description, comments } = descriptionFields<PlaceMember>(getText)
const {
  location: _,
  location_id: __,
  ...above
} = placeFilters<PlaceMember>({
  datacenterId: ({ key }) => key,
  hasUnassigned: true,
})

export const locations: Endpoint<PlaceMember> = {
  path: 'dcim/locations',
  kind: 'dcim.location',
  key: ({ key }) => key,
  brief: ['id', 'url', 'display', 'name', 'slug', 'description', 'rack_count', '_depth'],
  nested: ['id', 'url', 'display_url', 'display', 'name', 'slug', 'rack_count', '_depth'],
  fields: [
    ...placeHead,
    ...nameFields,
    readOnly('site', { is: 'object', of: 'dcim.site' }, ({ key }, world) => nestSiteAt(world, key)),
    parentField('dcim.location'),
    custom.choice('status', LOCATION_STATUS, { usual: 'active' }),
    custom.tenant(),
    custom.text('facility'),
    description,
    custom.tags(),
    custom.rest(),
    ...times<PlaceMember>(({ datacenter }) => datacenter),
    readOnly('rack_count', 'integer', (place, world) => countRacks(world, place)),
    // NetBox adds the devices in the locations below.
    counted('device_count', PLACE_DEVICES, ({ key }, world) =>
      world
        .get(PLACES)
        .listBelow(key)
        .map((place) => place.key),
    ),
    prefixCount('dcim.location'),
    custom.nothing('owner'),
    comments,
    depthField,
  ],
  custom,
  source: createPlaceSource('dcim.location'),
  prepare: preparePlaces,
  filters: {
    ...placeTextFilters(custom),
    ...above,
    ...parentFilters('dcim.location'),
    status: customChoiceFilter(custom, 'status', { choices: LOCATION_STATUS, usual: 'active' }),
    ...customObjectFilters(custom, { name: 'tenant', by: 'slug', of: RESOLVERS['tenancy.tenant'] }),
  },
}
