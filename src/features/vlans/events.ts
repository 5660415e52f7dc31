/** The event of VLANs. */
import type { Vlan } from './api.ts'

declare module '../../platform/operation/events.ts' {
  interface Events {
    'vlan.deleted': Vlan
  }
}
