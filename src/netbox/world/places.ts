/** Datacenters as NetBox has them: regions, site groups, sites and locations, by their custom field `place_type`. */
import type { Datacenter } from '../../inventory/datacenters/api.ts'
import { compareNames } from '../../net/name-order.ts'
import { datacenters } from './rows.ts'
import type { Loaded, Member, NamedObject, SmallSet } from './small-set.ts'

export const PLACE_KINDS = ['dcim.region', 'dcim.sitegroup', 'dcim.site', 'dcim.location'] as const
export type PlaceKind = (typeof PLACE_KINDS)[number]

/** The kinds by the words of `place_type`. Any other datacenter is a site. */
const BY_TYPE: Readonly<Record<string, PlaceKind>> = {
  region: 'dcim.region',
  site_group: 'dcim.sitegroup',
  'site group': 'dcim.sitegroup',
  location: 'dcim.location',
}

export type Place = NamedObject & { readonly kind: PlaceKind; readonly datacenter: Datacenter }

const toPlace = (datacenter: Datacenter): Place => {
  const { place_type: type, slug } = datacenter.custom ?? {}
  return {
    key: datacenter.id,
    kind: (typeof type === 'string' && BY_TYPE[type]) || 'dcim.site',
    name: datacenter.name,
    ownSlug: typeof slug === 'string' ? slug : undefined,
    parentKey: datacenter.parent_id ?? null,
    datacenter,
  }
}

export const PLACES: SmallSet<Place> = {
  name: 'places',
  tables: ['datacenters'],
  read: async (ctx) => {
    const rows = await datacenters.rows(ctx).execute()
    const all = rows.map((row) => toPlace(datacenters.fromRow(row)))
    return all.sort((a, b) => compareNames(a.name, b.name) || (a.key < b.key ? -1 : 1))
  },
}

type Places = Loaded<Place>

/** Returns the nearest place of a kind at a place or above it. */
export const findNearest = (
  places: Places,
  key: string | null | undefined,
  kind: PlaceKind,
): Member<Place> | undefined => {
  const own = places.find(key)
  return own === undefined || own.kind === kind
    ? own
    : places.listUpwards(own.parentKey).find((place) => place.kind === kind)
}

/** Returns the nearest place of a kind above a place. */
export const findAbove = (places: Places, place: Place, kind: PlaceKind): Member<Place> | undefined =>
  findNearest(places, place.parentKey, kind)

/** Returns the group of a site: that of its custom field, else the nearest one above. */
export const findGroup = (places: Places, place: Place): Member<Place> | undefined => {
  const { site_group: group } = place.datacenter.custom ?? {}
  const own = typeof group === 'string' ? places.find(group) : undefined
  return own?.kind === 'dcim.sitegroup' ? own : findAbove(places, place, 'dcim.sitegroup')
}
