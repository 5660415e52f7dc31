/** The events that webhooks and the live feed send. Browser-safe. */
import type { Permission } from '../../platform/operation/operation.ts'

type Row = {
  readonly name: string
  readonly description: string
  /** The permission to read the object that the event is about. The live feed requires it. */
  readonly permission: Permission
}

const row = (name: string, permission: Permission, description: string): Row => ({ name, description, permission })

export const EVENTS = [
  row('device.created', 'devices:read', 'A device was added'),
  row('device.updated', 'devices:read', 'Fields of a device were changed; `changes` names them'),
  row('device.deleted', 'devices:read', 'A device was removed'),
  row('device.promoted', 'devices:read', 'A discovered device was promoted to a device'),
  row('network.created', 'networks:read', 'A network was added'),
  row('network.updated', 'networks:read', 'Fields of a network were changed; `changes` names them'),
  row('network.deleted', 'networks:read', 'A network was removed'),
  row('vlan.created', 'vlans:read', 'A VLAN was added'),
  row('vlan.updated', 'vlans:read', 'Fields of a VLAN were changed; `changes` names them'),
  row('vlan.deleted', 'vlans:read', 'A VLAN was removed'),
  row('custom_field.created', 'custom-fields:read', 'A custom field was defined'),
  row('custom_field.updated', 'custom-fields:read', 'Fields of a definition were changed; `changes` names them'),
  row('custom_field.deleted', 'custom-fields:read', 'A custom field was removed'),
  row('port.created', 'ports:read', 'A port of a device was added'),
  row('port.updated', 'ports:read', 'Fields of a port were changed; `changes` names them'),
  row('port.deleted', 'ports:read', 'A port was removed'),
  row('cable.created', 'cables:read', 'Two ports were connected by a cable'),
  row('cable.updated', 'cables:read', 'Fields of a cable were changed; `changes` names them'),
  row('cable.deleted', 'cables:read', 'A cable was removed'),
  row('rack.created', 'racks:read', 'A rack was added'),
  row('rack.updated', 'racks:read', 'Fields of a rack were changed; `changes` names them'),
  row('rack.deleted', 'racks:read', 'A rack was removed'),
  row('device_type.created', 'device-types:read', 'A device type was added'),
  row('device_type.updated', 'device-types:read', 'Fields of a device type were changed; `changes` names them'),
  row('device_type.deleted', 'device-types:read', 'A device type was removed'),
  row('discovery.started', 'discovery:read', 'A scan was started'),
  row('discovery.completed', 'discovery:read', 'A scan has completed successfully'),
  row('discovery.device_found', 'discovery:read', 'A scan has discovered a new device'),
  row('conflict.detected', 'conflicts:read', 'Devices share an address, or networks overlap'),
  row('conflict.resolved', 'conflicts:read', 'The cause of a conflict no longer exists'),
  row('dns.drift_detected', 'dns:read', 'RRsets of a DNS zone are missing or changed on its server'),
  row('dns.drift_resolved', 'dns:read', 'The server of a DNS zone has again what Plat wants'),
  row('dns.sync_failed', 'dns:read', 'The server of a DNS zone can no longer be used'),
  row('pool.utilization_high', 'pools:read', 'More of a pool is used than POOL_UTILIZATION_THRESHOLD'),
] as const

export type EventName = (typeof EVENTS)[number]['name']
/** The event of a test delivery; it can't be subscribed to. */
export const PING = 'webhook.ping'

// `map` loses the literal types of the names.
export const EVENT_NAMES = EVENTS.map(({ name }) => name) as [EventName, ...EventName[]]

const BY_NAME: ReadonlyMap<string, Row> = new Map(EVENTS.map((one) => [one.name, one]))

/** Returns the permission that an event requires; undefined for a name outside the catalogue. */
export const permissionFor = (event: string): Permission | undefined => BY_NAME.get(event)?.permission
