/** The fields of a row of a source that knows a part of its object: what is not in the row stays. */

import type { RowRules } from '../../contract/fields/row-rules.ts'
import { isRecord, toText } from '../../contract/unknown.ts'
import { isDefault } from '../../inventory/spaces/fields.ts'
import { normalizeIp } from '../../net/ip.ts'
import { toNameKey } from '../../net/name-order.ts'
import type { Document } from '../../record/history/kinds.ts'

type Fields = Readonly<Record<string, unknown>>

const isEmpty = (value: unknown): boolean =>
  value === null || (typeof value === 'string' && value.trim() === '') || (Array.isArray(value) && value.length === 0)

const removeEmptyInside = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map((one: unknown) => (isRecord(one) ? removeEmpty(one) : one))
  return isRecord(value) ? removeEmpty(value) : value
}

/** An empty owner releases the object: the owner says what a source may remove. */
const OWNER = 'managed_by'

/** Returns a row without null, empty texts and empty lists, also in its objects, but with its owner. */
export const removeEmpty = (fields: Fields): Fields =>
  Object.fromEntries(
    Object.entries(fields)
      .filter(([field, value]) => field === OWNER || !isEmpty(value))
      .map(([field, value]) => [field, removeEmptyInside(value)]),
  )

const trimText = (value: unknown): string => toText(value).trim()

/** The lists with texts that are equal in any case. */
const ANY_CASE: ReadonlySet<string> = new Set(['domains', 'choices', 'ports'])

/** Returns the text by which two items of a list are the same. */
const buildItemKey = (field: string, item: unknown): string => {
  const own = isRecord(item) ? item.name : item
  if (typeof own !== 'string') return JSON.stringify(item) ?? ''
  return ANY_CASE.has(field) ? toNameKey(own.trim()) : own.trim()
}

/** Adds items to a list. An item that is there keeps its place and the fields that the new one does not have. */
const addToList = (field: string, stored: readonly unknown[], given: readonly unknown[]): unknown[] => {
  const items = new Map(stored.map((item) => [buildItemKey(field, item), item]))
  for (const item of given) {
    const key = buildItemKey(field, item)
    const same = items.get(key)
    items.set(key, isRecord(same) && isRecord(item) ? { ...same, ...item } : item)
  }
  return [...items.values()]
}

/** Returns the parts of a value of a custom field with several values; a text may spell them. */
const splitParts = (value: unknown): readonly unknown[] => {
  if (Array.isArray(value)) return value
  if (typeof value !== 'string') return [value]
  const parts = value.split(';').map((part) => part.trim())
  return parts.filter((part) => part !== '')
}

/** Adds a value of a custom field to the stored one if the field has several values. */
export const addToValue = (stored: unknown, given: unknown): unknown =>
  Array.isArray(stored) && !isEmpty(given) ? [...new Set([...stored, ...splitParts(given)])] : given

/** Adds to the values of custom fields that have several, and leaves the others as they are given. */
const addToCustom = (stored: unknown, given: unknown): unknown => {
  if (!isRecord(given)) return given
  const held = isRecord(stored) ? stored : {}
  const getHeldValue = (name: string): unknown => (Object.hasOwn(held, name) ? held[name] : undefined)
  return Object.fromEntries(Object.entries(given).map(([name, value]) => [name, addToValue(getHeldValue(name), value)]))
}

const getIp = ({ ip }: Fields): string => normalizeIp(trimText(ip)) ?? trimText(ip)

/** @example buildAddressKey({ ip: '10.0.0.1' }) // '10.0.0.1 ' */
export const buildAddressKey = (address: Fields): string => `${getIp(address)} ${trimText(address.space_id)}`

/** Returns the stored address that an address of a row means: of the space, network or pool that it says, or the only one of its `ip`. */
const findSame = (given: Fields, alike: readonly Fields[]): Fields | undefined => {
  const said = trimText(given.space_id)
  const [space, isPlaced] = [isDefault(said) ? '' : said, trimText(given.network_id) + trimText(given.pool_id) !== '']
  const hasSame = (field: string) => (one: Fields) => trimText(given[field]) !== '' && one[field] === given[field]
  const inSpace = alike.find((one) => trimText(one.space_id) === space)
  const inPlace = alike.find(hasSame('network_id')) ?? alike.find(hasSame('pool_id'))
  if (said !== '') return inSpace ?? inPlace
  return inPlace ?? inSpace ?? (!isPlaced && alike.length === 1 ? alike[0] : undefined)
}

