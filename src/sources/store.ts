/** The queries of sources and of the state that their runs keep; the only writer of these two tables. Sealed secrets pass through as they are. */
import { sql } from 'kysely'
import type { Ctx, DbScope } from '../kernel/ctx.ts'
import { createLeases } from '../kernel/jobs/leases.ts'
import { buildNameKeys } from '../net/name-order.ts'
import { createPlainStore, type RecordScope } from '../resource/recorder.ts'
import type { Source, Status } from './schema.ts'
import type { SourceRow, SourceStateRow } from './table.ts'

export const leases = createLeases('source_states', 'source_id')

type Derived =
  | ('managed_by' | 'status' | 'status_message' | 'is_running' | 'product' | 'counts')
  | ('last_run_at' | 'last_success_at' | 'next_run_at')

/** The settings of a source, without the results of its runs. */
export type SourceSettings = Omit<Source, Derived>

/** `sealed` are the secrets, null without any. */
export type Stored = { readonly source: SourceSettings; readonly sealed: string | null }

export type SourceState = Omit<SourceStateRow, 'holder' | 'until_ms' | 'status'> & { readonly status: Status }

// Written by this file, from values that the contract allows.
const parseStored = <T>(text: string): T => JSON.parse(text) as T

/** Returns the fields in the order of the contract. */
export const toSettings = (row: SourceRow): SourceSettings => ({
  ...{ id: row.id, name: row.name, kind: row.kind as Source['kind'], url: row.url },
  ...{ options: parseStored<Source['options']>(row.options), secrets_set: parseStored<string[]>(row.secrets_set) },
  ...{ enabled: row.enabled === 1, mode: row.mode as Source['mode'] },
  ...{ interval_minutes: row.interval_minutes, timeout_seconds: row.timeout_seconds },
  ...{ allow_private: row.allow_private === 1, tls_ca: row.tls_ca, tls_fingerprint: row.tls_fingerprint },
  ...{ include: parseStored<string[]>(row.include), exclude: parseStored<string[]>(row.exclude) },
  ...{ datacenter_id: row.datacenter_id, space_id: row.space_id, places: parseStored<Source['places']>(row.places) },
  ...{ tags: parseStored<string[]>(row.tags), custom: parseStored<Source['custom']>(row.custom), ref: row.ref },
  ...{ when_gone: row.when_gone as Source['when_gone'], gone_after_hours: row.gone_after_hours },
  ...{ max_gone_percent: row.max_gone_percent, description: row.description },
  ...{ created_at: row.created_at, updated_at: row.updated_at },
})

const toRow = ({ source, sealed }: Stored): SourceRow => ({
  ...source,
  ...buildNameKeys(source.name),
  options: JSON.stringify(source.options),
  secrets: sealed,
  secrets_set: JSON.stringify(source.secrets_set),
  enabled: source.enabled ? 1 : 0,
  allow_private: source.allow_private ? 1 : 0,
  include: JSON.stringify(source.include),
  exclude: JSON.stringify(source.exclude),
  places: JSON.stringify(source.places),
  tags: JSON.stringify(source.tags),
  custom: JSON.stringify(source.custom),
})

const toStored = (row: SourceRow): Stored => ({ source: toSettings(row), sealed: row.secrets })

export const query = ({ db }: DbScope) =>
  db.selectFrom('sources').selectAll('sources').orderBy('name_order').orderBy('id')

export const findAll = async (scope: DbScope): Promise<SourceSettings[]> =>
  (await query(scope).execute()).map(toSettings)

const store = createPlainStore({
  ...{ kind: 'source', table: 'sources' },
  ...{ query, fromRow: toStored, toRow },
  toDocument: ({ source }) => source,
})
export const { find, findNamesake, lock, update: updateRow } = store

/** The state of a source that was never read. */
export const NEW_STATE: Omit<SourceStateRow, 'source_id'> = {
  ...{ status: 'new', message: '', is_held: 0, product: '', snapshot_hash: '', failures: 0, generation: 0 },
  ...{ next_run_ms: null, last_run_at: null, last_success_at: null, holder: '', until_ms: 0 },
}

/** @param nextRunMs the time of its first run; null for none by itself */
export const insert = (scope: RecordScope, stored: Stored, nextRunMs: number | null): Promise<void> =>
  store.write(scope, [stored.source.id], async () => {
    await scope.db.insertInto('sources').values(toRow(stored)).execute()
    const state = { ...NEW_STATE, source_id: stored.source.id, next_run_ms: nextRunMs }
    await scope.db.insertInto('source_states').values(state).execute()
  })

