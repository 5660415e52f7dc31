/** The events of used addresses. */
import type { IpKey } from '../../net/ip.ts'
import type { Marked } from './used-addresses.ts'

declare module '../../kernel/events.ts' {
  interface Events {
    /** The blocks of these addresses are locked. */
    'occupancy.locked': readonly IpKey[]
    'occupancy.marked': Marked
  }
}
