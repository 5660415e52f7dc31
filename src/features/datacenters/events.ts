/** The event of datacenters. */
import type { Datacenter } from './api.ts'

declare module '../../platform/operation/events.ts' {
  interface Events {
    'datacenter.deleted': Datacenter
  }
}
