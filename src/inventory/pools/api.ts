/** The pools contract: ranges of a network from which addresses are allocated. Browser-safe. */
import { z } from 'zod'
import { ManagedByFilter } from '../../contract/fields/external-fields.ts'
import { Filter, idOf, Page } from '../../contract/fields/fields.ts'
import { sortField } from '../../contract/fields/sort.ts'
import { operation } from '../../kernel/operation.ts'
import { crud } from '../../resource/crud.ts'
import { customFilter } from '../../resource/custom/fields.ts'
import { MAX_ALLOCATION } from '../reservations/api.ts'
import { SpaceFilter } from '../spaces/fields.ts'
import { poolFacts } from './resource.ts'

export const PoolUtilization = z
  .object({
    pool_id: z.string(),
    total_ips: z.int(),
    used_ips: z.int().describe('Addresses that a device has'),
    reserved_ips: z.int().describe('Addresses that are reserved, the network and broadcast address among them'),
    available_ips: z.int(),
    utilization: z.number().describe('Percent of addresses that are not available, two decimals'),
  })
  .meta({ id: 'PoolUtilization' })
export type PoolUtilization = z.infer<typeof PoolUtilization>

const base = crud(poolFacts, {
  schemas: {
    network_id: {
      patch: idOf('networks').nullish().describe("Can't change; accepted if it is the pool's own"),
    },
    utilization: { answer: PoolUtilization.optional() },
  },
})
export const { Item: Pool, Draft: PoolDraft, Patch: PoolPatch } = base
export type Pool = z.infer<typeof Pool>
export type PoolDraft = z.output<typeof PoolDraft>
export type PoolPatch = z.output<typeof PoolPatch>

export const HeatmapEntry = z
  .object({
    ip: z.string(),
    status: z.enum(['available', 'used', 'reserved']),
    device_id: z.string().optional().describe('The device that has the address, if any'),
    network_id: z
      .string()
      .optional()
      .describe('In a network: the network inside it that the address belongs to, if any'),
  })
  .meta({ id: 'HeatmapEntry' })
export type HeatmapEntry = z.infer<typeof HeatmapEntry>

export const NextIp = z
  .object({
    ip: z.string(),
    ips: z.array(z.string()).optional().describe('With count: the lowest free addresses, fewer if fewer are free'),
  })
  .meta({ id: 'NextIp' })
export type NextIp = z.infer<typeof NextIp>

/** How many addresses the caller of `next-ip` wants. */
export const WantedCount = z.int().min(1).max(MAX_ALLOCATION).optional()

const include = z.enum(['utilization']).optional().describe('Adds the utilization of each pool')
const tags = z.array(Filter).optional().describe('Only pools with every one of these tags')

export const pools = {
  all: operation({
    name: 'pools.all',
    summary: 'List the pools of every network',
    http: 'GET /api/pools',
    supportsAsOf: true,
    access: 'pools:list',
    scope: 'filter',
    mcp: 'listed',
    cli: { command: 'pool list' },
    input: () =>
      z.object({
        name: Filter.optional().describe('Part of the name, in any case'),
        tags,
        space_id: SpaceFilter,
        managed_by: ManagedByFilter,
        custom: customFilter('pools'),
        sort: sortField(),
        include,
        ...Page,
      }),
    output: () => z.array(Pool),
  }),
  list: operation({
    name: 'pools.list',
    summary: 'List the pools of a network',
    http: 'GET /api/networks/{network_id}/pools',
    supportsAsOf: true,
    access: 'pools:list',
    scope: 'filter',
    cli: { command: 'network pools' },
    input: () =>
      z.object({
        network_id: idOf('networks'),
        tags,
        custom: customFilter('pools'),
        sort: sortField(),
        include,
        ...Page,
      }),
    output: () => z.array(Pool),
  }),
  create: operation({
    name: 'pools.create',
    summary: 'Create a pool in a network',
    http: 'POST /api/networks/{network_id}/pools',
    status: 201,
    effect: 'create',
    hasHistory: true,
    access: 'pools:create',
    scope: 'checkWrite',
    cli: { args: ['network_id', 'name', 'start_ip', 'end_ip'] },
    input: PoolDraft,
    output: Pool,
  }),
  get: base.operations.get,
  update: base.operations.update,
  delete: base.operations.delete,
  nextIp: operation({
    name: 'pools.next-ip',
    summary: 'Show the lowest free address of a pool; records nothing',
    http: 'GET /api/pools/{id}/next-ip',
    access: 'pools:read',
    scope: 'checkPath',
    mcp: 'listed',
    input: () => z.object({ id: idOf('pools'), count: WantedCount }),
    output: NextIp,
  }),
  heatmap: operation({
    name: 'pools.heatmap',
    summary: 'Show every address of a pool with its status; for pools of up to 65,536 addresses',
    http: 'GET /api/pools/{id}/heatmap',
    supportsAsOf: true,
    access: 'pools:read',
    scope: 'filter',
    shows: ['devices'],
    input: () => z.object({ id: idOf('pools'), ...Page }),
    output: () => z.array(HeatmapEntry),
  }),
}
