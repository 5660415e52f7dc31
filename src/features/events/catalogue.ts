/** The events that webhooks and the live feed send. Browser-safe. */
import type { Permission } from '../../platform/operation/operation.ts'

type Row = {
  readonly name: string
  readonly description: string
  /** The permission to read the object that the event is about. The live feed requires it. */
  readonly permission: Permission
}

const buildRow = (name: string, permission: Permission, description: string): Row => ({ name, description, permission })

export const EVENTS = [
  buildRow('device.created', 'devices:read', 'A device was added'),
  buildRow('device.updated', 'devices:read', 'Fields of a device were changed; `changes` names them'),
  buildRow('device.deleted', 'devices:read', 'A device was removed'),
  buildRow('device.promoted', 'devices:read', 'A discovered device was promoted to a device'),
  buildRow('network.created', 'networks:read', 'A network was added'),
  buildRow('network.updated', 'networks:read', 'Fields of a network were changed; `changes` names them'),
  buildRow('network.deleted', 'networks:read', 'A network was removed'),
  buildRow('vlan.created', 'vlans:read', 'A VLAN was added'),
  buildRow('vlan.updated', 'vlans:read', 'Fields of a VLAN were changed; `changes` names them'),
  buildRow('vlan.deleted', 'vlans:read', 'A VLAN was removed'),
  buildRow('custom_field.created', 'custom-fields:read', 'A custom field was defined'),
  buildRow('custom_field.updated', 'custom-fields:read', 'Fields of a definition were changed; `changes` names them'),
  buildRow('custom_field.deleted', 'custom-fields:read', 'A custom field was removed'),
  buildRow('port.created', 'ports:read', 'A port of a device was added'),
  buildRow('port.updated', 'ports:read', 'Fields of a port were changed; `changes` names them'),
  buildRow('port.deleted', 'ports:read', 'A port was removed'),
  buildRow('cable.created', 'cables:read', 'Two ports were connected by a cable'),
  buildRow('cable.updated', 'cables:read', 'Fields of a cable were changed; `changes` names them'),
  buildRow('cable.deleted', 'cables:read', 'A cable was removed'),
  buildRow('rack.created', 'racks:read', 'A rack was added'),
  buildRow('rack.updated', 'racks:read', 'Fields of a rack were changed; `changes` names them'),
  buildRow('rack.deleted', 'racks:read', 'A rack was removed'),
  buildRow('device_type.created', 'device-types:read', 'A device type was added'),
  buildRow('device_type.updated', 'device-types:read', 'Fields of a device type were changed; `changes` names them'),
  buildRow('device_type.deleted', 'device-types:read', 'A device type was removed'),
  buildRow('discovery.started', 'discovery:read', 'A scan was started'),
  buildRow('discovery.completed', 'discovery:read', 'A scan has completed successfully'),
  buildRow('discovery.device_found', 'discovery:read', 'A scan has discovered a new device'),
  buildRow('conflict.detected', 'conflicts:read', 'Devices share an address, or networks overlap'),
  buildRow('conflict.resolved', 'conflicts:read', 'The cause of a conflict no longer exists'),
  buildRow('dns.drift_detected', 'dns:read', 'RRsets of a DNS zone are missing or changed on its server'),
  buildRow('dns.drift_resolved', 'dns:read', 'The server of a DNS zone has again what Plat wants'),
  buildRow('dns.sync_failed', 'dns:read', 'The server of a DNS zone can no longer be used'),
  buildRow('pool.utilization_high', 'pools:read', 'More of a pool is used than POOL_UTILIZATION_THRESHOLD'),
] as const

export type EventName = (typeof EVENTS)[number]['name']
/** The event of a test delivery; it can't be subscribed to. */
export const PING = 'webhook.ping'

// `map` loses the literal types of the names.
export const EVENT_NAMES = EVENTS.map(({ name }) => name) as [EventName, ...EventName[]]

const BY_NAME: ReadonlyMap<string, Row> = new Map(EVENTS.map((one) => [one.name, one]))

/** Returns the permission that an event requires; undefined for a name outside the catalogue. */
export const getEventPermission = (event: string): Permission | undefined => BY_NAME.get(event)?.permission
