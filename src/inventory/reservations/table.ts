/** The tables of reservations. */
import type { IpKey } from '../../net/ip.ts'
import type { WithArea } from '../../resource/area.ts'
import type { RowOf } from '../../resource/columns.ts'
import type { reservationFacts } from './resource.ts'

export type ReservationRow = Omit<RowOf<typeof reservationFacts>, 'natural_key'> & {
  /** In the space of the network of its pool. */
  ip_key: IpKey
}

export type ReservationTables = { reservations: WithArea<ReservationRow> }

declare module '../../database/tables.ts' {
  interface OwnTables extends ReservationTables {}
}
