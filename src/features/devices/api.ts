/** The devices contract. Browser-safe. */
import { z } from 'zod'
import { DEFAULT_SPACE, parseIp, toIpKey } from '../../net/ip.ts'
import { getBlock } from '../../net/occupancy.ts'
import { DnsName, IpAddress, MacAddress } from '../../platform/contract/address-field.ts'
import { BY_REF, ManagedBy, ManagedByFilter, RefsInput } from '../../platform/contract/external-fields.ts'
import {
  draft,
  Filter,
  filterGivenTexts,
  idOf,
  line,
  Name,
  NewId,
  optionalNumber,
  Page,
  patch,
  reference,
  ruledText,
  SearchText,
  Tags,
  text,
} from '../../platform/contract/fields.ts'
import { sortField } from '../../platform/contract/sort.ts'
import { DOMAIN_NAME, HOST_NAME, matchWhole } from '../../platform/contract/text-rules.ts'
import { BulkFields, buildBulkRules, createBulkInput, createBulkOutput } from '../../platform/operation/bulk.ts'
import { operation } from '../../platform/operation/operation.ts'
import { type CustomPatch, customFilter, customInput } from '../custom-fields/fields.ts'
import { MountInput } from '../racks/mount.ts'
import { SpaceFilter, SpaceId, withSpace } from '../spaces/fields.ts'
import { Device, DeviceStatus } from './schema.ts'

/** The largest number of tags of one device. */
export const MAX_TAGS = 100

/** The largest number of addresses of one device. */
export const MAX_ADDRESSES = 1000

type CustomValues = NonNullable<CustomPatch>

const AddressInput = z
  .object({
    ip: IpAddress,
    port: optionalNumber(1, 65_535).prefault(null),
    type: text(64).prefault(null).describe('ipv4 or ipv6 by its family, where absent'),
    label: text(128).prefault(null),
    network_id: reference('networks').prefault(null),
    switch_port: text(255).prefault(null),
    interface: text(64).prefault(null).describe('The port of the device itself'),
    mac_address: MacAddress.prefault(null),
    dns_name: DnsName.prefault(null).describe('Its name in the DNS'),
    pool_id: reference('pools').prefault(null),
    space_id: SpaceId.prefault(null),
    custom: customInput('addresses').prefault(null),
  })
  .transform(({ interface: port, space_id, custom, ...address }) => {
    const type = address.type || (address.ip.includes(':') ? 'ipv6' : 'ipv4')
    const values: { readonly custom?: CustomValues | undefined } = custom ? { custom } : {}
    return withSpace({ ...address, ...filterGivenTexts({ interface: port }), type, ...values }, space_id)
  })

const fields = {
  hostname: ruledText(253, HOST_NAME),
  description: text(4096),
  make_model: text(255),
  os: text(255),
  status: z
    .enum([...DeviceStatus.options, ''], { error: `must be one of ${DeviceStatus.options.join(', ')}` })
    .nullable()
    .transform((status) => status || 'active'),
  datacenter_id: reference('datacenters'),
  username: text(255),
  location: text(255),
  tags: Tags,
  addresses: z
    .array(AddressInput)
    .max(MAX_ADDRESSES)
    .nullable()
    .transform((addresses) => addresses ?? []),
  domains: z
    .array(
      line(253)
        .refine(DOMAIN_NAME.holds, { error: DOMAIN_NAME.error })
        .meta({ exact: { pattern: matchWhole(DOMAIN_NAME.pattern) } }),
    )
    .nullable()
    .transform((domains) => domains ?? []),
  refs: RefsInput,
  managed_by: ManagedBy,
  device_type_id: reference('device-types').describe('The device type'),
  mount: MountInput,
  custom: customInput('devices'),
}

export const DeviceDraft = z.object({ id: NewId.optional(), name: Name, ...draft(fields) })
export type DeviceDraft = z.output<typeof DeviceDraft>

/** Changes single tags, so that concurrent changes of other tags are kept. */
const retag = {
  add_tags: Tags.describe('Adds these tags and keeps the others'),
  remove_tags: Tags.describe('Removes these tags and keeps the others'),
}

export const DevicePatch = z.object({ id: idOf('devices'), ...patch({ name: Name, ...fields, ...retag }) })
export type DevicePatch = z.output<typeof DevicePatch>

