/** The events of pools. */
import type { Pool } from './api.ts'
import type { PoolsMoved, RangeChange } from './pools.ts'

declare module '../../kernel/events.ts' {
  interface Events {
    'pool.created': Pool
    'pool.changing-range': RangeChange
    'pool.updated': { readonly pool: Pool; readonly changes: readonly string[] }
    /** The ids of the pools. */
    'pools.deleting': readonly string[]
    'pools.moved': PoolsMoved
  }
}
