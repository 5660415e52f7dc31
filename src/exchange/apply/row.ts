/** Compares a row of an estate document with its object. */
import type { z } from 'zod'
import { AppError, type FieldIssue } from '../../contract/errors.ts'
import type { Refs, RefsPatch } from '../../contract/fields/external-fields.ts'
import { formatSuggestion } from '../../contract/suggest.ts'
import { isRecord, toText } from '../../contract/unknown.ts'
import { listUnknownFields, parse } from '../../contract/validate.ts'
import { toSingularName } from '../../inventory/kinds/names.ts'
import type { Resource } from '../../inventory/resources.ts'
import { updateRefs } from '../../kernel/changes/object-refs.ts'
import type { Document } from '../../record/history/kinds.ts'
import type { Custom, CustomPatch } from '../../resource/custom/fields.ts'
import { mergeAddressCustom, mergeCustom, toStoredValue } from './custom-values.ts'
import { type KnownPart, mergeRow, toRowPlace } from './known-part.ts'
import { normalizeSubnet } from './objects.ts'
import type { Fields } from './references.ts'
import { listReadOnly, type ResourceRules } from './resources.ts'

export type FieldChange = { readonly from: unknown; readonly to: unknown }

/** The change of one object by an apply. */
export type PlannedChange = {
  readonly change: 'create' | 'update' | 'delete'
  readonly resource: Resource
  readonly id: string
  readonly name: string
  /** The place of the row in its list; undefined for an object that is pruned. */
  readonly row?: number
  /** The new object, or the fields to be set. */
  readonly document: Document
  readonly fields?: Readonly<Record<string, FieldChange>>
  readonly managedBy?: FieldChange
  /** The object as it was, as JSON text. */
  readonly before?: string
  /** The indexes of the addresses of the row among the addresses of the object, if they differ. */
  readonly places?: readonly number[]
  /** Addresses of the object that the document gives to other devices. The change has an effect only if theirs have one. */
  readonly givesTo?: readonly { readonly id: string; readonly ip: string; readonly name: string }[]
}

/** The number of bad rows after which a document that is applied whole is not read on. */
export const MAX_BAD_ROWS = 1000

/** A row that is not applied, and its errors by the fields of the row. */
export type RowError = {
  readonly resource: Resource
  readonly row: number
  readonly name: string
  readonly error: AppError
}

export type Ownership = { readonly owner: string; readonly takesOver: boolean }

/** The terms of a call, for all its rows. */
export type RowTerms = Ownership & KnownPart

/** Returns the errors of an attempt. */
const collectIssues = (work: () => void): readonly FieldIssue[] => {
  try {
    work()
    return []
  } catch (error) {
    if (error instanceof AppError)
      return error.details.length > 0 ? error.details : [{ field: '', message: error.message }]
    throw error
  }
}

/** Returns an error for each field that no row of the resource has. @param suggests the nearest known names */
export const checkUnknownFields = (
  { resource, draft, level, noun }: ResourceRules,
  fields: Fields,
  suggests: boolean,
): FieldIssue[] => {
  const readOnly = listReadOnly(resource)
  const names = [...Object.keys(draft.shape), ...level.references.map(({ as }) => as)]
  return (
    listUnknownFields(draft, fields)
      // That of a device type is made of other fields.
      .filter((field) => field !== 'id' && !readOnly.has(field) && !(field === 'name' && resource === 'device-types'))
      .map((field) => ({
        field,
        message: `is not a field of a ${noun}${suggests ? formatSuggestion(field, names) : ''}`,
      }))
  )
}

const isGiven = (value: unknown): boolean => value !== undefined && value !== null && value !== ''

const checkOwner = (fields: Fields, before: Document | undefined, { owner, takesOver }: Ownership): FieldIssue[] => {
  if (owner === '') return []
  const field = 'managed_by'
  const own = fields[field]
  if (isGiven(own) && own !== owner) return [{ field, message: `must be ${JSON.stringify(owner)}, as in the call` }]
  const held = before?.[field]
  if (takesOver || !isGiven(held) || held === owner) return []
  return [{ field, message: `is managed by ${JSON.stringify(held)}` }]
}

/** Absent sizes of a position come from the device type, or stay as they are. */
const fillMount = (value: unknown, before: unknown): unknown => {
  if (!isRecord(value) || !isRecord(before)) return value
  return Object.fromEntries(
    Object.entries(value).map(([name, given]) => [name, given === null && SIZES.has(name) ? before[name] : given]),
  )
}
const SIZES: ReadonlySet<string> = new Set(['height', 'full_depth', 'power_w'])

/** An object before a row changes it, and the values of custom fields that an address without them gets. */
export type Standing = { readonly before: Document | undefined; readonly defaults: Custom }

