/** The tables of pools. */
import type { IpKey } from '../../net/ip.ts'
import type { WithArea } from '../../resource/area.ts'
import type { RowOf } from '../../resource/columns.ts'
import type { poolFacts } from './resource.ts'

export type PoolRow = Omit<RowOf<typeof poolFacts>, 'tags'> & {
  /** Storage keys of the first and last address, in the space of its network. */
  start_key: IpKey
  end_key: IpKey
}

export type PoolTables = {
  pools: WithArea<PoolRow>
  pool_tags: { pool_id: string; position: number; tag: string }
}

declare module '../../database/tables.ts' {
  interface OwnTables extends PoolTables {}
}
