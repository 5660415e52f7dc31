/** Answers of discovery: scans, discovered devices, rules, and inbox items. Browser-safe. */
import { z } from 'zod'
import { Timestamp } from '../contract/fields/fields.ts'

export const ScanType = z
  .enum(['quick', 'full', 'deep'])
  .describe('quick: hosts; full: also ports and systems; deep: also services, names, neighbors')
export type ScanType = z.infer<typeof ScanType>

export const ScanStatus = z.enum(['pending', 'running', 'completed', 'failed', 'cancelled'])
export type ScanStatus = z.infer<typeof ScanStatus>

const scanFields = {
  id: z.string(),
  network_id: z.string(),
  status: ScanStatus,
  scan_type: ScanType,
  stage: z.enum(['', 'liveness', 'ports', 'services']).describe('The present stage; empty unless it runs'),
  total_hosts: z.int().describe('Addresses to probe, without the excluded ones'),
  scanned_hosts: z.int(),
  found_hosts: z.int(),
  progress_percent: z.number(),
  hosts_per_second: z.number(),
  exclude_ips: z.string().describe('Excluded addresses, ranges and CIDRs, comma-separated'),
  error_message: z.string(),
  rule_id: z.string().nullable().describe('The rule that started it'),
  created_by: z.string().describe('Name of the user who started it; empty for a rule'),
  scanner_id: z.string().nullable().describe('The scanner that took it; null for the server, and until one takes it'),
  scanner_name: z.string().describe('The name of that scanner when it took the scan'),
  started_at: Timestamp.nullable(),
  completed_at: Timestamp.nullable().describe('When it ended, however it ended'),
  created_at: Timestamp,
  updated_at: Timestamp,
}

export const Scan = z.object(scanFields).meta({
  id: 'DiscoveryScan',
  columns: ['id', 'network_id', 'scan_type', 'status', 'progress_percent', 'found_hosts', 'created_at'],
})
export type Scan = z.infer<typeof Scan>

export const LocalNetworks = z
  .object({
    in_container: z.boolean().describe('True in a container that sees its own network in place of that of its host'),
    networks: z
      .array(
        z.object({
          subnet: z.string(),
          interface: z.string(),
          address: z.string().describe('Of this server'),
          total_hosts: z.int().describe('Usable addresses'),
          network_id: z
            .string()
            .nullable()
            .describe('The network of this subnet in the default address space, if the caller may list networks'),
          is_scannable: z.boolean(),
          reason: z.string().describe('Why it is not scannable; empty if it is'),
        }),
      )
      .describe('That of the default route first, those of containers and virtual machines of this machine last'),
  })
  .meta({ id: 'LocalNetworks' })
export type LocalNetworks = z.infer<typeof LocalNetworks>

export const ScanPrivilege = z
  .object({
    icmp: z.boolean().describe('It can ping'),
    arp: z.boolean().describe('It can send ARP itself'),
    neighbours: z.boolean().describe('It can read the neighbor table'),
    advice: z.string().describe('The command that grants more privileges; empty if none is missing'),
  })
  .meta({ id: 'ScanPrivilege' })
export type ScanPrivilege = z.infer<typeof ScanPrivilege>

export const ScanNote = z.object({ at: Timestamp, text: z.string() }).meta({ id: 'ScanNote' })
export type ScanNote = z.infer<typeof ScanNote>

export const ScanDetail = z
  .object({
    ...scanFields,
    privilege: ScanPrivilege.nullable().describe(
      'Privileges of the scanner on its machine; null until it has reported them',
    ),
    log: z.array(ScanNote).describe('Notes of the scan, oldest first'),
  })
  .meta({ id: 'DiscoveryScanDetail' })
export type ScanDetail = z.infer<typeof ScanDetail>

export const ScanEstimate = z
  .object({
    total_hosts: z.int(),
    probes: z.int(),
    estimated_seconds: z.int(),
    techniques: z.array(z.string()),
  })
  .meta({ id: 'ScanEstimate' })
export type ScanEstimate = z.infer<typeof ScanEstimate>

export const FieldChange = z
  .object({ field: z.string(), before: z.string(), after: z.string() })
  .meta({ id: 'DiscoveryFieldChange' })
export type FieldChange = z.infer<typeof FieldChange>

export const ChangeKind = z.enum(['new', 'changed', 'gone'])
export type ChangeKind = z.infer<typeof ChangeKind>

