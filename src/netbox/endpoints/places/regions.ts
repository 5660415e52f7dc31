/** `dcim/regions` and `dcim/site-groups`: the datacenters of these types. */
import type { Path } from '../../endpoint/declared.ts'
import type { Endpoint } from '../../endpoint/endpoint.ts'
import { head, readOnly, times } from '../../endpoint/fields.ts'
import { objectFilters } from '../../endpoint/place-filters.ts'
import { placeless } from '../../endpoint/placeless.ts'
import { RESOLVERS } from '../../endpoint/resolvers.ts'
import { fromMemory } from '../../endpoint/source.ts'
import { computeDepth, countSites, nestParent } from '../../world/nested.ts'
import { findAbove, PLACES, type Place, type PlaceKind } from '../../world/places.ts'
import type { Member } from '../../world/small-set.ts'
import type { World } from '../../world/world.ts'
import { descriptionFields } from '../device-writes.ts'
import {
  buildPage,
  createPlaceCustom,
  getText,
  listPlaces,
  PLACE_TABLES,
  placeTextFilters,
  prefixCount,
  preparePlaces,
} from './place-fields.ts'

export type PlaceMember = Member<Place>

/** The fields of every tree of places. */
export const placeHead = head<PlaceMember>({ page: buildPage, display: ({ name }) => name })
export const nameFields = [
  readOnly<PlaceMember>('name', 'string', ({ name }) => name),
  readOnly<PlaceMember>('slug', 'string', ({ slug }) => slug),
]
export const parentField = (kind: PlaceKind) =>
  readOnly<PlaceMember>('parent', { is: 'object', of: kind, isNested: true }, (place, world) =>
    nestParent(world, findParent(place, world)),
  )
export const depthField = readOnly<PlaceMember>('_depth', 'integer', (place, world) => computeDepth(world, place))

const findParent = (place: PlaceMember, world: World): PlaceMember | undefined =>
  findAbove(world.get(PLACES), place, place.kind)

export const parentFilters = (kind: PlaceKind) =>
  objectFilters<PlaceMember>('parent', 'slug', {
    of: RESOLVERS[kind],
    keys: (place, world) => {
      const parent = findParent(place, world)
      return parent ? [parent.key] : []
    },
  })

export const createPlaceSource = (kind: PlaceKind) =>
  fromMemory<PlaceMember>({
    tables: PLACE_TABLES,
    key: ({ key }) => key,
    all: (world) => listPlaces(world, kind),
  })

const createTree = (path: Path, kind: PlaceKind): Endpoint<PlaceMember> => {
  const custom = createPlaceCustom<PlaceMember>()
  const { description, comments } = descriptionFields<PlaceMember>(getText)
  return {
    path,
    kind,
    key: ({ key }) => key,
    brief: ['id', 'url', 'display', 'name', 'slug', 'description', 'site_count', '_depth'],
    nested: ['id', 'url', 'display_url', 'display', 'name', 'slug', 'site_count', '_depth'],
    fields: [
      ...placeHead,
      ...nameFields,
      parentField(kind),
      description,
      custom.tags(),
      custom.rest(),
      ...times<PlaceMember>(({ datacenter }) => datacenter),
      readOnly('site_count', 'integer', (place, world) => countSites(world, place)),
      prefixCount(kind),
      placeless('owner'),
      comments,
      depthField,
    ],
    custom,
    source: createPlaceSource(kind),
    prepare: preparePlaces,
    filters: { ...placeTextFilters(custom), ...parentFilters(kind) },
  }
}

export const regions = createTree('dcim/regions', 'dcim.region')
export const siteGroups = createTree('dcim/site-groups', 'dcim.sitegroup')
