/** Queries of tables that are named at run time: the table of a resource by the name of the resource. */
import type { Kysely, RawBuilder, SqlBool } from 'kysely'
import { prepared } from '../database/query/prepared.ts'
import type { Tables } from '../database/tables.ts'
import { toTableName } from '../inventory/resources.ts'
import { type CustomResource, toObjectResource } from './custom/fields.ts'

/** A row of any of these tables. A query names only columns that its table has. */
type NamedRow = {
  [column: string]: string | number | null
  id: string
  name: string
  name_key: string
  area: number
}

// The builder knows tables by literal names.
export const toNamed = (db: Kysely<Tables>) => db as object as Kysely<{ named: NamedRow }>

/** Returns the table of the objects of a resource or a kind, but of addresses, which have none. */
export const toCustomTable = (resource: CustomResource): keyof Tables => toTableName(toObjectResource(resource))

/** @param table the table of a resource, or another one with an id */
export const selectFromTable = (db: Kysely<Tables>, table: keyof Tables) => toNamed(db).selectFrom(table as 'named')

/** Prepares the write of the area of one object, which is no change of the object. */
export const prepareArea = (table: keyof Tables) =>
  prepared((db: Kysely<Tables>, { area, id }: { area: number; id: string }) =>
    toNamed(db)
      .updateTable(table as 'named')
      .set({ area })
      .where('id', '=', id),
  )

/** Writes the areas of the objects that match, which is no change of the objects. */
export const writeArea = async (
  db: Kysely<Tables>,
  table: keyof Tables,
  { area, where }: { readonly area: number | RawBuilder<number>; readonly where: RawBuilder<unknown> },
): Promise<void> => {
  await toNamed(db)
    .updateTable(table as 'named')
    .set({ area })
    .where(where as RawBuilder<SqlBool>)
    .execute()
}
