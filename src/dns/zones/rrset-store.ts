/** The queries of RRsets and of the changes that wait to be computed; the only writer of their tables. */
import { type Kysely, sql } from 'kysely'
import { splitBatches } from '../../database/query/batches.ts'
import { preparedRows } from '../../database/query/prepared-lists.ts'
import type { Tables } from '../../database/tables.ts'
import type { DbScope, StoreScope } from '../../kernel/ctx.ts'
import type { DnsRrset } from './schema.ts'
import type { DnsRrsetRow } from './table.ts'

export type StoredState = 'published' | 'pending' | 'conflict' | 'blocked' | 'watched'

export type Rrset = Pick<DnsRrset, 'name' | 'type' | 'source' | 'device_ids' | 'record_ids'> & {
  readonly state: StoredState
  readonly message: string
  /** Null if the zone does not want it. */
  readonly wanted: readonly string[] | null
  readonly wanted_ttl: number
  /** Null if Plat has not published it. */
  readonly published: readonly string[] | null
  readonly published_ttl: number
  /** The values of a message without a known result. */
  readonly sending: readonly string[] | null
}

// Written by this module.
const list = (text: string): string[] => JSON.parse(text) as string[]
const listOrNull = (text: string | null): string[] | null => (text === null ? null : list(text))
const toTextOrNull = (values: readonly string[] | null): string | null =>
  values === null ? null : JSON.stringify(values)

export const toRrset = (row: Omit<DnsRrsetRow, 'zone_id'>): Rrset => ({
  ...{ name: row.name, type: row.type, state: row.state as StoredState, message: row.message },
  source: row.source as DnsRrset['source'],
  device_ids: list(row.device_ids),
  record_ids: list(row.record_ids),
  wanted: listOrNull(row.wanted),
  wanted_ttl: row.wanted_ttl,
  published: listOrNull(row.published),
  published_ttl: row.published_ttl,
  sending: listOrNull(row.sending),
})

const toRow = (zone_id: string, one: Rrset): DnsRrsetRow => ({
  ...{ zone_id, name: one.name, type: one.type, state: one.state, message: one.message, source: one.source },
  device_ids: JSON.stringify(one.device_ids),
  record_ids: JSON.stringify(one.record_ids),
  wanted: toTextOrNull(one.wanted),
  wanted_ttl: one.wanted_ttl,
  published: toTextOrNull(one.published),
  published_ttl: one.published_ttl,
  sending: toTextOrNull(one.sending),
})

export const selectRrsets = ({ db }: DbScope, zoneId: string) =>
  db.selectFrom('dns_rrsets').selectAll().where('zone_id', '=', zoneId).orderBy('name').orderBy('type')

export const findAll = async (scope: DbScope, zoneId: string): Promise<Rrset[]> =>
  (await selectRrsets(scope, zoneId).execute()).map(toRrset)

/** Like `findAll`, for the last commit; pauses so that very many rows do not block the event loop. */
export const findAllInSteps = async ({ db, store }: StoreScope, zoneId: string): Promise<Rrset[]> => {
  const found: Rrset[] = []
  for await (const rows of store.scan<DnsRrsetRow>(selectRrsets({ db }, zoneId)))
    for (const row of rows) found.push(toRrset(row))
  return found
}

export const findByNames = async (scope: DbScope, zoneId: string, names: readonly string[]): Promise<Rrset[]> => {
  const found: Rrset[] = []
  for (const batch of splitBatches(names))
    found.push(...(await selectRrsets(scope, zoneId).where('name', 'in', batch).execute()).map(toRrset))
  return found
}

export const findPending = async (scope: DbScope, zoneId: string, most: number): Promise<Rrset[]> =>
  (await selectRrsets(scope, zoneId).where('state', '=', 'pending').limit(most).execute()).map(toRrset)

const COLUMNS = [
  ...(['zone_id', 'name', 'type', 'state', 'message', 'source', 'device_ids', 'record_ids'] as const),
  ...(['wanted', 'wanted_ttl', 'published', 'published_ttl', 'sending'] as const),
] as const

const insertRows = preparedRows(COLUMNS, (db: Kysely<Tables>, rows: DnsRrsetRow[]) =>
  db
    .insertInto('dns_rrsets')
    .values(rows)
    .onConflict((conflict) =>
      conflict.columns(['zone_id', 'name', 'type']).doUpdateSet(({ ref }) => ({
        state: ref('excluded.state'),
        message: ref('excluded.message'),
        source: ref('excluded.source'),
        device_ids: ref('excluded.device_ids'),
        record_ids: ref('excluded.record_ids'),
        wanted: ref('excluded.wanted'),
        wanted_ttl: ref('excluded.wanted_ttl'),
        published: ref('excluded.published'),
        published_ttl: ref('excluded.published_ttl'),
        sending: ref('excluded.sending'),
      })),
    ),
)

