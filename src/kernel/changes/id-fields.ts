/** Finds the fields of an input that take the id of an object, at any depth. */
import type { z } from 'zod'
import { type FieldSchema, getInputSchema, stripNull } from '../../contract/input-schema.ts'

/** The places in a value that take an id. */
export type IdFields =
  | { readonly resource: string }
  | { readonly items: IdFields }
  | { readonly fields: readonly (readonly [name: string, place: IdFields])[] }

/** The text in such a place. */
export type IdText = {
  readonly resource: string
  /** @example 'addresses[0].pool_id' */
  readonly field: string
  readonly text: string
  readonly put: (text: string) => void
}

/** Returns a function that finds the places of some resources in a schema. Cached per schema, because every call needs it. */
export const createPlaceFinder = (
  isWanted: (resource: string) => boolean,
): ((schema: z.ZodType) => IdFields | null) => {
  const cache = new WeakMap<z.ZodType, IdFields | null>()
  const placesIn = (schema: FieldSchema): IdFields | undefined => {
    const { ref, items, properties = {} } = stripNull(schema)
    if (ref !== undefined && isWanted(ref)) return { resource: ref }
    if (items) {
      const inner = placesIn(items)
      return inner && { items: inner }
    }
    const fields = Object.entries(properties).flatMap(([name, field]) => {
      const place = placesIn(field)
      return place ? [[name, place] as const] : []
    })
    return fields.length > 0 ? { fields } : undefined
  }
  return (schema) => {
    const known = cache.get(schema)
    if (known !== undefined) return known
    const places = placesIn(getInputSchema(schema)) ?? null
    cache.set(schema, places)
    return places
  }
}

/** An object, or a list by its indices. */
type Holder = Record<PropertyKey, unknown>
const isHolder = (value: unknown): value is Holder => typeof value === 'object' && value !== null

/** Returns true if a text in one of the places fulfills the condition. */
export const hasText = (idFields: IdFields, value: unknown, isMeant: (text: string) => boolean): boolean => {
  if ('resource' in idFields) return typeof value === 'string' && isMeant(value)
  if (!isHolder(value)) return false
  if ('items' in idFields) return Array.isArray(value) && value.some((one) => hasText(idFields.items, one, isMeant))
  for (const [name, inner] of idFields.fields) if (hasText(inner, value[name], isMeant)) return true
  return false
}

type At = { readonly field: string; readonly put: IdText['put'] }

/** Returns the texts in the places of a value. */
export const collectTexts = (
  idFields: IdFields,
  value: unknown,
  { field, put }: At = { field: '', put: () => {} },
): IdText[] => {
  if ('resource' in idFields)
    return typeof value === 'string' ? [{ resource: idFields.resource, field, text: value, put }] : []
  if (!isHolder(value)) return []
  const putAt = (key: PropertyKey) => (text: string) => {
    value[key] = text
  }
  if ('items' in idFields)
    return Array.isArray(value)
      ? value.flatMap((one, i) => collectTexts(idFields.items, one, { field: `${field}[${i}]`, put: putAt(i) }))
      : []
  return idFields.fields.flatMap(([name, inner]) =>
    collectTexts(inner, value[name], { field: field === '' ? name : `${field}.${name}`, put: putAt(name) }),
  )
}
