/** Plans an undo: one action for each object of a change, from the states before it, after it and now. */

import { toText } from '../../../contract/unknown.ts'
import * as devices from '../../../inventory/devices/devices.ts'
import type { Device } from '../../../inventory/devices/schema.ts'
import { findSpaceKeys } from '../../../inventory/spaces/keys.ts'
import type { Ctx } from '../../../kernel/ctx.ts'
import { parseIpKeyOrThrow } from '../../../net/ip.ts'
import { compareFields, findStatesAt } from '../items.ts'
import { KINDS } from '../kind-names.ts'
import { type Document, KIND_RULES, parseDocument } from '../kinds.ts'
import type { Step } from '../steps.ts'
import * as store from '../store.ts'
import { removeDefaults } from './undo-addresses.ts'
import type { Obstacle } from './undo-obstacles.ts'
import { type ChangedDefinition, findRenames, Renames } from './undo-renames.ts'

/** One step of an undo. `change` is the step's own, not that of the change. */
export type Action = Step & {
  /** The document that the decision was made by. */
  readonly seen: number | bigint | undefined
}

/** The objects that an undo may touch, by kind and id, as the change did it; of an updated one the fields. */
export type Scope = ReadonlyMap<string, 'create' | 'delete' | ReadonlySet<string>>

export type Plan = {
  readonly actions: readonly Action[]
  readonly scope: Scope
  readonly renames: Renames
  readonly obstacles: readonly Obstacle[]
}

export const buildKey = ({ kind, id }: { readonly kind: string; readonly id: string }): string => `${kind} ${id}`

/** The states of an object of a change. */
type States = {
  readonly before: string | null
  readonly after: string | undefined
  readonly now: string | undefined
}

type Decision = {
  readonly action?: Pick<Action, 'change' | 'document'>
  readonly obstacles?: readonly Omit<Obstacle, 'kind' | 'id'>[]
  readonly scope: 'create' | 'delete' | ReadonlySet<string>
}

const isDifferent = (a: string, b: string): boolean =>
  a !== b && Object.keys(compareFields(parseDocument(a), parseDocument(b))).length > 0

const undoCreate = ({ after, now }: States): Decision => {
  if (now === undefined) return { scope: 'create' }
  if (after === undefined || isDifferent(after, now))
    return { scope: 'create', obstacles: [{ message: 'is different now', isLater: true }] }
  return { scope: 'create', action: { change: 'delete', document: {} } }
}

const undoDelete = (before: string, now: string | undefined): Decision => {
  if (now === undefined) return { scope: 'delete', action: { change: 'create', document: parseDocument(before) } }
  if (!isDifferent(before, now)) return { scope: 'delete' }
  return { scope: 'delete', obstacles: [{ message: 'is there again, and different', isLater: true }] }
}

/**
 * Returns the update that sets refs or custom values as of another moment, although an update keeps the keys that it does not name.
 */
const buildReplacement = (now: unknown, then: unknown): Document => ({
  ...Object.fromEntries(Object.keys(now ?? {}).map((source) => [source, null])),
  // The documents of objects that have refs.
  ...(then as Document),
})

/** @param rename returns a document with the names that its values have after the undo of the definitions */
const undoUpdate = (
  { before, after, now }: { readonly before: string; readonly after: string; readonly now: string | undefined },
  rename: (document: Document) => Document,
): Decision => {
  const fields = Object.entries(compareFields(parseDocument(before), rename(parseDocument(after))))
  const scope = new Set(fields.map(([field]) => field))
  // Only the time of the update differs.
  if (fields.length === 0) return { scope }
  if (now === undefined) return { scope, obstacles: [{ message: 'is gone', isLater: true }] }
  const present = rename(parseDocument(now))
  const obstacles: Omit<Obstacle, 'kind' | 'id'>[] = []
  const wanted: Record<string, unknown> = {}
  for (const [field, { from, to }] of fields) {
    const value = present[field] ?? null
    if (Bun.deepEquals(value, from)) continue
    if (Bun.deepEquals(value, to))
      wanted[field] = field === 'refs' || field === 'custom' ? buildReplacement(value, from) : from
    else obstacles.push({ field, message: 'has another value now', isLater: true })
  }
  if (obstacles.length > 0) return { scope, obstacles }
  return Object.keys(wanted).length > 0 ? { scope, action: { change: 'update', document: wanted } } : { scope }
}

const decide = (states: States, rename: (document: Document) => Document): Decision => {
  const { before, after, now } = states
  if (before === null) return undoCreate(states)
  return after === undefined ? undoDelete(before, now) : undoUpdate({ before, after, now }, rename)
}

/** True for a reservation that had expired at a time. */
export const hasExpired = (kind: string, json: string, atMs: number): boolean => {
  if (kind !== 'reservation') return false
  const { expires_at } = parseDocument(json)
  return typeof expires_at === 'string' && Date.parse(expires_at) <= atMs
}

/** Returns the networks of pools after all actions, by the ids of the pools. Deleted pools are missing. */
const findNetworksOfPools = async (ctx: Ctx, ids: readonly string[], actions: readonly Action[]) => {
  const documents = await KIND_RULES.pool.documents(ctx, ids)
  const networks = new Map([...documents].map(([id, json]) => [id, toText(parseDocument(json).network_id)]))
  for (const { kind, change, id, document } of actions)
    if (kind === 'pool' && change !== 'delete' && document.network_id !== undefined)
      networks.set(id, toText(document.network_id))
  return networks
}

