/** The queries of datacenters; the only writer of their table. */
import type { Kysely } from 'kysely'
import { preparedKeys } from '../../platform/db/query/prepared-lists.ts'
import type { Ctx } from '../ctx.ts'
import type { Tables } from '../tables.ts'
import type { Datacenter } from './api.ts'

const columns = ['id', 'name', 'location', 'description', 'created_at', 'updated_at'] as const

const keyed = (datacenter: Datacenter) => ({ ...datacenter, name_key: datacenter.name.toLowerCase() })

export const query = (ctx: Ctx) => ctx.db.selectFrom('datacenters').select(columns).orderBy('name_key').orderBy('id')

export const find = (ctx: Ctx, id: string): Promise<Datacenter | undefined> =>
  ctx.db.selectFrom('datacenters').select(columns).where('id', '=', id).executeTakeFirst()

/** As `find`, and locks the row until commit. */
export const lock = (ctx: Ctx, id: string): Promise<Datacenter | undefined> =>
  ctx.store.sql.lockRows(ctx.db.selectFrom('datacenters').select(columns).where('id', '=', id)).executeTakeFirst()

export const insert = async (ctx: Ctx, datacenter: Datacenter): Promise<void> => {
  await ctx.db.insertInto('datacenters').values(keyed(datacenter)).execute()
  ctx.changed('datacenter', { id: datacenter.id, after: JSON.stringify(datacenter) })
}

export const update = async (ctx: Ctx, before: Datacenter, datacenter: Datacenter): Promise<void> => {
  const { id } = datacenter
  await ctx.db.updateTable('datacenters').set(keyed(datacenter)).where('id', '=', id).execute()
  ctx.changed('datacenter', { id, before: JSON.stringify(before), after: JSON.stringify(datacenter) })
}

export const remove = async (ctx: Ctx, datacenter: Datacenter): Promise<void> => {
  await ctx.db.deleteFrom('datacenters').where('id', '=', datacenter.id).execute()
  ctx.changed('datacenter', { id: datacenter.id, before: JSON.stringify(datacenter) })
}

/** Returns the existing datacenters of those ids, as JSON text by id. */
export const documents = async (ctx: Ctx, ids: readonly string[]): Promise<Map<string, string>> => {
  const rows = await byIds(ctx, ids)
  return new Map(rows.map((datacenter) => [datacenter.id, JSON.stringify(datacenter)]))
}

const byIds = preparedKeys((db: Kysely<Tables>, ids) =>
  db.selectFrom('datacenters').select(columns).where('id', 'in', ids),
)

/** Returns the existing ids. */
export const existing = async (ctx: Ctx, ids: readonly string[]): Promise<Set<string>> => {
  const rows = await idsAmong(ctx, ids)
  return new Set(rows.map(({ id }) => id))
}

const idsAmong = preparedKeys((db: Kysely<Tables>, ids) =>
  db.selectFrom('datacenters').select('id').where('id', 'in', ids),
)
