/** Makes the rows of a source from its converted snapshot: filtered, placed, with tags and custom values, and a key each. */
import { type Breathe, createBreathe } from '../../base/runtime/pause.ts'
import { shorten } from '../../contract/errors.ts'
import { isRecord, toText } from '../../contract/unknown.ts'
import type { EstateDocument, EstateRow } from '../../convert/converter.ts'
import { FACTS, INVENTORY, isResource, type Resource } from '../../inventory/resources.ts'
import type { Fields } from '../../resource/custom/definitions.ts'
import { isCleared, validateValue } from '../../resource/custom/values.ts'
import { listFields } from '../../resource/facts.ts'
import { getNoun } from '../../resource/nouns.ts'
import { FetchError } from '../fetch/fetch-error.ts'
import type { ObjectKey, SaidRow } from '../judge/object-reads.ts'
import type { About } from '../kinds/source-kind.ts'
import { matchesPattern } from '../patterns.ts'
import type { SourceSettings } from '../store.ts'
import type { FindAddresses } from './discovered-addresses.ts'

/** The most texts of warnings that a run keeps. */
export const MAX_WARNINGS = 200
const MAX_TAGS = 100
/** The longest key in bytes, and the longest name of a row in characters. An index of PostgreSQL has both. */
const MAX_KEY_BYTES = 1024
const MAX_NAME = 255

type Settings = Pick<
  SourceSettings,
  'include' | 'exclude' | 'datacenter_id' | 'space_id' | 'places' | 'tags' | 'custom' | 'ref'
>

export type Converted = {
  readonly documents: EstateDocument
  readonly about: Readonly<Record<string, About>>
}

export type ReadRows = {
  readonly said: readonly SaidRow[]
  /** The types of the rows, before any was filtered. */
  readonly types: ReadonlySet<string>
  readonly warnings: readonly { readonly message: string }[]
  /** True for a stored row that is not known now, because its device is known in part only. */
  readonly isUnknown: (row: ObjectKey & { readonly row: string }) => boolean
}

/** Returns a value with the keys of all objects sorted. */
const sortKeys = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(sortKeys)
  if (!isRecord(value)) return value
  return Object.fromEntries(
    Object.entries(value)
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([name, one]) => [name, sortKeys(one)]),
  )
}

/** Returns the key of a row of the source that another row refers to; '' for a reference by name. */
const getReferred = (reference: unknown, ref: string): string => {
  const text = isRecord(reference) ? toText(reference.ref) : ''
  return text.startsWith(`${ref}:`) ? text.slice(ref.length + 1) : ''
}

/** Formats a reference, for the keys of rows without an id. */
const formatReference = (reference: unknown, ref: string): string =>
  getReferred(reference, ref) ||
  (typeof reference === 'string' ? reference : JSON.stringify(sortKeys(reference ?? null)))

const getKey = (resource: Resource, row: EstateRow, ref: string): string => {
  const own = isRecord(row.refs) ? toText(row.refs[ref]) : ''
  if (own !== '') return own
  if (resource === 'ports') return `${formatReference(row.device, ref)} ${toText(row.name)}`
  if (resource === 'relationships')
    return `${formatReference(row.parent, ref)} ${toText(row.type)} ${formatReference(row.child, ref)}`
  return toText(row.name) || toText(row.label) || formatReference(row.ip_address, ref)
}

const filterTexts = (value: unknown): readonly string[] =>
  Array.isArray(value) ? value.filter((one) => typeof one === 'string') : []

type Row = {
  readonly resource: Resource
  readonly key: string
  readonly row: EstateRow
  readonly about: About
}

/** True for a row that the patterns take. */
const isTaken = ({ include, exclude }: Settings, { row, about }: Row): boolean => {
  const texts = [toText(row.name), `type:${about.type}`, `place:${about.place ?? ''}`]
  for (const tag of filterTexts(row.tags)) texts.push(`tag:${tag}`)
  const matches = (pattern: string): boolean => texts.some((text) => matchesPattern(pattern, text))
  return (include.length === 0 || include.some(matches)) && !exclude.some(matches)
}

const FIELDS: ReadonlyMap<Resource, ReadonlySet<string>> = new Map(
  INVENTORY.map((resource) => [resource, new Set(listFields(FACTS[resource]).map(([name]) => name))]),
)

