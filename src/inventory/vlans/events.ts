/** The event of VLANs. */
import type { Vlan } from './api.ts'

declare module '../../kernel/events.ts' {
  interface Events {
    'vlan.deleted': Vlan
  }
}
