/** The tables of cables. */
import type { RowOf } from '../../resource/columns.ts'
import type { Side } from '../ports/end.ts'
import type { cableFacts } from './resource.ts'

export type CableRow = Omit<RowOf<typeof cableFacts>, 'a' | 'b'> & {
  a_port_id: string
  a_side: Side
  b_port_id: string
  b_side: Side
}

/** A side of a port with a cable, and the other end of the cable. Each cable has two. */
export type CableEndRow = {
  port_id: string
  side: Side
  cable_id: string
  other_port_id: string
  other_side: Side
}

export type CableTables = { cables: CableRow; cable_ends: CableEndRow }

declare module '../../database/tables.ts' {
  interface OwnTables extends CableTables {}
}