/** True for a row that may have a reference and has none. */
const lacks = ({ resource, row }: Row, name: 'datacenter' | 'space'): boolean =>
  FIELDS.get(resource)?.has(`${name}_id`) === true && !(name in row) && !(`${name}_id` in row)

type PlaceIds = { readonly datacenterId: string | null; readonly spaceId: string | null }

const findPlace = ({ places, datacenter_id, space_id }: Settings, text = ''): PlaceIds => {
  const rule = places.find(({ match }) => matchesPattern(match, text))
  return { datacenterId: rule?.datacenter_id ?? datacenter_id, spaceId: rule?.space_id ?? space_id }
}

const placeAddress = (address: unknown, space: object): unknown =>
  isRecord(address) && !('space' in address) && !('space_id' in address) ? { ...address, space } : address

/** Returns the fields of a row that says nothing of its place. */
const placeRow = async (settings: Settings, one: Row, findAddresses: FindAddresses): Promise<EstateRow> => {
  const { datacenterId, spaceId } = findPlace(settings, one.about.place)
  const space = spaceId === null ? undefined : { id: spaceId }
  let { addresses } = one.row
  if (one.resource === 'devices' && addresses === undefined) {
    const found = await findAddresses(one.about.macs ?? [], spaceId)
    if (found.length > 0) addresses = found
  }
  if (space && one.resource === 'devices' && Array.isArray(addresses))
    addresses = addresses.map((address) => placeAddress(address, space))
  return {
    ...(datacenterId !== null && lacks(one, 'datacenter') && { datacenter: { id: datacenterId } }),
    ...(space && lacks(one, 'space') && { space }),
    ...(addresses !== undefined && { addresses }),
  }
}

type Warn = (message: string) => void

/** Returns the values of custom fields that the facts of a device give. */
const readCustom = (settings: Settings, { key, row, about }: Row, fields: Fields, warn: Warn): EstateRow => {
  const custom: Record<string, unknown> = {}
  for (const [fact, name] of Object.entries(settings.custom)) {
    const text = about.facts?.[fact]
    const field = fields.get(name)
    if (text === undefined || !field) continue
    const checked = validateValue(field, text)
    if ('message' in checked)
      warn(`${key}: the fact ${fact} does not fit the custom field ${name}: it ${checked.message}`)
    else if (!isCleared(checked.value)) custom[name] = checked.value
  }
  const given = isRecord(row.custom) ? row.custom : {}
  return Object.keys(custom).length === 0 ? {} : { custom: { ...given, ...custom } }
}

const addTags = ({ tags }: Settings, { row }: Row): EstateRow =>
  tags.length === 0 ? {} : { tags: [...new Set([...filterTexts(row.tags), ...tags])].slice(0, MAX_TAGS) }

type Machines = { readonly taken: ReadonlySet<string>; readonly left: ReadonlySet<string> }

/** True for a row that follows a device which is not taken. */
const followsLeft = ({ resource, row }: Row, ref: string, { taken, left }: Machines): boolean => {
  const names: readonly unknown[] =
    resource === 'ports' ? [row.device] : resource === 'relationships' ? [row.parent, row.child] : []
  return names.some((reference) => {
    const key = getReferred(reference, ref) || toText(reference)
    return left.has(key) && !taken.has(key)
  })
}

const FOLLOWERS: ReadonlySet<string> = new Set(['ports', 'relationships'])

const listRows = async ({ documents, about }: Converted, ref: string, breathe: Breathe): Promise<Row[]> => {
  const rows: Row[] = []
  const seen = new Set<string>()
  for (const [resource, list] of Object.entries(documents)) {
    if (!isResource(resource)) throw new FetchError('bad_answer', `there is no resource "${resource}"`)
    for (const row of list) {
      const key = getKey(resource, row, ref)
      const one = `${resource} ${key}`
      if (key === '') throw new FetchError('bad_answer', `${resource}: a row has neither an id nor a name`)
      if (Buffer.byteLength(key) > MAX_KEY_BYTES)
        throw new FetchError(
          'bad_answer',
          `${resource}: the id "${shorten(key)}" is longer than ${MAX_KEY_BYTES} bytes`,
        )
      if (seen.has(one)) throw new FetchError('bad_answer', `${resource}: two rows have the id "${shorten(key)}"`)
      seen.add(one)
      rows.push({ resource, key, row, about: about[one] ?? { type: getNoun(resource) } })
      await breathe()
    }
  }
  return rows
}

