/** The objects of changes, without their documents. */
import { type RawBuilder, type SqlBool, sql } from 'kysely'
import type { Tables } from '../../database/tables.ts'
import type { StoreScope } from '../../kernel/ctx.ts'
import type { Kind } from './kind-names.ts'

export type ItemKey = { readonly kind: Kind; readonly id: string; readonly seq: number; readonly isNew: boolean }

/** Objects of these kinds have a stored area. */
const TABLES = {
  ...{ datacenter: 'datacenters', network: 'networks', pool: 'pools', reservation: 'reservations', device: 'devices' },
} as const satisfies Readonly<Partial<Record<Kind, keyof Tables>>>

type Elsewhere = ReadonlyMap<Kind, { readonly areas: ReadonlySet<number> }>

/** True unless the object exists outside of the areas of its kind. Gone objects may be anywhere. */
const isNotElsewhere = (parts: Elsewhere): RawBuilder<SqlBool> => {
  const conditions = Object.entries(TABLES).flatMap(([kind, table]) => {
    // The keys are kinds.
    const part = parts.get(kind as Kind)
    if (!part) return []
    const inside = part.areas.size === 0 ? sql`1 = 0` : sql`live.area IN (${sql.join([...part.areas])})`
    return sql`NOT (history.kind = ${kind} AND EXISTS (
      SELECT 1 FROM ${sql.table(table)} AS live WHERE live.id = history.id AND NOT (${inside})))`
  })
  return conditions.length === 0 ? sql`1 = 1` : sql`(${sql.join(conditions, sql` AND `)})`
}

/** Returns the objects of changes, without their documents. @param parts leaves out most objects that are elsewhere now */
export const findItemKeys = async (
  { db }: StoreScope,
  seqs: readonly number[],
  { kinds, parts }: { readonly kinds: readonly Kind[]; readonly parts?: Elsewhere | undefined },
): Promise<ItemKey[]> => {
  if (seqs.length === 0 || kinds.length === 0) return []
  const rows = await db
    .selectFrom('history')
    .where(isNotElsewhere(parts ?? new Map()))
    .select(({ eb }) => ['kind', 'id', 'seq', eb.case().when('before', 'is', null).then(1).else(0).end().as('is_new')])
    .where('seq', 'in', seqs)
    .where('kind', 'in', kinds)
    .execute()
  // The recorder writes these kinds.
  return rows.map(({ kind, id, seq, is_new }) => ({ kind: kind as Kind, id, seq: Number(seq), isNew: is_new === 1 }))
}
