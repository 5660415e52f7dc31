/** Values for the writable fields of the NetBox API, by their types, and whether an answer has them. */
import { isDeepStrictEqual } from 'node:util'
import type { FieldType } from '../../src/netbox/endpoint/field.ts'
import { REGISTERED } from '../../src/netbox/endpoints/registry.ts'
import { takeOneIn } from '../cases.ts'
import { type Item, type Lists, listOf, pick } from './oracle/lists.ts'

/** A writable field, whatever its endpoint is. */
export type Writable = {
  readonly name: string
  readonly type: FieldType
  readonly isRequired: boolean
  readonly isNullable: boolean
}

export const listWritable = (path: string): Writable[] =>
  REGISTERED.filter((one) => one.path === path).flatMap(({ use }) =>
    use(({ fields }) =>
      fields
        .filter(({ write }) => write !== undefined)
        .map(({ name, type, isRequired = false, isNullable = false }) => ({ name, type, isRequired, isNullable })),
    ),
  )

const PATHS: ReadonlyMap<string, string> = new Map(
  REGISTERED.map(({ path, use }) => [use(({ kind }) => String(kind)), path]),
)

/** Names that mean none: they are shown, and a write of one is a write of null. */
const isOfNone = (item: Item): boolean => ['unassigned', 'unknown', 'unspecified'].includes(String(item.slug))

/** The tags that the custom fields `tags` of all resources allow. */
const COMMON_TAGS = ['ansible', 'terraform']

export const listObjects = (lists: Lists, kind: string): readonly Item[] => {
  const all = lists.get(PATHS.get(kind) ?? '').filter((item) => !isOfNone(item))
  return kind === 'extras.tag' ? all.filter(({ name }) => COMMON_TAGS.includes(String(name))) : all
}

/** A value as a request has it, and the number, text or list that an answer shows for it. */
export type Value = { readonly sent: unknown; readonly shown: unknown }

const plain = (...values: readonly unknown[]): Value[] => values.map((value) => ({ sent: value, shown: value }))

/** Longer lists of choices are tried in part. */
const MANY_CHOICES = 20

/** Texts of fields that take only one form. */
const TEXTS: Readonly<Record<string, readonly string[]>> = {
  slug: ['proof-1', 'Proof_2'],
  color: ['aa1409', '00ff00'],
  mac_address: ['02:00:00:AA:BB:01', '02:00:00:AA:BB:02'],
  wwn: ['50:06:01:60:3B:20:13:25'],
  time_zone: ['Europe/Zurich', 'UTC'],
  dns_name: ['proof.example.net', 'a-1.proof.example.net'],
  rd: ['65000:77', '10.0.0.1:5'],
  prefix: ['10.201.0.0/24', '2001:db8:201::/64'],
  start_address: ['10.8.1.130/25'],
  end_address: ['10.8.1.199/25'],
  scope_type: ['dcim.site'],
}

/** Numbers of fields with other bounds. */
const NUMBERS: Readonly<Record<string, readonly number[]>> = {
  vid: [1, 4094],
  latitude: [47.37, -12.5],
  longitude: [8.5, -120.25],
  u_height: [1, 4],
  vcpus: [2, 0.5],
  disk: [20_000, 50_000],
  speed: [1_000_000, 100_000],
  position: [7, 9],
}

/** Returns the ways in which requests name an object. */
const nameObject = (item: Item): unknown[] => {
  const named = ['slug', 'name', 'model', 'address', 'vid'].find(
    (name) => typeof item[name] === 'string' && item[name] !== '',
  )
  return [item.id, { id: item.id }, String(item.id), ...(named === undefined ? [] : [{ [named]: item[named] }])]
}

