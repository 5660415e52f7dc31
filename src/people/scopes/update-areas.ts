/** Keeps the areas of objects up to date: at the end of each transaction that changes some, and after a change of scopes. */
import type { Guard } from '../../database/database.ts'
import type { Tables } from '../../database/tables.ts'
import { transactionState } from '../../database/transaction-state.ts'
import { settings } from '../../kernel/changes/settings.ts'
import type { Ctx, StoreScope } from '../../kernel/ctx.ts'
import type { ScopeEnforcer } from '../../kernel/rights/scope-enforcer.ts'
import { AREA_TABLES, type AreaTable } from '../../resource/scoped/area-tables.ts'
import { type Scope, scopes } from './api.ts'
import { findHeirs, type Heirs, updateAreas } from './area-store.ts'
import { createScopeMatcher, type ScopesOf } from './areas.ts'
import { withDatacentersBelow } from './places.ts'
import * as store from './store.ts'

const TABLES = ['scopes'] as const

/** Undefined without scopes. */
type Definition = ScopesOf | undefined

/** The scopes at a revision, and the demand that they are still the same at the commit. */
type Known = { readonly definition: Definition; readonly unchanged?: Guard | undefined }

const read = async (ctx: StoreScope): Promise<Definition> => {
  const all = await withDatacentersBelow(ctx, await store.findAll(ctx))
  return all.length === 0 ? undefined : createScopeMatcher(all)
}

const definitions = settings<Tables, Known>(
  'scopes',
  TABLES,
  async (scope, revision) => ({
    definition: await read(scope),
    unchanged: revision === undefined ? undefined : scope.store.sql.guard?.({ rows: [], tables: TABLES, revision }),
  }),
  { size: 64 * 1024, hasWritten: ({ local }) => local(scopesState).hasWritten },
)

/** The operations that write scopes and the areas of all their objects. */
const CHANGES = new Set<string>([scopes.create.name, scopes.update.name, scopes.delete.name])

/** A transaction of the database, which several calls may share. */
type State = {
  /** True if there were no scopes as its present call began. Its commit fails if there are some by then. */
  isWithoutScopes: boolean
  /** The revision of the scopes, while it holds the lock in shared mode. Undefined if the query failed. */
  revision: Promise<string | undefined> | undefined
  /** True if it has changed scopes, also in a savepoint that was rolled back. */
  hasWritten: boolean
  /** The scopes before its first change of them. */
  original: readonly Scope[] | undefined
}

const scopesState = transactionState(
  (): State => ({ isWithoutScopes: false, revision: undefined, hasWritten: false, original: undefined }),
)

/** Called before a transaction changes a scope. */
export const noteWrite = async (ctx: Ctx): Promise<void> => {
  const state = ctx.local(scopesState)
  state.original ??= await store.findAll(ctx)
  state.hasWritten = true
}

/** Returns the scopes as they were before the transaction, or as of the last commit. */
export const findOriginal = async (ctx: Ctx): Promise<readonly Scope[]> =>
  ctx.local(scopesState).original ?? store.findAll(ctx)

const TABLE_OF: Readonly<Record<string, AreaTable>> = {
  datacenter: 'datacenters',
  network: 'networks',
  pool: 'pools',
  reservation: 'reservations',
  device: 'devices',
  space: 'spaces',
  object: 'objects',
}

/** Returns the scopes that count in a transaction. */
export const loadForTransaction = async (ctx: Ctx): Promise<Definition> => {
  const state = ctx.local(scopesState)
  if (state.hasWritten) return read(ctx)
  if (state.isWithoutScopes) return undefined
  const locked = await ctx.store.sql.besideOthers(() => state.revision)
  return (await (locked === undefined ? definitions.within(ctx) : definitions.at(ctx, locked))).definition
}

/** Returns the scopes as of the last commit. */
export const loadCurrentScopes = async (scope: StoreScope): Promise<Definition> =>
  (await definitions.current(scope)).definition

/** Returns the ids of the objects that the transaction has changed, by table. */
const listChanged = async (ctx: Ctx, since: number): Promise<Map<AreaTable, Set<string>>> => {
  const ids = new Map<AreaTable, Set<string>>(AREA_TABLES.map((table) => [table, new Set()]))
  for (const { kind, id, change } of await ctx.changedObjects(since)) {
    const { [kind]: table } = TABLE_OF
    if (table !== undefined && change !== 'delete') ids.get(table)?.add(id)
  }
  return ids
}

/** Stores the areas of discovered devices, which have no history, at the end of the transaction. @param lists of their ids */
export const updateDiscoveredAreas = async (ctx: Ctx, lists: readonly (readonly string[])[]): Promise<void> => {
  const setOf = await loadForTransaction(ctx)
  if (setOf) await updateAreas(ctx, 'discovered_devices', [...new Set(lists.flat())], setOf)
}

/** Keeps the scopes unchanged until commit, or makes the commit fail for a first one. */
const beginBesideOthers: ScopeEnforcer<Tables>['begin'] = async (ctx, { name, isFirst, guard }) => {
  const { sql } = ctx.store
  // This lock comes before the locks of rows: a change of scopes only takes this one first, and then locks rows.
  if (CHANGES.has(name)) return ctx.lock('scopes')
  // Another call in the same transaction may have changed scopes, and may be rolled back.
  const state = ctx.local(scopesState)
  if (!state.hasWritten) {
    const present = (isFirst ? ctx.readPoint : undefined)?.revision(TABLES) ?? (await ctx.store.revision(TABLES))
    const { definition, unchanged } = await definitions.at(ctx, present)
    // The first scope locks the tables: it waits for the writes of such a transaction, or the commit fails.
    if (!definition && unchanged && guard(unchanged)) {
      state.isWithoutScopes = true
      return
    }
  }
  state.isWithoutScopes = false
  await ctx.lock('scopes', undefined, 'shared')
  // Not awaited, so it takes no round trip. The scopes stay as they are until commit.
  state.revision = sql.revisionIn(ctx.db, TABLES).catch(() => undefined)
}

/** Stores the areas of changed objects. */
export const areaUpdates: Pick<ScopeEnforcer<Tables>, 'begin' | 'updateAreas'> = {
  begin: async (ctx, begun) => {
    await ctx.store.sql.besideOthers(() => beginBesideOthers(ctx, begun))
  },
  updateAreas: async (ctx, since = 0) => {
    const setOf = await loadForTransaction(ctx)
    if (!setOf) return
    const changed = await listChanged(ctx, since)
    for (const [table, ids] of changed) {
      if (ids.size === 0) continue
      const some = [...ids]
      const moved = await updateAreas(ctx, table, some, setOf)
      // Now that the rows are locked, no other transaction adds an object that inherits the old area.
      const add = async (heirs: Heirs, of: readonly string[]) => {
        for (const id of await findHeirs(ctx, heirs, of)) changed.get(heirs)?.add(id)
      }
      if (table === 'networks') await add('pools', some)
      if (table === 'networks') await add('discovered_devices', moved)
      if (table === 'pools') await add('reservations', some)
    }
  },
}
