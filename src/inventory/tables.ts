/** The tables of the resources without a `table.ts`: their rows follow from their facts. */
import type { OwnTables } from '../database/tables.ts'
import type { RowOf } from '../resource/columns.ts'
import type { FACTS, Resource, TableOf } from './resources.ts'

export type PlainTable = { [R in Resource]: TableOf<R> extends keyof OwnTables ? never : R }[Resource]

type PlainTables = { [R in PlainTable as TableOf<R>]: RowOf<(typeof FACTS)[R]> }

declare module '../database/tables.ts' {
  interface Tables extends PlainTables {}
}
