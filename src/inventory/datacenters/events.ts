/** The event of datacenters. */
import type { Datacenter } from './api.ts'

declare module '../../kernel/events.ts' {
  interface Events {
    'datacenter.deleted': Datacenter
  }
}