/** The ids of the spaces of networks; `''` in the default one. */
type SpacesOfNetworks = ReadonlyMap<string, string>

const getSpace = (json: string): string => toText(parseDocument(json).space_id)

/** Returns the spaces of networks after all actions. */
const findSpacesAtEnd = async (
  ctx: Ctx,
  ids: readonly string[],
  actions: readonly Action[],
): Promise<SpacesOfNetworks> => {
  const documents = await KIND_RULES.network.documents(ctx, ids)
  const spaces = new Map([...documents].map(([id, json]) => [id, getSpace(json)]))
  for (const { kind, change, id, document } of actions)
    if (kind === 'network' && (change === 'create' || Object.hasOwn(document, 'space_id')))
      spaces.set(id, toText(document.space_id))
  return spaces
}

/** Returns the reservations with an address that all its present devices had together with the reservation. */
const findShared = async (ctx: Ctx, seq: number, actions: readonly Action[]): Promise<Set<string>> => {
  const lost = actions.filter(({ kind, change }) => kind === 'reservation' && change === 'create')
  if (lost.length === 0) return new Set()
  const poolIds = [...new Set(lost.map(({ document }) => toText(document.pool_id)))]
  const networks = await findNetworksOfPools(ctx, poolIds, actions)
  const networkIds = [...new Set(networks.values())]
  const spaces = await findSpacesAtEnd(ctx, networkIds, actions)
  const then = new Map(
    [...(await findStatesAt(ctx, 'network', { ids: networkIds, seq }))].map(([id, json]) => [id, getSpace(json)]),
  )
  const key = await findSpaceKeys(
    ctx,
    [...spaces.values()].map((space_id) => ({ space_id })),
  )
  const reservations = lost.map(({ id, document }) => {
    const ip = toText(document.ip_address)
    const network = networks.get(toText(document.pool_id)) ?? ''
    const space_id = spaces.get(network) ?? ''
    return { id, ip, space: then.get(network) ?? space_id, ip_key: parseIpKeyOrThrow(ip, key({ space_id })) }
  })
  const holders = await devices.findHolders(
    ctx,
    reservations.map(({ ip_key }) => ip_key),
  )
  const ids = [...new Set(holders.map(({ device_id }) => device_id))]
  const states = await findStatesAt(ctx, 'device', { ids, seq })
  // The documents of this kind are devices.
  const devicesThen = new Map([...states].map(([id, json]) => [id, JSON.parse(json) as Device]))
  const isShared = ({ ip, space, ip_key }: (typeof reservations)[number]): boolean => {
    const own = holders.filter((holder) => holder.ip_key === ip_key)
    const had = ({ device_id }: (typeof own)[number]) =>
      devicesThen.get(device_id)?.addresses.some((one) => one.ip === ip && (one.space_id ?? '') === space)
    return own.length > 0 && own.every(had)
  }
  return new Set(reservations.filter(isShared).map(({ id }) => id))
}

/** Returns the update of a definition with the renamed choices. */
const withChoices = (action: Action, renames: Renames): Action => {
  if (action.kind !== 'custom-field' || action.change !== 'update' || !action.document.choices) return action
  const rename_choices = renames.getChoices(action.id)
  return rename_choices ? { ...action, document: { ...action.document, rename_choices } } : action
}

/** Decides for all objects of a change. Calls `breathe` between batches. */
export const buildPlan = async (
  ctx: Ctx,
  { seq, atMs }: Pick<store.StoredChange, 'seq' | 'atMs'>,
  breathe: () => Promise<void>,
): Promise<Plan> => {
  const nowMs = Date.parse(ctx.now)
  const scope = new Map<string, Decision['scope']>()
  const actions: Action[] = []
  const obstacles: Obstacle[] = []
  const definitions: ChangedDefinition[] = []
  let renames = new Renames([])
  // Definitions come first.
  for (const kind of KINDS) {
    for await (const rows of store.streamItems(ctx, { seq, kind })) {
      const ids = rows.map(({ id }) => id)
      const present = await KIND_RULES[kind].documents(ctx, ids)
      const later = await store.findStatesBeforeLater(ctx, kind, { ids, seq })
      for (const { id, before } of rows) {
        const after = later.has(id) ? (later.get(id) ?? undefined) : present.get(id)
        const stored = present.get(id)
        const now = stored !== undefined && hasExpired(kind, stored, nowMs) ? undefined : stored
        if (kind === 'custom-field' && before !== null && after !== undefined)
          definitions.push({ id, before: parseDocument(before), after: parseDocument(after) })
        const decision = decide({ before, after, now }, (document) => renames.apply(kind, document))
        scope.set(buildKey({ kind, id }), decision.scope)
        for (const obstacle of decision.obstacles ?? []) obstacles.push({ kind, id, ...obstacle })
        const { action } = decision
        // A reservation that had expired when it was deleted is as wanted.
        if (!action || (action.change === 'create' && before !== null && hasExpired(kind, before, atMs))) continue
        actions.push({ kind, id, ...action, isShared: false, seen: now === undefined ? undefined : Bun.hash(now) })
      }
      await breathe()
    }
    if (kind === 'custom-field' && definitions.length > 0) renames = await findRenames(ctx, seq, definitions)
  }
  const shared = await findShared(ctx, seq, actions)
  const marked = actions.map((one) => withChoices({ ...one, isShared: shared.has(one.id) }, renames))
  return { actions: await removeDefaults(ctx, marked), scope, renames, obstacles }
}
