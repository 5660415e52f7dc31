/**
 * The events that callers with a part of the estate receive: the data of each event, and the scopes of the objects that it names,
 * decide.
 */
import { toText } from '../../contract/unknown.ts'
import { type Conflict, narrowConflict } from '../../inventory/conflicts/schema.ts'
import { INVENTORY } from '../../inventory/resources.ts'
import type { ScopeSet } from '../../kernel/caller.ts'
import type { StoreScope } from '../../kernel/ctx.ts'
import { isInScopeSet } from '../../kernel/rights/access.ts'
import { type DocumentScope, getPlacing, loadScopesOfPlacings, type ScopeIds } from '../../people/scopes/scopes.ts'
import { toKind } from '../../resource/nouns.ts'
import type { StoredEvent } from './store.ts'

/** The parts of the estate that a caller must all reach to receive an event. */
export type Parts = readonly ScopeSet[]

/** Returns the data of an event for a caller with these parts: as stored or without hidden members; undefined if it is not received. */
export type VisibleData = (event: StoredEvent, parts: Parts) => string | undefined

type Data = Readonly<Record<string, unknown>>

const toObjectId = (kind: string, id: unknown) => ({ kind, id: toText(id) })

const getDeviceId = (end: unknown): unknown => (end as Data | undefined)?.device_id

const asKind =
  (kind: string) =>
  (data: Data): DocumentScope[] => {
    const placing = getPlacing(toObjectId(kind, data.id), data)
    return placing ? [placing] : []
  }

/** The scopes of the events of each family. An event of another family is about no part of the estate. */
const BY_FAMILY: Readonly<Record<string, (data: Data) => readonly DocumentScope[]>> = {
  ...Object.fromEntries(INVENTORY.map(toKind).map((kind) => [kind.replaceAll('-', '_'), asKind(kind)])),
  // Their devices also tell of the cable when its ports are gone.
  cable: ({ a, b }) => [{ follows: [toObjectId('device', getDeviceId(a)), toObjectId('device', getDeviceId(b))] }],
  discovery: ({ network_id }) => [{ follows: [toObjectId('network', network_id)] }],
  // `pool.utilization_high` is about a pool, and names it.
  pool: (data) =>
    data.pool_id === undefined ? asKind('pool')(data) : [{ follows: [toObjectId('pool', data.pool_id)] }],
  // One for each member.
  conflict: (data) => listMembers(data).map((member) => ({ follows: [member] })),
}

/** Converts the data of the event of a conflict, which is the conflict. */
const toConflict = (data: Data): Conflict => data as Conflict

const listMembers = (data: Data) => {
  const { device_ids, network_ids } = toConflict(data)
  return [...device_ids.map((id) => toObjectId('device', id)), ...network_ids.map((id) => toObjectId('network', id))]
}

const getFamily = ({ event }: StoredEvent): string => event.slice(0, event.indexOf('.'))

const isIn = (parts: Parts, sets: readonly ScopeIds[]): boolean =>
  parts.every((scopeSet) => sets.every((set) => isInScopeSet(scopeSet, set)))

/** Reads in which scopes the objects of some events are. */
export const loadSight = async (scope: StoreScope, events: readonly StoredEvent[]): Promise<VisibleData> => {
  const told = events.map((event) => {
    // `record` has written it as JSON.
    const data = JSON.parse(event.data) as Data
    return { event, data, placings: BY_FAMILY[getFamily(event)]?.(data) ?? [] }
  })
  const sets = await loadScopesOfPlacings(
    scope,
    told.flatMap(({ placings: documentScopes }) => documentScopes),
  )
  const known = new Map<StoredEvent, { readonly data: Data; readonly sets: readonly (readonly ScopeIds[])[] }>()
  let from = 0
  for (const { event, data, placings: documentScopes } of told) {
    known.set(event, { data, sets: sets.slice(from, from + documentScopes.length).map((one) => one ?? []) })
    from += documentScopes.length
  }
  return (event, parts) => {
    const found = known.get(event)
    if (!found) return undefined
    if (getFamily(event) !== 'conflict') return found.sets.some((one) => isIn(parts, one)) ? event.data : undefined
    const seen = new Set(listMembers(found.data).flatMap(({ id }, i) => (isIn(parts, found.sets[i] ?? []) ? [id] : [])))
    const conflict = toConflict(found.data)
    const shown = narrowConflict(conflict, (id) => seen.has(id))
    return shown && (shown === conflict ? event.data : JSON.stringify(shown))
  }
}
