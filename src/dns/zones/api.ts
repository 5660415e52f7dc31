/** The contract of DNS zones: their settings, their state, and the comparison with their server. Browser-safe. */
import { z } from 'zod'
import {
  draft,
  Filter,
  flagOr,
  idOf,
  line,
  NewId,
  numberOr,
  Page,
  patch,
  reference,
  ruledText,
  text,
} from '../../contract/fields/fields.ts'
import { matchWhole, type TextRule } from '../../contract/fields/text-rules.ts'
import { filterFields } from '../../inventory/devices/filter-fields.ts'
import { SpaceFilter, SpaceId } from '../../inventory/spaces/fields.ts'
import { operation } from '../../kernel/operation.ts'
import { toMailboxName } from '../../net/dns/master-file.ts'
import { normalizeName } from '../../net/dns/name.ts'
import { explainName } from '../../net/dns-name.ts'
import { DnsRrset, DnsZone, DriftKind, DriftReport, RrsetState, SyncPlan, ZoneKind, ZoneMode } from './schema.ts'

const isName = (name: string): boolean => normalizeName(name) !== undefined
const toNormalName = (name: string): string => normalizeName(name) ?? name

/** A name that is empty where none is given. */
const ZoneName = text(255)
  .refine((name) => name === '' || (isName(name) && name !== '.'), {
    error: ({ input }) => explainName(String(input), 'a domain name'),
  })
  .transform((name) => (name === '' ? '' : toNormalName(name)))

const EMAIL_PATTERN = "[A-Za-z0-9!#$%&'*+/=?^_`{|}~.-]{1,64}@[A-Za-z0-9-]{1,63}(?:\\.[A-Za-z0-9-]{1,63})*"
const EMAIL: TextRule = {
  holds: (text) => new RegExp(matchWhole(EMAIL_PATTERN)).test(text) && isName(toMailboxName(text)),
  pattern: EMAIL_PATTERN,
  error: 'must be an e-mail address',
}

const Subnet = text(64)

const fields = {
  provider_id: reference('dns-providers').describe('The DNS server; without one the zone is a file only'),
  mode: z
    .union([z.literal(''), ZoneMode])
    .nullable()
    .transform((mode) => mode || 'managed')
    .describe('managed: Plat writes it. watched: it is compared, never written'),
  ttl: numberOr(3600, { min: 1, max: 604_800 }),
  ...filterFields,
  is_default: flagOr(false).describe(
    'Host names without a dot get the name of this zone; only one zone of an address space has it',
  ),
  nameservers: z
    .array(
      line(255)
        .refine((name) => isName(name) && name !== '.', {
          error: ({ input }) => explainName(String(input), 'a host name'),
        })
        .transform(toNormalName),
    )
    .max(20)
    .nullable()
    .transform((names) => [...new Set(names ?? [])])
    .describe('Of the file: the NS records of the zone'),
  admin_email: ruledText(255, EMAIL).describe('Of the file: the mailbox of the SOA'),
  negative_ttl: numberOr(300, { min: 0, max: 604_800 }).describe(
    'Of the file: how long resolvers keep that a name is not there',
  ),
  max_delete_percent: numberOr(30, { min: 0, max: 100 }).describe(
    'The zone is held if more of its RRsets are about to go',
  ),
  check_interval_seconds: numberOr(300, { min: 30, max: 86_400 }),
  repair: flagOr(false).describe('Writes missing and changed RRsets again at each check'),
  description: text(4096),
  space_id: SpaceId.describe('Only addresses of this address space; absent or `default` for the default one'),
}

export const DnsZoneDraft = z.object({
  id: NewId.optional(),
  name: ZoneName.prefault(null).describe('The name; of a reverse zone it follows from the subnet'),
  subnet: Subnet.prefault(null).describe('Of a reverse zone: its CIDR'),
  ...draft(fields),
})
export type DnsZoneDraft = z.output<typeof DnsZoneDraft>

export const DnsZonePatch = z.object({
  id: idOf('dns-zones'),
  name: ZoneName.optional().describe('It cannot change'),
  subnet: Subnet.optional().describe('It cannot change'),
  ...patch(fields),
})
export type DnsZonePatch = z.output<typeof DnsZonePatch>

const One = z.object({ id: idOf('dns-zones') })

const Entry = z.object({ name: Filter, type: line(16) })
export const MAX_ENTRIES = 10_000

