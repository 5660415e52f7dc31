/** Groups of the objects of small sets, made once for each state of a set. */
import { findGroup, findNearest, type Place, type PlaceKind } from './places.ts'
import type { RackMember, VlanMember } from './sets.ts'
import type { Loaded, Member, NamedObject } from './small-set.ts'

/** Ids by the key of their group. */
export type Groups = ReadonlyMap<string, readonly string[]>

/** Makes groups of the keys of a set. @param toGroup returns '' for objects in no group */
export const groupMembers = <T extends NamedObject>(
  toGroup: (member: Member<T>, all: Loaded<T>) => string,
): ((loaded: Loaded<T>) => Groups) => {
  const made = new WeakMap<Loaded<T>, Groups>()
  return (loaded) => {
    const known = made.get(loaded)
    if (known) return known
    const groups = Map.groupBy(loaded.all, (member) => toGroup(member, loaded))
    const ids = new Map([...groups].map(([key, members]) => [key, members.map((one) => one.key)]))
    made.set(loaded, ids)
    return ids
  }
}

const groupByNearest = (kind: PlaceKind) =>
  groupMembers<Place>(({ key }, places) => findNearest(places, key, kind)?.key ?? '')

/** The site group of an object is that of its site; without a site, the nearest one above. */
const groupBySiteGroup = groupMembers<Place>(({ key }, places) => {
  const site = findNearest(places, key, 'dcim.site')
  return (site ? findGroup(places, site) : findNearest(places, key, 'dcim.sitegroup'))?.key ?? ''
})

const BY_KIND: Readonly<Record<PlaceKind, (places: Loaded<Place>) => Groups>> = {
  'dcim.site': groupByNearest('dcim.site'),
  'dcim.region': groupByNearest('dcim.region'),
  'dcim.location': groupByNearest('dcim.location'),
  'dcim.sitegroup': groupBySiteGroup,
}

/** Returns the ids of the datacenters with a place as the nearest of its kind; for the key '', of the datacenters without one. */
export const listIdsIn = (places: Loaded<Place>, kind: PlaceKind, key: string): readonly string[] =>
  BY_KIND[kind](places).get(key) ?? []

/** The racks of each datacenter. */
export const groupRacks = groupMembers<RackMember>(({ rack }) => rack.datacenter_id ?? '')

/** The VLANs of each datacenter, and the numbers without one. */
export const groupVlans = groupMembers<VlanMember>(({ datacenterId }) => datacenterId ?? '')

/** Counts the members of groups. */
export const countIn = (groups: Groups, keys: readonly string[]): number =>
  keys.reduce((sum, key) => sum + (groups.get(key)?.length ?? 0), 0)
