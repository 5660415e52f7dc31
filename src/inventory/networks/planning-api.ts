/** The contract of planning: networks as a tree, and subnets that are allocated, split and merged. Browser-safe. */
import { z } from 'zod'
import { idOf, Name, optionalNumber, reference, text } from '../../contract/fields/fields.ts'
import { operation } from '../../kernel/operation.ts'
import { customInput } from '../../resource/custom/fields.ts'
import { Network, Utilization } from './api.ts'

/** The largest number of networks of one allocation, split or merge. */
export const MAX_SUBNETS = 256
/** The largest number of free blocks in a tree. */
export const MAX_FREE = 1024

export const FreeBlock = z
  .object({
    subnet: z.string(),
    total_ips: z.int().describe('All addresses of the block'),
    used_ips: z.int().describe('Addresses in it that a device or a live reservation has'),
    pools: z
      .array(z.object({ id: z.string(), name: z.string(), start_ip: z.string(), end_ip: z.string() }))
      .describe('The pools of the network that overlap it'),
  })
  .meta({ id: 'FreeBlock', columns: ['subnet', 'total_ips', 'used_ips'] })
export type FreeBlock = z.infer<typeof FreeBlock>

export const NetworkTree = z
  .object({
    network: Network,
    parents: z.array(Network).describe('The networks that contain it, the outermost first'),
    children: z
      .array(Network.extend({ utilization: Utilization }).meta({ id: 'NetworkInTree' }))
      .describe('The networks directly in it, by address'),
    free: z.array(FreeBlock).describe('The fewest blocks that cover all that no network in it covers, by address'),
    more: z.boolean().describe(`There are more than ${MAX_FREE} free blocks`),
  })
  .meta({ id: 'NetworkTree' })
export type NetworkTree = z.infer<typeof NetworkTree>

const Moved = z
  .object({
    pools: z.int(),
    reservations: z.int().describe('Live reservations of these pools'),
    addresses: z.int().describe('Addresses of devices that named the network'),
  })
  .meta({ id: 'MovedContents' })
export type Moved = z.infer<typeof Moved>

const Lost = z.object({ scans: z.int(), discovered_devices: z.int(), rules: z.int() }).meta({ id: 'LostWithNetworks' })
export type Lost = z.infer<typeof Lost>

const One = z.object({ id: idOf('networks') })
const PrefixLength = z.int().min(0).max(128)
const Count = z.int().min(1).max(MAX_SUBNETS).default(1)

export const SubnetRequest = z.object({
  id: idOf('networks').describe('The network around them'),
  prefix_length: PrefixLength.describe('Greater than that of the network'),
  count: Count,
})

export const SubnetAllocation = SubnetRequest.extend({
  name: Name.optional().describe('By default the subnet. Several get -1, -2 ... behind it'),
  vlan_id: optionalNumber(1, 4094).prefault(null),
  datacenter_id: reference('datacenters').optional().describe('By default that of the network around them'),
  description: text(4096).prefault(null),
  custom: customInput('networks').prefault(null),
})
export type SubnetAllocation = z.output<typeof SubnetAllocation>

const Networks = z.object({ networks: z.array(Network) })

export const planning = {
  tree: operation({
    name: 'networks.tree',
    summary: 'Show the networks around and in one, and the free blocks between them',
    http: 'GET /api/networks/{id}/tree',
    supportsAsOf: true,
    access: 'networks:read',
    scope: 'filter',
    shows: ['networks', 'pools'],
    mcp: 'listed',
    input: One,
    output: NetworkTree,
  }),
  nextSubnet: operation({
    name: 'networks.next-subnet',
    summary: 'Show the lowest free subnets of a network; records nothing',
    description:
      'A free subnet overlaps no network and no pool of the network, and no address in it is taken. A pool of all usable addresses of the network does not count.',
    http: 'GET /api/networks/{id}/next-subnet',
    access: 'networks:read',
    scope: 'checkPath',
    input: SubnetRequest,
    output: () => z.object({ subnets: z.array(z.string()) }).meta({ id: 'NextSubnets' }),
  }),
  allocate: operation({
    name: 'networks.allocate',
    summary: 'Create networks in the lowest free subnets of one, each for one caller only',
    http: 'POST /api/networks/{id}/allocate',
    status: 201,
    effect: 'create',
    hasHistory: true,
    serializeBy: ({ id }) => id,
    access: 'networks:create',
    scope: 'checkWrite',
    mcp: 'listed',
    input: SubnetAllocation,
    output: () => Networks.meta({ id: 'AllocatedNetworks' }),
  }),
  split: operation({
    name: 'networks.split',
    summary: 'Create a network in each free block of one length; pools and addresses in them move there',
    description: 'Needs networks:update too. The network stays, and contains the new ones.',
    http: 'POST /api/networks/{id}/split',
    status: 201,
    effect: 'create',
    hasHistory: true,
    access: 'networks:create',
    scope: 'checkWrite',
    input: () =>
      One.extend({
        prefix_length: PrefixLength.describe('Greater than that of the network'),
        custom: customInput('networks')
          .optional()
          .describe('Values of custom fields of the new networks, which have those of the network but the unique ones'),
      }),
    output: () => z.object({ network: Network, networks: z.array(Network), moved: Moved }).meta({ id: 'SplitNetwork' }),
  }),
  merge: operation({
    name: 'networks.merge',
    summary: 'Merge networks that make up one block into the one with the lowest address',
    description:
      'Needs networks:delete too. Pools, reservations and addresses of the others move to it. Their scans, discovered devices and discovery rules are deleted with them.',
    http: 'POST /api/networks/merge',
    effect: 'action',
    hasHistory: true,
    isBulk: true,
    access: 'networks:update',
    scope: 'checkWrite',
    input: () =>
      z.object({
        network_ids: z.array(idOf('networks')).min(2).max(MAX_SUBNETS),
        name: Name.optional().describe('By default that of the network that is kept'),
      }),
    output: () =>
      z
        .object({
          network: Network,
          removed: z.array(Network).describe('The networks that are gone'),
          moved: Moved,
          lost: Lost,
        })
        .meta({ id: 'MergedNetwork' }),
  }),
}
