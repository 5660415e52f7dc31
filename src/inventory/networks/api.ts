/** The networks contract. Browser-safe. */
import { z } from 'zod'
import { ManagedByFilter } from '../../contract/fields/external-fields.ts'
import { Filter, idOf, Page } from '../../contract/fields/fields.ts'
import { sortField } from '../../contract/fields/sort.ts'
import { CIDR_PATTERN, matchWhole } from '../../contract/fields/text-rules.ts'
import { BulkFields, buildBulkRules, createBulkInput, createBulkOutput } from '../../kernel/bulk/bulk.ts'
import { operation } from '../../kernel/operation.ts'
import { parseCidr } from '../../net/cidr.ts'
import { crud } from '../../resource/crud.ts'
import { customFilter } from '../../resource/custom/fields.ts'
import { Device } from '../devices/schema.ts'
import { SpaceFilter, SpaceId, SpaceOf } from '../spaces/fields.ts'
import { networkFacts } from './resource.ts'

export const Utilization = z
  .object({
    network_id: z.string(),
    total_ips: z.int(),
    used_ips: z.int().describe('Addresses that a device has'),
    reserved_ips: z.int().describe('Addresses that a reservation holds and no device has'),
    available_ips: z.int(),
    utilization: z.number().describe('Percent of addresses that are not available, two decimals'),
    children: z.int().optional().describe('The networks directly in it; absent without any, as the next fields'),
    allocated_ips: z.int().optional().describe('Addresses that these cover'),
    allocated: z.number().optional().describe('Percent of its addresses that these cover, two decimals'),
    nested_used_ips: z.int().optional().describe('Distinct used addresses of it and of all networks in it'),
    nested_reserved_ips: z.int().optional().describe('Reserved addresses of it and of all networks in it'),
  })
  .meta({ id: 'NetworkUtilization' })
export type Utilization = z.infer<typeof Utilization>

const Subnet = z
  .string()
  .max(64)
  .refine((value) => parseCidr(value) !== undefined, {
    error: 'must be an IPv4 or IPv6 network with a prefix length, like 10.0.0.0/24',
  })
  .meta({ exact: { pattern: matchWhole(CIDR_PATTERN) } })

const base = crud(networkFacts, {
  schemas: {
    subnet: { input: Subnet, answer: z.string() },
    space_id: { input: SpaceId, answer: SpaceOf },
  },
  listed: {
    utilization: Utilization.optional(),
    parent_id: z.string().nullable().optional().describe('The most specific network that contains it; null at the top'),
    depth: z.int().optional().describe('0 at the top'),
    children: z.int().optional().describe('The number of networks directly in it'),
  },
  listInput: () =>
    z.object({
      name: Filter.optional().describe('Part of the name, in any case'),
      datacenter_id: idOf('datacenters').optional(),
      vlan_id: z.int().optional(),
      space_id: SpaceFilter,
      managed_by: ManagedByFilter,
      custom: customFilter('networks'),
      include: z
        .array(z.enum(['utilization', 'tree']))
        .optional()
        .describe('Adds the utilization of each network, or its place in the tree'),
      sort: sortField(['subnet']),
      ...Page,
    }),
})
export const { Item: Network, Listed: ListedNetwork, Draft: NetworkDraft, Patch: NetworkPatch } = base
export type Network = z.infer<typeof Network>
/** A network with the fields that a caller of the list asks for. */
export type ListedNetwork = z.infer<typeof ListedNetwork>
export type NetworkDraft = z.output<typeof NetworkDraft>
export type NetworkPatch = z.output<typeof NetworkPatch>

export const networks = {
  ...base.operations,
  devices: operation({
    name: 'networks.devices',
    summary: 'List the devices with an address in a network',
    http: 'GET /api/networks/{id}/devices',
    supportsAsOf: true,
    access: 'devices:list',
    scope: 'filter',
    input: () =>
      z.object({
        id: idOf('networks'),
        nested: z.boolean().default(false).describe('Those of the networks inside it too'),
        ...Page,
      }),
    output: () => z.array(Device),
  }),
  utilization: operation({
    name: 'networks.utilization',
    summary: 'Show the utilization of a network',
    http: 'GET /api/networks/{id}/utilization',
    supportsAsOf: true,
    access: 'networks:read',
    scope: 'filter',
    shows: ['networks'],
    input: () => z.object({ id: idOf('networks') }),
    output: Utilization,
  }),
  bulk: operation({
    name: 'networks.bulk',
    summary: 'Create, update and delete up to 1,000 networks in one call',
    http: 'POST /api/networks/bulk',
    effect: 'action',
    hasHistory: true,
    isBulk: true,
    access: { anyOf: ['networks:create', 'networks:update', 'networks:delete'] },
    scope: 'checkWrite',
    maxBodyBytes: 16 * 1024 * 1024,
    input: () => createBulkInput({ network: BulkFields }),
    output: () => createBulkOutput({ network: Network.optional() }),
    bodyRules: () =>
      buildBulkRules('network', {
        create: NetworkDraft,
        update: NetworkPatch,
        example: { name: 'servers', subnet: '10.0.20.0/24' },
      }),
    recorded: () => createBulkInput({ network: base.Partial() }),
  }),
}
