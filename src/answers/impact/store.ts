/** The queries of impact. */
import { type Kysely, type SelectQueryBuilder, type SqlBool, sql } from 'kysely'
import { isOneOf, listIds } from '../../database/query/below.ts'
import { preparedKeys } from '../../database/query/prepared-lists.ts'
import type { Tables } from '../../database/tables.ts'
import type { Ctx } from '../../kernel/ctx.ts'

/** Up to this many rows are read at once, without a stream. */
const SHORT = 1000

const COLUMNS = ['id', 'name', 'name_order', 'status', 'datacenter_id'] as const

export type DeviceName = {
  readonly id: string
  readonly name: string
  readonly name_order: string
  readonly status: string
  readonly datacenter_id: string | null
}

const compareTexts = (a: string, b: string): number => Number(a > b) - Number(a < b)

export const compareNames = (a: DeviceName, b: DeviceName): number =>
  compareTexts(a.name_order, b.name_order) || compareTexts(a.id, b.id)

/** Merges two lists in the order of names. A device of both is there once. */
export const mergeByName = <T extends DeviceName>(some: readonly T[], others: readonly T[]): T[] => {
  const merged: T[] = []
  let at = 0
  for (const one of some) {
    for (let other = others[at]; other !== undefined && compareNames(other, one) <= 0; other = others[at]) {
      if (other.id !== one.id) merged.push(other)
      at++
    }
    merged.push(one)
  }
  return [...merged, ...others.slice(at)]
}

/** Reads devices by their ids, in any order. */
export const findDevices = preparedKeys((db: Kysely<Tables>, ids) =>
  db.selectFrom('devices').select(COLUMNS).where('id', 'in', ids),
)

/** Reads rows in order. Many are read as a stream, so that other requests are answered in between. */
const readAll = async <TB extends keyof Tables, Row>(
  ctx: Ctx,
  query: SelectQueryBuilder<Tables, TB, Row>,
): Promise<Row[]> => {
  const first = await query.limit(SHORT + 1).execute()
  if (first.length <= SHORT) return first
  const rows: Row[] = []
  for await (const some of ctx.store.scan(query)) for (const row of some) rows.push(row)
  return rows
}

const selectInOrder = ({ db }: Ctx) =>
  db.selectFrom('devices').select(COLUMNS).orderBy('name_order').orderBy('devices.id')

/** Returns the devices in any of these datacenters, in the order of names. */
export const findInDatacenters = (ctx: Ctx, ids: readonly string[]): Promise<DeviceName[]> =>
  readAll(ctx, selectInOrder(ctx).where(isOneOf('devices.datacenter_id', ids)))

export type Member = DeviceName & {
  /** 1 for a device with an address that belongs to none of the networks. */
  readonly has_others: number
}

/** Returns the devices, except decommissioned ones, with an address in any of these networks, in the order of names. */
export const findInNetworks = (ctx: Ctx, ids: readonly string[]): Promise<Member[]> => {
  const isMember = sql<SqlBool>`devices.id IN (SELECT m.device_id FROM network_addresses AS m
    WHERE m.network_id IN (${listIds(ids)}))`
  const hasOthers = sql<number>`CASE WHEN EXISTS (SELECT 1 FROM addresses AS a WHERE a.device_id = devices.id
    AND NOT EXISTS (SELECT 1 FROM network_addresses AS m WHERE m.device_id = a.device_id AND m.ip_key = a.ip_key
      AND m.network_id IN (${listIds(ids)}))) THEN 1 ELSE 0 END`
  const query = selectInOrder(ctx).where('status', '<>', 'decommissioned').where(isMember)
  return readAll(ctx, query.select(hasOthers.as('has_others')))
}

/** Returns the ids of these objects that exist. */
export const filterExisting = async (
  { db }: Ctx,
  table: 'datacenters' | 'networks',
  ids: readonly string[],
): Promise<Set<string>> => {
  if (ids.length === 0) return new Set()
  const rows = await db.selectFrom(table).select('id').where('id', 'in', ids).execute()
  return new Set(rows.map(({ id }) => id))
}