const ScanChange = z
  .object({
    kind: ChangeKind,
    discovered_id: z.string(),
    ip: z.string(),
    hostname: z.string(),
    mac_address: z.string(),
    changes: z.array(FieldChange),
  })
  .meta({ id: 'ScanChange', columns: ['kind', 'ip', 'hostname', 'mac_address', 'changes'] })
export type ScanChange = z.infer<typeof ScanChange>

export const ScanDiff = z
  .object({
    scan_id: z.string(),
    previous_scan_id: z.string().nullable().describe('The completed scan of the network before it; null for the first'),
    counts: z.object({ new: z.int(), changed: z.int(), gone: z.int() }),
    new: z.array(ScanChange).describe('Seen now and not then; at most `limit`'),
    changed: z.array(ScanChange),
    gone: z.array(ScanChange),
  })
  .meta({ id: 'ScanDiff' })
export type ScanDiff = z.infer<typeof ScanDiff>

export const DiscoveredStatus = z.enum(['up', 'down'])
export type DiscoveredStatus = z.infer<typeof DiscoveredStatus>

export const IdentityKind = z.enum(['mac', 'ssh', 'tls', 'snmp', 'address'])
export type IdentityKind = z.infer<typeof IdentityKind>

const serviceFields = {
  port: z.int(),
  protocol: z.string(),
  service: z.string(),
  product: z.string(),
  version: z.string(),
}

const discoveredFields = {
  id: z.string(),
  ip: z.string(),
  mac_address: z.string(),
  hostname: z.string(),
  network_id: z.string(),
  status: DiscoveredStatus,
  confidence: z.int().describe('0-100: certainty that the device exists'),
  reasons: z.array(z.string()).describe('The parts of the confidence'),
  os_guess: z.string(),
  os_confidence: z.int(),
  vendor: z.string().describe('By SNMP, else the owner of the MAC'),
  model: z
    .string()
    .optional()
    .describe(
      'Vendor and model, as it says by SNMP; empty if it does not. Absent until a scan of this version has seen it',
    ),
  open_ports: z.array(z.int()),
  services: z.array(z.object(serviceFields).meta({ id: 'DiscoveredService' })),
  addresses: z.array(
    z
      .object({ ip: z.string(), status: DiscoveredStatus, first_seen: Timestamp, last_seen: Timestamp })
      .meta({ id: 'DiscoveredAddress' }),
  ),
  identity: z
    .object({ kind: IdentityKind, value: z.string() })
    .meta({ id: 'DiscoveredIdentity' })
    .describe('The key that identifies it from scan to scan'),
  rtt_ms: z.number().nullable(),
  matched_device_id: z
    .string()
    .nullable()
    .describe('The documented device that this is: by promotion, else by an address'),
  promoted_to_device_id: z.string().nullable(),
  promoted_at: Timestamp.nullable(),
  last_scan_id: z
    .string()
    .describe('The last scan that has seen it; empty if it is known only by leases or by listening'),
  first_seen: Timestamp,
  last_seen: Timestamp,
  created_at: Timestamp,
  updated_at: Timestamp,
  random_mac: z
    .boolean()
    .describe('The MAC is probably random, as phones choose it; kept for DISCOVERY_RANDOM_MAC_CLEANUP_DAYS'),
  lease_expires_at: Timestamp.nullable().describe(
    'The end of its DHCP lease, the last one of several; null if none was recorded. In the year 9999 for a lease without end',
  ),
}

export const DiscoveredDevice = z.object(discoveredFields).meta({
  id: 'DiscoveredDevice',
  columns: ['id', 'ip', 'hostname', 'mac_address', 'vendor', 'os_guess', 'status', 'confidence', 'open_ports'],
})
export type DiscoveredDevice = z.infer<typeof DiscoveredDevice>

