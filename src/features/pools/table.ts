/** The tables of pools. */
import type { IpKey } from '../../net/ip.ts'
import type { WithArea } from '../area.ts'

export type PoolRow = {
  id: string
  network_id: string
  name: string
  /** Lower case, for the order of lists and for filters. */
  name_key: string
  start_ip: string
  end_ip: string
  /** Storage keys of the first and last address, in the space of its network. */
  start_key: IpKey
  end_key: IpKey
  description: string
  /** JSON text. */
  refs: string
  /** JSON text; null without values. */
  custom: string | null
  managed_by: string
  created_at: string
  updated_at: string
}

export type PoolTables = {
  pools: WithArea<PoolRow>
  pool_tags: { pool_id: string; position: number; tag: string }
}