export const dnsZones = {
  list: operation({
    name: 'dns-zones.list',
    summary: 'List DNS zones with their state',
    http: 'GET /api/dns/zones',
    access: 'dns:list',
    cli: { command: 'dns zone list' },
    input: () =>
      z.object({
        name: Filter.optional().describe('Part of the name, in any case'),
        kind: ZoneKind.optional(),
        provider_id: idOf('dns-providers').optional(),
        space_id: SpaceFilter,
        ...Page,
      }),
    output: () => z.array(DnsZone),
  }),
  create: operation({
    name: 'dns-zones.create',
    summary: 'Create a DNS zone, which the names of devices fill',
    description:
      'Needs `name`, or `subnet` for a reverse zone: IPv4 of /8, /16 and /24, longer ones as in RFC 2317, IPv6 of a multiple of four bits. RRsets that the server has already become those of Plat if they are equal; all others on it are left alone.',
    http: 'POST /api/dns/zones',
    status: 201,
    effect: 'create',
    access: 'dns:create',
    cli: { command: 'dns zone create' },
    input: DnsZoneDraft,
    output: DnsZone,
  }),
  get: operation({
    name: 'dns-zones.get',
    summary: 'Show a DNS zone with its state',
    http: 'GET /api/dns/zones/{id}',
    access: 'dns:read',
    cli: { command: 'dns zone get' },
    input: One,
    output: DnsZone,
  }),
  update: operation({
    name: 'dns-zones.update',
    summary: 'Change some fields of a DNS zone',
    description: 'A new server or mode begins again: equal RRsets are adopted, and different ones are left alone.',
    http: 'PUT /api/dns/zones/{id}',
    access: 'dns:update',
    cli: { command: 'dns zone update' },
    input: DnsZonePatch,
    output: DnsZone,
  }),
  delete: operation({
    name: 'dns-zones.delete',
    summary: 'Delete a DNS zone with its own records and feeds; the server is left as it is',
    http: 'DELETE /api/dns/zones/{id}',
    access: 'dns:delete',
    cli: { command: 'dns zone delete' },
    input: One,
    output: () => z.void(),
  }),
  rrsets: operation({
    name: 'dns-zones.rrsets',
    summary: 'List the RRsets of a DNS zone with their state',
    http: 'GET /api/dns/zones/{id}/rrsets',
    access: 'dns:read',
    cli: { command: 'dns zone rrsets' },
    input: () =>
      z.object({
        id: idOf('dns-zones'),
        state: RrsetState.optional(),
        name: Filter.optional().describe('Part of the name'),
        type: Filter.optional(),
        ...Page,
      }),
    output: () => z.array(DnsRrset),
  }),
  sync: operation({
    name: 'dns-zones.sync',
    summary: 'Compute a whole DNS zone, and send the difference to its server',
    description: 'Waits up to 30 s. A zone that is held because too much would go is sent with force.',
    http: 'POST /api/dns/zones/{id}/sync',
    effect: 'action',
    reachesOut: true,
    hasOwnTransactions: true,
    isLong: true,
    // Its force deletes much.
    isBulk: true,
    showsChanges: true,
    access: 'dns:sync',
    errors: [502],
    inQuery: ['dry_run'],
    cli: { command: 'dns zone sync' },
    input: z.object({
      id: idOf('dns-zones'),
      dry_run: z.boolean().optional().describe('Shows the difference and sends nothing'),
      force: z.boolean().optional().describe('Sends it although too much would go'),
    }),
    output: () => z.union([DnsZone, SyncPlan]),
  }),
  check: operation({
    name: 'dns-zones.check',
    summary: 'Transfer a DNS zone from its server, and compare it',
    http: 'POST /api/dns/zones/{id}/check',
    effect: 'action',
    reachesOut: true,
    hasOwnTransactions: true,
    isLong: true,
    access: 'dns:sync',
    errors: [502],
    cli: { command: 'dns zone check' },
    input: One,
    output: DriftReport,
  }),
  drift: operation({
    name: 'dns-zones.drift',
    summary: 'Show the last comparison of a DNS zone with its server',
    http: 'GET /api/dns/zones/{id}/drift',
    access: 'dns:read',
    cli: { command: 'dns zone drift' },
    input: One,
    output: DriftReport,
  }),
  resolve: operation({
    name: 'dns-zones.resolve',
    summary: 'Settle drift: push writes the RRsets of Plat, pull makes own records of those of the server',
    description:
      'Names entries of the last comparison, or all of a kind. push overwrites and deletes what the server holds. pull needs dns:create too.',
    http: 'POST /api/dns/zones/{id}/resolve',
    effect: 'action',
    reachesOut: true,
    hasOwnTransactions: true,
    isLong: true,
    isBulk: true,
    showsChanges: true,
    access: 'dns:sync',
    errors: [502],
    cli: { command: 'dns zone resolve', args: ['id', 'direction'] },
    input: z.object({
      id: idOf('dns-zones'),
      direction: z.enum(['push', 'pull']),
      entries: z.array(Entry).min(1).max(MAX_ENTRIES).optional(),
      kind: DriftKind.optional().describe('In place of entries: all of this kind'),
    }),
    output: () =>
      z
        .object({
          resolved: z.int(),
          failed: z.array(z.object({ name: z.string(), type: z.string(), error: z.string() })),
        })
        .meta({ id: 'DnsResolution', columns: ['resolved', 'failed'] }),
  }),
}
