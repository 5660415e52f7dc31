/** Every event that leaves Plat: to webhooks and to the live feed. Browser-safe. */
import type { Permission } from '../../platform/operation/operation.ts'

type Row = {
  readonly name: string
  readonly description: string
  /** Who may see it in the live feed: whoever may read what it is about. */
  readonly permission: Permission
}

const row = (name: string, permission: Permission, description: string): Row => ({ name, description, permission })

export const EVENTS = [
  row('device.created', 'devices:read', 'A device was added'),
  row('device.updated', 'devices:read', 'Fields of a device were changed; `changes` names them'),
  row('device.deleted', 'devices:read', 'A device was removed'),
  row('device.promoted', 'devices:read', 'A discovered device was made a device'),
  row('network.created', 'networks:read', 'A network was added'),
  row('network.updated', 'networks:read', 'Fields of a network were changed; `changes` names them'),
  row('network.deleted', 'networks:read', 'A network was removed'),
  row('discovery.started', 'discovery:read', 'A scan was started'),
  row('discovery.completed', 'discovery:read', 'A scan has ended well'),
  row('discovery.device_found', 'discovery:read', 'A scan has found a device that was not known'),
  row('conflict.detected', 'conflicts:read', 'Devices share an address, or networks overlap'),
  row('conflict.resolved', 'conflicts:read', 'The cause of a conflict is gone'),
  row('pool.utilization_high', 'pools:read', 'More of a pool is used than POOL_UTILIZATION_THRESHOLD'),
] as const

export type EventName = (typeof EVENTS)[number]['name']
/** What a test delivery is called; nobody subscribes to it. */
export const PING = 'webhook.ping'

// The rows of a constant have its names.
export const EVENT_NAMES = EVENTS.map(({ name }) => name) as [EventName, ...EventName[]]

const BY_NAME: ReadonlyMap<string, Row> = new Map(EVENTS.map((one) => [one.name, one]))

/** The permission that shows an event; undefined for what is no event of the catalogue. */
export const permissionFor = (event: string): Permission | undefined => BY_NAME.get(event)?.permission
