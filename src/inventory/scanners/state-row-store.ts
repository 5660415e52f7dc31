/** The queries of the states and the beats of scanners; the only writer of their tables. */
import { type SqlBool, sql } from 'kysely'
import { splitBatches } from '../../database/query/batches.ts'
import { transactionState } from '../../database/transaction-state.ts'
import type { Ctx, DbScope, StoreScope } from '../../kernel/ctx.ts'
import type { ScannerStateRow } from './table.ts'

const COLUMNS = [
  'scanner_id',
  'enrolment_expires_at',
  'token_hash',
  'public_key',
  'is_online',
  'revoked_at',
  'enrolled_at',
  'last_seen_at',
  'protocol',
  'version',
  'hostname',
  'capabilities',
  'links',
  'slots',
  'ip_address',
  'spooled_reports',
  'noted_at',
] as const satisfies readonly (keyof ScannerStateRow)[]

export type StoredState = Pick<ScannerStateRow, (typeof COLUMNS)[number]>

/** The last states of scanners that the transaction has deleted, for their events. */
const removed = transactionState(() => new Map<string, StoredState>())

const selectStates = ({ db }: Pick<Ctx, 'db'>) => db.selectFrom('scanner_states').select(COLUMNS)

/** Returns the states of these scanners by id, or of all scanners without ids. */
export const findStates = async (
  ctx: Ctx,
  ids?: readonly string[],
): Promise<{ readonly get: (id: string) => StoredState | undefined }> => {
  const gone = ctx.local(removed)
  const found = new Map<string, StoredState>()
  const batches = ids ? splitBatches(ids) : [undefined]
  for (const some of batches) {
    const query = selectStates(ctx)
    const rows = await (some ? query.where('scanner_id', 'in', some) : query).execute()
    for (const row of rows) found.set(row.scanner_id, row)
  }
  return { get: (id) => found.get(id) ?? gone.get(id) }
}

export const insertStates = async (ctx: Ctx, ids: readonly string[]): Promise<void> => {
  for (const some of splitBatches(ids)) {
    const rows = some.map((scanner_id) => ({ scanner_id }))
    // The columns have defaults.
    await ctx.db
      .insertInto('scanner_states')
      .values(rows as ScannerStateRow[])
      .execute()
    await ctx.db
      .insertInto('scanner_beats')
      .values(rows.map((row) => ({ ...row, beat_ms: 0 })))
      .execute()
  }
}

export const removeStates = async (ctx: Ctx, ids: readonly string[]): Promise<void> => {
  for (const some of splitBatches(ids)) {
    const rows = await ctx.db.deleteFrom('scanner_states').where('scanner_id', 'in', some).returning(COLUMNS).execute()
    for (const row of rows) ctx.local(removed).set(row.scanner_id, row)
    await ctx.db.deleteFrom('scanner_beats').where('scanner_id', 'in', some).execute()
  }
}

/** Locks the state of a scanner until commit. */
export const lockState = (ctx: Ctx, id: string): Promise<StoredState | undefined> =>
  ctx.store.sql.lockRows(selectStates(ctx).where('scanner_id', '=', id)).executeTakeFirst()

/** An enrolled scanner. */
export type EnrolledScanner = {
  readonly id: string
  readonly name: string
  readonly tags: readonly string[]
  readonly use_credentials: boolean
  readonly state: StoredState
}

export const findEnrolled = async ({ db }: StoreScope, hash: string): Promise<EnrolledScanner | undefined> => {
  const row = await db
    .selectFrom('scanner_states')
    .innerJoin('scanners', 'scanners.id', 'scanner_states.scanner_id')
    .select(['scanners.id', 'scanners.name', 'scanners.tags', 'scanners.use_credentials', ...COLUMNS])
    .where('token_hash', '=', hash)
    .executeTakeFirst()
  if (!row) return undefined
  const { id, name, tags, use_credentials, ...state } = row
  // The store of scanners has written the JSON.
  const of = { id, name, tags: JSON.parse(tags) as string[], use_credentials: use_credentials === 1 }
  return { ...of, state }
}

/** A scanner with an unused enrolment token. */
export type EnrollingScanner = { readonly id: string; readonly name: string; readonly expires_at: string }

export const findEnrolling = async ({ db }: StoreScope, hash: string): Promise<EnrollingScanner | undefined> => {
  const row = await db
    .selectFrom('scanner_states')
    .innerJoin('scanners', 'scanners.id', 'scanner_states.scanner_id')
    .select(['scanners.id', 'scanners.name', 'enrolment_expires_at'])
    .where('enrolment_hash', '=', hash)
    .executeTakeFirst()
  return row && { id: row.id, name: row.name, expires_at: row.enrolment_expires_at ?? '' }
}

