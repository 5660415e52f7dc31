/** `virtualization/virtual-machines`: the devices with the tag of virtual machines. */
import { MACHINE_STATUS, START_ON_BOOT } from '../choices/devices.ts'
import { CustomFields } from '../endpoint/custom.ts'
import type { Endpoint } from '../endpoint/endpoint.ts'
import { head, parseNumber, readOnly, text, times } from '../endpoint/fields.ts'
import { objectFilters } from '../endpoint/place-filters.ts'
import { RESOLVERS } from '../endpoint/resolvers.ts'
import { nestAddress } from '../world/addresses.ts'
import { MACHINE_TAG } from '../world/machines.ts'
import { NESTED_SETS, nestDevice, nestPlatform, nestRole, nestSiteIfAny } from '../world/nested.ts'
import { prepareWorld } from '../world/prepare.ts'
import { deviceFilters } from './device-filters.ts'
import { createDeviceSource, DEVICE_TIMES, type DeviceItem, getPrimary } from './device-items.ts'
import {
  createDeviceWrites,
  descriptionFields,
  primaryField,
  statusField,
  statusFilter,
  tagsField,
  writeHost,
  writePlatform,
  writeRole,
  writeSite,
} from './device-writes.ts'

const custom = new CustomFields<DeviceItem>('devices', ({ device }) => device.custom)
const { description, comments } = descriptionFields<DeviceItem>(({ device }) => device.description)

export const virtualMachines: Endpoint<DeviceItem> = {
  path: 'virtualization/virtual-machines',
  kind: 'virtualization.virtualmachine',
  key: ({ device }) => device.id,
  brief: ['id', 'url', 'display', 'name', 'description'],
  nested: ['id', 'url', 'display_url', 'display', 'name'],
  fields: [
    ...head<DeviceItem>({ page: ({ device }) => `/devices/${device.id}`, display: ({ device }) => device.name }),
    text('name', { read: ({ device }) => device.name, to: 'name', isRequired: true }),
    statusField(custom, MACHINE_STATUS),
    custom.choice('start_on_boot', START_ON_BOOT, { usual: 'off' }),
    {
      name: 'site',
      type: { is: 'object', of: 'dcim.site' },
      isNullable: true,
      read: ({ device }, world) => nestSiteIfAny(world, device.datacenter_id),
      write: writeSite,
    },
    custom.cluster(),
    {
      name: 'device',
      type: { is: 'object', of: 'dcim.device' },
      isNullable: true,
      read: ({ host }, world) => (host ? nestDevice(world, { ...host, tags: [] }) : null),
      write: writeHost,
    },
    text('serial', { read: ({ device }) => device.serial ?? '', to: 'serial', max: 50 }),
    {
      name: 'role',
      type: { is: 'object', of: 'dcim.devicerole' },
      isNullable: true,
      read: ({ device }, world) => (device.role ? nestRole(world, device.role) : null),
      write: writeRole,
    },
    custom.tenant(),
    {
      name: 'platform',
      type: { is: 'object', of: 'dcim.platform' },
      isNullable: true,
      read: ({ device }, world) => nestPlatform(world, device.os),
      write: writePlatform,
    },
    readOnly('primary_ip', { is: 'object', of: 'ipam.ipaddress' }, (item, world) => {
      const primary = getPrimary(item)
      return primary ? nestAddress(world, primary) : null
    }),
    primaryField('primary_ip4', 4),
    primaryField('primary_ip6', 6),
    custom.number('vcpus'),
    custom.number('memory', { field: 'memory_mb', isInteger: true }),
    // NetBox counts megabytes, of which a gigabyte has 1,000.
    custom.serve<number | null>('disk', {
      type: { is: 'integer' },
      usual: null,
      field: 'disk_gb',
      isNullable: true,
      show: (value) => (typeof value === 'number' ? value * 1000 : null),
      parse: (value, draft) => {
        const megabytes = parseNumber(value, draft, { isInteger: true })
        return typeof megabytes === 'number' ? megabytes / 1000 : megabytes
      },
    }),
    description,
    custom.nothing('owner'),
    comments,
    custom.nothing('config_template'),
    custom.nothing('local_context_data'),
    tagsField,
    custom.rest(),
    readOnly('config_context', 'json', () => ({})),
    ...times<DeviceItem>(({ device }) => device),
    readOnly('interface_count', 'integer', ({ counts }) => counts.interfaces),
    readOnly('virtual_disk_count', 'integer', () => 0),
  ],
  custom,
  times: DEVICE_TIMES,
  source: createDeviceSource(true),
  prepare: (world) =>
    prepareWorld(world, {
      sets: NESTED_SETS,
      names: ['dcim.devicerole', 'dcim.platform', 'dcim.manufacturer', 'extras.tag'],
      definitions: ['devices', 'spaces', 'tenants', 'clusters'],
    }),
  filters: {
    ...deviceFilters(custom, { hasUnassigned: false }),
    status: statusFilter(custom, MACHINE_STATUS),
    ...objectFilters<DeviceItem>('device', 'name', {
      of: RESOLVERS['dcim.device'],
      keys: ({ host }) => (host ? [host.id] : []),
    }),
  },
  writes: createDeviceWrites(MACHINE_TAG),
}
