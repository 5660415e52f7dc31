/** The events of pools. */
import type { PoolsMoved, RangeChange } from './pools.ts'

declare module '../../kernel/events.ts' {
  interface Events {
    'pool.changing-range': RangeChange
    /** The ids of the pools. */
    'pools.deleting': readonly string[]
    'pools.moved': PoolsMoved
  }
}
