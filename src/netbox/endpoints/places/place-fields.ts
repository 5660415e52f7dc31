/** Fields that sites, regions, site groups and locations have alike. */
import { CustomFields } from '../../endpoint/custom.ts'
import type { Field } from '../../endpoint/field.ts'
import { counted } from '../../endpoint/fields.ts'
import { customTagFilters, textFilters, wordsFilter } from '../../endpoint/set-filters.ts'
import { listIdsIn } from '../../world/groups.ts'
import { NESTED_SETS, toDescription } from '../../world/nested.ts'
import { PLACE_PREFIXES } from '../../world/place-counters.ts'
import { PLACES, type Place, type PlaceKind } from '../../world/places.ts'
import { prepareWorld } from '../../world/prepare.ts'
import type { Member } from '../../world/small-set.ts'
import type { World } from '../../world/world.ts'

/** A datacenter, or the site of objects without one. */
export type PlaceItem = Pick<Member<Place>, 'key' | 'name' | 'slug' | 'parentKey'> & {
  readonly datacenter: Place['datacenter'] | undefined
}

/** Custom fields of datacenters that tell what they are. */
export const createPlaceCustom = <Item extends PlaceItem>(): CustomFields<Item> => {
  const custom = new CustomFields<Item>('datacenters', ({ datacenter }) => datacenter?.custom)
  custom.reserve('place_type', 'site_group', 'slug')
  return custom
}

export const getText = ({ datacenter }: PlaceItem): string => datacenter?.description ?? ''

export const buildPage = ({ datacenter }: PlaceItem): string =>
  datacenter ? `/datacenters/${datacenter.id}` : '/datacenters'

/** Counts the prefixes with the place as the nearest of its kind. */
export const prefixCount = <Item extends PlaceItem>(kind: PlaceKind): Field<Item> =>
  counted('prefix_count', PLACE_PREFIXES, ({ key }, world) => listIdsIn(world.get(PLACES), kind, key))

export const listPlaces = async (world: World, kind: PlaceKind): Promise<Member<Place>[]> =>
  (await world.read(PLACES)).all.filter((place) => place.kind === kind)

export const preparePlaces = (world: World): Promise<void> =>
  prepareWorld(world, {
    sets: NESTED_SETS,
    names: ['extras.tag'],
    definitions: ['datacenters', 'spaces', 'tenants', 'clusters'],
  })

export const placeTextFilters = <Item extends PlaceItem>(custom: CustomFields<Item>) => ({
  q: wordsFilter<Item>((item) => [item.name, item.slug, item.datacenter?.location ?? '', getText(item)]),
  ...textFilters<Item>({
    name: ({ name }) => name,
    slug: ({ slug }) => slug,
    description: (item) => toDescription(getText(item)),
  }),
  ...customTagFilters(custom),
})

export const PLACE_TABLES = ['datacenters', 'custom_fields', 'netbox_ids'] as const
