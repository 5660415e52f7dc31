/** The events of devices. */
import type { IpKey } from '../../net/ip.ts'
import type { Device } from './schema.ts'

export type DeviceChange = { readonly device: Device; readonly before: Device; readonly changes: readonly string[] }

declare module '../../kernel/events.ts' {
  interface Events {
    /** The devices are stored, and their addresses are not yet marked as taken. */
    'devices.recorded': readonly Device[]
    /** The addresses of new devices are being marked as taken. */
    'devices.placed': readonly Device[]
    /** New devices that have a type, and no ports yet. */
    'devices.typed': readonly Device[]
    'device.updated': DeviceChange
    'devices.deleting': readonly Device[]
    'devices.removed': readonly Device[]
    /** Addresses in the spaces that a network has left and come to. */
    'addresses.moved': readonly IpKey[]
  }
}
