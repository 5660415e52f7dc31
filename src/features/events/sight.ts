/** The events that callers with a part of the estate receive: each is judged by its data, and by where the objects are that it names. */
import { isReached } from '../../platform/operation/access.ts'
import type { Reach } from '../../platform/operation/caller.ts'
import { type Conflict, cut } from '../conflicts/schema.ts'
import type { StoreScope } from '../ctx.ts'
import { type Placing, placingOf, type ScopeSet, scopesOfPlacings } from '../scopes/scopes.ts'
import type { StoredEvent } from './store.ts'

/** The parts of the estate that a caller must all reach to receive an event. */
export type Parts = readonly Reach[]

/** Returns the data of an event for a caller with these parts: as stored or without hidden members; undefined if it is not received. */
export type Sight = (event: StoredEvent, parts: Parts) => string | undefined

type Data = Readonly<Record<string, unknown>>

const at = (kind: string, id: unknown) => ({ kind, id: typeof id === 'string' ? id : '' })

const deviceOf = (end: unknown): unknown => (end as Data | undefined)?.device_id

const asKind =
  (kind: string) =>
  (data: Data): Placing[] => {
    const placing = placingOf(at(kind, data.id), data)
    return placing ? [placing] : []
  }

/** What the events of each family are judged by. An event of another family is about no part of the estate. */
const BY_FAMILY: Readonly<Record<string, (data: Data) => readonly Placing[]>> = {
  device: asKind('device'),
  network: asKind('network'),
  vlan: asKind('vlan'),
  rack: asKind('rack'),
  port: asKind('port'),
  custom_field: asKind('custom-field'),
  device_type: asKind('device-type'),
  // Their devices also tell of the cable when its ports are gone.
  cable: ({ a, b }) => [{ follows: [at('device', deviceOf(a)), at('device', deviceOf(b))] }],
  discovery: ({ network_id }) => [{ follows: [at('network', network_id)] }],
  pool: ({ pool_id }) => [{ follows: [at('pool', pool_id)] }],
  // One for each member.
  conflict: (data) => membersOf(data).map((member) => ({ follows: [member] })),
}

/** The data of the event of a conflict is the conflict. */
const conflictOf = (data: Data): Conflict => data as Conflict

const membersOf = (data: Data) => {
  const { device_ids, network_ids } = conflictOf(data)
  return [...device_ids.map((id) => at('device', id)), ...network_ids.map((id) => at('network', id))]
}

const familyOf = ({ event }: StoredEvent): string => event.slice(0, event.indexOf('.'))

const isIn = (parts: Parts, sets: readonly ScopeSet[]): boolean =>
  parts.every((part) => sets.every((set) => isReached(part, set)))

/** Reads in which scopes the objects of some events are. */
export const sightOf = async (scope: StoreScope, events: readonly StoredEvent[]): Promise<Sight> => {
  const told = events.map((event) => {
    // As `record` has written it.
    const data = JSON.parse(event.data) as Data
    return { event, data, placings: BY_FAMILY[familyOf(event)]?.(data) ?? [] }
  })
  const sets = await scopesOfPlacings(
    scope,
    told.flatMap(({ placings }) => placings),
  )
  const known = new Map<StoredEvent, { readonly data: Data; readonly sets: readonly (readonly ScopeSet[])[] }>()
  let from = 0
  for (const { event, data, placings } of told) {
    known.set(event, { data, sets: sets.slice(from, from + placings.length).map((one) => one ?? []) })
    from += placings.length
  }
  return (event, parts) => {
    const found = known.get(event)
    if (!found) return undefined
    if (familyOf(event) !== 'conflict') return found.sets.some((one) => isIn(parts, one)) ? event.data : undefined
    const seen = new Set(membersOf(found.data).flatMap(({ id }, i) => (isIn(parts, found.sets[i] ?? []) ? [id] : [])))
    const conflict = conflictOf(found.data)
    const shown = cut(conflict, (id) => seen.has(id))
    return shown && (shown === conflict ? event.data : JSON.stringify(shown))
  }
}
