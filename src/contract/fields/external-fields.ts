/** The fields of objects that other systems keep or know: the owner and the ids there. Browser-safe. */
import { z } from 'zod'
import { shorten } from '../errors.ts'
import { Filter, MAX_REFERENCE, ruledText } from './fields.ts'
import { matchWhole, NOT_BLANK } from './text-rules.ts'

const OWNER = '[A-Za-z0-9][A-Za-z0-9._:/@-]{0,63}'
const isOwner = new RegExp(matchWhole(OWNER))

/** The owner of an object, such as a Git repository; `""` for none. */
export const ManagedBy = ruledText(64, {
  holds: (text) => isOwner.test(text),
  pattern: OWNER,
  error: 'must begin with a letter or digit, and have 1-64 of A-Z a-z 0-9 . _ : / @ -',
}).describe('The owner of the object, such as a Git repository; empty for none')

/** The filter of lists by owner. */
export const ManagedByFilter = Filter.optional().describe('Only those of this owner')

const referable = new Set<string>()

/** Notes that the objects of a resource have refs. The contracts of resources call it when they are made. */
export const addReferable = (resource: string): void => void referable.add(resource)

/** True for a resource whose objects have refs. */
export const isReferable = (resource: string): boolean => referable.has(resource)

/** The ids of an object in other systems, by system. */
export type Refs = Readonly<Record<string, string>>
/** A change of refs: null takes one away, or all. */
export type RefsPatch = Readonly<Record<string, string | null>> | null

const MAX_REFS = 20
/** An update may replace all refs: each old one is null. */
const MAX_REFS_IN_PATCH = 2 * MAX_REFS
const MAX_EXTERNAL_ID = 190
const SOURCE = '[a-z0-9][a-z0-9_-]{0,31}'
const isSource = new RegExp(matchWhole(SOURCE))
const TOO_MANY = `must have at most ${MAX_REFS} refs`

const compareTexts = (a: string, b: string): number => (a < b ? -1 : 1)

const sortRefs = <Id>(refs: Readonly<Record<string, Id>>): Record<string, Id> =>
  Object.fromEntries(Object.entries(refs).sort(([a], [b]) => compareTexts(a, b)))

const ExternalId = z
  .string()
  .trim()
  .min(1, 'must not be blank')
  .max(MAX_EXTERNAL_ID)
  .refine((id) => id.isWellFormed() && !/\p{Cc}/u.test(id), {
    error: 'must be valid Unicode text without control characters',
  })
  .meta({
    exact: { pattern: matchWhole(`[^\\u0000-\\u001f\\u007f-\\u009f]*${NOT_BLANK}[^\\u0000-\\u001f\\u007f-\\u009f]*`) },
  })

/** Refs in a create or an update. */
export const RefsInput = z
  .record(z.string(), ExternalId.nullable())
  .superRefine((refs, check) => {
    for (const source of Object.keys(refs))
      if (!isSource.test(source))
        check.addIssue(
          `the source ${JSON.stringify(shorten(source))} must be 1-32 of a-z 0-9 _ -, beginning with a-z or 0-9`,
        )
    if (Object.values(refs).filter((id) => id !== null).length > MAX_REFS) check.addIssue(TOO_MANY)
  })
  .meta({ exact: { propertyNames: { pattern: matchWhole(SOURCE) }, maxProperties: MAX_REFS_IN_PATCH } })
  .nullable()
  .describe('Ids in other systems, as source: id. An update keeps the others; null takes one away, or all')

/** Refs in an answer. */
export const Refs = z.record(z.string(), z.string()).describe('Ids in other systems, as source: id')

/** Applies a change to refs, sorted by source. @throws Error of `tooMany` for too many */
export const mergeRefs = (before: Refs, patch: RefsPatch, tooMany: (message: string) => Error): Refs => {
  if (patch === null) return {}
  const merged = Object.entries({ ...before, ...patch }).filter((entry): entry is [string, string] => entry[1] !== null)
  if (merged.length > MAX_REFS) throw tooMany(TOO_MANY)
  return sortRefs(Object.fromEntries(merged))
}

/** An id of another system. */
export type Ref = { readonly source: string; readonly id: string }

const isExternalId = (id: string): boolean =>
  id !== '' && id.length <= MAX_EXTERNAL_ID && id === id.trim() && !/\p{Cc}/u.test(id)

/** Reads a text of the form `source:id`, which no id of Plat has. @example parseRef('netbox:dcim.device.42') */
export const parseRef = (text: string): Ref | undefined => {
  const at = text.indexOf(':')
  if (at < 1 || text.length > MAX_REFERENCE) return undefined
  const [source, id] = [text.slice(0, at), text.slice(at + 1)]
  return isSource.test(source) && isExternalId(id) ? { source, id } : undefined
}

/** Reads a stored JSON text of refs. */
const parseRefs = (text: string): Refs =>
  // Written by the stores. Reads of the past may have another order.
  text === '{}' ? {} : sortRefs(JSON.parse(text) as Refs)

/** Returns the object of a row. */
export const withRefs = <Row extends { readonly refs: string }>(row: Row): Omit<Row, 'refs'> & { refs: Refs } => ({
  ...row,
  refs: parseRefs(row.refs),
})

/** The description of an update that creates by a ref. */
export const BY_REF = 'A ref, `source:id`, that is not there yet creates it.'
