/** The filters by sites, regions, site groups and locations, for objects in a datacenter. */
import { type RawBuilder, type SqlBool, sql } from 'kysely'
import { isOneOf } from '../../database/query/below.ts'
import { UNASSIGNED_KEY } from '../world/keys.ts'
import { findGroup, findNearest, PLACES, type Place, type PlaceKind } from '../world/places.ts'
import type { Loaded } from '../world/small-set.ts'
import type { World } from '../world/world.ts'
import type { Filter } from './filter.ts'
import { objectFilter } from './object-filter.ts'
import { RESOLVERS } from './resolvers.ts'

type Filters<Item> = Readonly<Record<string, Filter<Item>>>

type ObjectParts<Item> = Parameters<typeof objectFilter<Item>>[0]

/** A pair of filters by an object: by its slug or name, and by its number. */
export const objectFilters = <Item>(name: string, by: string, parts: Omit<ObjectParts<Item>, 'by'>): Filters<Item> => ({
  [name]: objectFilter<Item>({ ...parts, by }),
  [`${name}_id`]: objectFilter<Item>({ ...parts, by: 'number' }),
})

type Placed<Item> = {
  readonly datacenterId: (item: Item) => string | null | undefined
  /** The column of the datacenter, where rows have it. */
  readonly column?: string
  /** An object in no site is in the site `Unassigned`. */
  readonly hasUnassigned?: boolean
}

/** Returns the keys of the places of a kind at a datacenter, the nearest first. */
type ListPlaces = (places: Loaded<Place>, datacenterId: string | null | undefined) => readonly string[]

const listAbove =
  (kind: PlaceKind): ListPlaces =>
  (places, datacenterId) => {
    const up = places.listUpwards(datacenterId)
    const site = kind === 'dcim.sitegroup' ? up.find((place) => place.kind === 'dcim.site') : undefined
    const group = site && findGroup(places, site)
    const held = group ? places.listUpwards(group.key) : up
    return held.filter((place) => place.kind === kind).map(({ key }) => key)
  }

const listSite =
  (hasUnassigned: boolean): ListPlaces =>
  (places, datacenterId) => {
    const site = findNearest(places, datacenterId, 'dcim.site')
    if (site) return [site.key]
    return hasUnassigned ? [UNASSIGNED_KEY] : []
  }

const buildParts = <Item>(kind: PlaceKind, list: ListPlaces, { datacenterId, column }: Placed<Item>) => ({
  of: RESOLVERS[kind],
  keys: (item: Item, world: World) => list(world.get(PLACES), datacenterId(item)),
  sql: (
    { keys, isNoneWanted }: { readonly keys: readonly string[]; readonly isNoneWanted: boolean },
    world: World,
  ): RawBuilder<SqlBool> | undefined => {
    if (column === undefined) return undefined
    const places = world.get(PLACES)
    const wanted = new Set(keys)
    const holds = (id: string | null): boolean => {
      const held = list(places, id)
      return held.some((key) => wanted.has(key)) || (isNoneWanted && held.length === 0)
    }
    const ids = places.all.filter(({ key }) => holds(key)).map(({ key }) => key)
    const inside =
      ids.length > 0 ? sql<SqlBool>`(${sql.ref(column)} IS NOT NULL AND ${isOneOf(column, ids)})` : sql<SqlBool>`1 = 0`
    return holds(null) ? sql<SqlBool>`(${inside} OR ${sql.ref(column)} IS NULL)` : inside
  },
})

/** The filters by places: a site; or a region, site group or location with all below it. */
export const placeFilters = <Item>(placed: Placed<Item>): Filters<Item> => ({
  ...objectFilters<Item>('site', 'slug', buildParts('dcim.site', listSite(placed.hasUnassigned ?? false), placed)),
  ...objectFilters<Item>('region', 'slug', buildParts('dcim.region', listAbove('dcim.region'), placed)),
  ...objectFilters<Item>('site_group', 'slug', buildParts('dcim.sitegroup', listAbove('dcim.sitegroup'), placed)),
  ...objectFilters<Item>('location', 'slug', buildParts('dcim.location', listAbove('dcim.location'), placed)),
})
