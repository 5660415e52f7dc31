/** The ports contract: the interfaces, consoles and power sockets of devices, and the ports of panels. Browser-safe. */
import { z } from 'zod'
import { MacAddress } from '../../platform/contract/address-field.ts'
import { BY_REF, ManagedBy, ManagedByFilter, Refs, RefsInput } from '../../platform/contract/external-fields.ts'
import {
  draft,
  Filter,
  flagOr,
  idOf,
  NewId,
  optionalNumber,
  Page,
  patch,
  reference,
  Timestamp,
  text,
  trimmed,
} from '../../platform/contract/fields.ts'
import { sortField } from '../../platform/contract/sort.ts'
import { BulkFields, buildBulkRules, createBulkInput, createBulkOutput } from '../../platform/operation/bulk.ts'
import { operation } from '../../platform/operation/operation.ts'
import { customFilter, customInput, customOutput } from '../custom-fields/fields.ts'
import { Side } from './end.ts'

/** The largest number of ports of one device. */
export const MAX_PORTS = 2000

export const PortKind = z.enum(['network', 'console', 'power'])
export type PortKind = z.infer<typeof PortKind>

const Peer = z
  .object({
    side: Side,
    cable_id: z.string(),
    device_id: z.string(),
    device: z.string().describe('The name of the device'),
    port_id: z.string(),
    port: z.string().describe('The name of the port'),
    port_side: Side,
  })
  .meta({ id: 'PortPeer' })
export type Peer = z.infer<typeof Peer>

export const Port = z
  .object({
    id: z.string(),
    device_id: z.string(),
    name: z.string(),
    kind: PortKind,
    type: z.string(),
    speed_mbps: z.int().nullable(),
    mac_address: z.string(),
    enabled: z.boolean(),
    parent_id: z
      .string()
      .nullable()
      .describe('The port of the same device that this one is part of: a LAG, or the port of a breakout'),
    pass_through: z.boolean().describe('The port of a panel, with a front and a rear'),
    vlan_id: z.int().nullable().describe('The untagged VLAN number'),
    tagged_vlan_ids: z.array(z.int()).describe('The tagged VLAN numbers'),
    description: z.string(),
    refs: Refs,
    managed_by: z.string(),
    created_at: Timestamp,
    updated_at: Timestamp,
    custom: customOutput('ports'),
    peers: z.array(Peer).optional().describe('With include=peers: the other end of each cable'),
  })
  .meta({ id: 'Port', columns: ['id', 'device_id', 'name', 'kind', 'type', 'mac_address', 'description'] })
export type Port = z.infer<typeof Port>

export const PortName = trimmed(64)
export const PortKindInput = z
  .enum([...PortKind.options, ''], { error: `must be one of ${PortKind.options.join(', ')}` })
  .nullable()
  .transform((kind) => kind || 'network')
/** The type of a port. */
export const PortType = text(64).describe('Such as 1000base-t')
export const PassThrough = flagOr(false).describe('The port of a panel, with a front and a rear')

const VlanNumber = z.int().min(1).max(4094)

const fields = {
  kind: PortKindInput,
  type: PortType,
  speed_mbps: optionalNumber(1, 1_000_000_000),
  mac_address: MacAddress,
  enabled: flagOr(true),
  parent_id: reference('ports').describe(
    'The port of the same device that this one is part of: a LAG, or the port of a breakout',
  ),
  pass_through: PassThrough,
  vlan_id: optionalNumber(1, 4094).describe('The untagged VLAN number'),
  tagged_vlan_ids: z
    .array(VlanNumber)
    .max(4094)
    .nullable()
    .transform((numbers) => [...new Set(numbers ?? [])].sort((a, b) => a - b))
    .describe('The tagged VLAN numbers'),
  description: text(4096),
  refs: RefsInput,
  managed_by: ManagedBy,
  custom: customInput('ports'),
}

export const PortDraft = z.object({
  id: NewId.optional(),
  device_id: idOf('devices'),
  name: PortName,
  ...draft(fields),
})
export type PortDraft = z.output<typeof PortDraft>

