/** A change of an object in a few words, for its page. Pure. */
import type { HistoryEntry } from '../../api/contracts.ts'

type Entry = Pick<HistoryEntry, 'kind' | 'id' | 'name' | 'change' | 'fields' | 'names'>

const WORDS = { create: 'created', update: 'changed', delete: 'deleted' } as const
const MOST_FIELDS = 2
const MOST_LETTERS = 40

const isShort = (value: unknown): boolean =>
  value === null ||
  typeof value === 'boolean' ||
  typeof value === 'number' ||
  (typeof value === 'string' && value.length <= MOST_LETTERS)

const formatShort = (value: unknown, names: Entry['names']): string => {
  if (value === null || value === '') return 'none'
  if (typeof value === 'boolean') return value ? 'yes' : 'no'
  return names?.[String(value)] ?? String(value)
}

const formatField = (name: string, { from, to }: Entry['fields'][string], names: Entry['names']): string => {
  const label = name.replace(/_ids?$/, '').replaceAll('_', ' ')
  if (!isShort(from) || !isShort(to)) return `${label} changed`
  return `${label} ${formatShort(from, names)} → ${formatShort(to, names)}`
}

/** Returns the name of the other device of a relationship. */
const findOther = ({ fields, names }: Entry, ownId: string): string => {
  const ids = [fields.parent_id, fields.child_id].map((field) => String(field?.to ?? field?.from ?? ''))
  const other = ids.find((id) => id !== ownId) ?? ''
  return names?.[other] ?? other
}

/**
 * Returns the change of the object of the page, or of one that changed with it.
 *
 * @example formatEntry(entry, { kind: 'device', id: 'web-1' }) // 'status active → maintenance'
 */
export const formatEntry = (entry: Entry, own: Pick<Entry, 'kind' | 'id'>): string => {
  const { kind, name, change, fields, names } = entry
  if (kind === 'relationship' && own.kind === 'device')
    return `relationship to ${findOther(entry, own.id)} ${WORDS[change]}`
  if (kind !== own.kind) return `${kind.replace(/[-_]/g, ' ')} ${name} ${WORDS[change]}`
  const all = Object.entries(fields)
  if (change !== 'update' || all.length === 0) return WORDS[change]
  const shown = all.slice(0, MOST_FIELDS).map(([field, values]) => formatField(field, values, names))
  const rest = all.length - shown.length
  return `${shown.join(', ')}${rest > 0 ? `, and ${rest} more` : ''}`
}
