/** Replaces refs, the ids of other systems, by ids, in the places of an input that take an id. */
import type { z } from 'zod'
import { type FieldSchema, schemaOf, settled } from '../cli/schema.ts'
import { REFERABLE, type Ref, refOf } from '../contract/external-fields.ts'
import { cachedText } from '../db/cache/query-cache.ts'
import type { KernelCtx } from './context.ts'
import { findRefs, type RefTables } from './object-refs.ts'

/** The places in a value that take an id. */
type Place =
  | { readonly noun: string }
  | { readonly items: Place }
  | { readonly fields: readonly (readonly [name: string, place: Place])[] }

const isReferable = (noun: string | undefined): noun is string => REFERABLE.some((one) => one === noun)

const placesIn = (schema: FieldSchema): Place | undefined => {
  const { ref, items, properties = {} } = settled(schema)
  if (isReferable(ref)) return { noun: ref }
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

/** Cached per schema, because every call needs it. */
const placesOf = (schema: z.ZodType): Place | null => {
  const known = cache.get(schema)
  if (known !== undefined) return known
  const places = placesIn(schemaOf(schema)) ?? null
  cache.set(schema, places)
  return places
}
const cache = new WeakMap<z.ZodType, Place | null>()

/** An object, or a list by its indices. */
type Holder = Record<PropertyKey, unknown>
const isHolder = (value: unknown): value is Holder => typeof value === 'object' && value !== null

const isSuspect = (place: Place, value: unknown): boolean => {
  if ('noun' in place) return typeof value === 'string' && value.includes(':')
  if (!isHolder(value)) return false
  if ('items' in place) return Array.isArray(value) && value.some((one) => isSuspect(place.items, one))
  for (const [name, inner] of place.fields) if (isSuspect(inner, value[name])) return true
  return false
}

/** Returns true if the input may hold refs. Most inputs hold none, and need no query. */
export const mayHoldRefs = (schema: z.ZodType, input: unknown): boolean => {
  const place = placesOf(schema)
  return place !== null && isSuspect(place, input)
}

type Found = Ref & { readonly resource: string; readonly put: (id: string) => void }

const refsIn = (place: Place, value: unknown, put: Found['put']): Found[] => {
  if ('noun' in place) {
    const ref = typeof value === 'string' ? refOf(value) : undefined
    return ref ? [{ ...ref, resource: place.noun, put }] : []
  }
  if (!isHolder(value)) return []
  const putAt = (key: PropertyKey) => (id: string) => {
    value[key] = id
  }
  if ('items' in place)
    return Array.isArray(value) ? value.flatMap((one, at) => refsIn(place.items, one, putAt(at))) : []
  return place.fields.flatMap(([name, inner]) => refsIn(inner, value[name], putAt(name)))
}

type Scope<Tables> = Pick<KernelCtx<Tables>, 'db' | 'store'>

const keyOf = (resource: string, { source, id }: Ref): string => `${resource} ${source} ${id}`

/** Returns the id of the object with a ref, cached as long as no ref changes. */
export const idOfRef = async <Tables>(
  scope: Scope<Tables>,
  resource: string,
  ref: Ref,
): Promise<string | undefined> => {
  const own = ownScope(scope)
  return cachedText(own, 'refs', keyOf(resource, ref), async () => {
    const [row] = await findRefs(own, [{ resource, source: ref.source, external_id: ref.id }])
    return row?.object_id
  })
}

// Every extension of our tables includes this one, which Kysely cannot infer through a type parameter.
const ownScope = <Tables>(scope: Scope<Tables>) => scope as unknown as Scope<RefTables>

/** Returns the ids of refs, by their keys. */
const idsOf = async <Tables>(scope: Scope<Tables>, found: readonly Found[]): Promise<ReadonlyMap<string, string>> => {
  const [first] = found
  if (first && found.length === 1) {
    const id = await idOfRef(scope, first.resource, first)
    return new Map(id === undefined ? [] : [[keyOf(first.resource, first), id]])
  }
  const keys = found.map(({ resource, source, id }) => ({ resource, source, external_id: id }))
  const rows = await findRefs(ownScope(scope), keys)
  return new Map(rows.map((row) => [keyOf(row.resource, { source: row.source, id: row.external_id }), row.object_id]))
}

/**
 * Returns the input with ids in the place of known refs. An unknown ref stays, and is as unknown as an id that no object
 * has.
 */
export const resolveRefs = async <Tables, T>(scope: Scope<Tables>, schema: z.ZodType, input: T): Promise<T> => {
  const place = placesOf(schema)
  if (!place || !isSuspect(place, input)) return input
  const copy = structuredClone(input)
  const found = refsIn(place, copy, () => {})
  const ids = await idsOf(scope, found)
  for (const { put, resource, ...ref } of found) {
    const id = ids.get(keyOf(resource, ref))
    if (id !== undefined) put(id)
  }
  return copy
}