export const PortPatch = z.object({
  id: idOf('ports'),
  device_id: idOf('devices')
    .optional()
    .describe('A port stays at its device: only the same one, or that of a new port by a ref'),
  ...patch({ name: PortName, ...fields }),
})
export type PortPatch = z.output<typeof PortPatch>

const One = z.object({ id: idOf('ports') })

export const ports = {
  list: operation({
    name: 'ports.list',
    summary: 'List ports, by device and name',
    http: 'GET /api/ports',
    supportsAsOf: true,
    access: 'ports:list',
    scope: 'filter',
    input: () =>
      z.object({
        device_id: idOf('devices').optional(),
        mac: Filter.optional().describe('The MAC address, in any notation'),
        kind: PortKind.optional(),
        managed_by: ManagedByFilter,
        custom: customFilter('ports'),
        sort: sortField(),
        ...Page,
      }),
    output: () => z.array(Port),
  }),
  device: operation({
    name: 'ports.device',
    summary: 'List the ports of a device, by name; numbers in names sort by their value',
    http: 'GET /api/devices/{device_id}/ports',
    supportsAsOf: true,
    access: 'ports:list',
    scope: 'filter',
    shows: ['cables', 'devices'],
    cli: { command: 'device ports' },
    input: () =>
      z.object({
        device_id: idOf('devices'),
        include: z.enum(['peers']).optional().describe('Adds the other end of each cable of each port'),
        ...Page,
      }),
    output: () => z.array(Port),
  }),
  create: operation({
    name: 'ports.create',
    summary: 'Create a port of a device',
    http: 'POST /api/devices/{device_id}/ports',
    status: 201,
    effect: 'create',
    hasHistory: true,
    serializeBy: ({ device_id }) => device_id,
    access: 'ports:create',
    scope: 'checkWrite',
    cli: { args: ['device_id', 'name'] },
    input: PortDraft,
    output: Port,
  }),
  get: operation({
    name: 'ports.get',
    summary: 'Show a port',
    http: 'GET /api/ports/{id}',
    supportsAsOf: true,
    access: 'ports:read',
    scope: 'checkPath',
    input: One,
    output: Port,
  }),
  update: operation({
    name: 'ports.update',
    summary: 'Change some fields of a port; a new name also goes to `interface` of the addresses of its device',
    description: BY_REF,
    http: 'PUT /api/ports/{id}',
    alsoAnswers: { 201: 'same' },
    hasHistory: true,
    createsByRef: true,
    access: 'ports:update',
    scope: 'checkWrite',
    input: PortPatch,
    output: Port,
  }),
  delete: operation({
    name: 'ports.delete',
    summary: 'Delete a port with its cables',
    http: 'DELETE /api/ports/{id}',
    hasHistory: true,
    access: 'ports:delete',
    scope: 'checkWrite',
    input: One,
    output: () => z.void(),
  }),
  bulk: operation({
    name: 'ports.bulk',
    summary: 'Create, update and delete up to 1,000 ports in one call',
    http: 'POST /api/ports/bulk',
    effect: 'action',
    hasHistory: true,
    isBulk: true,
    access: { anyOf: ['ports:create', 'ports:update', 'ports:delete'] },
    scope: 'checkWrite',
    maxBodyBytes: 16 * 1024 * 1024,
    input: () => createBulkInput({ port: BulkFields }),
    output: () => createBulkOutput({ port: Port.optional() }),
    bodyRules: () =>
      buildBulkRules('port', { create: PortDraft, update: PortPatch, example: { device_id: 'sw-1', name: 'Gi0/1' } }),
    recorded: () =>
      createBulkInput({ port: z.object(patch({ id: NewId, device_id: idOf('devices'), name: PortName, ...fields })) }),
  }),
  adopt: operation({
    name: 'ports.adopt',
    summary: 'Add the ports and MAC addresses that SNMP reported of a device and that it lacks',
    http: 'POST /api/devices/{device_id}/ports/adopt',
    effect: 'action',
    hasHistory: true,
    access: 'ports:create',
    scope: 'checkWrite',
    input: z.object({ device_id: idOf('devices') }),
    output: () => z.object({ added: z.int(), updated: z.int() }).meta({ id: 'AdoptedPorts' }),
  }),
}
