/** The tables of networks. */
import type { IpKey } from '../../net/ip.ts'
import type { WithArea } from '../../resource/area.ts'
import type { RowOf } from '../../resource/columns.ts'
import type { networkFacts } from './resource.ts'

export type NetworkRow = RowOf<typeof networkFacts> & {
  /** The key of its space, and the subnet. */
  subnet_key: string
  prefix: number
  /** Storage keys of the first and last address. */
  first_key: IpKey
  last_key: IpKey
}

export type NetworkTables = { networks: WithArea<NetworkRow> }

declare module '../../database/tables.ts' {
  interface OwnTables extends NetworkTables {}
}
