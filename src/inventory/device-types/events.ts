/** The event of device types. */
import type { TypePort } from './api.ts'

export type PortsOf = { readonly device_id: string; readonly ports: readonly TypePort[] }

/** The ports that a device lacks are added, and then named in `added`. */
export type PortsWanted = { readonly wanted: readonly PortsOf[]; readonly added: { readonly device_id: string }[] }

declare module '../../kernel/events.ts' {
  interface Events {
    /** Ports of their types that devices are to have. */
    'ports.wanted': PortsWanted
  }
}
