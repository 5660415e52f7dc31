/**
 * The scopes of objects with documents that tell where they are, such as the objects of events. The scopes of the objects that they
 * belong to are the present ones.
 */
import { splitBatches } from '../../database/query/batches.ts'
import type { StoreScope } from '../../kernel/ctx.ts'
import { selectFromTable } from '../../resource/named-tables.ts'
import { loadAreas } from './area-store.ts'
import type { ScopeIds } from './areas.ts'
import { type DocumentScope, listRelated, type ObjectId } from './document-scopes.ts'
import { loadCurrentScopes } from './update-areas.ts'

/** The tables of objects that decide the scopes of others. */
const TABLES = { datacenter: 'datacenters', network: 'networks', pool: 'pools', device: 'devices' } as const

const buildKey = ({ kind, id }: ObjectId): string => `${kind} ${id}`

/** Returns the present scopes of objects, by kind and id; deleted objects have none. */
const loadPresentScopes = async (
  scope: StoreScope,
  objects: readonly ObjectId[],
): Promise<ReadonlyMap<string, ScopeIds>> => {
  const found = new Map<string, ScopeIds>()
  if (objects.length === 0) return found
  const { setOf } = await loadAreas(scope)
  for (const [kind, table] of Object.entries(TABLES)) {
    const wanted = new Set(objects.flatMap((one) => (one.kind === kind ? one.id : [])))
    for (const ids of splitBatches([...wanted])) {
      const query = selectFromTable(scope.db, table).select(['id', 'area'])
      for (const { id, area } of await query.where('id', 'in', ids).execute())
        found.set(buildKey({ kind, id }), setOf(area))
    }
  }
  return found
}

/** Returns for each placing the sets of scopes that a caller must all reach; undefined for one that is in no scope. */
export const loadScopesOfPlacings = async (
  scope: StoreScope,
  placings: readonly (DocumentScope | undefined)[],
): Promise<(readonly ScopeIds[] | undefined)[]> => {
  const setOf = await loadCurrentScopes(scope)
  const present = await loadPresentScopes(
    scope,
    placings.flatMap((placing) => (placing ? listRelated(placing) : [])),
  )
  const ofPresent = (one: ObjectId): ScopeIds => present.get(buildKey(one)) ?? []
  return placings.map((placing) => {
    if (!placing) return undefined
    if ('follows' in placing) return placing.follows.map(ofPresent)
    const inherited = placing.inherits ? ofPresent(placing.inherits) : []
    return [setOf?.({ ...placing.facts, inherited }) ?? []]
  })
}