export const DiscoveredDetail = z
  .object({
    ...discoveredFields,
    services: z.array(
      z
        .object({ ...serviceFields, banner: z.string(), details: z.record(z.string(), z.string()) })
        .meta({ id: 'DiscoveredServiceDetail' }),
    ),
    identities: z.array(z.string()).describe('Everything that it is recognized by: `mac:...`, `ssh:...`'),
    evidence: z.array(
      z
        .object({ ip: z.string(), source: z.string(), weight: z.number(), detail: z.string() })
        .meta({ id: 'DiscoveryEvidence' }),
    ),
    os_votes: z.array(
      z.object({ os: z.string(), weight: z.number(), because: z.string() }).meta({ id: 'DiscoveryOsVote' }),
    ),
    names: z.array(z.object({ name: z.string(), source: z.string() }).meta({ id: 'DiscoveryName' })),
    ssh_host_key: z.string(),
    tls_certificate: z.string(),
    snmp: z
      .object({
        name: z.string(),
        description: z.string(),
        location: z.string(),
        object_id: z.string(),
        system: z
          .object({
            vendor: z.string(),
            system: z.string(),
            version: z.string(),
            model: z.string(),
            serial: z.string(),
          })
          .meta({ id: 'DiscoverySnmpSystem' })
          .nullable()
          .describe(
            'What it is, by sysObjectID, sysDescr and ENTITY-MIB; null until a scan of this version has read it',
          ),
        engine_id: z.string(),
        uptime_seconds: z.number(),
        interfaces: z.array(
          z.object({ index: z.int(), name: z.string(), mac: z.string(), addresses: z.array(z.string()) }),
        ),
        neighbours: z.array(
          z.object({
            local_port: z.string(),
            remote_name: z.string(),
            remote_port: z.string(),
            remote_address: z.string(),
          }),
        ),
      })
      .meta({ id: 'DiscoverySnmp' })
      .nullable(),
  })
  .meta({ id: 'DiscoveredDeviceDetail' })
export type DiscoveredDetail = z.infer<typeof DiscoveredDetail>

export const Rule = z
  .object({
    id: z.string(),
    network_id: z.string(),
    enabled: z.boolean(),
    scan_type: ScanType,
    interval_hours: z.int(),
    exclude_ips: z.string(),
    listen: z
      .boolean()
      .describe('While the rule is enabled, the server or the scanners of the network also listen on its link'),
    last_run_at: Timestamp.nullable().describe('When its last scan ended'),
    next_run_at: Timestamp.nullable().describe('When the next one is due; null while it is disabled or skipped'),
    skipped_reason: z.string().describe('The reason why it starts no scan although it is enabled; empty without one'),
    created_at: Timestamp,
    updated_at: Timestamp,
  })
  .meta({
    id: 'DiscoveryRule',
    columns: ['id', 'network_id', 'scan_type', 'interval_hours', 'enabled', 'exclude_ips', 'next_run_at'],
  })
export type Rule = z.infer<typeof Rule>

export const Bucket = z
  .enum(['new', 'changed', 'gone', 'conflict'])
  .describe(
    'new: discovered and not documented; changed: differs from the documentation; gone: documented and no longer seen; conflict: contradicts an earlier scan',
  )
export type Bucket = z.infer<typeof Bucket>

/** Fields that can be accepted into the documented device, or locked. */
export const LOCKABLE_FIELDS = [
  'hostname',
  'addresses',
  'make_model',
  'os',
  'switch_port',
  'connected_to',
  'status',
] as const
export const LockableField = z.enum(LOCKABLE_FIELDS)
export type LockableField = z.infer<typeof LockableField>

/** Fields of the inbox: the lockable fields of devices, and the contradictory ones. */
export const InboxField = z.enum([...LOCKABLE_FIELDS, 'mac_address', 'ssh_host_key'])
export type InboxField = z.infer<typeof InboxField>

const InboxDifference = z
  .object({
    field: InboxField,
    documented: z.string(),
    observed: z.string(),
    because: z.string().describe('The evidence'),
    target_id: z
      .string()
      .nullable()
      .describe('The other object: the neighbor of `connected_to`, the record that an address was taken from'),
  })
  .meta({ id: 'InboxDifference' })
export type InboxDifference = z.infer<typeof InboxDifference>

export const InboxItem = z
  .object({
    id: z.string().describe('Of the discovered device'),
    bucket: Bucket,
    network_id: z.string(),
    ip: z.string(),
    hostname: z.string(),
    device_id: z.string().nullable().describe('The documented device'),
    device_name: z.string(),
    ignored: z.boolean(),
    since: Timestamp.describe('When it came to be so'),
    fields: z.array(InboxDifference),
    discovered: DiscoveredDevice,
  })
  .meta({ id: 'InboxItem', columns: ['id', 'bucket', 'ip', 'hostname', 'device_name', 'since'] })
export type InboxItem = z.infer<typeof InboxItem>

export const FieldLock = z
  .object({ device_id: z.string(), field: LockableField, created_by: z.string(), created_at: Timestamp })
  .meta({ id: 'DiscoveryLock', columns: ['device_id', 'field', 'created_by', 'created_at'] })
export type FieldLock = z.infer<typeof FieldLock>