const listValues = ({ name, type }: Writable, lists: Lists): Value[] => {
  if (TEXTS[name]) return plain(...TEXTS[name])
  if (type.is === 'string') return plain('Büro 1', 'other text')
  if (type.is === 'boolean') return plain(true, false)
  if (name === 'scope_id') return plain(...listObjects(lists, 'dcim.site').map(({ id }) => id))
  if (type.is === 'integer' || type.is === 'decimal') return plain(...(NUMBERS[name] ?? [5, 7]))
  if (type.is === 'choice') {
    const keys = Object.keys(type.of)
    const all = (keys.length > MANY_CHOICES ? takeOneIn(MANY_CHOICES, keys) : keys).map((value) => ({
      sent: value,
      shown: value,
    }))
    // A client may send the object that it has read.
    const [first] = all
    return [...all, ...(first ? [{ sent: { value: first.sent, label: '' }, shown: first.shown }] : [])]
  }
  const objects = type.is === 'object' || type.is === 'objects' ? listObjects(lists, type.of) : []
  if (type.is === 'object')
    return objects.slice(0, 2).flatMap((item) => nameObject(item).map((sent) => ({ sent, shown: item.id })))
  if (type.is === 'objects') {
    const [first, second] = objects
    if (!first) return []
    const both = second ? [{ sent: [first.id, second.id], shown: [first.id, second.id] }] : []
    const one = nameObject(first).map((sent) => ({ sent: [sent], shown: [first.id] }))
    return [...both, ...one]
  }
  // Of the others Plat has nothing but the usual value.
  return plain(7)
}

/** Lists values of a field, and the ones that mean none. */
export const drawValues = (field: Writable, lists: Lists): Value[] => {
  const { type, isRequired, isNullable } = field
  if (isRequired) return listValues(field, lists)
  const none = type.is === 'string' ? plain('') : []
  const empty = type.is === 'objects' ? plain([]) : []
  return [...listValues(field, lists), ...none, ...empty, ...(isNullable ? [{ sent: null, shown: null }] : [])]
}

/** Returns a field of an answer as a request would have it. */
export const toShown = (type: FieldType, value: unknown): unknown => {
  if (type.is === 'choice') return typeof value === 'object' ? pick(value, 'value') : value
  if (type.is === 'object') return pick(value, 'id')
  if (type.is === 'objects') return listOf(value).map((one) => pick(one, 'id'))
  return value
}

const isNone = (value: unknown): boolean => value === null || value === ''

const sort = (value: unknown): unknown => (Array.isArray(value) ? value.toSorted() : value)

/** @param usual the value of the field in an object for which it was never written: no value may be shown as that */
export const isShown = ({ type }: Writable, held: unknown, { shown }: Value, usual: unknown): boolean => {
  const own = toShown(type, held)
  if (isNone(shown)) return isNone(own) || isDeepStrictEqual(held, usual)
  return isDeepStrictEqual(sort(own), sort(shown))
}

/** Returns the body that writes an object as it is. */
export const toBody = (path: string, item: Item): Record<string, unknown> =>
  Object.fromEntries(listWritable(path).map(({ name, type }) => [name, toShown(type, item[name])]))

/** The bodies of new objects, for fields with a type that does not tell the value. */
const REQUIRED: Readonly<Record<string, (n: number) => unknown>> = {
  name: (n) => `Proof ${n}`,
  model: (n) => `Proof ${n}`,
  slug: (n) => `proof-${n}`,
  vid: (n) => 1000 + n,
  prefix: (n) => `10.200.${n}.0/24`,
  address: (n) => `10.8.1.${150 + n}/24`,
  start_address: (n) => `10.8.1.${130 + n}`,
  end_address: (n) => `10.8.1.${130 + n}`,
}

/** Returns a value for a field, also the object that stands for none, as a cluster type may be. */
const findFirst = (field: Writable, lists: Lists): unknown => {
  const [first] = listValues(field, lists)
  const { type } = field
  return first || type.is !== 'object' ? first?.sent : lists.get(PATHS.get(type.of) ?? '')[0]?.id
}

/** Returns the required fields of a new object. @param n tells it from others */
export const buildRequired = (path: string, lists: Lists, n: number): Record<string, unknown> =>
  Object.fromEntries(
    listWritable(path)
      .filter(({ isRequired }) => isRequired)
      .map((field) => [field.name, REQUIRED[field.name]?.(n) ?? findFirst(field, lists)]),
  )

/** Returns the fields that a request needs beside a field. */
export const listBeside = (name: string, lists: Lists): Record<string, unknown> => {
  const [site] = listObjects(lists, 'dcim.site')
  if (name === 'scope_type') return { scope_id: site?.id }
  return name === 'scope_id' ? { scope_type: 'dcim.site' } : {}
}