/** An address is replaced whole: absent values of custom fields are the defaults, and cleared ones are none. */
const toStoredAddress = (address: unknown, { before, defaults }: Standing): unknown => {
  if (!isRecord(address)) return address
  const { custom, ...others } = address
  const all = Array.isArray(before?.addresses) ? before.addresses.filter(isRecord) : []
  const same = all.find(({ ip, space_id }) => ip === address.ip && (space_id ?? null) === (address.space_id ?? null))
  // The schema of addresses has accepted the values.
  const values = mergeAddressCustom(same?.custom, custom as CustomPatch | undefined, defaults)
  return values === null ? others : { ...others, custom: values }
}

/** Returns a value of a row in the form in which it is stored. */
export const toStoredForm = (field: string, value: unknown, standing: Standing): unknown => {
  const { before } = standing
  if (field === 'subnet' && typeof value === 'string') return normalizeSubnet(value)
  if (field === 'mount') return fillMount(value, before?.mount)
  if (field === 'addresses' && Array.isArray(value)) return value.map((one) => toStoredAddress(one, standing))
  // A definition without a label has its name as the label.
  if (field === 'label' && value === '' && before?.resource !== undefined) return before.name
  // A kind without a singular noun has that of its name.
  if (field === 'singular' && value === '') return toSingularName(toText(before?.name))
  if (field === 'default') return toStoredValue(value, before?.default)
  if (field === 'custom') return mergeCustom(before?.custom, value as CustomPatch)
  // The schemas of objects with refs define both.
  if (field === 'refs') return updateRefs((before?.refs as Refs | undefined) ?? {}, value as RefsPatch)
  return value
}

/** The stored addresses that a row does not have, and the places of its own. */
type Places = { readonly kept?: readonly Fields[]; readonly places?: readonly number[] }

type Checked =
  | { readonly issues: readonly FieldIssue[] }
  | (Places & { readonly change: Pick<PlannedChange, 'document' | 'fields' | 'managedBy'>; readonly after: Document })
  /** Nothing differs. */
  | (Places & { readonly after: Document })

const withOwner = (fields: Fields, { owner }: Ownership): Fields =>
  owner === '' ? fields : { ...fields, managed_by: owner }

/** Validates a row that makes a new object. */
export const validateNew = (rules: ResourceRules, fields: Fields, id: string | undefined, by: Ownership): Checked => {
  let document: Document = {}
  const issues = [
    ...checkOwner(fields, undefined, by),
    ...collectIssues(() => {
      const { id: _, ...given } = withOwner(fields, by)
      const own = Object.hasOwn(rules.draft.shape, 'id') && id !== undefined ? { ...given, id } : given
      document = parse(rules.draft, own) as Document
    }),
  ]
  if (issues.length > 0) return { issues }
  return { change: { document }, after: normalizeDocument(document) }
}

const NEW: Standing = { before: undefined, defaults: {} }

const normalizeDocument = (document: Document): Document =>
  Object.fromEntries(Object.entries(document).map(([field, value]) => [field, toStoredForm(field, value, NEW)]))

/** Compares values. A field that an answer sends only with a value is absent without one. */
const isSame = (to: unknown, before: unknown): boolean =>
  Bun.deepEquals(to, before) || (before === undefined && !isGiven(to))

/** Validates a row that means a stored object. */
export const validateStored = (
  rules: ResourceRules,
  row: Fields,
  standing: Standing & { readonly before: Document },
  by: RowTerms,
): Checked => {
  const { before } = standing
  const { fields, places, kept } = mergeRow(row, before, by)
  const toRowIssues = (all: readonly FieldIssue[]): FieldIssue[] =>
    all.map(({ field, message }) => ({ field: toRowPlace(field, places), message }))
  let patch: Document = {}
  const issues = [
    ...checkOwner(fields, before, by),
    ...rules.fixed.flatMap((field) => {
      const given = fields[field]
      // The shape of an object contains schemas of this library.
      const own = given === undefined ? undefined : (rules.draft.shape[field] as z.ZodType).safeParse(given)
      return !own || (own.success && own.data === before[field]) ? [] : [{ field, message: "can't change" }]
    }),
    ...collectIssues(() => {
      const { id: _, ...given } = withOwner(fields, by)
      for (const field of rules.fixed) delete (given as Record<string, unknown>)[field]
      // The id is a required field of most patches.
      patch = parse(rules.patch, { ...given, id: before.id ?? '' }) as Document
    }),
  ]
  if (issues.length > 0) return { issues: toRowIssues(issues) }
  const changed: Record<string, FieldChange> = {}
  const document: Record<string, unknown> = {}
  const after: Record<string, unknown> = { ...before }
  const refused = collectIssues(() => {
    for (const [field, value] of Object.entries(patch)) {
      if (field === 'id' || value === undefined) continue
      const to = toStoredForm(field, value, standing)
      if (isSame(to, before[field])) continue
      changed[field] = { from: before[field] ?? null, to }
      document[field] = field === 'mount' ? to : value
      after[field] = to
    }
  })
  if (refused.length > 0) return { issues: toRowIssues(refused) }
  const { managed_by: managedBy, ...others } = changed
  const among = { kept, ...(places && { places }) }
  if (Object.keys(document).length === 0) return { after, ...among }
  return { change: { document, fields: others, ...(managedBy && { managedBy }) }, after, ...among }
}
