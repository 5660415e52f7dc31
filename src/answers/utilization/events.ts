/** The event of utilization, which is announced to users. */
import type { HighUtilization } from './crossings.ts'

declare module '../../kernel/events.ts' {
  interface Events {
    'pool.utilization_high': HighUtilization
  }
}
