/** Decides which object a row means, among the objects of its name. */
import { type FieldIssue, shorten } from '../../contract/errors.ts'
import type { Refs } from '../../contract/fields/external-fields.ts'
import { getOwn } from '../../contract/own.ts'
import type { Document } from '../../record/history/kinds.ts'
import { normalizeSubnet } from '../apply/objects.ts'
import type { ResourceRules } from '../apply/resources.ts'

/** A row with ids as references. */
export type MatchRow = {
  readonly fields: Document
  readonly refs: Refs
}

/** A stored object. */
export type Candidate = { readonly id: string; readonly document: Document }

/** The error of a name that may mean any of these objects. */
export type Ambiguity = { readonly issue: FieldIssue; readonly ids: readonly string[] }

/** A row means an object, or makes a new one, or is an error. */
export type Match<C extends Candidate> = C | 'new' | Ambiguity

/** Returns the value of a field that distinguishes objects of one name; undefined if a row does not have it. */
export const getKeyPart = (fields: Document, field: string): unknown => {
  const value = fields[field]
  if (value === undefined) return undefined
  if (value === null || value === '') return null
  return field === 'subnet' && typeof value === 'string' ? normalizeSubnet(value) : value
}

/** Returns the values of these fields as text; undefined if the row does not say all of them. */
const formatKeyParts = (fields: Document, apart: readonly string[]): string | undefined => {
  const values = apart.map((field) => getKeyPart(fields, field))
  return values.includes(undefined) ? undefined : JSON.stringify(values)
}

const getRefs = ({ document }: Candidate): Refs =>
  // The documents of objects that have refs.
  (document.refs as Refs | undefined) ?? {}

const hasOtherRef = (a: Refs, b: Refs): boolean =>
  Object.entries(a).some(([source, id]) => (getOwn(b, source) ?? id) !== id)

/** The number of rows that are compared in pairs. */
const MAX_PAIRED_ROWS = 500

/** True if all rows have a ref of one source, and each another one. */
const hasDistinctRefs = (rows: readonly MatchRow[]): boolean =>
  Object.keys(rows[0]?.refs ?? {}).some((source) => {
    const ids = new Set(rows.map(({ refs }) => getOwn(refs, source)))
    return ids.size === rows.length && !ids.has(undefined)
  })

/** Rows of one place, each of which has another ref of the same source. */
const canTellApartByRefs = (rows: readonly MatchRow[]): boolean => {
  if (rows.length < 2) return false
  if (hasDistinctRefs(rows)) return true
  if (rows.length > MAX_PAIRED_ROWS) return false
  return rows.every((row, i) => rows.slice(i + 1).every((other) => hasOtherRef(row.refs, other.refs)))
}

const buildAmbiguity = (
  { resource, noun, key }: ResourceRules,
  name: unknown,
  objects: readonly Candidate[],
): Ambiguity => {
  const n = objects.length
  const words = key.by === 'name' ? key.apart.map((field) => field.replace(/_id$/, '')) : []
  const apart = words.length > 0 ? `the ${words.join(', ')}, ` : ''
  const called = `called ${shorten(JSON.stringify(name))}`
  const which = n === 1 ? `several rows may mean the ${noun} ${called}` : `${n} ${resource} are ${called}`
  const issue = { field: 'name', message: `${which}: give ${apart}the id or a ref` }
  return { issue, ids: objects.map(({ id }) => id) }
}

/**
 * Matches the rows of one name with the stored objects of that name. The order of the rows has no influence.
 * @param rows rows that mean no object by an id or a ref
 * @param objects objects that no other row means
 */
export const matchByName = <Row extends MatchRow, C extends Candidate>(
  rules: ResourceRules,
  rows: readonly Row[],
  objects: readonly C[],
): Map<Row, Match<C>> => {
  const apart = rules.key.by === 'name' ? rules.key.apart : []
  const matches = new Map<Row, Match<C>>()
  const left = new Set(objects)
  const open = () => rows.filter((row) => !matches.has(row))
  /** An object with another ref of the same source is never meant by its name. */
  const filterCandidates = (row: Row): C[] => [...left].filter((object) => !hasOtherRef(row.refs, getRefs(object)))

  for (const alike of Map.groupBy(rows, (row) => formatKeyParts(row.fields, apart) ?? '').values())
    if (canTellApartByRefs(alike)) for (const row of alike) matches.set(row, 'new')

  for (let said = apart.length; said >= Math.min(1, apart.length); said--) {
    const some = apart.slice(0, said)
    const groups = Map.groupBy(open(), (row) => formatKeyParts(row.fields, some))
    for (const [value, alike] of groups) {
      if (value === undefined) continue
      const [row, ...others] = alike
      // Several rows of one place are the same object for the caller to report, or differ in a later field.
      if (!row || (others.length > 0 && said < apart.length)) continue
      const same = filterCandidates(row).filter(
        ({ document }) => formatKeyParts({ ...buildEmptyFields(some), ...document }, some) === value,
      )
      if (same.length > 1) {
        for (const one of alike) matches.set(one, buildAmbiguity(rules, row.fields.name, same))
        continue
      }
      const [object] = same
      if (!object) continue
      left.delete(object)
      for (const one of alike) matches.set(one, object)
    }
  }

  const unmatched = open()
  const [last] = unmatched
  if (last && unmatched.length === 1) {
    const [object, ...others] = filterCandidates(last)
    if (object && others.length === 0) {
      left.delete(object)
      matches.set(last, object)
    }
  }
  for (const row of open()) {
    const possible = filterCandidates(row)
    const [first] = apart
    const isToldApart = first !== undefined && getKeyPart(row.fields, first) !== undefined
    matches.set(row, possible.length === 0 || isToldApart ? 'new' : buildAmbiguity(rules, row.fields.name, possible))
  }
  return matches
}

const buildEmptyFields = (fields: readonly string[]): Document =>
  Object.fromEntries(fields.map((field) => [field, null]))
