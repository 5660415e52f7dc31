/** The rules of scopes. */

import { type FieldIssue, nameTaken, orNotFound, rejectIssues } from '../../contract/errors.ts'
import { merge } from '../../contract/merge.ts'
import { containsText } from '../../database/query/contains.ts'
import type { DatacenterMoved } from '../../inventory/datacenters/events.ts'
import { type Ctx, type Feature, implement } from '../../kernel/ctx.ts'
import { listRows } from '../../kernel/list.ts'
import { formatCidr, parseCidr } from '../../net/cidr.ts'
import { onDeleting } from '../../resource/deleting.ts'
import { AREA_TABLES } from '../../resource/scoped/area-tables.ts'
import { type ListedScope, type Scope, type ScopeCounts, type ScopeDraft, type ScopePatch, scopes } from './api.ts'
import { countByScope, countIn, removeAreasOfScope, updateAllAreas } from './area-store.ts'
import { toAddressRange as subnetPlace } from './areas.ts'
import * as placing from './check-create.ts'
import * as facts from './document-scopes.ts'
import * as placed from './event-scopes.ts'
import { findOverlapWarnings } from './overlap-warnings.ts'
import { refuseMove } from './overlaps.ts'
import { refuseGain, updateAreasBelow, withDatacentersBelow } from './places.ts'
import * as store from './store.ts'
import { loadForTransaction, noteWrite, updateDiscoveredAreas } from './update-areas.ts'

/** For features that show where the caller may create objects. */
export const { canPlace, canReachPool } = placing
export const toAddressRange = subnetPlace

/** For objects that have no rows. */
export const { getPlacing } = facts
export const { loadScopesOfPlacings } = placed
export type { ScopeIds } from './areas.ts'
export type { DocumentScope } from './document-scopes.ts'

const getOrThrow = async (ctx: Ctx, id: string): Promise<Scope> => orNotFound(await store.find(ctx, id), 'scope', id)

const lockForChange = async (ctx: Ctx, id: string): Promise<Scope> => {
  const scope = orNotFound(await store.lock(ctx, id), 'scope', id)
  ctx.precondition(scope)
  return scope
}

const requireFreeName = async (ctx: Ctx, scope: Pick<Scope, 'id' | 'name'>): Promise<void> => {
  const namesake = await store.findNamesake(ctx, scope)
  if (namesake) throw nameTaken('scope', namesake.name)
}

/** @throws AppError VALIDATION_ERROR that names the ids without an object */
const checkIds = async (ctx: Ctx, { datacenter_ids, space_ids, kind_ids = [] }: Scope): Promise<void> => {
  const issues: FieldIssue[] = []
  const check = async (
    field: string,
    noun: string,
    table: 'datacenters' | 'spaces' | 'kinds',
    ids: readonly string[],
  ) => {
    const existing = await store.filterExistingIds(ctx, table, ids)
    for (const [i, id] of ids.entries())
      if (!existing.has(id)) issues.push({ field: `${field}[${i}]`, message: `there is no ${noun} with id "${id}"` })
  }
  await check('datacenter_ids', 'datacenter', 'datacenters', datacenter_ids)
  await check('space_ids', 'space', 'spaces', space_ids)
  await check('kind_ids', 'kind', 'kinds', kind_ids)
  rejectIssues(issues)
}

/** Returns the subnets in canonical text, each once. */
const normalizeSubnets = (subnets: readonly string[]): string[] => [
  ...new Set(
    subnets.map((subnet) => {
      const cidr = parseCidr(subnet)
      return cidr ? formatCidr(cidr) : subnet
    }),
  ),
]

/** Stores the areas of the objects that are in a scope, or have been. */
const updateMembers = async (ctx: Ctx, scope: Scope): Promise<void> => {
  for (const one of await withDatacentersBelow(ctx, [scope])) await updateAllAreas(ctx, one)
}

const create = async (ctx: Ctx, { subnets, ...draft }: ScopeDraft): Promise<Scope> => {
  const { name, description, datacenter_ids, space_ids, tags, kind_ids } = draft
  const fields = { name, description, datacenter_ids, space_ids, subnets: normalizeSubnets(subnets), tags }
  const times = { created_at: ctx.now, updated_at: ctx.now }
  const scope: Scope = { id: Bun.randomUUIDv7(), ...fields, ...store.withKinds(kind_ids), ...times }
  await requireFreeName(ctx, scope)
  await checkIds(ctx, scope)
  // Writers do not take the lock of scopes while there are none.
  if ((await store.findAll(ctx)).length === 0) await ctx.store.sql.lockTables(ctx.db, AREA_TABLES)
  await store.insert(ctx, scope)
  await updateMembers(ctx, scope)
  await ctx.emit('scope.created')
  return scope
}

