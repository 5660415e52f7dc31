/** The writes of devices and virtual machines. */
import { type SqlBool, sql } from 'kysely'
import type { Device } from '../../inventory/devices/schema.ts'
import type { CustomFields } from '../endpoint/custom.ts'
import { resolveName, resolveTags } from '../endpoint/custom.ts'
import type { Draft } from '../endpoint/draft.ts'
import type { Writes } from '../endpoint/endpoint.ts'
import type { Choices, Field } from '../endpoint/field.ts'
import { parseChoice, parseText, TAG_LIST, toChoice } from '../endpoint/fields.ts'
import { choiceFilter, type Filter } from '../endpoint/filter.ts'
import { RESOLVERS } from '../endpoint/resolvers.ts'
import { getAddress, getAddressKey, nestAddress } from '../world/addresses.ts'
import { UNASSIGNED, UNASSIGNED_KEY, UNKNOWN } from '../world/keys.ts'
import { MACHINE_TAG } from '../world/machines.ts'
import { nestTag, toComments, toDescription } from '../world/nested.ts'
import { findNearest, PLACES } from '../world/places.ts'
import { TEXT_TYPES } from '../world/sets.ts'
import { listTags } from './device-filters.ts'
import { type DeviceItem, getPrimary } from './device-items.ts'

type DeviceDraft = Draft<DeviceItem>

const MAX_DESCRIPTION = 200

/** Plat's description is NetBox's, and below it the comments. */
export const setDescription = <Item>(
  draft: Draft<Item>,
  before: string,
  part: 'description' | 'comments',
  value: unknown,
): void => {
  const given = parseText(value, draft, part === 'description' ? { max: MAX_DESCRIPTION } : {})
  if (given === undefined) return
  if (part === 'description' && given.includes('\n')) {
    draft.refuse('must be one line; comments take more')
    return
  }
  const known = typeof draft.input.description === 'string' ? draft.input.description : before
  const description = part === 'description' ? given : toDescription(known)
  const comments = part === 'comments' ? given : toComments(known)
  if (
    part === 'comments' &&
    comments !== '' &&
    description === '' &&
    !comments.includes('\n') &&
    [...comments].length <= MAX_DESCRIPTION
  )
    // The first line would be read back as the description.
    draft.set('description', `\n${comments}`)
  else draft.set('description', comments === '' ? description : `${description}\n${comments}`)
}

/** `description` and `comments` of an object with one text of Plat. */
export const descriptionFields = <Item>(
  get: (item: Item) => string,
): Record<'description' | 'comments', Field<Item>> => ({
  description: {
    name: 'description',
    type: { is: 'string' },
    read: (item) => toDescription(get(item)),
    write: (value, draft) => setDescription(draft, draft.item ? get(draft.item) : '', 'description', value),
  },
  comments: {
    name: 'comments',
    type: { is: 'string' },
    read: (item) => toComments(get(item)),
    write: (value, draft) => setDescription(draft, draft.item ? get(draft.item) : '', 'comments', value),
  },
})

/** Statuses of NetBox that Plat has. */
const STATUSES: Readonly<Record<string, Device['status']>> = {
  planned: 'planned',
  active: 'active',
  offline: 'maintenance',
  decommissioning: 'decommissioned',
}

const getStatus = ({ device }: DeviceItem): string =>
  Object.entries(STATUSES).find(([, own]) => own === device.status)?.[0] ?? 'active'

/** The status: Plat's own, or a further one of NetBox in the custom field `status`. */
export const statusField = (custom: CustomFields<DeviceItem>, choices: Choices): Field<DeviceItem> => {
  const further = custom.choice('status', choices, { usual: 'active' })
  return {
    name: 'status',
    type: { is: 'choice', of: choices },
    read: (item, world) => toChoice(choices, readStatus(custom, item, world, choices)),
    write: async (value, draft) => {
      const wanted = parseChoice(value, draft, choices)
      if (wanted === undefined) return
      const { [wanted || 'active']: own } = STATUSES
      if (own === undefined) return further.write?.(value, draft)
      draft.set('status', own)
      if (draft.item && custom.get(draft.item, 'status', draft.world) !== undefined) draft.setCustom('status', null)
    },
  }
}

/** Returns NetBox's status of a device. */
export const readStatus = (
  custom: CustomFields<DeviceItem>,
  item: DeviceItem,
  world: Parameters<CustomFields<DeviceItem>['get']>[2],
  choices: Choices,
): string => {
  const further = custom.get(item, 'status', world)
  return typeof further === 'string' && Object.hasOwn(choices, further) && !Object.hasOwn(STATUSES, further)
    ? further
    : getStatus(item)
}

/** The rows tell the status, unless the custom field `status` may have another one. */
export const statusFilter = (custom: CustomFields<DeviceItem>, choices: Choices): Filter<DeviceItem> =>
  choiceFilter<DeviceItem>({
    choices,
    get: (item, world) => readStatus(custom, item, world, choices),
    sql: (values, world) => {
      if (world.getDefinitions(custom.resource).has('status')) return undefined
      const own = values.flatMap((value) => (value === null ? [] : (STATUSES[value] ?? [])))
      return own.length === 0 ? sql<SqlBool>`1 = 0` : sql<SqlBool>`devices.status IN (${sql.join(own)})`
    },
  })