/** Returns an address with the fields of a row that has a part of them. */
const mergeAddress = (stored: Fields, { custom, ...given }: Fields): Fields => {
  if (custom === undefined) return { ...stored, ...given }
  const added = addToCustom(stored.custom, custom)
  const values = isRecord(added) && isRecord(stored.custom) ? { ...stored.custom, ...added } : added
  return { ...stored, ...given, custom: values }
}

/** The addresses of a device after a row. */
type MergedAddresses = {
  /** In the stored order. New ones follow. */
  readonly addresses: readonly unknown[]
  /** The place of each address of the row in `addresses`. */
  readonly places: readonly number[]
  /** The stored addresses that the row does not have. */
  readonly kept: readonly Fields[]
}

const mergeAddresses = (
  stored: readonly Fields[],
  given: readonly unknown[],
  keepAddress: KnownPart['keepAddress'] = (address) => address,
): MergedAddresses => {
  const merged: unknown[] = [...stored]
  const left = new Map([...stored.entries()].map(([place, one]) => [one, place]))
  const byIp = Map.groupBy(stored, getIp)
  const places = given.map((one) => {
    const alike = isRecord(one) ? (byIp.get(getIp(one)) ?? []).filter((other) => left.has(other)) : []
    const same = isRecord(one) ? findSame(one, alike) : undefined
    const place = same && left.get(same)
    if (!same || !isRecord(one) || place === undefined) return merged.push(one) - 1
    left.delete(same)
    merged[place] = mergeAddress(same, one)
    return place
  })
  for (const [one, place] of left) merged[place] = keepAddress(one)
  return { addresses: merged, places, kept: [...left.keys()] }
}

/** Merges the stored position. The row may give a part of a position in the same rack. */
const mergeMount = (stored: unknown, given: unknown): unknown =>
  isRecord(stored) && isRecord(given) && stored.rack_id === given.rack_id ? { ...stored, ...given } : given

/** True for a row with an update that depends on the stored object. */
export const canAdd = (row: Fields): boolean =>
  Object.entries(row).some(([field, value]) => Array.isArray(value) || field === 'custom' || field === 'mount')

/** How a row changes its object. */
export type KnownPart = RowRules & {
  /** Returns a stored address that the row does not have, as it is after the call. */
  readonly keepAddress?: (address: Fields) => Fields
}

export type MergedRow = Partial<Pick<MergedAddresses, 'places'>> &
  Pick<MergedAddresses, 'kept'> & {
    /** The fields of an update. */
    readonly fields: Fields
  }

const listAddresses = ({ addresses }: Document): readonly Fields[] =>
  Array.isArray(addresses) ? addresses.filter(isRecord) : []

/**
 * Returns the update of a stored object that a row makes by its rules.
 * @param row with ids in place of names
 */
export const mergeRow = (row: Fields, before: Document, { lists, empty, keepAddress }: KnownPart): MergedRow => {
  const given = empty === 'keep' ? removeEmpty(row) : row
  if (lists === 'replace') return { fields: given, kept: [] }
  const stored = listAddresses(before)
  let addresses: MergedAddresses | undefined
  const mergeField = (field: string, value: unknown): unknown => {
    const own: unknown = Object.hasOwn(before, field) ? before[field] : undefined
    if (field === 'custom') return addToCustom(own, value)
    if (field === 'mount') return mergeMount(own, value)
    if (!Array.isArray(value) || isEmpty(value)) return value
    if (field !== 'addresses') return Array.isArray(own) ? addToList(field, own, value) : value
    addresses = mergeAddresses(stored, value, keepAddress)
    return addresses.addresses
  }
  const fields = Object.fromEntries(Object.entries(given).map(([field, value]) => [field, mergeField(field, value)]))
  return addresses ? { fields, places: addresses.places, kept: addresses.kept } : { fields, kept: stored }
}

const ADDRESS = /^addresses\[(\d+)\]/

/** Returns the position of an error in the row. Addresses have other positions in the row than in the object. */
export const toRowPlace = (field: string, places: readonly number[] | undefined): string => {
  const [start, place] = ADDRESS.exec(field) ?? []
  if (!places || start === undefined) return field
  const at = places.indexOf(Number(place))
  return at === -1 ? 'addresses' : `addresses[${at}]${field.slice(start.length)}`
}
