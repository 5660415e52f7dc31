/** Applies a partial update to an object: an absent field is unchanged, any other value is set. */
import { isDeepStrictEqual } from 'node:util'

export type Merged<T> = {
  readonly value: T
  /** The fields with different values. An update without effect has none. */
  readonly changes: readonly (keyof T & string)[]
}

/** Stored names are in the form that they were sent in by older programs, until their object is written. */
const composeName = (value: { readonly name?: unknown }): boolean => {
  const { name } = value
  if (typeof name !== 'string' || name.normalize('NFC') === name) return false
  Object.assign(value, { name: name.normalize('NFC') })
  return true
}

/** @example merge({ a: 1, b: 2 }, { b: 3 }) // { value: { a: 1, b: 3 }, changes: ['b'] } */
export const merge = <T extends object>(
  before: T,
  patch: { readonly [K in keyof T]?: T[K] | undefined },
): Merged<T> => {
  const value = { ...before }
  const changes: (keyof T & string)[] = []
  for (const key in patch) {
    const next = patch[key]
    if (next === undefined || isDeepStrictEqual(next, before[key])) continue
    // Undefined has just been excluded.
    value[key] = next as T[typeof key]
    changes.push(key)
  }
  if (changes.length > 0 && composeName(value)) changes.push('name' as keyof T & string)
  return { value, changes }
}