/** The datacenter of a device follows from its location, else from its site. */
const setPlace = (draft: DeviceDraft, kind: 'dcim.site' | 'dcim.location', key: string | null): void => {
  const places = draft.world.get(PLACES)
  const id = key === UNASSIGNED_KEY ? null : key
  const before = draft.item?.device.datacenter_id ?? null
  if (kind === 'dcim.location') {
    if (id !== null) draft.set('datacenter_id', id)
    // Without a location it is at the site itself.
    else if (draft.input.datacenter_id === undefined)
      draft.set('datacenter_id', findNearest(places, before, 'dcim.site')?.key ?? null)
    return
  }
  const isAtSite = draft.item !== undefined && id !== null && findNearest(places, before, 'dcim.site')?.key === id
  // Clients send the site of a device that is in a location.
  if (!isAtSite || draft.sent.location === null) draft.set('datacenter_id', id)
}

export const writeSite = async (value: unknown, draft: DeviceDraft): Promise<void> => {
  const key = await draft.resolve(RESOLVERS['dcim.site'], value)
  if (key !== undefined) setPlace(draft, 'dcim.site', key)
}

export const writeLocation = async (value: unknown, draft: DeviceDraft): Promise<void> => {
  const key = await draft.resolve(RESOLVERS['dcim.location'], value)
  if (key !== undefined) setPlace(draft, 'dcim.location', key)
}

export const writeRole = async (value: unknown, draft: DeviceDraft): Promise<void> => {
  const role = await resolveName(draft, RESOLVERS['dcim.devicerole'], value)
  if (role !== undefined) draft.set('role', role === UNASSIGNED.name ? null : role)
}

export const writePlatform = async (value: unknown, draft: DeviceDraft): Promise<void> => {
  const platform = await resolveName(draft, RESOLVERS['dcim.platform'], value)
  if (platform !== undefined) draft.set('os', platform ?? '')
}

/** A type that is a text is stored as the text. */
export const writeType = async (value: unknown, draft: DeviceDraft): Promise<void> => {
  const key = await draft.resolve(RESOLVERS['dcim.devicetype'], value)
  if (key === undefined) return
  const text = key === null ? undefined : (await draft.world.read(TEXT_TYPES)).find(key)
  if (!text && key !== null) return draft.set('device_type_id', key)
  draft.set('device_type_id', null)
  draft.set('make_model', text === undefined || text.name === UNKNOWN ? '' : text.name)
}

/** The place in a rack has three fields of NetBox. */
export const setMount = (draft: DeviceDraft, part: object): void => {
  const before = draft.input.mount === undefined ? draft.item?.device.mount : draft.input.mount
  draft.set('mount', { ...(before as object | null | undefined), ...part })
}

export const tagsField: Field<DeviceItem> = {
  name: 'tags',
  type: TAG_LIST,
  read: (item, world) => listTags(item).map((tag) => nestTag(world, tag)),
  write: async (value, draft) => {
    const tags = await resolveTags(draft, value)
    if (tags === undefined) return
    const before = draft.item?.device.tags ?? []
    const all = before.includes(MACHINE_TAG) ? [...tags, MACHINE_TAG] : tags
    // Clients send tags in any order.
    if (!draft.item || new Set(all).symmetricDifference(new Set(before)).size > 0) draft.set('tags', all)
  },
}

/** `primary_ip4` and `primary_ip6`: the first address of the family. */
export const primaryField = (name: string, family: 4 | 6): Field<DeviceItem> => ({
  name,
  type: { is: 'object', of: 'ipam.ipaddress' },
  isNullable: true,
  read: (item, world) => {
    const primary = getPrimary(item, family)
    return primary ? nestAddress(world, primary) : null
  },
  write: async (value, draft) => {
    const key = await draft.resolve(RESOLVERS['ipam.ipaddress'], value)
    // A device with addresses has a first one.
    if (key === undefined || key === null) return
    const own = draft.item?.addresses ?? []
    const wanted = own.find((one) => getAddressKey(one) === key)
    if (!wanted || getAddress(wanted).ip.includes(':') !== (family === 6))
      return draft.refuse(`The specified IP address is not an IPv${family} address of this device.`)
    const present = (draft.input.addresses as Device['addresses'] | undefined) ?? draft.item?.device.addresses ?? []
    const chosen = getAddress(wanted)
    // The order of the other family stays as it is.
    if (present.find(({ ip }) => ip.includes(':') === (family === 6)) === chosen) return
    const others = present.filter((one) => one !== chosen)
    const at = others.findIndex(({ ip }) => ip.includes(':') === (family === 6))
    draft.set('addresses', others.toSpliced(at === -1 ? others.length : at, 0, chosen))
  },
})

/** The device that a virtual machine runs on: a relationship, which the write of the machine makes after it. */
export const writeHost = async (value: unknown, draft: DeviceDraft): Promise<void> => {
  const key = await draft.resolve(RESOLVERS['dcim.device'], value)
  if (key !== undefined && key !== (draft.item?.host?.id ?? null)) draft.later(({ id }) => moveToHost(draft, id, key))
}

const moveToHost = async (draft: DeviceDraft, machineId: string, hostId: string | null): Promise<void> => {
  const before = draft.item?.host?.id
  const contained = { child_id: machineId, type: 'contains' }
  if (before !== undefined) await draft.run('relationships.delete', { ...contained, device_id: before })
  if (hostId !== null) await draft.run('relationships.create', { ...contained, device_id: hostId })
}

/** @param tag of new objects of the list */
export const createDeviceWrites = (tag: string | undefined): Writes<DeviceItem> => ({
  create: async (draft) => {
    const tags = [...((draft.input.tags as string[] | undefined) ?? []), ...(tag === undefined ? [] : [tag])]
    const made = (await draft.run('devices.create', { ...draft.input, tags })) as Device
    await draft.finish(made)
    return made.id
  },
  update: async (draft, { device }) => {
    if (Object.keys(draft.input).length > 0) await draft.run('devices.update', { ...draft.input, id: device.id })
    await draft.finish(device)
    return device.id
  },
  remove: async (draft, { device }) => {
    await draft.run('devices.delete', { id: device.id })
  },
})
