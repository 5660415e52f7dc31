/** The field types of all contracts: each bound, and each way to clear a field, is defined once. Browser-safe. */

import { z } from 'zod'
import { isStorable } from '../storable.ts'
import { explainText, matchWhole, NOT_BLANK, type TextRule, VISIBLE } from './text-rules.ts'

const storable = { error: 'must be valid Unicode text without NUL characters' }

/** Reuses one schema for equal fields: creating them is most of the time to load the contracts. */
const cacheSchemas = <Of, Schema>(make: (of: Of) => Schema) => {
  const made = new Map<Of, Schema>()
  return (of: Of): Schema => {
    const schema = made.get(of) ?? make(of)
    made.set(of, schema)
    return schema
  }
}

/** Text of at most `max` characters. */
export const line = cacheSchemas((max: number) => z.string().max(max).refine(isStorable, storable))

/** Required text: 1 to `max` characters after trimming. */
export const trimmed = (max: number) =>
  z
    .string()
    .trim()
    .min(1, 'must not be blank')
    .max(max)
    .refine(isStorable, storable)
    .meta({ exact: { pattern: NOT_BLANK } })

/** The largest number of characters of a name. */
export const MAX_NAME = 255

/** Spaces, controls, marks of direction, fillers, and the empty pattern of Braille. */
const INVISIBLE = /^[\s\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\u2800]+$/u

/** Required text that names something: 1 to `max` characters after trimming, one of them visible, in the normal form NFC (UAX #15). */
export const named = (max: number) =>
  z
    .string()
    .trim()
    .normalize('NFC')
    .min(1, 'must not be blank')
    .max(max)
    .refine(isStorable, storable)
    .refine((name) => !INVISIBLE.test(name), { error: 'must have a visible character' })
    .meta({ exact: { pattern: VISIBLE } })

/** Required name: 1-255 characters. */
export const Name = named(MAX_NAME)

/** Optional text; absent, `null` and `""` are all `""`. */
export const text = cacheSchemas((max: number) =>
  line(max)
    .nullable()
    .transform((value) => value ?? ''),
)

/** Optional text with a rule that applies to all values but `""`. */
export const ruledText = (max: number, rule: TextRule) =>
  line(max)
    .refine((value) => value === '' || rule.holds(value), { error: ({ input }) => explainText(rule, String(input)) })
    .meta({ exact: { pattern: matchWhole(`(?:${rule.pattern})?`) } })
    .nullable()
    .transform((value) => value ?? '')

/**
 * Returns the texts that are not empty, for fields that an answer has only with a value.
 * @example filterGivenTexts({ interface: 'eth0' }) // { interface: 'eth0' }
 */
export const filterGivenTexts = <K extends string>(
  texts: Readonly<Record<K, string | null | undefined>>,
): { readonly [F in K]?: string | undefined } =>
  // Object.fromEntries loses the names of the fields.
  Object.fromEntries(Object.entries(texts).filter(([, one]) => one)) as { readonly [F in K]?: string | undefined }

/** An id that a caller may choose: 1-64 of `A-Za-z0-9._-`, except `.` and `..`, which no URL can carry. */
export const NewId = z.string().regex(/^(?!\.{1,2}$)[A-Za-z0-9._-]{1,64}$/, 'must be 1-64 of A-Z a-z 0-9 . _ -')

/** Text of a lookup. A NUL becomes U+FFFD, which every engine can search for and no key contains. */
export const Key = z.string().overwrite((text) => (isStorable(text) ? text : '\ufffd'))

/** Declares the id of an object of `noun` (plural), in a path or filter; any text is valid. The CLI accepts a name. */
export const idOf = cacheSchemas((noun: string) => Key.meta({ ref: noun }))

/** Requests the objects of every parent from a list. No id contains it. */
export const ALL = '*'

/** Like `idOf`, but required and not empty, or `ALL`. */
export const idOrAll = cacheSchemas((noun: string) => Key.min(1).meta({ ref: noun, word: ALL }))

