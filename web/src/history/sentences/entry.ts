/** Composes the sentence of one entry of the history of an object, for the page of that object. Pure functions. */
import { KIND_NAMES } from '../../../../src/record/history/kind-names.ts'
import type { HistoryEntry } from '../../api/contracts.ts'
import { CHANGE_WORDS, getShownName } from '../labels.ts'
import { formatFields } from './sentence.ts'

type Entry = Pick<HistoryEntry, 'kind' | 'id' | 'name' | 'change' | 'fields' | 'names'>

const MOST_FIELDS = 3
const MOST_LETTERS = 80

type Simple = string | number | boolean | null

const isShort = (value: unknown): value is Simple =>
  value === null ||
  typeof value === 'boolean' ||
  typeof value === 'number' ||
  (typeof value === 'string' && value.length <= MOST_LETTERS)

/** Returns the first fields as a change names them. */
const listFields = (fields: Entry['fields']) =>
  Object.entries(fields)
    .slice(0, MOST_FIELDS)
    .map(([field, { from, to }]) => (isShort(from) && isShort(to) ? { field, from, to } : { field }))

/** Returns the name of the other device of a relationship. */
const findOther = ({ fields, names }: Entry, ownId: string): string => {
  const ids = [fields.parent_id, fields.child_id].map((field) => String(field?.to ?? field?.from ?? ''))
  const other = ids.find((id) => id !== ownId) ?? ''
  return names?.[other] ?? other
}

/**
 * Returns the change of the object of the page, without its name, or of one that changed with it.
 *
 * @example formatEntry(entry, { kind: 'device', id: 'web-1' }) // 'status active → maintenance'
 */
export const formatEntry = (entry: Entry, own: Pick<Entry, 'kind' | 'id'>): string => {
  const { kind, id, name, change, fields, names } = entry
  if (kind === 'relationship' && own.kind === 'device')
    return `relationship to ${findOther(entry, own.id)} ${CHANGE_WORDS[change]}`
  if (kind !== own.kind) return `${KIND_NAMES[kind].noun} ${getShownName({ id, name })} ${CHANGE_WORDS[change]}`
  if (change !== 'update') return CHANGE_WORDS[change]
  const rest = Object.keys(fields).length - MOST_FIELDS
  const more = rest > 0 ? `, and ${rest} more` : ''
  return formatFields({ kind, id, name, change, fields: listFields(fields), ...(names && { names }) }) + more
}
