/**
 * Lists restricted to a subset that another table defines. The size of the subset determines the fastest way to its
 * first rows.
 */
import { type Expression, type RawBuilder, type SqlBool, sql } from 'kysely'
import { type CacheScope, getCachedCount, getCachedText } from '../cache/query-cache.ts'
import type { Sql } from '../database.ts'

type Scope<Tables> = CacheScope<Tables> & { readonly store: { readonly sql: Pick<Sql, 'areFew'> } }

type In = {
  /** The list's own column, `devices.id`. */
  readonly id: string
  /** The table that names the members, and its column that holds the list's ids. */
  readonly table: string
  readonly member: string
}

export type Subset = In & {
  /** The common property of the members: a column of that table and its value. */
  readonly column: string
  readonly value: string
}

/** A subset by any condition on the rows of the table. */
export type ConditionalSubset = In & {
  readonly condition: RawBuilder<SqlBool>
  /** Tells the condition from others of that table. */
  readonly name: string
}

/** One condition in two forms: for a list in its order, and for counting. */
export type Membership = { readonly ordered: Expression<SqlBool>; readonly counted: Expression<SqlBool> }

/** True for the value in any form of composed letters: tags of earlier programs are stored as they were sent. */
const isValue = (table: string, column: string, value: string): RawBuilder<SqlBool> => {
  const forms = [...new Set([value, value.normalize('NFC'), value.normalize('NFD')])]
  const stored = sql.ref(`${table}.${column}`)
  return forms.length === 1 ? sql<SqlBool>`${stored} = ${value}` : sql<SqlBool>`${stored} IN (${sql.join(forms)})`
}

/**
 * Returns the condition of membership in the subset. The choice of its form is cached until the table of members
 * changes.
 * @example await buildMembership(ctx, { id: 'devices.id', table: 'device_tags', member: 'device_id', column: 'tag', value: 'web' })
 */
export const buildMembership = <Tables>(
  scope: Scope<Tables>,
  { column, value, ...subset }: Subset,
): Promise<Membership> => {
  const condition = isValue(subset.table, column, value)
  return buildConditionalMembership(scope, { ...subset, condition, name: `${column} ${value}` })
}

/** Like `buildMembership`, for a subset by any condition. */
export const buildConditionalMembership = async <Tables>(
  scope: Scope<Tables>,
  { id, table, member, condition, name }: ConditionalSubset,
): Promise<Membership> => {
  const of = sql`FROM ${sql.table(table)} WHERE ${condition}`
  const inside = sql.ref(`${table}.${member}`)
  const counted = sql<SqlBool>`${sql.ref(id)} IN (SELECT ${inside} ${of})`
  const [list = ''] = id.split('.')
  const look = async () => String(await scope.store.sql.areFew(scope.db, list, sql`SELECT 1 AS one ${of}`))
  // A subset refers to an existing table.
  const areFew = await getCachedText(scope, table as keyof Tables & string, `few ${name}`, look)
  if (areFew === 'true') return { ordered: counted, counted }
  return { ordered: sql<SqlBool>`EXISTS (SELECT 1 ${of} AND ${inside} = ${sql.ref(id)})`, counted }
}

/** Counts the members without reading the list, for a table with a foreign key to the list. */
export const countMembers = <Tables>(
  scope: CacheScope<Tables>,
  { table, member, column, value }: Subset,
): Promise<number> =>
  getCachedCount(scope, table as keyof Tables & string, `members ${column} ${value}`, async () => {
    const members = sql`SELECT DISTINCT ${sql.ref(member)} FROM ${sql.table(table)} WHERE ${isValue(table, column, value)}`
    const { rows } = await sql<{ n: number | string }>`SELECT count(*) AS n FROM (${members}) AS members`.execute(
      scope.db,
    )
    return Number(rows[0]?.n)
  })
