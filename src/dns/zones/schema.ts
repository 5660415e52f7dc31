/** DNS zones and their RRsets as they are sent. Browser-safe. */
import { z } from 'zod'
import { Timestamp } from '../../contract/fields/fields.ts'
import { DeviceStatus } from '../../inventory/devices/schema.ts'
import { SpaceOf } from '../../inventory/spaces/fields.ts'

export const ZoneKind = z.enum(['forward', 'reverse'])
export const ZoneMode = z.enum(['managed', 'watched'])
export const ZoneStatus = z.enum(['failed', 'held', 'pending', 'drift', 'in_sync'])

export const DnsZone = z
  .object({
    id: z.string(),
    name: z.string(),
    subnet: z.string().nullable(),
    kind: ZoneKind,
    provider_id: z.string().nullable().describe('The DNS server; null for a file only'),
    mode: ZoneMode.describe('managed: Plat writes it. watched: it is compared, never written'),
    ttl: z.int(),
    tags: z.array(z.string()).describe('Devices with every one of these tags'),
    datacenter_id: z.string().nullable(),
    network_id: z.string().nullable().describe('Only addresses that belong to this network'),
    statuses: z.array(DeviceStatus),
    is_default: z.boolean().describe('Host names without a dot get the name of this zone'),
    nameservers: z.array(z.string()).describe('Of the file: the NS records of the zone'),
    admin_email: z.string().describe('Of the file: the mailbox of the SOA'),
    negative_ttl: z.int().describe('Of the file: the last field of the SOA (RFC 2308)'),
    max_delete_percent: z.int(),
    check_interval_seconds: z.int(),
    repair: z.boolean().describe('Writes missing and changed RRsets again at each check'),
    description: z.string(),
    space_id: SpaceOf,
    status: ZoneStatus.describe('The first of these that is true'),
    status_message: z.string(),
    serial: z.int().describe('The serial of the file'),
    server_serial: z.int().nullable(),
    rrset_count: z.int(),
    pending_count: z.int(),
    conflict_count: z.int(),
    blocked_count: z.int(),
    drift_count: z.int(),
    last_synced_at: Timestamp.nullable(),
    last_checked_at: Timestamp.nullable(),
    created_at: Timestamp,
    updated_at: Timestamp,
  })
  .meta({ id: 'DnsZone', columns: ['id', 'name', 'kind', 'mode', 'status', 'rrset_count', 'pending_count'] })
export type DnsZone = z.infer<typeof DnsZone>

/** The fields of a zone that its status is computed from. */
type Status =
  | 'status'
  | 'status_message'
  | 'serial'
  | 'server_serial'
  | `${'rrset' | 'pending' | 'conflict' | 'blocked' | 'drift'}_count`
  | `last_${'synced' | 'checked'}_at`
/** A zone without its status: the settings of its owner. */
export type ZoneSettings = Omit<DnsZone, Status>

export const RrsetState = z.enum(['published', 'pending', 'conflict', 'blocked', 'held', 'watched'])
export type RrsetState = z.infer<typeof RrsetState>
export const RrsetSource = z.enum(['device', 'record'])

export const DnsRrset = z
  .object({
    name: z.string().describe('Relative to the zone; @ is the zone itself'),
    fqdn: z.string(),
    type: z.string(),
    ttl: z.int(),
    values: z.array(z.string()).describe('The values that Plat has published'),
    wanted: z.array(z.string()),
    source: RrsetSource,
    device_ids: z.array(z.string()).describe('All devices that claim the name'),
    record_ids: z.array(z.string()),
    state: RrsetState,
    message: z.string(),
  })
  .meta({ id: 'DnsRrset', columns: ['name', 'type', 'ttl', 'wanted', 'state', 'message'] })
export type DnsRrset = z.infer<typeof DnsRrset>

export const DriftKind = z.enum(['missing', 'changed', 'blocked', 'foreign'])
export type DriftKind = z.infer<typeof DriftKind>

export const DriftEntry = z
  .object({
    name: z.string(),
    type: z.string(),
    kind: DriftKind,
    plat: z.array(z.string()),
    server: z.array(z.string()),
    plat_ttl: z.int().nullable(),
    server_ttl: z.int().nullable(),
  })
  .meta({ id: 'DnsDriftEntry' })
export type DriftEntry = z.infer<typeof DriftEntry>

export const DriftReport = z
  .object({
    zone_id: z.string(),
    checked_at: Timestamp.nullable().describe('null before the first check'),
    server_serial: z.int().nullable(),
    missing: z.int().describe('RRsets of Plat that are not on the server'),
    changed: z.int().describe('RRsets of Plat that have other values or another TTL on the server'),
    blocked: z.int().describe('Wanted RRsets in whose place the server holds something else'),
    foreign: z.int().describe('RRsets that only the server has; they are no drift'),
    entries: z.array(DriftEntry).describe('At most 10,000'),
    is_cut: z.boolean(),
  })
  .meta({ id: 'DnsDrift', columns: ['zone_id', 'checked_at', 'missing', 'changed', 'blocked', 'foreign'] })
export type DriftReport = z.infer<typeof DriftReport>

export const SyncPlan = z
  .object({
    creates: z.int(),
    updates: z.int(),
    deletes: z.int(),
    blocked: z.int(),
    conflicts: z.int(),
    entries: z
      .array(
        z.object({
          name: z.string(),
          type: z.string(),
          action: z.enum(['create', 'update', 'delete']),
          before: z.array(z.string()),
          after: z.array(z.string()),
        }),
      )
      .describe('The first 100'),
  })
  .meta({ id: 'DnsSyncPlan', columns: ['creates', 'updates', 'deletes', 'blocked', 'conflicts'] })
export type SyncPlan = z.infer<typeof SyncPlan>
