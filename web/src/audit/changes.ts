/** Parses the changes of an entry, and finds the previous values of its fields in older entries. */
import type { AuditEntry } from '../api/contracts.ts'

/** The value that replaces a secret. */
export const REDACTED = '[redacted]'

export type Fields = Readonly<Record<string, unknown>>

export type Sent =
  | { readonly kind: 'nothing' }
  | { readonly kind: 'fields'; readonly fields: Fields }
  /** A JSON value that is not an object, such as a list or a string. */
  | { readonly kind: 'value'; readonly value: unknown }
  /** Truncated by the log, so it is not valid JSON. */
  | { readonly kind: 'cut'; readonly text: string }

export const parseSent = (changes: string): Sent => {
  if (changes === '' || changes === '{}') return { kind: 'nothing' }
  try {
    const value: unknown = JSON.parse(changes)
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return { kind: 'value', value }
    // The value is a JSON object.
    return { kind: 'fields', fields: value as Fields }
  } catch {
    return { kind: 'cut', text: changes }
  }
}

export type Change = {
  readonly name: string
  readonly after: unknown
  /** Undefined if no older entry has the field. */
  readonly before?: { readonly value: unknown; readonly at: string }
}

const parseSentFields = ({ changes }: AuditEntry): Fields => {
  const sent = parseSent(changes)
  return sent.kind === 'fields' ? sent.fields : {}
}

/** Returns each field of a change with its previous value. @param older earlier entries, newest first */
export const listChanges = (fields: Fields, older: readonly AuditEntry[]): readonly Change[] => {
  const done = older
    .filter(({ status }) => status === 'success')
    .map((entry) => [entry, parseSentFields(entry)] as const)
  return Object.entries(fields).map(([name, after]) => {
    const found = done.find(([, sent]) => Object.hasOwn(sent, name))
    return { name, after, ...(found ? { before: { value: found[1][name], at: found[0].timestamp } } : {}) }
  })
}

/** Returns a value on one line if it is short, or as indented JSON. */
export const formatValue = (value: unknown): string => {
  if (typeof value === 'string') return value
  const line = JSON.stringify(value)
  return line.length > 60 ? JSON.stringify(value, null, 2) : line
}

/** Returns true if the value contains a redacted secret. */
export const hasRedaction = (value: unknown): boolean =>
  value === REDACTED ||
  (typeof value === 'object' && value !== null && Object.values(value).some((one) => hasRedaction(one)))
