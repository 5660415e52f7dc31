/** The kinds of objects, by which values of custom fields are defined: the one read of them for writes. */
import type { Kysely } from 'kysely'
import { preparedKeys } from '../../database/query/prepared-lists.ts'
import type { Tables } from '../../database/tables.ts'
import type { StoreScope } from '../../kernel/ctx.ts'

const idsAmong = preparedKeys((db: Kysely<Tables>, ids) => db.selectFrom('kinds').select('id').where('id', 'in', ids))

/** True for the id of a kind that exists. */
export const isKind = async (scope: StoreScope, id: string): Promise<boolean> =>
  (await idsAmong(scope, [id])).length > 0

/** Returns the ids of all kinds, in their order. */
export const findKindIds = async ({ db }: Pick<StoreScope, 'db'>): Promise<string[]> => {
  const rows = await db
    .selectFrom('kinds')
    .select('id')
    .orderBy('position')
    .orderBy('name_order')
    .orderBy('id')
    .execute()
  return rows.map(({ id }) => id)
}
