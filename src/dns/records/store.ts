/** The queries of own records; the only writer of their table. */

import { transactionState } from '../../database/transaction-state.ts'
import type { ItemChange } from '../../kernel/changes/change-record.ts'
import type { Ctx, DbScope } from '../../kernel/ctx.ts'
import { toNameOrder } from '../../net/name-order.ts'
import { createRecorder } from '../../resource/recorder.ts'
import type { DnsRecord } from './api.ts'
import type { DnsRecordRow } from './table.ts'

type Row = DnsRecordRow & { readonly zone: string }

export const buildFqdn = (name: string, zone: string): string => (name === '@' ? zone : `${name}.${zone}`)

/** Returns the fields in the order of the contract. */
export const fromRow = ({ zone, ...row }: Row): DnsRecord => {
  const { id, zone_id, name, type, ttl, value, description, created_at, updated_at } = row
  return {
    ...{ id, zone_id, name, fqdn: buildFqdn(name, zone) },
    // Validated before it was stored.
    type: type as DnsRecord['type'],
    ...{ ttl, value, description, created_at, updated_at },
  }
}

export const query = ({ db }: DbScope) =>
  db
    .selectFrom('dns_records')
    .innerJoin('dns_zones', 'dns_zones.id', 'dns_records.zone_id')
    .selectAll('dns_records')
    .select('dns_zones.name as zone')
    .orderBy('dns_records.zone_id')
    .orderBy('dns_records.name_order')
    .orderBy('dns_records.type')
    .orderBy('dns_records.id')

export const find = async (scope: DbScope, id: string): Promise<DnsRecord | undefined> => {
  const row = await query(scope).where('dns_records.id', '=', id).executeTakeFirst()
  return row && fromRow(row)
}

/** Returns the records of a zone with one of the names, or all. */
export const findRecordsByNames = async (
  scope: DbScope,
  zoneId: string,
  names?: readonly string[],
): Promise<DnsRecord[]> => {
  let rows = query(scope).where('dns_records.zone_id', '=', zoneId)
  if (names) rows = rows.where('dns_records.name', 'in', [...names])
  return (await rows.execute()).map(fromRow)
}

export const findRecordsOfType = async (
  scope: DbScope,
  zoneId: string,
  type: DnsRecord['type'],
): Promise<DnsRecord[]> => {
  const rows = query(scope).where('dns_records.zone_id', '=', zoneId).where('dns_records.type', '=', type)
  return (await rows.execute()).map(fromRow)
}

const toRow = ({ fqdn: _, ...record }: DnsRecord): DnsRecordRow => ({
  ...record,
  name_order: toNameOrder(record.name),
})

const recorder = createRecorder({
  ...{ kind: 'dns-record', table: 'dns_records' },
  find: async (ctx, ids) => (await query(ctx).where('dns_records.id', 'in', ids).execute()).map(fromRow),
})

/** The changes of own records in a transaction, for policies: the change record leaves out objects without a history. */
export const recordChanges = transactionState((): ItemChange[] => [])

const collect = async (ctx: Ctx, changes: readonly ItemChange[]): Promise<void> => {
  for (const change of changes) ctx.local(recordChanges).push(change)
}

export const insert = (ctx: Ctx, record: DnsRecord): Promise<void> =>
  recorder.write(ctx, [record.id], async () => {
    await ctx.db.insertInto('dns_records').values(toRow(record)).execute()
    ctx.atEnd(collect, 'create')
  })

export const update = (ctx: Ctx, record: DnsRecord): Promise<void> =>
  recorder.write(ctx, [record.id], async () => {
    await ctx.db.updateTable('dns_records').set(toRow(record)).where('id', '=', record.id).execute()
    ctx.atEnd(collect, 'update')
  })

export const deleteRow = (ctx: Ctx, id: string): Promise<void> =>
  recorder.write(ctx, [id], async () => {
    await ctx.db.deleteFrom('dns_records').where('id', '=', id).execute()
    ctx.atEnd(collect, 'delete')
  })

export const removeZone = async (ctx: Ctx, zoneId: string): Promise<void> => {
  const ids = await recorder.writeWhere(
    ctx,
    () => ctx.db.selectFrom('dns_records').select('id').where('zone_id', '=', zoneId).execute(),
    () => ctx.db.deleteFrom('dns_records').where('zone_id', '=', zoneId).returning('id').execute(),
  )
  for (const _ of ids) ctx.atEnd(collect, 'delete')
}
