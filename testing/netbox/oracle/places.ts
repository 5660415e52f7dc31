/** The site, region, site group and location of an object, as its answer and the lists of places tell. */
import { type Item, type Lists, pick } from './lists.ts'

type PlaceName = 'site' | 'region' | 'site_group' | 'location'

const PATHS: Readonly<Record<PlaceName, string>> = {
  site: 'dcim/sites',
  region: 'dcim/regions',
  site_group: 'dcim/site-groups',
  location: 'dcim/locations',
}

const SCOPES: Readonly<Record<string, PlaceName>> = {
  'dcim.site': 'site',
  'dcim.region': 'region',
  'dcim.sitegroup': 'site_group',
  'dcim.location': 'location',
}

/** Returns a place and all above it. */
const listUpwards = (lists: Lists, name: PlaceName, id: unknown): Item[] => {
  const place = lists.find(PATHS[name], id)
  return place ? [place, ...listUpwards(lists, name, pick(place, 'parent', 'id'))] : []
}

/** Returns the object of which an interface has the place. */
const findOwner = (item: Item, lists: Lists): Item =>
  lists.find('dcim/devices', pick(item, 'device', 'id')) ??
  lists.find('virtualization/virtual-machines', pick(item, 'virtual_machine', 'id')) ??
  item

/** Returns the places of a kind that hold an object, with all above. @param path the endpoint of the object */
export const listPlaces = (path: string, name: PlaceName, item: Item, lists: Lists): readonly Item[] => {
  const owner = path.endsWith('interfaces') ? findOwner(item, lists) : item
  const scope = SCOPES[String(owner.scope_type)]
  const own = (kind: PlaceName): unknown => (scope === kind ? owner.scope_id : pick(owner, kind, 'id'))
  const isLocation = path === 'dcim/locations'
  if (name === 'location') return listUpwards(lists, 'location', own('location'))
  if (scope === name) return listUpwards(lists, name, owner.scope_id)
  const siteId = own('site') ?? pick(lists.find('dcim/locations', own('location')), 'site', 'id')
  const site = path === 'dcim/sites' ? item : lists.find('dcim/sites', siteId)
  if (name === 'site') return site && (!isLocation || site.slug !== 'unassigned') ? [site] : []
  const region = site ? pick(site, name === 'region' ? 'region' : 'group', 'id') : null
  return listUpwards(lists, name, region)
}
