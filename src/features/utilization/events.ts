/** The event of utilization, which is announced to users. */
import type { HighUtilization } from './crossings.ts'

declare module '../../platform/operation/events.ts' {
  interface Events {
    'pool.utilization_high': HighUtilization
  }
}
