// Converts logged values to plain JSON: redacts secrets, expands errors, cuts cycles. Never throws.
import { isSecretName, REDACTED } from './redaction.ts'

/** A JSON value. */
export type Plain = string | number | boolean | null | readonly Plain[] | PlainObject
export type PlainObject = { readonly [key: string]: Plain }

const MAX_DEPTH = 8

/** Converts a record of fields; undefined fields are omitted. */
export function toPlainFields(fields: Readonly<Record<string, unknown>>): PlainObject {
  return toPlainEntries(Object.entries(fields), [fields])
}

/** Converts an error to name, message, code, stack and the chain of its causes. */
function toPlainError(error: Error, path: readonly object[]): PlainObject {
  return toPlainEntries(
    [
      ['name', error.name],
      ['message', error.message],
      ['code', 'code' in error ? error.code : undefined],
      ['stack', error.stack],
      ['cause', error.cause],
      ['errors', error instanceof AggregateError ? error.errors : undefined],
    ],
    path,
  )
}

function toPlainEntries(entries: Iterable<readonly [unknown, unknown]>, ancestors: readonly object[]): PlainObject {
  const kept: [string, Plain][] = []
  for (const [key, value] of entries) {
    if (value === undefined) continue
    const name = String(key)
    kept.push([name, isSecretName(name) ? REDACTED : toPlainValue(value, ancestors)])
  }
  // Not by assignment, which would treat a key named __proto__ as a prototype.
  return Object.fromEntries(kept)
}

function toPlainValue(value: unknown, ancestors: readonly object[]): Plain {
  switch (typeof value) {
    case 'string':
    case 'boolean':
      return value
    case 'number':
      return Number.isFinite(value) ? value : String(value)
    case 'object':
      return value === null ? null : tryToPlainObject(value, ancestors)
    case 'function':
      return '[function]'
    default:
      return String(value)
  }
}

function tryToPlainObject(value: object, ancestors: readonly object[]): Plain {
  if (ancestors.includes(value)) return '[circular]'
  if (ancestors.length > MAX_DEPTH) return '[too deep]'
  try {
    return toPlainObject(value, [...ancestors, value])
  } catch {
    // A getter, a proxy or a toJSON of the caller threw. The rest of the entry remains useful.
    return '[unreadable]'
  }
}

function toPlainObject(value: object, path: readonly object[]): Plain {
  if (value instanceof Error) return toPlainError(value, path)
  if (value instanceof Date) return Number.isNaN(value.getTime()) ? 'Invalid Date' : value.toISOString()
  if (value instanceof URL) return removeUserInfo(value)
  if (ArrayBuffer.isView(value) || value instanceof ArrayBuffer) return `[${value.byteLength} bytes]`
  if (Array.isArray(value) || value instanceof Set) return Array.from(value, (item) => toPlainValue(item, path))
  if (value instanceof Map || value instanceof Headers) return toPlainEntries(value.entries(), path)
  if ('toJSON' in value && typeof value.toJSON === 'function') return toPlainValue(value.toJSON(), path)
  return toPlainEntries(Object.entries(value), path)
}

function removeUserInfo(url: URL): string {
  const copy = new URL(url)
  copy.username = ''
  copy.password = ''
  return copy.href
}
