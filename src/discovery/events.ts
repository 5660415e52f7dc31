/** The events of scans and of discovered devices. */
import type { DiscoveredDevice, Scan } from './schema.ts'

declare module '../kernel/events.ts' {
  interface Events {
    'scan.queued': undefined
    'scan.cancelled': undefined
    'scan.failed': undefined
    'scan.deleted': undefined
    /** A scanner has seen all of it; the server completes it. */
    'scan.done': undefined
    /** A rule was made, changed or deleted. Its runs are no change. */
    'rule.changed': undefined
    'discovery.started': Scan
    'discovery.completed': Scan
    'discovery.device_found': DiscoveredDevice
    /** A completed scan has not seen it. */
    'discovery.device_gone': DiscoveredDevice
    /** It was down, and is seen again. */
    'discovery.device_returned': DiscoveredDevice
    /** The ids of discovered devices whose addresses or networks were stored. */
    'discovered-devices.placed': readonly string[]
  }
}
