/** The lookup contract: all records about an address, a block, a MAC or a host name, in one call. Browser-safe. */
import { z } from 'zod'
import { IpAddress } from '../../contract/fields/address-field.ts'
import { line } from '../../contract/fields/fields.ts'
import { MAX_DOMAIN_NAME, SUBJECT_OPTIONS } from '../../contract/fields/text-rules.ts'
import { AddressHolder, CompleteSince, MAX_INTERVALS, RangeFields } from '../../discovery/presence/api.ts'
import { DiscoveredDevice } from '../../discovery/schema.ts'
import { Conflict } from '../../inventory/conflicts/schema.ts'
import { Datacenter } from '../../inventory/datacenters/api.ts'
import { Device } from '../../inventory/devices/schema.ts'
import { Network } from '../../inventory/networks/api.ts'
import { Pool } from '../../inventory/pools/api.ts'
import { Relationship } from '../../inventory/relationships/api.ts'
import { Reservation } from '../../inventory/reservations/api.ts'
import { SpaceFilter, SpaceOf } from '../../inventory/spaces/fields.ts'
import { operation } from '../../kernel/operation.ts'
import { parseSubject } from '../../net/subject.ts'
import { AuditChange } from '../../record/audit/api.ts'

/** The largest number of entries of each list. */
export const MAX_OF_EACH = 25
/** The largest number of objects with addresses in a block. The list operations return all of them. */
export const MAX_IN_BLOCK = 10

export const LookupKind = z.enum(['ip', 'cidr', 'mac', 'hostname'])
export type LookupKind = z.infer<typeof LookupKind>

export const LookupState = z
  .enum([
    ...(['assigned', 'reserved', 'discovered', 'network_address', 'broadcast_address', 'free', 'outside'] as const),
    ...(['network', 'divided'] as const),
  ])
  .describe(
    'Of an address: assigned: a device has it; reserved; discovered: a scan has seen it, and it is not documented; network_address and broadcast_address: of its network; free; outside: in no network. Of a block: network: a network has exactly this subnet; divided: it contains networks; assigned: addresses in it are taken; free: it is unused, inside a network; outside',
  )
export type LookupState = z.infer<typeof LookupState>

/** The parts of an answer. Each requires the permission to list its objects. */
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
    summary: z.string().describe('The effect of the action'),
    command: z.string().describe('The action as a plat command'),
    curl: z.string().describe('The action as a curl command, with PLAT_URL and PLAT_TOKEN of the environment'),
  })
  .meta({ id: 'LookupWay' })
export type LookupWay = z.infer<typeof LookupWay>

const { id, name, subnet, vlan_id, datacenter_id, space_id } = Network.shape
const LookupNetwork = z.object({ id, name, subnet, vlan_id, datacenter_id, space_id }).meta({ id: 'LookupNetwork' })
export type LookupNetwork = z.infer<typeof LookupNetwork>

const LookupPool = Pool.omit({
  refs: true,
  managed_by: true,
  created_at: true,
  updated_at: true,
  utilization: true,
}).meta({
  id: 'LookupPool',
})
export type LookupPool = z.infer<typeof LookupPool>

const LookupDatacenter = Datacenter.pick({ id: true, name: true, location: true }).meta({ id: 'LookupDatacenter' })

const LookupObject = z
  .object({
    resource: z.string().describe('Such as `devices`'),
    kind_id: z.string().nullable().describe('Of an object of a kind; else null'),
    id: z.string(),
    name: z.string(),
    field: z.string().describe('The custom field with the address, such as `custom.peer` or `addresses.custom.peer`'),
  })
  .meta({ id: 'LookupObject' })
export type LookupObject = z.infer<typeof LookupObject>

const LookupChange = AuditChange.meta({ id: 'LookupChange' })

const LookupElsewhere = z
  .object({
    space_id: z.string().nullable().describe('null for the default space'),
    space: z.string().describe('The name of the space; `default` for the default one'),
    state: LookupState,
    summary: z.string(),
  })
  .meta({ id: 'LookupElsewhere' })
export type LookupElsewhere = z.infer<typeof LookupElsewhere>

