/** The events of networks. */
import type { Network } from './api.ts'
import type { ContentsMove } from './contents.ts'
import type { SpaceChange } from './move-to-space.ts'
import type { SubnetChange } from './networks.ts'

export type NetworkChange = { readonly network: Network; readonly before: Network; readonly changes: readonly string[] }

declare module '../../kernel/events.ts' {
  interface Events {
    'network.created': Network
    'network.changing-subnet': SubnetChange
    'network.updated': NetworkChange
    'network.changing-space': SpaceChange
    'network.changed-space': SpaceChange
    'network.deleting': Network
    'network.deleted': Network
    /** The ids of networks whose pools are to be locked. */
    'networks.locking-contents': readonly string[]
    'networks.moving-contents': ContentsMove
  }
}
