/** The queries of secrets: the check value, and the sealed columns of every feature, which rotation alone writes besides their owners. */
import { type Kysely, sql } from 'kysely'
import { sealedPrefix } from '../../platform/security/crypto.ts'
import type { Ctx, DbScope } from '../ctx.ts'
import type { SealedColumn } from './sealed-columns.ts'

const CHECK = 'encryption-key'
/** Where the check value is sealed for. */
export const CHECK_PLACE = { table: 'secret_checks', column: 'sealed', id: CHECK } as const

export const findCheck = async ({ db }: DbScope): Promise<string | undefined> =>
  (await db.selectFrom('secret_checks').select('sealed').where('name', '=', CHECK).executeTakeFirst())?.sealed

export const removeCheck = async ({ db }: DbScope): Promise<void> => {
  await db.deleteFrom('secret_checks').where('name', '=', CHECK).execute()
}

/** Breaks a constraint, and so runs again on PostgreSQL, if another process has made one meanwhile. */
export const insertCheck = async ({ db }: DbScope, sealed: string): Promise<void> => {
  await db.insertInto('secret_checks').values({ name: CHECK, sealed }).execute()
}

export const replaceCheck = async (scope: DbScope, sealed: string): Promise<void> => {
  await removeCheck(scope)
  await insertCheck(scope, sealed)
}

/** The registry has matched table and columns; Kysely can't follow a table that is a variable. */
const anyTable = (db: Ctx['db']): Kysely<Record<string, Record<string, string | null>>> =>
  db as unknown as Kysely<Record<string, Record<string, string | null>>>

const PREFIX_LENGTH = sealedPrefix('00000000').length

/** How many values of a column begin with which prefix, and so are sealed with which key. */
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

/** The next rows by id that are not sealed with the key; other writers stay off them until commit. */
export const lockStale = async (
  ctx: Ctx,
  { table, column, idColumn }: SealedColumn,
  { keyId, after, limit }: Stale,
): Promise<SealedRow[]> => {
  const query = anyTable(ctx.db)
    .selectFrom(table)
    .select([sql.ref<string>(idColumn).as('id'), sql.ref<string>(column).as('sealed')])
    .where(column, 'not like', `${sealedPrefix(keyId)}%`)
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