export const Lookup = z
  .object({
    query: z.string().describe('The subject in its canonical form'),
    kind: LookupKind,
    known: z.boolean().describe('True if anything is known about it'),
    summary: z.string().describe('The answer in one sentence'),
    state: LookupState.optional(),
    networks: z
      .array(LookupNetwork)
      .optional()
      .describe('The networks that contain it, the most specific first; of a host name, those of its addresses'),
    inside: z.array(LookupNetwork).optional().describe('Of a block: the networks in it, in address order'),
    taken: z
      .int()
      .optional()
      .describe(
        'Of a block: the number of addresses that a device or a reservation has; absent if it is too large to count',
      ),
    usable: z.int().optional().describe('Of a block: the number of addresses that devices can have'),
    pools: z.array(LookupPool).optional().describe('The pools that contain the address or overlap the block'),
    datacenters: z.array(LookupDatacenter).optional().describe('Of the networks and devices'),
    devices: z.array(Device).optional(),
    discovered: z.array(DiscoveredDevice).optional().describe('The records of scans'),
    reservations: z.array(Reservation).optional(),
    objects: z
      .array(LookupObject)
      .optional()
      .describe('Of an address: the objects that have it as a value of a custom field; it is not in use by that'),
    relationships: z.array(Relationship).optional().describe('Of the devices'),
    conflicts: z.array(Conflict).optional().describe('The unresolved conflicts'),
    changes: z.array(LookupChange).optional().describe('The latest entries, if an audit trail is kept'),
    ways: z.array(LookupWay).describe('The actions that allocate it, if it is free and the caller may do so'),
    more: z
      .array(z.string())
      .describe(
        `Lists that are cut to the first ${MAX_OF_EACH}; those of objects with addresses in a block to the first ${MAX_IN_BLOCK}`,
      ),
    withheld: z
      .array(LookupPart)
      .describe('Parts that the caller may not list: the rest of the answer is as if their objects did not exist'),
    space_id: SpaceOf.describe('Of an address or a block: the address space of the answer; absent for the default one'),
    elsewhere: z
      .array(LookupElsewhere)
      .optional()
      .describe('The other address spaces in which a network holds it, or in which it is taken'),
  })
  .meta({ id: 'Lookup' })
export type Lookup = z.infer<typeof Lookup>

export const AddressPresence = z
  .object({
    intervals: z
      .array(AddressHolder)
      .describe(`All that touch the range, newest first, with their whole length; at most ${MAX_INTERVALS} and leases`),
    complete_since: CompleteSince,
  })
  .meta({ id: 'AddressPresence' })
export type AddressPresence = z.infer<typeof AddressPresence>

const Query = line(320)
  .refine((text) => parseSubject(text) !== undefined, {
    error: 'must be an IP address, a block like 10.0.0.0/24, a MAC address or a host name',
  })
  .meta({ exact: { maxLength: MAX_DOMAIN_NAME, anyOf: SUBJECT_OPTIONS } })
  .describe('In any notation; of a URL its host')

export const lookup = {
  show: operation({
    name: 'lookup.show',
    summary: 'Show everything that is known about an IP address, a block, a MAC address or a host name',
    description:
      'Its owner, its network, if it is free and how to allocate it. It names only objects that you may list. In a path, the slash of a block is %2F.',
    http: 'GET /api/lookup/{query}',
    supportsAsOf: true,
    access: 'search:read',
    scope: 'filterEach',
    mcp: 'listed',
    cli: { command: 'lookup' },
    input: () =>
      z.object({
        query: Query,
        space_id: SpaceFilter.describe(
          'The address space, or `default`; else the default one, or the first that alone knows it',
        ),
      }),
    output: Lookup,
  }),
  presence: operation({
    name: 'lookup.presence',
    summary: 'Show who had an address, and when',
    description:
      'By scans and listening, of all networks with the address, and by the leases that were recorded. Devices that you may not list have no name.',
    http: 'GET /api/lookup/{ip}/presence',
    access: 'discovery:list',
    scope: 'filter',
    shows: ['devices'],
    cli: { command: 'address presence', shown: (answer) => (answer as AddressPresence).intervals },
    input: () =>
      z.object({ ip: IpAddress, ...RangeFields, space_id: SpaceFilter.describe('Only networks of this space') }),
    output: AddressPresence,
  }),
}
