/** The queries of kinds. */
import { type Kysely, sql } from 'kysely'
import { preparedKeys } from '../../database/query/prepared-lists.ts'
import type { Tables } from '../../database/tables.ts'
import type { Ctx, DbScope } from '../../kernel/ctx.ts'
import { objectStore } from '../../resource/store.ts'
import type { Kind } from './api.ts'
import { kindFacts } from './resource.ts'

export const store = objectStore<typeof kindFacts, Kind>(kindFacts)

export const findKind = store.find

const idsByNameKeys = preparedKeys((db: Kysely<Tables>, keys) =>
  db.selectFrom('kinds').select(['id', 'name_key']).where('name_key', 'in', keys),
)

/** Returns the id of the kind of a name in any case. */
export const findIdByName = async (ctx: Ctx, key: string): Promise<string | undefined> =>
  (await idsByNameKeys(ctx, [key]))[0]?.id

const count = async (query: Promise<{ n: number | string }[]>): Promise<number> => Number((await query)[0]?.n ?? 0)

export const countKinds = ({ db }: DbScope): Promise<number> =>
  count(
    db
      .selectFrom('kinds')
      .select(({ fn }) => fn.countAll<number | string>().as('n'))
      .execute(),
  )

const selectCount = ({ db }: DbScope, kindId: string) =>
  db
    .selectFrom('objects')
    .select(({ fn }) => fn.countAll<number | string>().as('n'))
    .where('kind_id', '=', kindId)

/** Counts the objects of a kind, or those of them with a value in a column. */
export const countObjects = (
  scope: DbScope,
  kindId: string,
  column?: 'parent_id' | 'datacenter_id',
): Promise<number> => {
  const all = selectCount(scope, kindId)
  return count((column ? all.where(column, 'is not', null) : all).execute())
}

/** Returns the number of objects of each kind that has some. */
export const countByKind = async ({ db }: DbScope): Promise<Map<string, number>> => {
  const rows = await db
    .selectFrom('objects')
    .select(({ fn }) => ['kind_id', fn.countAll<number | string>().as('n')])
    .groupBy('kind_id')
    .execute()
  return new Map(rows.map(({ kind_id, n }) => [kind_id, Number(n)]))
}

/** Returns the kinds that have an entry in the sidebar, in their order. */
export const findShownKinds = ({ db }: DbScope): Promise<Pick<Kind, 'id' | 'name' | 'singular' | 'icon'>[]> =>
  db
    .selectFrom('kinds')
    .select(['id', 'name', 'singular', 'icon'])
    .where('navigation', '=', 1)
    .orderBy('position')
    .orderBy('name_order')
    .orderBy('id')
    .execute()

/** Returns a name that two objects of a kind have. */
export const findSharedName = async ({ db }: DbScope, kindId: string): Promise<string | undefined> => {
  const row = await db
    .selectFrom('objects')
    .select(({ fn }) => fn.min('name').as('name'))
    .where('kind_id', '=', kindId)
    .groupBy('name_key')
    .having(sql<boolean>`count(*) > 1`)
    .orderBy('name_key')
    .limit(1)
    .executeTakeFirst()
  return row?.name
}
