/** The lookup contract: everything that is known about an address, a block, a MAC or a host name, in one call. Browser-safe. */
import { z } from 'zod'
import { subjectOf } from '../../net/subject.ts'
import { line } from '../../platform/contract/fields.ts'
import { SUBJECT_PATTERN, whole } from '../../platform/contract/text-rules.ts'
import { operation } from '../../platform/operation/operation.ts'
import { AuditEntry } from '../audit/api.ts'
import { Conflict } from '../conflicts/schema.ts'
import { Datacenter } from '../datacenters/api.ts'
import { Device } from '../devices/schema.ts'
import { DiscoveredDevice } from '../discovery/schema.ts'
import { Network } from '../networks/api.ts'
import { Pool } from '../pools/api.ts'
import { Relationship } from '../relationships/api.ts'
import { Reservation } from '../reservations/api.ts'

/** Most entries of each list. */
export const MAX_OF_EACH = 25
/** Of a block: most of what has addresses in it. Whoever wants all of them asks for the list. */
export const MAX_IN_BLOCK = 10

export const LookupKind = z.enum(['ip', 'cidr', 'mac', 'hostname'])
export type LookupKind = z.infer<typeof LookupKind>

export const LookupState = z
  .enum([
    ...(['assigned', 'reserved', 'discovered', 'network_address', 'broadcast_address', 'free', 'outside'] as const),
    ...(['network', 'divided'] as const),
  ])
  .describe(
    'Of an address: assigned: a device has it; reserved; discovered: nobody has documented it, and it was seen in use; network_address and broadcast_address: of its network; free; outside: in no network. Of a block: network: a network has exactly this subnet; divided: networks lie in it; assigned: addresses in it are taken; free: all of it lies free in a network; outside',
  )
export type LookupState = z.infer<typeof LookupState>

/** The parts of an answer, each for callers who may list its objects. */
export const LookupPart = z.enum([
  'networks',
  'pools',
  'datacenters',
  'devices',
  'discovered',
  'reservations',
  'relationships',
  'conflicts',
  'changes',
])
export type LookupPart = z.infer<typeof LookupPart>

export const LookupWay = z
  .object({
    operation: z.string(),
    summary: z.string().describe('What it would do'),
    command: z.string().describe('The same as a command of plat'),
    curl: z.string().describe('The same as a command of curl, with PLAT_URL and PLAT_TOKEN of the environment'),
  })
  .meta({ id: 'LookupWay' })
export type LookupWay = z.infer<typeof LookupWay>

const { id, name, subnet, vlan_id, datacenter_id } = Network.shape
const LookupNetwork = z.object({ id, name, subnet, vlan_id, datacenter_id }).meta({ id: 'LookupNetwork' })
export type LookupNetwork = z.infer<typeof LookupNetwork>

const LookupPool = Pool.omit({ created_at: true, updated_at: true, utilization: true }).meta({ id: 'LookupPool' })
export type LookupPool = z.infer<typeof LookupPool>

const LookupDatacenter = Datacenter.pick({ id: true, name: true, location: true }).meta({ id: 'LookupDatacenter' })

const LookupChange = AuditEntry.pick({
  id: true,
  timestamp: true,
  username: true,
  key_owner: true,
  action: true,
  resource: true,
  resource_id: true,
  status: true,
}).meta({ id: 'LookupChange' })

export const Lookup = z
  .object({
    query: z.string().describe('What was asked about, in its canonical spelling'),
    kind: LookupKind,
    known: z.boolean().describe('Whether anything is known about it'),
    summary: z.string().describe('The answer in one sentence'),
    state: LookupState.optional(),
    networks: z
      .array(LookupNetwork)
      .optional()
      .describe('That hold it, the most specific first; of a host name, those of its addresses'),
    inside: z
      .array(LookupNetwork)
      .optional()
      .describe('Of a block: the networks in it, in the order of their addresses'),
    taken: z
      .int()
      .optional()
      .describe(
        'Of a block: addresses that a device or a reservation has; absent where they are too many to count at once',
      ),
    usable: z.int().optional().describe('Of a block: addresses that devices can have'),
    pools: z.array(LookupPool).optional().describe('That the address is in, or that the block overlaps'),
    datacenters: z.array(LookupDatacenter).optional().describe('Of the networks and devices'),
    devices: z.array(Device).optional(),
    discovered: z.array(DiscoveredDevice).optional().describe('What scans have found'),
    reservations: z.array(Reservation).optional(),
    relationships: z.array(Relationship).optional().describe('Of the devices'),
    conflicts: z.array(Conflict).optional().describe('Those that nobody has resolved'),
    changes: z.array(LookupChange).optional().describe('The last ones, where an audit log is kept'),
    ways: z.array(LookupWay).describe('How to take it, where it is free and you may'),
    more: z
      .array(z.string())
      .describe(
        `Lists of which only the first ${MAX_OF_EACH} are here; of what has addresses in a block, the first ${MAX_IN_BLOCK}`,
      ),
    withheld: z
      .array(LookupPart)
      .describe('Parts that you may not list: the rest of the answer is as if their objects did not exist'),
  })
  .meta({ id: 'Lookup' })
export type Lookup = z.infer<typeof Lookup>

const Query = line(320)
  .refine((text) => subjectOf(text) !== undefined, {
    error: 'must be an IP address, a block like 10.0.0.0/24, a MAC address or a host name',
  })
  .meta({ exact: { pattern: whole(SUBJECT_PATTERN) } })
  .describe('An address, a block, a MAC in any notation, or a host name')

export const lookup = {
  show: operation({
    name: 'lookup.show',
    summary: 'Show everything that is known about an IP address, a block, a MAC address or a host name',
    description:
      'Whose it is, where it lies, whether it is free and how to take it, by what you may list. In a URL the slash of a block is written %2F.',
    http: 'GET /api/lookup/{query}',
    effect: 'read',
    access: 'search:read',
    mcp: 'listed',
    cli: { command: 'lookup', args: ['query'] },
    input: () => z.object({ query: Query }),
    output: Lookup,
  }),
}