/** Writes RRsets, and deletes RRsets that are neither wanted nor published. */
export const save = async (scope: StoreScope, zoneId: string, rrsets: readonly Rrset[]): Promise<void> => {
  const [kept, gone] = [rrsets.filter(isNeeded), rrsets.filter((one) => !isNeeded(one))]
  await insertRows(
    scope,
    kept.map((one) => toRow(zoneId, one)),
  )
  for (const [type, some] of Map.groupBy(gone, (one) => one.type))
    for (const batch of splitBatches(some.map(({ name }) => name)))
      await scope.db
        .deleteFrom('dns_rrsets')
        .where('zone_id', '=', zoneId)
        .where('type', '=', type)
        .where('name', 'in', batch)
        .execute()
}

const isNeeded = ({ state, wanted, published, sending }: Rrset): boolean =>
  state === 'conflict' || wanted !== null || published !== null || sending !== null

/** Forgets the published values: the server or its mode is another one. */
export const forget = async ({ db }: DbScope, zoneId: string): Promise<void> => {
  await db.deleteFrom('dns_rrsets').where('zone_id', '=', zoneId).execute()
}

export type Counts = { readonly zone_id: string; readonly state: string; readonly n: number }

export const countByState = async ({ db }: DbScope, zoneId?: string): Promise<Counts[]> => {
  let rows = db
    .selectFrom('dns_rrsets')
    .select(['zone_id', 'state', sql<number>`count(*)`.as('n')])
    .groupBy(['zone_id', 'state'])
  if (zoneId !== undefined) rows = rows.where('zone_id', '=', zoneId)
  return (await rows.execute()).map(({ n, ...row }) => ({ ...row, n: Number(n) }))
}

/** Returns the number of published RRsets, and the number of these that are no longer wanted. */
export const countGoing = async (
  { db }: DbScope,
  zoneId: string,
): Promise<{ readonly published: number; readonly gone: number }> => {
  const of = db.selectFrom('dns_rrsets').where('zone_id', '=', zoneId).where('published', 'is not', null)
  const { published, gone } = await of
    .select([
      sql<number>`count(*)`.as('published'),
      sql<number>`count(CASE WHEN wanted IS NULL AND state = 'pending' THEN 1 END)`.as('gone'),
    ])
    .executeTakeFirstOrThrow()
  return { published: Number(published), gone: Number(gone) }
}

/** The name of a change that concerns the whole zone. */
export const WHOLE = ''

export type Change = Tables['dns_changes']

const insertChanges = preparedRows(['id', 'zone_id', 'name'], (db: Kysely<Tables>, rows: Change[]) =>
  db.insertInto('dns_changes').values(rows),
)

export const note = (
  scope: StoreScope,
  changes: readonly { readonly zone_id: string; readonly name: string }[],
): Promise<void> =>
  insertChanges(
    scope,
    changes.map((one) => ({ id: Bun.randomUUIDv7(), ...one })),
  )

/** Returns changes of a zone in their order. */
export const findChanges = ({ db }: DbScope, zoneId: string, most?: number): Promise<Change[]> => {
  const rows = db.selectFrom('dns_changes').selectAll().where('zone_id', '=', zoneId).orderBy('id')
  return (most === undefined ? rows : rows.limit(most)).execute()
}

export const hasWhole = async ({ db }: DbScope, zoneId: string): Promise<boolean> =>
  (await db
    .selectFrom('dns_changes')
    .select('id')
    .where('zone_id', '=', zoneId)
    .where('name', '=', WHOLE)
    .executeTakeFirst()) !== undefined

export const changeCounts = async ({ db }: DbScope, zoneId?: string): Promise<Map<string, number>> => {
  let rows = db
    .selectFrom('dns_changes')
    .select(['zone_id', sql<number>`count(DISTINCT name)`.as('n')])
    .groupBy('zone_id')
  if (zoneId !== undefined) rows = rows.where('zone_id', '=', zoneId)
  return new Map((await rows.execute()).map(({ zone_id, n }) => [zone_id, Number(n)]))
}

export const removeChanges = async ({ db }: DbScope, zoneId: string, ids: readonly string[]): Promise<void> => {
  for (const batch of splitBatches(ids))
    await db.deleteFrom('dns_changes').where('zone_id', '=', zoneId).where('id', 'in', batch).execute()
}

/** Deletes all that belongs to a zone. */
export const removeZone = async ({ db }: DbScope, zoneId: string): Promise<void> => {
  await db.deleteFrom('dns_changes').where('zone_id', '=', zoneId).execute()
  await db.deleteFrom('dns_rrsets').where('zone_id', '=', zoneId).execute()
}