export const deleteRow = (scope: RecordScope, id: string): Promise<void> =>
  store.write(scope, [id], async () => {
    await scope.db.deleteFrom('source_states').where('source_id', '=', id).execute()
    await scope.db.deleteFrom('sources').where('id', '=', id).execute()
  })

const selectStates = ({ db }: DbScope) => db.selectFrom('source_states').selectAll()

const toState = ({ holder: _, until_ms: _until, ...row }: SourceStateRow): SourceState => ({
  ...row,
  // Written by `settleStatus`.
  status: row.status as Status,
  // PostgreSQL sends 64-bit numbers as text.
  next_run_ms: row.next_run_ms === null ? null : Number(row.next_run_ms),
})

export const findStates = async (scope: DbScope): Promise<ReadonlyMap<string, SourceState>> =>
  new Map((await selectStates(scope).execute()).map((row) => [row.source_id, toState(row)]))

export const findState = async (scope: DbScope, id: string): Promise<SourceState | undefined> => {
  const row = await selectStates(scope).where('source_id', '=', id).executeTakeFirst()
  return row && toState(row)
}

/** Finds like `findState`, and locks the row until commit. */
export const lockState = async (ctx: Ctx, id: string): Promise<SourceState | undefined> => {
  const row = await ctx.store.sql.lockRows(selectStates(ctx).where('source_id', '=', id)).executeTakeFirst()
  return row && toState(row)
}

export const updateState = async (
  { db }: DbScope,
  id: string,
  change: Partial<Omit<SourceState, 'source_id'>>,
): Promise<void> => {
  await db.updateTable('source_states').set(change).where('source_id', '=', id).execute()
}

/** Locks the state of a source until commit, if no instance holds its lease. */
export const lockFreeState = async (ctx: Ctx, id: string): Promise<boolean> => {
  const free = ctx.db
    .selectFrom('source_states')
    .select('source_id')
    .where('source_id', '=', id)
    .where(leases.isFree(ctx))
  return (await ctx.store.sql.lockFreeRows(free).executeTakeFirst()) !== undefined
}

/** Run rows of this condition are few, and have an index. */
export const IS_OPEN = sql<boolean>`status IN ('pending', 'running')`

/** Returns the sources with work that no instance does: a due run, one that was asked for, one left by a dead instance. */
export const findDue = async (ctx: Ctx, nowMs: number): Promise<string[]> => {
  const rows = await ctx.db
    .selectFrom('source_states as states')
    .select('states.source_id')
    .where(leases.isFree(ctx))
    .where((eb) =>
      eb.or([
        eb('states.next_run_ms', '<=', nowMs),
        eb.exists(
          eb
            .selectFrom('source_runs')
            .select('source_runs.id')
            .whereRef('source_runs.source_id', '=', 'states.source_id')
            .where(IS_OPEN),
        ),
      ]),
    )
    .orderBy('states.next_run_ms')
    .execute()
  return rows.map(({ source_id }) => source_id)
}

/** Takes a deleted datacenter out of all sources. */
export const clearDatacenter = async (ctx: Ctx, id: string): Promise<void> => {
  const rows = await ctx.store.sql.lockRows(query(ctx)).execute()
  for (const { source, sealed } of rows.map(toStored)) {
    const clear = (one: string | null): string | null => (one === id ? null : one)
    const isNamed = source.datacenter_id === id || source.places.some(({ datacenter_id }) => datacenter_id === id)
    if (!isNamed) continue
    const places = source.places.map((place) => ({ ...place, datacenter_id: clear(place.datacenter_id) }))
    const changed = { ...source, datacenter_id: clear(source.datacenter_id), places, updated_at: ctx.now }
    await updateRow(ctx, { source: changed, sealed })
  }
}

export type StatusCounts = { readonly failed: number; readonly held: number; readonly waiting: number }

/** Counts the enabled sources that need attention. */
export const countByStatus = async ({ db }: DbScope): Promise<StatusCounts> => {
  const rows = await db
    .selectFrom('source_states')
    .innerJoin('sources', 'sources.id', 'source_states.source_id')
    .select(({ fn }) => ['source_states.status', fn.countAll<number | string>().as('n')])
    .where('enabled', '=', 1)
    .groupBy('source_states.status')
    .execute()
  const count = (status: Status): number => Number(rows.find((row) => row.status === status)?.n ?? 0)
  return { failed: count('failed'), held: count('held'), waiting: count('waiting') }
}