/** Text that filters a list. Longer text matches nothing, and would exceed the pattern limit of SQLite. */
export const Filter = line(255)

/** Text of a search, with at least one word. */
export const SearchText = line(256)
  .min(1)
  .meta({ exact: { pattern: NOT_BLANK } })

/** The longest text of a reference: `source:id`, an id of another system. */
export const MAX_REFERENCE = 32 + 1 + 190

/** Optional reference to an object of `noun`; absent, `null` and `""` are none. */
export const reference = cacheSchemas((noun: string) =>
  line(MAX_REFERENCE)
    .meta({ ref: noun })
    .nullable()
    .transform((value) => (value === '' ? null : value)),
)

/** Optional whole number; absent, `null` and `0` are none. */
export const optionalNumber = (min: number, max: number) =>
  z
    .int()
    .refine((value) => value === 0 || (value >= min && value <= max), { error: `must be ${min}-${max}, or 0 for none` })
    .meta({ minimum: 0, maximum: max })
    .nullable()
    .transform((value) => (value === 0 ? null : value))

/** Whole number; absent and `null` are `usual`. */
export const numberOr = (usual: number, { min, max }: { readonly min: number; readonly max: number }) =>
  z
    .int()
    .min(min)
    .max(max)
    .nullable()
    .transform((value) => value ?? usual)

/** True or false; absent and `null` are `usual`. */
export const flagOr = (usual: boolean) =>
  z
    .boolean()
    .nullable()
    .transform((value) => value ?? usual)

/** Tags: 1-128 characters each, as names, duplicates dropped, order kept, at most 100. */
export const Tags = z
  .array(named(128))
  .max(100)
  .nullable()
  .transform((tags) => [...new Set(tags ?? [])])

/** RFC 3339 in UTC with milliseconds, as it is stored and sent. */
export const Timestamp = z.iso.datetime({ precision: 3 })

const MOMENT_HINT = 'must be an RFC 3339 time, like 2026-01-31T12:00:00Z'
/** The length of a `Timestamp`: with four-digit years, which sort as text. */
const TIMESTAMP_LENGTH = 24

/** The first and the last day, of which an offset could make a year of other than four digits. */
const MOMENT_PATTERN = '^(?!0000-01-01T.*[+]|9999-12-31T.*-)'

/** A time in a request: RFC 3339 with any offset; stored in UTC. */
export const Moment = z.iso
  .datetime({ offset: true, error: MOMENT_HINT })
  .meta({ exact: { pattern: MOMENT_PATTERN } })
  .transform((value, check) => {
    const utc = new Date(value).toISOString()
    if (utc.length === TIMESTAMP_LENGTH) return utc
    check.addIssue(MOMENT_HINT)
    return z.NEVER
  })

/** `limit` and `offset`, optional on every list. */
export const Page = {
  limit: z.int().min(1).optional().describe('Most rows to return; all of them without it'),
  offset: z.int().min(0).optional().describe('Rows to skip first'),
}

type Shape = Record<string, z.ZodType>
type OptionalShape<S extends Shape> = { [K in keyof S]: z.ZodOptional<S[K]> }
type DraftShape<S extends Shape> = { [K in keyof S]: z.ZodPrefault<S[K]> }

/** Fields of an update: absent keeps, `null` clears, a value sets. */
export const patch = <const S extends Shape>(shape: S): OptionalShape<S> =>
  // Object.fromEntries loses the types of the keys.
  Object.fromEntries(Object.entries(shape).map(([key, field]) => [key, field.optional()])) as OptionalShape<S>

/** Clearable fields of a create: absent is the same as cleared. */
export const draft = <const S extends Shape>(shape: S): DraftShape<S> =>
  // Object.fromEntries loses the types of the keys; every clearable field accepts `null`.
  Object.fromEntries(Object.entries(shape).map(([key, field]) => [key, field.prefault(null as never)])) as DraftShape<S>
