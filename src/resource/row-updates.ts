/** Prepared updates of rows, by the columns that they set. */
import type { Kysely } from 'kysely'
import { prepared, type Value } from '../database/query/prepared.ts'
import type { Tables } from '../database/tables.ts'
import type { Ctx } from '../kernel/ctx.ts'

export type Cells = Readonly<Record<string, Value>>

/** @param columns that each update sets */
export const createRowUpdate = (table: 'datacenters', columns: readonly string[]) => {
  const prepare = (written: readonly string[]) =>
    prepared((db: Kysely<Tables>, row: Cells) =>
      db
        .updateTable(table)
        .set(Object.fromEntries(written.map((column) => [column, row[column]])))
        .where('id', '=', row.id as string),
    )
  /** The updates so far, by their further columns. */
  const updates = new Map<string, ReturnType<typeof prepare>>()
  return (ctx: Ctx, row: Cells, further: readonly string[] = []): Promise<unknown> => {
    const names = further.join()
    const known = updates.get(names) ?? prepare([...further, ...columns])
    updates.set(names, known)
    return known(ctx, row)
  }
}
