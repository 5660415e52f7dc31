/** The queries of datacenters; the only writer of their table. */
import type { Kysely } from 'kysely'
import { preparedKeys } from '../../platform/db/query/prepared-lists.ts'
import type { Ctx } from '../ctx.ts'
import { createNamedStore } from '../named-store.ts'
import type { Tables } from '../tables.ts'
import { Datacenter } from './api.ts'

export const { query, objectOf, find, lock, lockAll, lockCustom, insert, update, renameCustom, remove } =
  createNamedStore('datacenters', Datacenter)

/** Returns the existing ids. */
export const filterExistingIds = async (ctx: Ctx, ids: readonly string[]): Promise<Set<string>> => {
  const rows = await idsAmong(ctx, ids)
  return new Set(rows.map(({ id }) => id))
}

const idsAmong = preparedKeys((db: Kysely<Tables>, ids) =>
  db.selectFrom('datacenters').select('id').where('id', 'in', ids),
)
