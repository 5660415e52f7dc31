/** The contract of free addresses: of a network, and of the pools and networks that a form offers. Browser-safe. */
import { z } from 'zod'
import { DnsName, IpAddress } from '../../contract/fields/address-field.ts'
import { idOf, line, Page } from '../../contract/fields/fields.ts'
import { operation } from '../../kernel/operation.ts'
import { HeatmapEntry, NextIp, WantedCount } from '../pools/api.ts'
import { Allocation, AllocationRequest } from '../reservations/api.ts'
import { SpaceFilter, SpaceOf } from '../spaces/fields.ts'

export const NetworkAllocationRequest = AllocationRequest.extend({
  id: idOf('networks').describe('The network'),
  ip: IpAddress.optional().describe('By default the lowest free addresses of the network'),
  device_id: AllocationRequest.shape.device_id.describe(
    'Adds the addresses to this device. Without it they are reserved, in the smallest pool that holds each',
  ),
  dns_name: DnsName.optional().describe('The name in the DNS of the addresses on the device'),
  create_pool: z
    .boolean()
    .default(false)
    .describe(
      'Makes the pool "addresses" of all usable addresses of the network if no pool holds an address that is reserved (needs pools:create)',
    ),
})
export type NetworkAllocationRequest = z.output<typeof NetworkAllocationRequest>

/** Operations of networks. */
export const networkAddresses = {
  nextIp: operation({
    name: 'networks.next-ip',
    summary: 'Show the lowest free addresses of a network; records nothing',
    description: 'No device and no reservation has them, and they are in no network inside it.',
    http: 'GET /api/networks/{id}/next-ip',
    access: 'networks:read',
    scope: 'checkPath',
    input: () => z.object({ id: idOf('networks'), count: WantedCount }),
    output: NextIp,
  }),
  heatmap: operation({
    name: 'networks.heatmap',
    summary: 'Show every address of a network with its status; for networks of up to 65,536 addresses',
    http: 'GET /api/networks/{id}/heatmap',
    supportsAsOf: true,
    access: 'networks:read',
    scope: 'filter',
    shows: ['devices', 'networks'],
    input: () => z.object({ id: idOf('networks'), ...Page }),
    output: () => z.array(HeatmapEntry),
  }),
  allocateIp: operation({
    name: 'networks.allocate-ip',
    summary: 'Allocate free addresses of a network, each to one caller only',
    description: 'To a device (needs devices:update), else as reservations (needs reservations:create).',
    http: 'POST /api/networks/{id}/allocate-ip',
    status: 201,
    effect: 'create',
    hasHistory: true,
    serializeBy: ({ id }) => id,
    access: { anyOf: ['devices:update', 'reservations:create'] },
    scope: 'checkWrite',
    input: NetworkAllocationRequest,
    output: Allocation,
  }),
}

export const FreeAddress = z
  .object({
    kind: z.enum(['pool', 'network']),
    id: z.string(),
    name: z.string(),
    network_id: z.string().describe('Of a pool: its network'),
    subnet: z.string().describe('Of the network; empty if the caller may not list it'),
    space_id: SpaceOf,
    datacenter_id: z.string().nullable().describe('Of the network'),
    ip: z.string().describe('The lowest free address'),
    available_ips: z.int(),
  })
  .meta({ id: 'FreeAddress', columns: ['ip', 'kind', 'name', 'subnet', 'available_ips'] })
export type FreeAddress = z.infer<typeof FreeAddress>

/** The largest number of pools and networks of one answer. */
const MAX_OFFERED = 50

export const addresses = {
  free: operation({
    name: 'addresses.free',
    summary: 'List pools and networks with their lowest free address, best match first; records nothing',
    http: 'GET /api/addresses/free',
    access: { anyOf: ['pools:list', 'networks:list'] },
    scope: 'filterEach',
    cli: { command: 'address free' },
    input: () =>
      z.object({
        q: line(256).optional().describe('A part of the name, an address or the beginning of one'),
        datacenter_id: idOf('datacenters').optional().describe('Those of this datacenter come first'),
        space_id: SpaceFilter,
        limit: z.int().min(1).max(MAX_OFFERED).default(8),
      }),
    output: () => z.array(FreeAddress),
  }),
}
