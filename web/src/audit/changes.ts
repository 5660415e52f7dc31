/** What an entry says was sent, as fields; and what these were before, as far as older entries tell. */
import type { AuditEntry } from '../api/contracts.ts'

/** What stands where a secret would. */
export const REDACTED = '[redacted]'

export type Fields = Readonly<Record<string, unknown>>

export type Sent =
  | { readonly kind: 'nothing' }
  | { readonly kind: 'fields'; readonly fields: Fields }
  /** A list, a word: whatever is no object. */
  | { readonly kind: 'value'; readonly value: unknown }
  /** Cut where the log ends it, so that it is no JSON any more. */
  | { readonly kind: 'cut'; readonly text: string }

export const sentOf = (changes: string): Sent => {
  if (changes === '' || changes === '{}') return { kind: 'nothing' }
  try {
    const value: unknown = JSON.parse(changes)
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return { kind: 'value', value }
    // An object of JSON.
    return { kind: 'fields', fields: value as Fields }
  } catch {
    return { kind: 'cut', text: changes }
  }
}

export type Change = {
  readonly name: string
  readonly after: unknown
  /** Undefined where no older entry tells. */
  readonly before?: { readonly value: unknown; readonly at: string }
}

const fieldsOf = ({ changes }: AuditEntry): Fields => {
  const sent = sentOf(changes)
  return sent.kind === 'fields' ? sent.fields : {}
}

/**
 * Each field that was sent, with what was sent for it the last time before.
 * @param older entries of the same object from before, newest first
 */
export const changesOf = (fields: Fields, older: readonly AuditEntry[]): readonly Change[] => {
  const done = older.filter(({ status }) => status === 'success').map((entry) => [entry, fieldsOf(entry)] as const)
  return Object.entries(fields).map(([name, after]) => {
    const found = done.find(([, sent]) => Object.hasOwn(sent, name))
    return { name, after, ...(found ? { before: { value: found[1][name], at: found[0].timestamp } } : {}) }
  })
}

/** A value on one line where it is short, as JSON with indents where it is not. */
export const valueText = (value: unknown): string => {
  if (typeof value === 'string') return value
  const line = JSON.stringify(value)
  return line.length > 60 ? JSON.stringify(value, null, 2) : line
}

/** Whether there is a secret somewhere in it. */
export const hasRedaction = (value: unknown): boolean =>
  value === REDACTED ||
  (typeof value === 'object' && value !== null && Object.values(value).some((one) => hasRedaction(one)))
