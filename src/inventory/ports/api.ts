/** The ports contract: the interfaces, consoles and power sockets of devices, and the ports of panels. Browser-safe. */
import { z } from 'zod'
import { ManagedByFilter } from '../../contract/fields/external-fields.ts'
import { Filter, flagOr, idOf, named, Page, text } from '../../contract/fields/fields.ts'
import { sortField } from '../../contract/fields/sort.ts'
import { BulkFields, buildBulkRules, createBulkInput, createBulkOutput } from '../../kernel/bulk/bulk.ts'
import { operation } from '../../kernel/operation.ts'
import { crud } from '../../resource/crud.ts'
import { customFilter } from '../../resource/custom/fields.ts'
import { Side } from './end.ts'
import { portFacts } from './resource.ts'

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

export const PortName = named(64)
export const PortKindInput = z
  .enum([...PortKind.options, ''], { error: `must be one of ${PortKind.options.join(', ')}` })
  .nullable()
  .transform((kind) => kind || 'network')
/** The type of a port. */
export const PortType = text(64).describe('Such as 1000base-t')
export const PassThrough = flagOr(false).describe('The port of a panel, with a front and a rear')

const VlanNumber = z.int().min(1).max(4094)

const base = crud(portFacts, {
  schemas: {
    device_id: {
      patch: idOf('devices')
        .optional()
        .describe('A port stays at its device: only the same one, or that of a new port by a ref'),
    },
    tagged_vlan_ids: {
      input: z
        .array(VlanNumber)
        .max(4094)
        .nullable()
        .transform((numbers) => [...new Set(numbers ?? [])].sort((a, b) => a - b))
        .describe('The tagged VLAN numbers'),
      answer: z.array(z.int()).describe('The tagged VLAN numbers'),
    },
    peers: { answer: z.array(Peer).optional().describe('With include=peers: the other end of each cable') },
  },
  listInput: () =>
    z.object({
      device_id: idOf('devices').optional(),
      mac: Filter.optional().describe('The MAC address, in any notation'),
      kind: PortKind.optional(),
      managed_by: ManagedByFilter,
      custom: customFilter('ports'),
      sort: sortField(),
      ...Page,
    }),
})
export const { Item: Port, Draft: PortDraft, Patch: PortPatch } = base
export type Port = z.infer<typeof Port>
export type PortDraft = z.output<typeof PortDraft>
export type PortPatch = z.output<typeof PortPatch>

export const ports = {
  list: base.operations.list,
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
  get: base.operations.get,
  update: base.operations.update,
  delete: base.operations.delete,
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
    recorded: () => createBulkInput({ port: base.Partial() }),
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
