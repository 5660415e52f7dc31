/** The events of scans and of discovered devices. */
import type { DiscoveredDevice, Scan } from './schema.ts'

declare module '../kernel/events.ts' {
  interface Events {
    'scan.queued': undefined
    'scan.cancelled': undefined
    'scan.failed': undefined
    'scan.deleted': undefined
    'discovery.started': Scan
    'discovery.completed': Scan
    'discovery.device_found': DiscoveredDevice
    /** The ids of discovered devices whose addresses or networks were stored. */
    'discovered-devices.placed': readonly string[]
  }
}
