/** The values of custom fields of a row, compared with the values of its object. */
import { parseFlag } from '../../base/sheets/flag.ts'
import type { Custom, CustomPatch, CustomValue } from '../../resource/custom/fields.ts'
import { parseNext } from '../../resource/custom/next-text.ts'

const isNone = (value: CustomValue | null): boolean =>
  value === null || (typeof value === 'string' && value.trim() === '') || (Array.isArray(value) && value.length === 0)

const splitValues = (value: unknown): unknown[] =>
  typeof value === 'string'
    ? value
        .split(';')
        .map((part) => part.trim())
        .filter(Boolean)
    : [value].flat()

/** True for a value that is stored as the other one: texts may spell numbers, booleans and lists. */
const isStoredAs = (given: CustomValue, stored: CustomValue | undefined): boolean => {
  if (Bun.deepEquals(given, stored)) return true
  if (Array.isArray(stored)) return Bun.deepEquals([...new Set(splitValues(given))], stored)
  if (typeof given !== 'string' || given.trim() === '') return false
  if (typeof stored === 'string') return given.trim() === stored
  // An object keeps the number that it has.
  if (typeof stored === 'number') return Number(given) === stored || parseNext(given) !== undefined
  return typeof stored === 'boolean' && parseFlag(given) === stored
}

/** Returns a value in the form in which it is stored already, if it is the same. */
export const toStoredValue = (given: unknown, stored: unknown): unknown =>
  // A definition has a default of this type, or null.
  given !== null && isStoredAs(given as CustomValue, (stored ?? undefined) as CustomValue | undefined) ? stored : given

/**
 * Returns the values of an address of a row; null without any.
 * @param stored of the same address of the stored device: if they are repeated, they stay as they are
 */
export const mergeAddressCustom = (
  stored: unknown,
  given: CustomPatch | undefined,
  defaults: Custom,
): Custom | null => {
  const held = (stored ?? {}) as Custom
  if (Bun.deepEquals(held, given ?? {})) return Object.keys(held).length === 0 ? null : held
  const all = { ...defaults, ...given }
  return mergeCustom(Object.fromEntries(Object.entries(held).filter(([name]) => Object.hasOwn(all, name))), all)
}

/** Returns the values of an object after the change of a row; null without any. @param before of the stored object */
export const mergeCustom = (before: unknown, given: CustomPatch): Custom | null => {
  // The documents of objects with custom fields.
  const stored = (before ?? {}) as Custom
  const values = new Map(given === null ? [] : Object.entries(stored))
  for (const [name, value] of Object.entries(given ?? {})) {
    if (value === null || isNone(value)) values.delete(name)
    else if (!isStoredAs(value, values.get(name))) values.set(name, typeof value === 'string' ? value.trim() : value)
  }
  const sorted = [...values].sort(([a], [b]) => (a < b ? -1 : 1))
  return sorted.length === 0 ? null : Object.fromEntries(sorted)
}
