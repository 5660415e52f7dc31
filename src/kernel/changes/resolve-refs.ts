/** Replaces refs, the ids of other systems, by ids, in the places of an input that take an id. */
import type { z } from 'zod'
import { isReferable, parseRef, type Ref } from '../../contract/fields/external-fields.ts'
import { getCachedText } from '../../database/cache/query-cache.ts'
import type { KernelCtx } from '../context.ts'
import { collectTexts, createPlaceFinder, hasText, type IdFields, type IdText } from './id-fields.ts'
import { findRefs, type RefTables } from './object-refs.ts'

const placesOf = createPlaceFinder(isReferable)

const isSuspect = (idFields: IdFields, value: unknown): boolean =>
  hasText(idFields, value, (text) => text.includes(':'))

/** Returns true if the input may hold refs. Most inputs hold none, and need no query. */
export const mayHoldRefs = (schema: z.ZodType, input: unknown): boolean => {
  const place = placesOf(schema)
  return place !== null && isSuspect(place, input)
}

type Found = Ref & Pick<IdText, 'resource' | 'put'>

const collectRefs = (idFields: IdFields, value: unknown): Found[] =>
  collectTexts(idFields, value).flatMap(({ resource, text, put }) => {
    const ref = parseRef(text)
    return ref ? [{ ...ref, resource, put }] : []
  })

type Scope<Tables> = Pick<KernelCtx<Tables>, 'db' | 'store'>

const buildKey = (resource: string, { source, id }: Ref): string => `${resource} ${source} ${id}`

/** Returns the id of the object with a ref, cached as long as no ref changes. */
export const findIdByRef = async <Tables>(
  scope: Scope<Tables>,
  resource: string,
  ref: Ref,
): Promise<string | undefined> => {
  const own = toRefScope(scope)
  return getCachedText(own, 'refs', buildKey(resource, ref), async () => {
    const [row] = await findRefs(own, [{ resource, source: ref.source, external_id: ref.id }])
    return row?.object_id
  })
}

// Every extension of our tables includes this one, which Kysely cannot infer through a type parameter.
const toRefScope = <Tables>(scope: Scope<Tables>) => scope as unknown as Scope<RefTables>

/** Returns the ids of refs, by their keys. */
const findIds = async <Tables>(scope: Scope<Tables>, found: readonly Found[]): Promise<ReadonlyMap<string, string>> => {
  const [first] = found
  if (first && found.length === 1) {
    const id = await findIdByRef(scope, first.resource, first)
    return new Map(id === undefined ? [] : [[buildKey(first.resource, first), id]])
  }
  const keys = found.map(({ resource, source, id }) => ({ resource, source, external_id: id }))
  const rows = await findRefs(toRefScope(scope), keys)
  return new Map(
    rows.map((row) => [buildKey(row.resource, { source: row.source, id: row.external_id }), row.object_id]),
  )
}

/**
 * Returns the input with ids in the place of known refs. An unknown ref stays, and is as unknown as an id that no object
 * has.
 */
export const resolveRefs = async <Tables, T>(scope: Scope<Tables>, schema: z.ZodType, input: T): Promise<T> => {
  const place = placesOf(schema)
  if (!place || !isSuspect(place, input)) return input
  const copy = structuredClone(input)
  const found = collectRefs(place, copy)
  const ids = await findIds(scope, found)
  for (const { put, resource, ...ref } of found) {
    const id = ids.get(buildKey(resource, ref))
    if (id !== undefined) put(id)
  }
  return copy
}
