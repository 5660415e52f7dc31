/** `dcim/devices`: the devices that are no virtual machines. */
import { type SqlBool, sql } from 'kysely'
import { isOneOf } from '../../database/query/below.ts'
import { AIRFLOW, DEVICE_FACE, DEVICE_STATUS } from '../choices/devices.ts'
import { CustomFields } from '../endpoint/custom.ts'
import type { Endpoint } from '../endpoint/endpoint.ts'
import { head, parseChoice, parseNumber, readOnly, text, times, toChoice } from '../endpoint/fields.ts'
import { choiceFilter, numberFilter, parseDecimal, textFilter } from '../endpoint/filter.ts'
import { objectFilters } from '../endpoint/place-filters.ts'
import { RESOLVERS } from '../endpoint/resolvers.ts'
import { buildNameKey } from '../numbers/keys.ts'
import { nestAddress } from '../world/addresses.ts'
import { buildTypeKey, UNKNOWN } from '../world/keys.ts'
import {
  displayDevice,
  NESTED_SETS,
  nestPlace,
  nestPlatform,
  nestRack,
  nestRole,
  nestSiteAt,
  nestType,
} from '../world/nested.ts'
import { findNearest, PLACES } from '../world/places.ts'
import { prepareWorld } from '../world/prepare.ts'
import { TEXT_TYPES, TYPES } from '../world/sets.ts'
import type { World } from '../world/world.ts'
import { deviceFilters } from './device-filters.ts'
import { createDeviceSource, DEVICE_TIMES, type DeviceItem, getPrimary } from './device-items.ts'
import {
  createDeviceWrites,
  descriptionFields,
  primaryField,
  setMount,
  statusField,
  statusFilter,
  tagsField,
  writeLocation,
  writePlatform,
  writeRole,
  writeSite,
  writeType,
} from './device-writes.ts'

const custom = new CustomFields<DeviceItem>('devices', ({ device }) => device.custom)
const { description, comments } = descriptionFields<DeviceItem>(({ device }) => device.description)
const ZERO = () => 0

const typeKey = ({ device }: DeviceItem): string => device.device_type_id ?? buildTypeKey(device.make_model)

/** Types of Plat are in a column, and texts in place of one in another. */
const hasType = ({ keys }: { readonly keys: readonly string[] }, world: World) => {
  const own = keys.filter((key) => world.get(TYPES).find(key))
  // The resolver has read the set of a key.
  const texts = keys.flatMap((key) => world.get(TEXT_TYPES).find(key)?.texts ?? [])
  const isOwn =
    own.length > 0
      ? sql<SqlBool>`(devices.device_type_id IS NOT NULL AND ${isOneOf('devices.device_type_id', own)})`
      : sql<SqlBool>`1 = 0`
  if (texts.length === 0) return isOwn
  return sql<SqlBool>`(${isOwn} OR (devices.device_type_id IS NULL AND devices.make_model IN (${sql.join([...texts])})))`
}

