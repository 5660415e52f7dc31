/** The networks contract. Browser-safe. */
import { z } from 'zod'
import { parseCidr } from '../../net/cidr.ts'
import { BY_REF, ManagedBy, ManagedByFilter, Refs, RefsInput } from '../../platform/contract/external-fields.ts'
import {
  draft,
  Filter,
  idOf,
  Name,
  NewId,
  optionalNumber,
  Page,
  patch,
  reference,
  Timestamp,
  text,
} from '../../platform/contract/fields.ts'
import { sortField } from '../../platform/contract/sort.ts'
import { CIDR_PATTERN, matchWhole } from '../../platform/contract/text-rules.ts'
import { BulkFields, buildBulkRules, createBulkInput, createBulkOutput } from '../../platform/operation/bulk.ts'
import { operation } from '../../platform/operation/operation.ts'
import { customFilter, customInput, customOutput } from '../custom-fields/fields.ts'
import { Device } from '../devices/schema.ts'
import { SpaceFilter, SpaceId, SpaceOf } from '../spaces/fields.ts'

export const Utilization = z
  .object({
    network_id: z.string(),
    total_ips: z.int(),
    used_ips: z.int(),
    available_ips: z.int(),
    utilization: z.number().describe('Percent, two decimals'),
    children: z.int().optional().describe('The networks directly in it; absent without any, as the next fields'),
    allocated_ips: z.int().optional().describe('Addresses that these cover'),
    allocated: z.number().optional().describe('Percent of its addresses that these cover, two decimals'),
    nested_used_ips: z.int().optional().describe('Distinct addresses that belong to it or to any network in it'),
  })
  .meta({ id: 'NetworkUtilization' })
export type Utilization = z.infer<typeof Utilization>

const COLUMNS = ['id', 'name', 'subnet', 'vlan_id', 'datacenter_id', 'description']

export const Network = z
  .object({
    id: z.string(),
    name: z.string(),
    subnet: z.string(),
    vlan_id: z.int().nullable(),
    datacenter_id: z.string().nullable(),
    description: z.string(),
    refs: Refs,
    managed_by: z.string(),
    created_at: Timestamp,
    updated_at: Timestamp,
    space_id: SpaceOf,
    custom: customOutput('networks'),
  })
  .meta({ id: 'Network', columns: COLUMNS })
export type Network = z.infer<typeof Network>

/** A network with the fields that a caller of the list asks for. */
export const ListedNetwork = Network.extend({
  utilization: Utilization.optional(),
  parent_id: z.string().nullable().optional().describe('The most specific network that contains it; null at the top'),
  depth: z.int().optional().describe('0 at the top'),
  children: z.int().optional().describe('The number of networks directly in it'),
}).meta({ id: 'ListedNetwork', columns: COLUMNS })
export type ListedNetwork = z.infer<typeof ListedNetwork>

const Subnet = z
  .string()
  .max(64)
  .refine((value) => parseCidr(value) !== undefined, {
    error: 'must be an IPv4 or IPv6 network with a prefix length, like 10.0.0.0/24',
  })
  .meta({ exact: { pattern: matchWhole(CIDR_PATTERN) } })

const fields = {
  vlan_id: optionalNumber(1, 4094),
  datacenter_id: reference('datacenters'),
  description: text(4096),
  refs: RefsInput,
  managed_by: ManagedBy,
  space_id: SpaceId,
  custom: customInput('networks'),
}

export const NetworkDraft = z.object({ id: NewId.optional(), name: Name, subnet: Subnet, ...draft(fields) })
export type NetworkDraft = z.output<typeof NetworkDraft>

export const NetworkPatch = z.object({ id: idOf('networks'), ...patch({ name: Name, subnet: Subnet, ...fields }) })
export type NetworkPatch = z.output<typeof NetworkPatch>

const One = z.object({ id: idOf('networks') })

export const networks = {
  list: operation({
    name: 'networks.list',
    summary: 'List networks',
    http: 'GET /api/networks',
    supportsAsOf: true,
    access: 'networks:list',
    scope: 'filter',
    mcp: 'listed',
    input: () =>
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
    output: () => z.array(ListedNetwork),
  }),
  create: operation({
    name: 'networks.create',
    summary: 'Create a network',
    http: 'POST /api/networks',
    status: 201,
    effect: 'create',
    hasHistory: true,
    access: 'networks:create',
    scope: 'checkWrite',
    cli: { args: ['name', 'subnet'] },
    input: NetworkDraft,
    output: Network,
  }),
  get: operation({
    name: 'networks.get',
    summary: 'Show a network',
    http: 'GET /api/networks/{id}',
    supportsAsOf: true,
    access: 'networks:read',
    scope: 'checkPath',
    mcp: 'listed',
    input: One,
    output: Network,
  }),
  update: operation({
    name: 'networks.update',
    summary: 'Change some fields of a network',
    description: BY_REF,
    http: 'PUT /api/networks/{id}',
    alsoAnswers: { 201: 'same' },
    hasHistory: true,
    createsByRef: true,
    access: 'networks:update',
    scope: 'checkWrite',
    input: NetworkPatch,
    output: Network,
  }),
  delete: operation({
    name: 'networks.delete',
    summary:
      'Delete a network with its pools, reservations, scans and discovered devices; addresses stay, without a network',
    http: 'DELETE /api/networks/{id}',
    hasHistory: true,
    access: 'networks:delete',
    scope: 'checkWrite',
    input: One,
    output: () => z.void(),
  }),
  devices: operation({
    name: 'networks.devices',
    summary: 'List the devices with an address in a network',
    http: 'GET /api/networks/{id}/devices',
    supportsAsOf: true,
    access: 'devices:list',
    scope: 'filter',
    input: () => z.object({ id: idOf('networks'), ...Page }),
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
    input: One,
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
    recorded: () => createBulkInput({ network: z.object(patch({ id: NewId, name: Name, subnet: Subnet, ...fields })) }),
  }),
}
