/** Replaces refs, the ids of other systems, by ids, in the places of an input that take an id. */
import type { z } from 'zod'
import { REFERABLE, type Ref, refOf } from '../contract/external-fields.ts'
import { cachedText } from '../db/cache/query-cache.ts'
import type { KernelCtx } from './context.ts'
import { type Place, type PlacedText, placesFor, someText, textsIn } from './input-places.ts'
import { findRefs, type RefTables } from './object-refs.ts'

const placesOf = placesFor((resource) => REFERABLE.some((one) => one === resource))

const isSuspect = (place: Place, value: unknown): boolean => someText(place, value, (text) => text.includes(':'))

/** Returns true if the input may hold refs. Most inputs hold none, and need no query. */
export const mayHoldRefs = (schema: z.ZodType, input: unknown): boolean => {
  const place = placesOf(schema)
  return place !== null && isSuspect(place, input)
}

type Found = Ref & Pick<PlacedText, 'resource' | 'put'>

const refsIn = (place: Place, value: unknown): Found[] =>
  textsIn(place, value).flatMap(({ resource, text, put }) => {
    const ref = refOf(text)
    return ref ? [{ ...ref, resource, put }] : []
  })

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
  const found = refsIn(place, copy)
  const ids = await idsOf(scope, found)
  for (const { put, resource, ...ref } of found) {
    const id = ids.get(keyOf(resource, ref))
    if (id !== undefined) put(id)
  }
  return copy
}