export const devices: Endpoint<DeviceItem> = {
  path: 'dcim/devices',
  kind: 'dcim.device',
  key: ({ device }) => device.id,
  brief: ['id', 'url', 'display', 'name', 'description'],
  nested: ['id', 'url', 'display_url', 'display', 'name'],
  fields: [
    ...head<DeviceItem>({
      page: ({ device }) => `/devices/${device.id}`,
      display: ({ device }) => displayDevice(device),
    }),
    text('name', { read: ({ device }) => device.name, to: 'name', isRequired: true }),
    {
      name: 'device_type',
      type: { is: 'object', of: 'dcim.devicetype' },
      read: ({ device }, world) => nestType(world, device),
      write: writeType,
    },
    {
      name: 'role',
      type: { is: 'object', of: 'dcim.devicerole' },
      read: ({ device }, world) => nestRole(world, device.role ?? ''),
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
    text('serial', { read: ({ device }) => device.serial ?? '', to: 'serial', max: 50 }),
    text('asset_tag', { read: ({ device }) => device.asset_tag ?? '', to: 'asset_tag', max: 50, isNullable: true }),
    {
      name: 'site',
      type: { is: 'object', of: 'dcim.site' },
      read: ({ device }, world) => nestSiteAt(world, device.datacenter_id),
      write: writeSite,
    },
    {
      name: 'location',
      type: { is: 'object', of: 'dcim.location' },
      isNullable: true,
      read: ({ device }, world) =>
        nestPlace(world, findNearest(world.get(PLACES), device.datacenter_id, 'dcim.location')),
      write: writeLocation,
    },
    {
      name: 'rack',
      type: { is: 'object', of: 'dcim.rack' },
      isNullable: true,
      read: ({ device }, world) => nestRack(world, device.mount?.rack_id),
      write: async (value, draft) => {
        const key = await draft.resolve(RESOLVERS['dcim.rack'], value)
        if (key === null) draft.set('mount', null)
        else if (key !== undefined) setMount(draft, { rack_id: key })
      },
    },
    {
      name: 'position',
      type: { is: 'decimal' },
      isNullable: true,
      read: ({ device }) => device.mount?.position ?? null,
      write: (value, draft) => {
        const position = parseNumber(value, draft)
        if (position === undefined || (position === null && !draft.item?.device.mount && !draft.sent.rack)) return
        if (draft.sent.rack !== null) setMount(draft, { position })
      },
    },
    {
      name: 'face',
      type: { is: 'choice', of: DEVICE_FACE },
      isNullable: true,
      read: ({ device }) => toChoice(DEVICE_FACE, device.mount?.face),
      write: (value, draft) => {
        const face = parseChoice(value, draft, DEVICE_FACE)
        if (face === undefined || face === '') return
        if (draft.sent.rack !== null && (draft.sent.rack || draft.item?.device.mount)) setMount(draft, { face })
        else draft.refuse('Cannot select a rack face without assigning a rack.')
      },
    },
    custom.number('latitude'),
    custom.number('longitude'),
    readOnly('parent_device', { is: 'object', of: 'dcim.device' }, () => null),
    statusField(custom, DEVICE_STATUS),
    custom.choice('airflow', AIRFLOW),
    readOnly('primary_ip', { is: 'object', of: 'ipam.ipaddress' }, (item, world) => {
      const primary = getPrimary(item)
      return primary ? nestAddress(world, primary) : null
    }),
    primaryField('primary_ip4', 4),
    primaryField('primary_ip6', 6),
    custom.nothing('oob_ip'),
    custom.cluster(),
    custom.nothing('virtual_chassis'),
    custom.number('vc_position', { isInteger: true }),
    custom.number('vc_priority', { isInteger: true }),
    description,
    custom.nothing('owner'),
    comments,
    custom.nothing('config_template'),
    readOnly('config_context', 'json', () => ({})),
    custom.nothing('local_context_data'),
    tagsField,
    custom.rest(),
    ...times<DeviceItem>(({ device }) => device),
    readOnly('console_port_count', 'integer', ({ counts }) => counts.consoles),
    readOnly('console_server_port_count', 'integer', ZERO),
    readOnly('power_port_count', 'integer', ({ counts }) => counts.power),
    readOnly('power_outlet_count', 'integer', ZERO),
    readOnly('interface_count', 'integer', ({ counts }) => counts.interfaces),
    readOnly('front_port_count', 'integer', ZERO),
    readOnly('rear_port_count', 'integer', ZERO),
    readOnly('device_bay_count', 'integer', ZERO),
    readOnly('module_bay_count', 'integer', ZERO),
    readOnly('inventory_item_count', 'integer', ZERO),
  ],
  custom,
  times: DEVICE_TIMES,
  source: createDeviceSource(false),
  prepare: (world) =>
    prepareWorld(world, {
      sets: NESTED_SETS,
      names: ['dcim.devicerole', 'dcim.platform', 'dcim.manufacturer', 'extras.tag'],
      definitions: ['devices', 'spaces', 'tenants', 'clusters'],
    }),
  filters: {
    ...deviceFilters(custom, { hasUnassigned: true }),
    asset_tag: textFilter({ get: ({ device }) => device.asset_tag ?? '' }),
    status: statusFilter(custom, DEVICE_STATUS),
    ...objectFilters<DeviceItem>('device_type', 'slug', {
      of: RESOLVERS['dcim.devicetype'],
      keys: (item) => [typeKey(item)],
      sql: hasType,
    }),
    ...objectFilters<DeviceItem>('manufacturer', 'slug', {
      of: RESOLVERS['dcim.manufacturer'],
      keys: ({ device }, world) => [
        buildNameKey(world.get(TYPES).find(device.device_type_id)?.manufacturer ?? UNKNOWN),
      ],
    }),
    ...objectFilters<DeviceItem>('rack', 'name', {
      of: RESOLVERS['dcim.rack'],
      keys: ({ device }) => (device.mount ? [device.mount.rack_id] : []),
      column: 'devices.rack_id',
    }),
    position: numberFilter({
      get: ({ device }) => device.mount?.position ?? null,
      parse: parseDecimal,
      type: 'number',
    }),
    face: choiceFilter({ choices: DEVICE_FACE, get: ({ device }) => device.mount?.face ?? null }),
  },
  writes: createDeviceWrites(undefined),
}