const update = async (ctx: Ctx, { id, ...patch }: ScopePatch): Promise<Scope> => {
  const before = await lockForChange(ctx, id)
  const { kind_ids = before.kind_ids ?? [], subnets, ...others } = patch
  const given = { ...others, ...(subnets && { subnets: normalizeSubnets(subnets) }), kind_ids }
  const { value: merged, changes } = merge<Scope>({ ...before, kind_ids: before.kind_ids ?? [] }, given)
  const { created_at, updated_at, kind_ids: kinds = [], ...fields } = merged
  const value: Scope = { ...fields, ...store.withKinds(kinds), created_at, updated_at }
  if (changes.length === 0) return before
  await ctx.emit('scope.changing', before)
  const scope = { ...value, updated_at: ctx.now }
  await requireFreeName(ctx, scope)
  await checkIds(ctx, scope)
  await store.update(ctx, scope)
  await updateMembers(ctx, scope)
  await ctx.emit('scope.updated')
  return scope
}

const remove = async (ctx: Ctx, id: string): Promise<void> => {
  const scope = await lockForChange(ctx, id)
  await ctx.emit('scope.deleting', scope)
  await updateAllAreas(ctx, { id, datacenter_ids: [], space_ids: [], subnets: [], tags: [] })
  await store.remove(ctx, id)
  await removeAreasOfScope(ctx, id)
  await ctx.emit('scope.deleted')
}

/** Takes a deleted object out of all scopes. */
const leave = async (ctx: Ctx, list: 'datacenter_ids' | 'space_ids' | 'kind_ids', id: string): Promise<void> => {
  for (const { id: scopeId } of (await store.findAll(ctx)).filter((one) => one[list]?.includes(id))) {
    const scope = await store.lock(ctx, scopeId)
    const ids = scope?.[list]
    if (!scope || !ids?.includes(id)) continue
    const left = { ...scope, [list]: ids.filter((one) => one !== id), updated_at: ctx.now }
    await noteWrite(ctx)
    await store.update(ctx, left)
    await ctx.emit('scope.updated')
  }
}

/** Datacenters have come into scopes or left them. */
const followMove = async (ctx: Ctx, moved: DatacenterMoved): Promise<void> => {
  if ((await store.findAll(ctx)).length === 0) return
  await ctx.lock('datacenterTree')
  // All instances read the scopes again, with the datacenters of the new tree.
  await noteWrite(ctx)
  await store.touch(ctx)
  const setOf = await loadForTransaction(ctx)
  if (!setOf) return
  if (moved.before && moved.after) await refuseGain(ctx, moved.after.id, setOf)
  await updateAreasBelow(ctx, moved, setOf)
  await ctx.emit('scope.updated')
}

const COUNTED = ['datacenters', 'networks', 'pools', 'devices'] as const

type Counted = (typeof COUNTED)[number]

/** Returns the tables of objects that the caller may count. The counts of a small subnet would find single addresses. */
const listCounted = ({ caller }: Ctx): Counted[] => COUNTED.filter((table) => caller.permissions.has(`${table}:list`))

const NO_COUNTS: ScopeCounts = { datacenters: null, networks: null, pools: null, devices: null }

/** Returns the numbers of objects in a scope, by its id. */
const loadCountsByScope = async (ctx: Ctx): Promise<(id: string) => ScopeCounts> => {
  const all = new Map<Counted, ReadonlyMap<string, number>>()
  for (const table of listCounted(ctx)) all.set(table, await countByScope(ctx, table))
  return (id) => ({
    ...NO_COUNTS,
    ...Object.fromEntries([...all].map(([table, counts]) => [table, counts.get(id) ?? 0])),
  })
}

export const feature: Feature = {
  warnings: findOverlapWarnings,
  operations: implement(scopes, {
    list: async (ctx, { name, include, ...page }) => {
      const hasCounts = include?.includes('counts') ?? false
      const counted = hasCounts ? listCounted(ctx) : []
      const tables = counted.length > 0 ? (['scopes', 'area_scopes', ...counted] as const) : (['scopes'] as const)
      const withheld = hasCounts && counted.length < COUNTED.length ? ` of ${counted}` : ''
      const revision = `${await ctx.store.revision(tables)}${withheld}`
      const counts = hasCounts ? await loadCountsByScope(ctx) : undefined
      const query = store.query(ctx)
      return listRows(ctx, {
        revision,
        query: name ? query.where(containsText('name_key', name)) : query,
        page,
        row: (row): ListedScope => {
          const scope = store.toScope(row)
          return counts ? { ...scope, counts: counts(scope.id) } : scope
        },
      })
    },
    create,
    get: async (ctx, { id }) => getOrThrow(ctx, id),
    update,
    delete: async (ctx, { id }) => remove(ctx, id),
    counts: async (ctx, { id }) => {
      await getOrThrow(ctx, id)
      const counts: Record<Counted, number | null> = { ...NO_COUNTS }
      for (const table of listCounted(ctx)) counts[table] = await countIn(ctx, table, id)
      return counts
    },
  }),
  reactions: {
    ...onDeleting({
      datacenters: (ctx, { id }) => leave(ctx, 'datacenter_ids', id),
      kinds: (ctx, { id }) => leave(ctx, 'kind_ids', id),
    }),
    'datacenter.moved': followMove,
    // Before the network moves, and before its other obstacles are told.
    'network.changing-space': refuseMove,
    'discovered-devices.placed': async (ctx, ids: readonly string[]) => ctx.atEnd(updateDiscoveredAreas, ids),
    'space.deleted': (ctx, { id }: { id: string }) => leave(ctx, 'space_ids', id),
  },
}
