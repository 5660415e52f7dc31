/** Shows a caller the part of the database that it reaches. */
import type { Kysely } from 'kysely'
import { computeOnce } from '../../base/runtime/compute-once.ts'
import { orNotFound } from '../../contract/errors.ts'
import { getInputSchema, stripNull } from '../../contract/input-schema.ts'
import type { TableViews } from '../../database/cte-views.ts'
import type { Db } from '../../database/database.ts'
import { prepared } from '../../database/query/prepared.ts'
import { createScopedDb, createViewedDb } from '../../database/scoped-db.ts'
import type { Tables } from '../../database/tables.ts'
import { INVENTORY } from '../../inventory/resources.ts'
import type { ScopeFilter } from '../../kernel/caller.ts'
import type { Ctx } from '../../kernel/ctx.ts'
import { parseHttp } from '../../kernel/http-route.ts'
import type { AnyOperation, Permission } from '../../kernel/operation.ts'
import { isInScopeSet, limitCaller, listHidden, NO_AREAS } from '../../kernel/rights/access.ts'
import type { ScopedRead, ScopeEnforcer } from '../../kernel/rights/scope-enforcer.ts'
import { selectFromTable } from '../named-tables.ts'
import { getScopedNoun, getScopedTable, isScopedResource, type ScopedResource } from './scoped-resources.ts'
import { BY_OWN_AREA, createViews, getAreas, listTables, type TableByArea } from './views.ts'

/** The views of the last parts that were asked for. */
const MAX_VIEWS = 100
const views = new Map<string, TableViews>()

export const getViews = ({ engine, sql }: Pick<Db<Tables>, 'engine' | 'sql'>, scopeFilter: ScopeFilter): TableViews => {
  const key = `${engine} ${scopeFilter.cacheKey}`
  const known = views.get(key)
  views.delete(key)
  const found = known ?? createViews(sql.past, scopeFilter)
  views.set(key, found)
  const [oldest] = views.keys()
  if (views.size > MAX_VIEWS && oldest !== undefined) views.delete(oldest)
  return found
}

/** An object is known to a caller who may do one of these with it. The first that the caller may do somewhere decides. */
const KNOWING = ['list', 'read', 'update', 'delete', 'create'] as const

/**
 * Returns the context over the objects that the caller knows, also in a transaction: for the input of a write that names objects by more than
 * their ids. For a caller with the permissions everywhere, the context itself.
 */
export const narrowToKnown = async (ctx: Ctx): Promise<Ctx> => {
  const { permissions, scopedPermissions } = ctx.caller
  if (!scopedPermissions) return ctx
  // Not the areas of the reach: the transaction itself may have made others.
  const sets = await ctx.db.selectFrom('areas').selectAll().execute()
  const byResource = new Map<string, ReadonlySet<number>>()
  for (const resource of INVENTORY) {
    const names = KNOWING.map((action): Permission => `${resource}:${action}`)
    const first = names.find((name) => scopedPermissions.has(name) || permissions.has(name))
    const scopeSet = first && scopedPermissions.get(first)
    if (first && !scopeSet) continue
    const areas = sets.flatMap(({ id, scopes }) => (scopeSet && isInScopeSet(scopeSet, scopes.split(' ')) ? [id] : []))
    byResource.set(resource, new Set(areas))
  }
  return narrowTo(ctx, byResource)
}

/**
 * Returns the context over the objects of these resources that the caller may list, also in a transaction: for the answer of a write. For a
 * caller who may list all of them, the context itself.
 */
export const narrowToListed = async (ctx: Ctx, resources: readonly string[]): Promise<Ctx> => {
  const { permissions, scopedPermissions } = ctx.caller
  const getPart = (resource: string) => scopedPermissions?.get(`${resource}:list`)
  // The parts are looked up first: in a scoped call, the permissions also include permissions of its part.
  const limited = resources.filter((one) => getPart(one) || !permissions.has(`${one}:list`))
  if (limited.length === 0) return ctx
  const hasParts = limited.some((one) => getPart(one))
  const sets = hasParts ? await ctx.db.selectFrom('areas').selectAll().execute() : []
  const byResource = new Map<string, ReadonlySet<number>>()
  for (const resource of limited) {
    const scopeSet = getPart(resource)
    const areas = sets.flatMap(({ id, scopes }) => (scopeSet && isInScopeSet(scopeSet, scopes.split(' ')) ? [id] : []))
    byResource.set(resource, scopeSet ? new Set(areas) : NO_AREAS)
  }
  return narrowTo(ctx, byResource)
}

