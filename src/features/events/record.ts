/** Records the events that leave Plat: one row for each event, in the transaction of its change. */
import type { Cable } from '../cables/api.ts'
import type { Conflict } from '../conflicts/schema.ts'
import type { Ctx, Feature } from '../ctx.ts'
import type { CustomField } from '../custom-fields/api.ts'
import { listCustomChanges } from '../custom-fields/engine.ts'
import type { DeviceType } from '../device-types/api.ts'
import type { Device } from '../devices/schema.ts'
import type { DiscoveredDevice, Scan } from '../discovery/schema.ts'
import type { Network } from '../networks/api.ts'
import type { Port } from '../ports/api.ts'
import type { Rack } from '../racks/api.ts'
import type { Vlan } from '../vlans/api.ts'
import type { EventName } from './catalogue.ts'
import * as store from './store.ts'

/** Emitted to other features when an event is recorded; the name also wakes the feed. */
export const RECORDED = 'event.recorded'

/** `data` is JSON. `changeId` is '' for an event of an object without a history. */
export type Recorded = {
  readonly event: EventName
  readonly data: string
  readonly at: string
  readonly changeId: string
}

/** The events of objects whose changes the history records. */
const HAS_HISTORY = /^(cable|custom_field|device|device_type|network|port|rack|vlan)\./

export const record = async (ctx: Ctx, event: EventName, resource_id: string, value: object): Promise<void> => {
  const data = JSON.stringify(value)
  const changeId = HAS_HISTORY.test(event) ? ctx.changeId : ''
  await store.insert(ctx, { event, resource_id, data, change_id: changeId, created_at: ctx.now })
  const recorded: Recorded = { event, data, at: ctx.now, changeId }
  await ctx.emit(RECORDED, recorded)
}

const toDeviceData = (device: Device) => ({ ...device, ip_address: device.addresses[0]?.ip ?? '' })

const createDeviceRecorder = (event: EventName) => (ctx: Ctx, device: Device) =>
  record(ctx, event, device.id, toDeviceData(device))
const createObjectRecorder =
  (event: EventName) =>
  <T extends { readonly id: string }>(ctx: Ctx, object: T) =>
    record(ctx, event, object.id, object)

type DeviceChange = { readonly device: Device; readonly before: Device; readonly changes: readonly string[] }
type NetworkChange = { readonly network: Network; readonly changes: readonly string[] }
type CustomFieldChange = { readonly custom_field: CustomField; readonly changes: readonly string[] }
type PortChange = { readonly port: Port; readonly changes: readonly string[] }
type RackChange = { readonly rack: Rack; readonly changes: readonly string[] }
type DeviceTypeChange = { readonly device_type: DeviceType; readonly changes: readonly string[] }
type CableChange = { readonly cable: Cable; readonly changes: readonly string[] }
type VlanChange = { readonly vlan: Vlan; readonly changes: readonly string[] }

/** Maps the events between features to those of the catalogue. */
export const recording: NonNullable<Feature['reactions']> = {
  'device.created': createDeviceRecorder('device.created'),
  'device.promoted': createDeviceRecorder('device.promoted'),
  'device.deleted': createDeviceRecorder('device.deleted'),
  'device.updated': (ctx, { device, before, changes }: DeviceChange) =>
    record(ctx, 'device.updated', device.id, {
      ...toDeviceData(device),
      changes: listCustomChanges(changes, before, device),
    }),
  'network.created': createObjectRecorder('network.created'),
  'network.deleted': createObjectRecorder('network.deleted'),
  'network.updated': (ctx, { network, changes }: NetworkChange) =>
    record(ctx, 'network.updated', network.id, { ...network, changes }),
  'vlan.created': createObjectRecorder('vlan.created'),
  'vlan.deleted': createObjectRecorder('vlan.deleted'),
  'vlan.updated': (ctx, { vlan, changes }: VlanChange) => record(ctx, 'vlan.updated', vlan.id, { ...vlan, changes }),
  'custom_field.created': createObjectRecorder('custom_field.created'),
  'custom_field.deleted': createObjectRecorder('custom_field.deleted'),
  'custom_field.updated': (ctx, { custom_field, changes }: CustomFieldChange) =>
    record(ctx, 'custom_field.updated', custom_field.id, { ...custom_field, changes }),
  'port.created': createObjectRecorder('port.created'),
  'port.deleted': createObjectRecorder('port.deleted'),
  'port.updated': (ctx, { port, changes }: PortChange) => record(ctx, 'port.updated', port.id, { ...port, changes }),
  'cable.created': createObjectRecorder('cable.created'),
  'cable.deleted': createObjectRecorder('cable.deleted'),
  'cable.updated': (ctx, { cable, changes }: CableChange) =>
    record(ctx, 'cable.updated', cable.id, { ...cable, changes }),
  'rack.created': createObjectRecorder('rack.created'),
  'rack.deleted': createObjectRecorder('rack.deleted'),
  'rack.updated': (ctx, { rack, changes }: RackChange) => record(ctx, 'rack.updated', rack.id, { ...rack, changes }),
  'device_type.created': createObjectRecorder('device_type.created'),
  'device_type.deleted': createObjectRecorder('device_type.deleted'),
  'device_type.updated': (ctx, { device_type, changes }: DeviceTypeChange) =>
    record(ctx, 'device_type.updated', device_type.id, { ...device_type, changes }),
  'pool.utilization_high': (ctx, high: { readonly pool_id: string }) =>
    record(ctx, 'pool.utilization_high', high.pool_id, high),
  'conflict.detected': (ctx, conflict: Conflict) => record(ctx, 'conflict.detected', conflict.id, conflict),
  'conflict.resolved': (ctx, conflict: Conflict) => record(ctx, 'conflict.resolved', conflict.id, conflict),
  'dns.drift_detected': createObjectRecorder('dns.drift_detected'),
  'dns.drift_resolved': createObjectRecorder('dns.drift_resolved'),
  'dns.sync_failed': createObjectRecorder('dns.sync_failed'),
  'discovery.started': (ctx, scan: Scan) => record(ctx, 'discovery.started', scan.id, scan),
  'discovery.completed': (ctx, scan: Scan) => record(ctx, 'discovery.completed', scan.id, scan),
  'discovery.device_found': (ctx, found: DiscoveredDevice) => record(ctx, 'discovery.device_found', found.id, found),
}