const One = z.object({ id: idOf('devices') })

/** Returns the blocks and pools of the addresses, which a new device locks. The blocks of all spaces count as one. */
const buildLockKey = ({ addresses }: Pick<DeviceDraft, 'addresses'>): string | undefined => {
  if (addresses.length === 0) return undefined
  const places = addresses.flatMap(({ ip, pool_id }) => {
    const address = parseIp(ip)
    return [...(address ? [getBlock(toIpKey(address, DEFAULT_SPACE))] : []), ...(pool_id === null ? [] : [pool_id])]
  })
  return [...new Set(places)].sort().join(' ')
}

export const devices = {
  list: operation({
    name: 'devices.list',
    summary: 'List devices',
    http: 'GET /api/devices',
    supportsAsOf: true,
    access: 'devices:list',
    scope: 'filter',
    mcp: 'listed',
    input: () =>
      z.object({
        tags: z.array(Filter).optional().describe('Only devices with all these tags'),
        datacenter_id: idOf('datacenters').optional(),
        network_id: idOf('networks').optional(),
        space_id: SpaceFilter.describe('Only devices with an address in this space, or `default`'),
        status: DeviceStatus.optional(),
        rack_id: idOf('racks').optional(),
        device_type_id: idOf('device-types').optional(),
        managed_by: ManagedByFilter,
        custom: customFilter('devices'),
        q: SearchText.optional().describe('Words of a search, or a CIDR'),
        sort: sortField(),
        ...Page,
      }),
    output: () => z.array(Device),
  }),
  search: operation({
    name: 'devices.search',
    summary: 'Find devices by name, host name, description, model, system, location, address, MAC, tag or domain',
    description: 'Every word must match somewhere. A CIDR finds the devices with an address inside it.',
    http: 'GET /api/devices/search',
    supportsAsOf: true,
    access: 'devices:list',
    scope: 'filter',
    cli: { args: ['q'] },
    input: () => z.object({ q: SearchText, ...Page }),
    output: () => z.array(Device),
  }),
  create: operation({
    name: 'devices.create',
    summary: 'Create a device',
    http: 'POST /api/devices',
    status: 201,
    effect: 'create',
    hasHistory: true,
    serializeBy: buildLockKey,
    access: 'devices:create',
    scope: 'checkWrite',
    mcp: 'listed',
    cli: { args: ['name'] },
    input: DeviceDraft,
    output: Device,
  }),
  get: operation({
    name: 'devices.get',
    summary: 'Show a device',
    http: 'GET /api/devices/{id}',
    supportsAsOf: true,
    access: 'devices:read',
    scope: 'checkPath',
    mcp: 'listed',
    input: One,
    output: Device,
  }),
  update: operation({
    name: 'devices.update',
    summary: 'Change some fields of a device; a list replaces the whole list',
    description: BY_REF,
    http: 'PUT /api/devices/{id}',
    alsoAnswers: { 201: 'same' },
    hasHistory: true,
    createsByRef: true,
    access: 'devices:update',
    scope: 'checkWrite',
    mcp: 'listed',
    input: DevicePatch,
    output: Device,
  }),
  delete: operation({
    name: 'devices.delete',
    summary: 'Delete a device with its addresses and relationships',
    http: 'DELETE /api/devices/{id}',
    hasHistory: true,
    access: 'devices:delete',
    scope: 'checkWrite',
    input: One,
    output: () => z.void(),
  }),
  bulk: operation({
    name: 'devices.bulk',
    summary: 'Create, update and delete up to 1,000 devices in one call',
    http: 'POST /api/devices/bulk',
    effect: 'action',
    hasHistory: true,
    isBulk: true,
    access: { anyOf: ['devices:create', 'devices:update', 'devices:delete'] },
    scope: 'checkWrite',
    maxBodyBytes: 16 * 1024 * 1024,
    input: () => createBulkInput({ device: BulkFields }),
    output: () => createBulkOutput({ device: Device.optional() }),
    bodyRules: () =>
      buildBulkRules('device', { create: DeviceDraft, update: DevicePatch, example: { name: 'web-fra1-01' } }),
    recorded: () => createBulkInput({ device: z.object(patch({ id: NewId, name: Name, ...fields, ...retag })) }),
  }),
}