/** Sets columns of the state of a scanner. Returns false, and changes nothing, for a state with other values than `condition`. */
export const setState = async (
  ctx: Ctx,
  id: string,
  fields: Partial<Omit<ScannerStateRow, 'scanner_id'>>,
  condition: Partial<Pick<ScannerStateRow, 'enrolment_hash' | 'is_online'>> = {},
): Promise<boolean> => {
  const { numUpdatedRows } = await ctx.db
    .updateTable('scanner_states')
    .set(fields)
    .where('scanner_id', '=', id)
    .where((eb) => eb.and(condition))
    .executeTakeFirstOrThrow()
  return numUpdatedRows > 0n
}

const selectNow = ({ store, now }: Ctx) => store.sql.nowMs(Date.parse(now))

/** Sets the last requests of scanners to now. */
export const setBeats = async (ctx: Ctx, ids: readonly string[]): Promise<void> => {
  for (const some of splitBatches(ids))
    await ctx.db
      .updateTable('scanner_beats')
      .set({ beat_ms: selectNow(ctx) })
      .where('scanner_id', 'in', some)
      .execute()
}

/** Forgets the last request of a scanner. */
export const clearBeat = async (ctx: Ctx, id: string): Promise<void> => {
  await ctx.db.updateTable('scanner_beats').set({ beat_ms: 0 }).where('scanner_id', '=', id).execute()
}

/** Filters the scanners without a request since a time. */
export const findUnseen = async (ctx: Ctx, ids: readonly string[], minute: string): Promise<string[]> => {
  const found: string[] = []
  for (const some of splitBatches(ids)) {
    const rows = await ctx.db
      .selectFrom('scanner_states')
      .select('scanner_id')
      .where('scanner_id', 'in', some)
      .where((eb) => eb.or([eb('last_seen_at', 'is', null), eb('last_seen_at', '<', minute)]))
      .execute()
    found.push(...rows.map(({ scanner_id }) => scanner_id))
  }
  return found
}

export const setSeen = async (ctx: Ctx, ids: readonly string[], minute: string): Promise<void> => {
  for (const some of splitBatches(ids))
    await ctx.db.updateTable('scanner_states').set({ last_seen_at: minute }).where('scanner_id', 'in', some).execute()
}

export type Turn = { readonly scanner_id: string; readonly is_online: number }

/**
 * Returns the enrolled scanners that have come online or gone offline since their state was stored.
 * @param afterMs the time without a request after which a scanner is offline
 */
export const findTurns = (ctx: Ctx, afterMs: number, id?: string): Promise<Turn[]> => {
  const query = ctx.db
    .selectFrom('scanner_states')
    .innerJoin('scanner_beats', 'scanner_beats.scanner_id', 'scanner_states.scanner_id')
    .select(['scanner_states.scanner_id', 'is_online'])
    .where('token_hash', '<>', '')
    .where(sql<SqlBool>`is_online <> CASE WHEN beat_ms >= ${selectNow(ctx)} - ${sql.lit(afterMs)} THEN 1 ELSE 0 END`)
  return (id === undefined ? query : query.where('scanner_states.scanner_id', '=', id)).execute()
}

/** The condition that a scanner has a status, by the columns of its state. */
export const STATUS_SQL = {
  revoked: sql<SqlBool>`revoked_at IS NOT NULL`,
  pending: sql<SqlBool>`revoked_at IS NULL AND enrolled_at IS NULL`,
  online: sql<SqlBool>`revoked_at IS NULL AND enrolled_at IS NOT NULL AND is_online = 1`,
  offline: sql<SqlBool>`revoked_at IS NULL AND enrolled_at IS NOT NULL AND is_online = 0`,
} as const

/** An enrolled scanner that is not revoked. */
export type Answering = { readonly id: string; readonly name: string; readonly is_online: boolean }
type Labelled = Answering & { readonly tags: readonly string[] }

const selectEnrolled = ({ db }: DbScope) =>
  db
    .selectFrom('scanners')
    .innerJoin('scanner_states', 'scanner_states.scanner_id', 'scanners.id')
    .select(['scanners.id', 'scanners.name', 'scanners.tags', 'is_online'])
    .where('token_hash', '<>', '')
    .orderBy('scanners.name_order')
    .orderBy('scanners.id')

/** Returns the enrolled scanners, by name. */
export const findAllEnrolled = async (scope: DbScope): Promise<Labelled[]> =>
  (await selectEnrolled(scope).execute()).map(({ is_online, tags, ...row }) => ({
    ...row,
    // The store of scanners has written the JSON.
    tags: JSON.parse(tags) as string[],
    is_online: is_online === 1,
  }))

/** Returns the enrolled scanners with this name or tag. */
export const findAnswering = async (scope: StoreScope, label: string): Promise<Answering[]> => {
  const rows = await selectEnrolled(scope)
    .where((eb) => eb.or([eb('scanners.name', '=', label), scope.store.sql.hasText('scanners.tags', label)]))
    .execute()
  return rows.map(({ id, name, is_online }) => ({ id, name, is_online: is_online === 1 }))
}
