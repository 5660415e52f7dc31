/** The queries of secrets: the check value and the sealed columns, written by rotation and their owners. */
import { type Kysely, sql } from 'kysely'
import { buildSealedPrefix } from '../../base/security/crypto.ts'
import type { Ctx, DbScope } from '../../kernel/ctx.ts'
import type { SealedColumn } from './sealed-columns.ts'

const CHECK = 'encryption-key'
/** The place that the check value is sealed for. */
export const CHECK_PLACE = { table: 'secret_checks', column: 'sealed', id: CHECK } as const

export const findCheck = async ({ db }: DbScope): Promise<string | undefined> =>
  (await db.selectFrom('secret_checks').select('sealed').where('name', '=', CHECK).executeTakeFirst())?.sealed

export const removeCheck = async ({ db }: DbScope): Promise<void> => {
  await db.deleteFrom('secret_checks').where('name', '=', CHECK).execute()
}

/** Inserts the check. A concurrent insert violates a constraint, and PostgreSQL repeats the transaction. */
export const insertCheck = async ({ db }: DbScope, sealed: string): Promise<void> => {
  await db.insertInto('secret_checks').values({ name: CHECK, sealed }).execute()
}

export const replaceCheck = async (scope: DbScope, sealed: string): Promise<void> => {
  await removeCheck(scope)
  await insertCheck(scope, sealed)
}

/** The registry has checked table and columns; Kysely's types can't follow a variable table. */
const anyTable = (db: Ctx['db']): Kysely<Record<string, Record<string, string | null>>> =>
  db as unknown as Kysely<Record<string, Record<string, string | null>>>

const PREFIX_LENGTH = buildSealedPrefix('00000000').length

/** Counts the values of a column by prefix, which names the key. */
export const countByPrefix = async ({ db }: DbScope, { table, column }: SealedColumn): Promise<Map<string, number>> => {
  const prefix = sql<string>`substr(${sql.ref(column)}, 1, ${sql.lit(PREFIX_LENGTH)})`
  const rows = await anyTable(db)
    .selectFrom(table)
    .select([prefix.as('prefix'), sql<number | string>`count(*)`.as('n')])
    .where(column, 'is not', null)
    .groupBy(prefix)
    .execute()
  return new Map(rows.map(({ prefix, n }) => [prefix, Number(n)]))
}

export type SealedRow = { readonly id: string; readonly sealed: string }

type Stale = { readonly keyId: string; readonly after: string; readonly limit: number }

/** Locks the next rows, by id, that are not sealed with the key, until commit. */
export const lockStale = async (
  ctx: Ctx,
  { table, column, idColumn }: SealedColumn,
  { keyId, after, limit }: Stale,
): Promise<SealedRow[]> => {
  const query = anyTable(ctx.db)
    .selectFrom(table)
    .select([sql.ref<string>(idColumn).as('id'), sql.ref<string>(column).as('sealed')])
    .where(column, 'not like', `${buildSealedPrefix(keyId)}%`)
    .where(idColumn, '>', after)
    .orderBy(idColumn)
    .limit(limit)
  return ctx.store.sql.lockRows(query).execute()
}

export const replaceSealed = async (
  { db }: DbScope,
  { table, column, idColumn }: SealedColumn,
  { id, sealed }: SealedRow,
): Promise<void> => {
  await anyTable(db)
    .updateTable(table)
    .set({ [column]: sealed })
    .where(idColumn, '=', id)
    .execute()
}
