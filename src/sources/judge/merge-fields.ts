/** Decides which fields of a row are written: a source writes only fields that have changed there. Pure. */

import { isRecord, toText } from '../../contract/unknown.ts'
import { normalizeIp } from '../../net/ip.ts'
import { toNameKey } from '../../net/name-order.ts'

type Fields = Readonly<Record<string, unknown>>

export type Why = 'edited' | 'locked'
export type Kept = { readonly here: unknown; readonly source: unknown; readonly why: Why }

/** An address of a row in its stored form, and the fields that the row says of it. */
export type SaidAddress = { readonly value: Fields; readonly said: ReadonlySet<string> }

/** The row of a source in stored form: only the fields that it says. */
export type SaidFields = Omit<Fields, 'addresses'> & { readonly addresses?: readonly SaidAddress[] }

export type Merging = {
  /** The row that was applied last; undefined for a link that is new. */
  readonly base: SaidFields | undefined
  readonly now: SaidFields
  /** The stored object. */
  readonly here: Fields
  readonly locked: ReadonlySet<string>
  /** Also writes fields that a person has changed. */
  readonly overwrite: boolean
}

export type Merged = {
  /** The new values in stored form; of `custom` and `refs` only the names that change, null for none. */
  readonly writes: Readonly<Record<string, unknown>>
  /** The fields that differ and are not written; `custom.<name>` and `refs.<source>` by name. */
  readonly kept: Readonly<Record<string, Kept>>
}

const isEmpty = (value: unknown): boolean =>
  value === undefined ||
  value === null ||
  value === '' ||
  (Array.isArray(value) && value.length === 0) ||
  (isRecord(value) && Object.keys(value).length === 0)

const isSame = (a: unknown, b: unknown): boolean => Bun.deepEquals(a, b) || (isEmpty(a) && isEmpty(b))

type Values = { readonly base: unknown; readonly now: unknown; readonly here: unknown; readonly hasBase: boolean }

/** True if a single value follows the source. */
const followsSource = ({ base, now, here, hasBase }: Values): boolean =>
  hasBase ? !isSame(now, base) && isSame(here, base) : isEmpty(here)

const getOwn = (values: unknown, name: string): unknown =>
  isRecord(values) && Object.hasOwn(values, name) ? values[name] : undefined

const hasOwn = (values: unknown, name: string): boolean => isRecord(values) && Object.hasOwn(values, name)

type PartResult = { readonly value: unknown; readonly isWritten: boolean; readonly isKept: boolean }

const mergeValue = (values: Values, overwrite: boolean): PartResult => {
  if (isSame(values.now, values.here)) return { value: values.here, isWritten: false, isKept: false }
  const isWritten = overwrite || followsSource(values)
  return { value: isWritten ? values.now : values.here, isWritten, isKept: !isWritten }
}

const ANY_CASE: ReadonlySet<string> = new Set(['domains'])

const buildItemKey = (field: string, item: unknown): string =>
  typeof item === 'string' && ANY_CASE.has(field) ? toNameKey(item) : (JSON.stringify(item) ?? '')

const toList = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : [])

/** True for a list of texts or numbers, which are merged one by one. */
const isPlainList = (value: unknown): boolean =>
  Array.isArray(value) && value.every((item) => typeof item === 'string' || typeof item === 'number')

const mergeList = (field: string, { base, now, here }: Values, overwrite: boolean): PartResult => {
  const toKey = (item: unknown) => buildItemKey(field, item)
  const [before, said, held] = [base, now, here].map((list) => new Set(toList(list).map(toKey)))
  const isLeft = (item: unknown) => !before?.has(toKey(item)) || said?.has(toKey(item))
  const absent = toList(now).filter((item) => !held?.has(toKey(item)))
  const added = overwrite ? absent : absent.filter((item) => !before?.has(toKey(item)))
  const value = [...toList(here).filter(isLeft), ...added]
  return { value, isWritten: !Bun.deepEquals(value, [...toList(here)]), isKept: absent.length > added.length }
}

/** @example buildAddressKey({ ip: '10.0.0.1' }) // '10.0.0.1 ' */
export const buildAddressKey = (address: Fields): string =>
  `${normalizeIp(toText(address.ip)) ?? toText(address.ip)} ${toText(address.space_id)}`

const withoutUndefined = (fields: Fields): Fields =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined))

/** Merges values by name, such as those of custom fields. Returns the names that change. */
const mergeNamed = ({ base, now, here }: Omit<Values, 'hasBase'>, overwrite: boolean) => {
  const writes: Record<string, unknown> = {}
  const kept: string[] = []
  for (const [name, value] of Object.entries(isRecord(now) ? now : {})) {
    const part = mergeValue(
      { base: getOwn(base, name), now: value, here: getOwn(here, name), hasBase: hasOwn(base, name) },
      overwrite,
    )
    if (part.isWritten) writes[name] = isEmpty(value) ? null : value
    else if (part.isKept) kept.push(name)
  }
  return { writes, kept }
}

