/** The events of datacenters to other features. */
import type { Datacenter } from './api.ts'

/** A datacenter with another place in the tree: `before` is absent for a new one, `after` for a deleted one. */
export type DatacenterMoved = { readonly before?: Datacenter | undefined; readonly after?: Datacenter | undefined }

declare module '../../kernel/events.ts' {
  interface Events {
    /** A datacenter has come below another one, or is below it no longer. */
    'datacenter.moved': DatacenterMoved
  }
}
