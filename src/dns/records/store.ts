/** The queries of own records; the only writer of their table. */
import type { Ctx, DbScope } from '../../kernel/ctx.ts'
import type { DnsRecord } from './api.ts'
import type { DnsRecordRow } from './table.ts'

export type StoredRecord = Omit<DnsRecord, 'fqdn'>
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
    .orderBy('dns_records.name')
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

const toRow = ({ fqdn: _, ...record }: DnsRecord): DnsRecordRow => record

export const insert = async ({ db }: DbScope, record: DnsRecord): Promise<void> => {
  await db.insertInto('dns_records').values(toRow(record)).execute()
}

export const update = async ({ db }: DbScope, record: DnsRecord): Promise<void> => {
  await db.updateTable('dns_records').set(toRow(record)).where('id', '=', record.id).execute()
}

export const deleteRow = async ({ db }: Pick<Ctx, 'db'>, id: string): Promise<void> => {
  await db.deleteFrom('dns_records').where('id', '=', id).execute()
}

export const removeZone = async ({ db }: DbScope, zoneId: string): Promise<void> => {
  await db.deleteFrom('dns_records').where('zone_id', '=', zoneId).execute()
}
