/** The events of devices. */
import type { Device } from './schema.ts'

declare module '../../kernel/events.ts' {
  interface Events {
    /** New devices that have a type, and no ports yet. */
    'devices.typed': readonly Device[]
    'devices.deleting': readonly Device[]
  }
}
