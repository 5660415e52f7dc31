/** The table of ports. */
import type { RowOf } from '../../resource/columns.ts'
import type { portFacts } from './resource.ts'

/** The name in lower case is unique within the device. */
export type PortRow = RowOf<typeof portFacts>

export type PortTables = { ports: PortRow }

declare module '../../database/tables.ts' {
  interface OwnTables extends PortTables {}
}