/** Returns the function that names a row for people. A relationship has the names of its devices. */
const createDescribe = (rows: readonly Row[], ref: string): ((one: Row) => string) => {
  const devices = new Map(rows.flatMap(({ resource, key, row }) => (resource === 'devices' ? [[key, row.name]] : [])))
  const find = (reference: unknown): string =>
    toText(devices.get(getReferred(reference, ref))) || formatReference(reference, ref)
  return ({ resource, key, row }) => {
    if (resource !== 'relationships') return toText(row.name) || key
    return `${find(row.parent)} ${toText(row.type)} ${find(row.child)}`
  }
}

/** Reads which rows are taken, by the keys and the names of devices. */
const selectMachines = (settings: Settings, rows: readonly Row[]): Machines => {
  const [taken, left] = [new Set<string>(), new Set<string>()]
  for (const one of rows) {
    if (one.resource !== 'devices') continue
    const side = isTaken(settings, one) ? taken : left
    side.add(one.key)
    side.add(toText(one.row.name))
  }
  return { taken, left }
}

const DEVICE = 'devices '

/** Maps the devices that are known in part, by their keys. Some have no row. */
const mapPartial = ({ about }: Converted): ReadonlyMap<string, About> =>
  new Map(
    Object.entries(about).flatMap(([name, one]) =>
      one.isPartial && name.startsWith(DEVICE) ? [[name.slice(DEVICE.length), one]] : [],
    ),
  )

type Reading = {
  /** The custom fields of devices. */
  readonly fields: Fields
  readonly findAddresses: FindAddresses
}

/** Returns the MAC addresses of devices whose addresses the source does not tell. */
export const listUnaddressed = ({ documents, about }: Converted, { ref }: Pick<Settings, 'ref'>): string[] =>
  (documents.devices ?? []).flatMap((row) =>
    row.addresses === undefined ? (about[`devices ${getKey('devices', row, ref)}`]?.macs ?? []) : [],
  )

/** @throws FetchError `bad_answer` for rows without a key, and for two of one key */
export const readRows = async (
  converted: Converted,
  settings: Settings,
  { fields, findAddresses }: Reading,
): Promise<ReadRows> => {
  const breathe = createBreathe()
  const warnings: { message: string }[] = []
  const warn: Warn = (message) => {
    if (warnings.length < MAX_WARNINGS) warnings.push({ message })
  }
  const { ref } = settings
  const rows = await listRows(converted, ref, breathe)
  const machines = selectMachines(settings, rows)
  const describe = createDescribe(rows, ref)
  const types = new Set<string>()
  const partial = mapPartial(converted)
  for (const { type } of partial.values()) types.add(type)
  // Devices that keep their earlier row.
  const rowless = new Set(partial.keys())
  const said: SaidRow[] = []
  for (const one of rows) {
    await breathe()
    const { resource, key, row, about } = one
    if (!FOLLOWERS.has(resource)) types.add(about.type)
    if (resource === 'devices') rowless.delete(key)
    if (FOLLOWERS.has(resource) ? followsLeft(one, ref, machines) : !isTaken(settings, one)) continue
    const more = resource === 'devices' ? { ...addTags(settings, one), ...readCustom(settings, one, fields, warn) } : {}
    said.push({
      ...{ resource, key, type: about.type, place: about.place ?? '' },
      name: describe(one).slice(0, MAX_NAME).toWellFormed(),
      row: JSON.stringify(sortKeys({ ...row, ...(await placeRow(settings, one, findAddresses)), ...more })),
      ...{ facts: about.facts ?? {}, macs: about.macs ?? [] },
    })
  }
  const isUnknown: ReadRows['isUnknown'] = ({ resource, key, row }) => {
    if (resource === 'devices') return rowless.has(key)
    if (partial.size === 0 || !FOLLOWERS.has(resource)) return false
    // Written as JSON of a row.
    const stored = JSON.parse(row) as EstateRow
    return partial.has(getReferred(resource === 'ports' ? stored.device : stored.child, ref))
  }
  return { said, types, warnings, isUnknown }
}
