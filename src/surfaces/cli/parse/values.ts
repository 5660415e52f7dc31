/** Parses the texts of a command line: numbers, lists, records and the short forms of nested objects. */
import { coerceOne } from '../../../contract/coerce.ts'
import { type FieldSchema, getElementSchema, getKind, stripNull } from '../../../contract/input-schema.ts'
import { getErrorMessage } from '../../../contract/unknown.ts'
import { createUsageError } from './usage-error.ts'

type Place = { readonly field: string; readonly schema: FieldSchema }

const parseJson = (field: string, text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch (cause) {
    throw createUsageError(`${field}: broken JSON: ${getErrorMessage(cause)}`)
  }
}

/** `ip=10.0.0.6,label=a, b,port=443`: a comma separates two entries only if a key follows it. */
const splitEntries = (text: string): string[] => text.split(/,(?=\s*[A-Za-z_][\w-]*=)/).map((entry) => entry.trim())

/** Returns the key as typed with dashes, or without the `_id` of a reference. An unknown key is unchanged. */
const toKey = (typed: string, properties: Readonly<Record<string, FieldSchema>>): string => {
  const key = typed.replaceAll('-', '_')
  return !Object.hasOwn(properties, key) && Object.hasOwn(properties, `${key}_id`) ? `${key}_id` : key
}

const parseObject = ({ field, schema }: Place, text: string): unknown => {
  if (/^\s*\{/.test(text)) return parseJson(field, text)
  const { properties = {}, required = [] } = stripNull(schema)
  const first = required[0] ?? Object.keys(properties)[0] ?? ''
  const made = new Map<string, string[]>()
  splitEntries(text).forEach((entry, i) => {
    const at = entry.indexOf('=')
    const isBare = at === -1 || !/^[A-Za-z_][\w-]*$/.test(entry.slice(0, at))
    if (isBare && i > 0) throw createUsageError(`${field}: ${JSON.stringify(entry)} is not KEY=VALUE`)
    const key = isBare ? first : toKey(entry.slice(0, at), properties)
    made.set(key, [...(made.get(key) ?? []), isBare ? entry : entry.slice(at + 1)])
  })
  return Object.fromEntries(
    [...made].map(([key, texts]) => {
      const inner = Object.hasOwn(properties, key) ? properties[key] : undefined
      return [key, inner ? readValue({ field: `${field}.${key}`, schema: inner }, texts) : texts.at(-1)]
    }),
  )
}

const recordValue = ({ field, schema }: Place, texts: readonly string[]): unknown => {
  const { additionalProperties } = stripNull(schema)
  // In JSON Schema this is a schema, or true for any value.
  const inner = (
    typeof additionalProperties === 'object' && additionalProperties !== null ? additionalProperties : {}
  ) as FieldSchema
  const made = texts.map((text): unknown => {
    if (/^\s*\{/.test(text)) return parseJson(field, text)
    const at = text.indexOf('=')
    if (at < 1) throw createUsageError(`${field}: ${JSON.stringify(text)} is not KEY=VALUE`)
    const key = text.slice(0, at)
    // fromEntries makes even `__proto__` an ordinary key.
    return Object.fromEntries([[key, readValue({ field: `${field}.${key}`, schema: inner }, [text.slice(at + 1)])]])
  })
  return Object.fromEntries(made.flatMap((one) => Object.entries(one ?? {})))
}

const parseValue = (place: Place, text: string): unknown => {
  const kind = getKind(place.schema)
  if (kind === 'object') return parseObject(place, text)
  if (kind === 'record') return recordValue(place, [text])
  return coerceOne(kind, text)
}

/** Parses the texts of a field; the schema reports unparseable ones. @throws AppError INVALID_INPUT for bad JSON */
export const readValue = (place: Place, texts: readonly string[]): unknown => {
  const element = getElementSchema(place.schema)
  if (element) {
    const inner = { field: place.field, schema: element }
    // A whole list as JSON, unless an element itself may begin with a bracket.
    return texts.flatMap((text): unknown[] => {
      const isWhole = getKind(element) !== 'text' && /^\s*\[/.test(text)
      const parsed = isWhole ? parseJson(place.field, text) : [parseValue(inner, text)]
      return Array.isArray(parsed) ? parsed : [parsed]
    })
  }
  if (getKind(place.schema) === 'record') return recordValue(place, texts)
  return parseValue(place, texts.at(-1) ?? '')
}
