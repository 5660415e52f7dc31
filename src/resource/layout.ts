/** The rows of a resource in its table: the columns, and the conversions of objects. */
import type { Ctx } from '../kernel/ctx.ts'
import { createKeyBuilder } from './columns.ts'
import type { ResourceFacts } from './facts.ts'
import type { OwnStore, StoredObject, Written } from './own-store.ts'
import type { Cells } from './row-updates.ts'
import { createConversion } from './rows.ts'

export type Layout<T> = {
  /** The builder knows the tables by name. All queries of a store are of the columns of the facts. */
  readonly table: 'datacenters'
  readonly getId: (object: T) => string
  /** Returns the columns that identify an object. */
  readonly pickKey: (object: T) => { readonly id: string }
  /** The columns that queries select. */
  readonly columns: 'id'[]
  /** The columns of the fields. */
  readonly fieldColumns: readonly string[]
  /** These, and the columns beyond them. */
  readonly allColumns: readonly string[]
  readonly toRows: (ctx: Ctx, written: readonly Written<T>[]) => Promise<Cells[]>
  readonly fromRow: (row: object) => T
  readonly buildKey: ((object: T) => string) | undefined
}

export const createLayout = <F extends ResourceFacts, T extends object>(facts: F, own: OwnStore<F, T>): Layout<T> => {
  const { rows, key, columns: ownColumns = [], toColumns, elsewhere, fromColumns, lastFields } = own
  // The fields of the key are those of an object.
  const buildKey = (own.buildKey ?? createKeyBuilder(facts)) as ((object: T) => string) | undefined
  const converted = rows ? undefined : createConversion<T>(facts, { buildKey, elsewhere, lastFields })
  const fieldColumns = rows?.columns ?? converted?.allColumns ?? []
  const selected = rows ? (rows.selected ?? rows.columns) : (converted?.columns ?? [])
  // The rows have the selected columns.
  const convertRow = (rows?.fromRow ?? converted?.fromRow) as (row: object) => T
  const getId = key?.buildId ?? ((object: T) => (object as StoredObject).id)
  const toFieldRows = (ctx: Ctx, objects: readonly T[]) =>
    rows ? rows.toRows(ctx, objects) : objects.map((object) => converted?.toRow(object) ?? {})
  return {
    table: facts.name.replaceAll('-', '_') as 'datacenters',
    getId,
    pickKey: (object) => (key ? (key.parseId(key.buildId(object)) as { id: string }) : { id: getId(object) }),
    columns: [...selected, ...(fromColumns ? ownColumns : [])] as 'id'[],
    fieldColumns,
    allColumns: [...fieldColumns, ...ownColumns],
    toRows: async (ctx, written) => {
      const objects = written.map(({ after }) => after)
      const of = await toFieldRows(ctx, objects)
      const cells = await toColumns?.(ctx, objects)
      if (!cells && written.every(({ columns: given }) => given === undefined)) return [...of]
      return written.map(({ columns: given }, i) => ({ ...of[i], ...cells?.[i], ...given }))
    },
    fromRow: fromColumns ? (row) => convertRow(fromColumns(row as never)) : convertRow,
    buildKey,
  }
}
