/** Own properties of objects with keys from outside: `constructor` and `__proto__` are keys like any other. Browser-safe. */
import { invalidField } from './errors.ts'

/** Returns the value of an own property; undefined without one. @example getOwn({}, 'constructor') // undefined */
export const getOwn = <T>(record: Readonly<Record<string, T>>, key: string): T | undefined =>
  Object.hasOwn(record, key) ? record[key] : undefined

export const PROTO = '__proto__'

/** The error of a key that is no name of a field. */
export const NO_FIELD = 'is no name of a field'

/** Matches the key in JSON, which may spell each of its letters with an escape. */
const PROTO_KEY = new RegExp(
  `"${[...PROTO].map((letter) => `(?:${letter}|\\\\u00${letter.charCodeAt(0).toString(16)})`).join('')}"\\s*:`,
  'i',
)

/** The number of values that are searched for the path of the key. */
const MAX_VALUES = 100_000

/** Returns the path of the key in a value; the key if its path is not found soon. */
const findProto = (value: unknown): string => {
  const open: (readonly [path: string, value: unknown])[] = [['', value]]
  for (let n = 0; n < MAX_VALUES && open.length > 0; n++) {
    const [path, one] = open.pop() ?? ['', undefined]
    if (typeof one !== 'object' || one === null) continue
    for (const [key, inner] of Object.entries(one)) {
      const at = Array.isArray(one) ? `${path}[${key}]` : path === '' ? key : `${path}.${key}`
      if (key === PROTO) return at
      if (open.length < MAX_VALUES) open.push([at, inner])
    }
  }
  return PROTO
}

/**
 * Refuses the key `__proto__`, which schemas drop: a value would be ignored without a word.
 * @param text the JSON from which the value was parsed
 * @throws AppError VALIDATION_ERROR that names the key
 */
export const refuseProto = (value: unknown, text: string): void => {
  if (PROTO_KEY.test(text)) throw invalidField(findProto(value), NO_FIELD)
}