const narrowTo = (ctx: Ctx, byResource: ReadonlyMap<string, ReadonlySet<number>>): Ctx => {
  const text = [...byResource].map(
    ([resource, areas]) => `${resource} ${areas === NO_AREAS ? 'none' : [...areas].sort((a, b) => a - b).join()}`,
  )
  const limit = { areas: undefined, byResource, cacheKey: `known ${Bun.hash(text.join(' ')).toString(36)}` }
  const db = createViewedDb(ctx.db, getViews(ctx.store, limit))
  // The other properties are read from the call at each moment.
  return Object.create(ctx, { db: { value: db } }) as Ctx
}

/**
 * Returns the context of another read on behalf of the caller.
 * @param scopeFilter of that read; undefined for a caller who sees all of its answer
 */
export const narrowToAnswer = (ctx: Ctx, scopeFilter: ScopeFilter | undefined): Ctx => {
  const { unscoped } = ctx
  if (!scopeFilter) return unscoped
  const { db, store } = readChecks.openScopedDb(unscoped.store, unscoped.caller, scopeFilter)
  const caller = limitCaller(unscoped.caller, scopeFilter)
  // The other properties are read from the call at each moment.
  return Object.create(unscoped, {
    ...{ db: { value: db }, store: { value: store }, caller: { value: caller }, unscoped: { value: unscoped } },
  }) as Ctx
}

type PathId = { readonly field: string; readonly resource: ScopedResource }

/** Returns the parameters of a path that are ids of resources of the estate. */
const listPathIds = computeOnce((op: AnyOperation): readonly PathId[] => {
  const { properties = {} } = getInputSchema(op.input)
  return parseHttp(op.http).params.flatMap((field) => {
    const { [field]: schema } = properties
    const { ref = '' } = schema ? stripNull(schema) : {}
    return isScopedResource(ref) ? [{ field, resource: ref }] : []
  })
})

const prepareArea = (table: TableByArea) =>
  prepared((db: Kysely<Tables>, { id }: { id: string }) =>
    selectFromTable(db, table).select('area').where('id', '=', id),
  )

const findArea: Readonly<Record<TableByArea, ReturnType<typeof prepareArea>>> = {
  datacenters: prepareArea('datacenters'),
  networks: prepareArea('networks'),
  pools: prepareArea('pools'),
  reservations: prepareArea('reservations'),
  devices: prepareArea('devices'),
  discovered_devices: prepareArea('discovered_devices'),
  objects: prepareArea('objects'),
}

const isByOwnArea = (table: keyof Tables): table is TableByArea => Object.hasOwn(BY_OWN_AREA, table)

/** Returns true if the object is in the part. */
const isInPart = async (
  { unscoped, scoped, scopeFilter }: ScopedRead<Ctx>,
  table: keyof Tables,
  id: string,
): Promise<boolean> => {
  if (!isByOwnArea(table)) {
    const query = selectFromTable(scoped().db, table).select('id').where('id', '=', id)
    return (await query.executeTakeFirst()) !== undefined
  }
  const [row] = await findArea[table](unscoped, { id })
  return row !== undefined && (getAreas(scopeFilter, BY_OWN_AREA[table])?.has(row.area) ?? true)
}

/** Serves reads. */
export const readChecks: Pick<ScopeEnforcer<Tables>, 'openScopedDb' | 'requireVisible'> = {
  openScopedDb: (db, caller, scopeFilter) => {
    // Lists of several resources answer by permissions: two callers of one part may see different resources of it.
    const { permissions } = limitCaller(caller, scopeFilter)
    const part = `${scopeFilter.cacheKey} ${Bun.hash([...permissions].sort().join()).toString(36)}`
    const areas = scopeFilter.byResource ? undefined : scopeFilter.areas
    const unread = listTables(listHidden(scopeFilter))
    const { read, store } = createScopedDb(db, getViews(db, scopeFilter), { name: part, areas, unread })
    return { db: read, store }
  },
  requireVisible: async (limited, op, input) => {
    for (const { field, resource } of listPathIds(op)) {
      const id = String((input as Readonly<Record<string, unknown>>)[field])
      const isThere = await isInPart(limited, getScopedTable(resource), id)
      orNotFound(isThere || undefined, getScopedNoun(resource), id)
    }
  },
}
