/** The writes of sites: their region and group are the datacenter above them. */
import { shorten } from '../../../contract/errors.ts'
import type { Draft } from '../../endpoint/draft.ts'
import type { Writes } from '../../endpoint/endpoint.ts'
import { RESOLVERS } from '../../endpoint/resolvers.ts'
import { findAbove, findGroup, findNearest, PLACES } from '../../world/places.ts'
import type { PlaceItem } from './place-fields.ts'

type SiteDraft = Draft<PlaceItem>

type Above = { readonly region: string | null; readonly group: string | null }

/** The region and the group of sites that are being written. */
const wanted = new WeakMap<SiteDraft, Partial<Above>>()

const readAbove = ({ world, item }: SiteDraft): Above => {
  const places = world.get(PLACES)
  const place = places.find(item?.key)
  if (!place) return { region: null, group: null }
  return { region: findAbove(places, place, 'dcim.region')?.key ?? null, group: findGroup(places, place)?.key ?? null }
}

/** A site is below its region, else below its group. The group of a site in a region is the custom field `site_group`, as the importer has it. */
const settle = (draft: SiteDraft): void => {
  const before = readAbove(draft)
  const { region, group }: Above = { ...before, ...wanted.get(draft) }
  if (region === before.region && group === before.group) return
  const places = draft.world.get(PLACES)
  const parentBefore = draft.item?.parentKey ?? null
  const parent = region === null ? group : region === before.region ? parentBefore : region
  if (parent !== parentBefore) draft.set('parent_id', parent)
  const above = findNearest(places, parent, 'dcim.sitegroup')?.key ?? null
  const isDefined = draft.world.getDefinitions('datacenters').has('site_group')
  if (group === null || group === above) {
    if (isDefined && draft.item?.datacenter?.custom?.site_group !== undefined) draft.setCustom('site_group', null)
  } else if (isDefined) draft.setCustom('site_group', group)
  else {
    const name = JSON.stringify(shorten(places.find(group)?.name ?? ''))
    draft.refuseAt('group', `${name} has no place beside a region: define the custom field "site_group" of datacenters`)
  }
}

export const writeRegion = async (value: unknown, draft: SiteDraft): Promise<void> => {
  const region = await draft.resolve(RESOLVERS['dcim.region'], value)
  if (region === undefined) return
  wanted.set(draft, { region })
  if (!Object.hasOwn(draft.sent, 'group')) settle(draft)
}

export const writeGroup = async (value: unknown, draft: SiteDraft): Promise<void> => {
  const group = await draft.resolve(RESOLVERS['dcim.sitegroup'], value)
  if (group === undefined) return
  wanted.set(draft, { ...wanted.get(draft), group })
  settle(draft)
}

export const siteWrites: Writes<PlaceItem> = {
  create: async (draft) => {
    // The answer of the operation is the datacenter.
    const { id } = (await draft.run('datacenters.create', draft.input)) as { id: string }
    return id
  },
  update: async (draft, { key }) => {
    if (Object.keys(draft.input).length > 0) await draft.run('datacenters.update', { ...draft.input, id: key })
    return key
  },
  remove: async (draft, { key }) => {
    await draft.run('datacenters.delete', { id: key })
  },
}