const mergeAddress = (base: SaidAddress | undefined, now: SaidAddress, here: Fields, overwrite: boolean) => {
  const merged: Record<string, unknown> = { ...here }
  let isKept = false
  for (const field of now.said) {
    const hasBase = base?.said.has(field) === true
    const values = { base: base?.value[field], now: now.value[field], here: here[field], hasBase }
    if (field === 'custom') {
      const { writes, kept } = mergeNamed(values, overwrite)
      if (kept.length > 0) isKept = true
      if (Object.keys(writes).length > 0) merged.custom = { ...(isRecord(here.custom) ? here.custom : {}), ...writes }
      continue
    }
    const part = mergeValue(values, overwrite)
    if (part.isKept) isKept = true
    if (part.isWritten) merged[field] = part.value
  }
  return { value: withoutUndefined(merged), isKept }
}

type Addresses = readonly SaidAddress[]

const mergeAddresses = (base: Addresses, now: Addresses, here: unknown, overwrite: boolean): PartResult => {
  const byKey = (all: Addresses) => new Map(all.map((one) => [buildAddressKey(one.value), one]))
  const [before, said] = [byKey(base), byKey(now)]
  const stored = toList(here).filter(isRecord)
  const held = new Set(stored.map(buildAddressKey))
  let isKept = false
  const value: Fields[] = []
  for (const address of stored) {
    const key = buildAddressKey(address)
    const one = said.get(key)
    if (one) {
      const merged = mergeAddress(before.get(key), one, address, overwrite)
      isKept ||= merged.isKept
      value.push(merged.value)
    } else if (!before.has(key)) value.push(address)
  }
  for (const [key, one] of said) {
    if (held.has(key)) continue
    if (overwrite || !before.has(key)) value.push(one.value)
    else isKept = true
  }
  return { value, isWritten: !Bun.deepEquals(value, stored), isKept }
}

/** The fields with values by name. */
const NAMED: ReadonlySet<string> = new Set(['custom', 'refs'])

/** Merges a row with its object. Locked fields are never written. */
export const mergeFields = ({ base, now, here, locked, overwrite }: Merging): Merged => {
  const writes: Record<string, unknown> = {}
  const kept: Record<string, Kept> = {}
  const keep = (field: string, values: Omit<Kept, 'why'>, isLocked: boolean) => {
    kept[field] = { ...values, why: isLocked ? 'locked' : 'edited' }
  }
  for (const [field, said] of Object.entries(now)) {
    const isLocked = locked.has(field)
    const values = { base: base?.[field], now: said, here: here[field], hasBase: hasOwn(base, field) }
    if (NAMED.has(field)) {
      const named = mergeNamed(values, overwrite && !isLocked)
      const names = isLocked ? Object.keys(named.writes) : []
      for (const name of [...named.kept, ...names])
        keep(`${field}.${name}`, { here: getOwn(here[field], name) ?? null, source: getOwn(said, name) }, isLocked)
      if (!isLocked && Object.keys(named.writes).length > 0) writes[field] = named.writes
      continue
    }
    const part =
      field === 'addresses'
        ? mergeAddresses(base?.addresses ?? [], now.addresses ?? [], here.addresses, overwrite)
        : isPlainList(said) && (isEmpty(here[field]) || isPlainList(here[field]))
          ? mergeList(field, values, overwrite)
          : mergeValue(values, overwrite)
    if (part.isWritten && !isLocked) writes[field] = part.value
    if (part.isKept || (part.isWritten && isLocked))
      keep(field, { here: here[field] ?? null, source: toShown(field, said) }, isLocked)
  }
  return { writes, kept }
}

const toShown = (field: string, said: unknown): unknown =>
  field === 'addresses' ? toList(said).map((one) => getOwn(one, 'value')) : (said ?? null)

/** Returns the object after the writes, as it is stored. */
export const applyWrites = (here: Fields, { writes }: Pick<Merged, 'writes'>): Fields => {
  const after: Record<string, unknown> = { ...here }
  for (const [field, value] of Object.entries(writes)) {
    if (!NAMED.has(field)) {
      after[field] = value
      continue
    }
    const named = { ...(isRecord(here[field]) ? here[field] : {}), ...(isRecord(value) ? value : {}) }
    after[field] = Object.fromEntries(Object.entries(named).filter(([, one]) => one !== null))
  }
  return after
}
