/** The tables that discovery owns. */
import type { Bucket, ChangeKind, DiscoveredStatus, LockableField, Scan, ScanType } from './schema.ts'

export type ScanRow = Omit<Scan, 'progress_percent'> & {
  /** The process that runs it, and when that was last heard of. */
  runner: string
  heartbeat_at: string
  /** The same by the clock that the servers share, in ms since the epoch. */
  beat_ms: number
  /** How many times it went on after its process had died. */
  resumes: number
}

export type ScanStateRow = {
  scan_id: string
  /** JSON, or '' until the scanner has told. */
  privilege: string
  /** JSON. */
  log: string
  /** JSON of the scanner's own, or ''. */
  checkpoint: string
}

export type ChangeRow = {
  scan_id: string
  discovered_id: string
  kind: ChangeKind
  ip: string
  ip_key: string
  hostname: string
  mac_address: string
  /** JSON. */
  changes: string
}

export type RuleRow = {
  id: string
  network_id: string
  enabled: number
  scan_type: ScanType
  interval_hours: number
  exclude_ips: string
  last_run_at: string | null
  next_run_at: string | null
  created_at: string
  updated_at: string
}

export type DiscoveredRow = {
  id: string
  network_id: string
  ip_key: string
  status: DiscoveredStatus
  confidence: number
  last_seen: string
  first_scan_id: string
  last_scan_id: string
  /** The last completed scan that looked for it in vain. */
  unseen_scan_id: string
  /** The scan in which it was there again. */
  returned_scan_id: string
  /** JSON of what the last completed scan left, to tell what this one changes. */
  baseline: string
  is_changed: number
  promoted_to_device_id: string | null
  matched_device_id: string | null
  bucket: Bucket | ''
  bucket_since: string
  is_ignored: number
  /** What `findings` said when they were ignored. */
  ignored_findings: string
  /** JSON: the differences of the inbox. */
  findings: string
  /** JSON: contradictions that nobody has decided yet. */
  conflicts: string
  /** JSON: what switches and neighbours say of where it is connected. */
  links: string
  /** 1 where `mac_address` was drawn at random: such records are kept for a shorter time. */
  random_mac: number
  /** The device as JSON, exactly as it is sent in lists. */
  doc: string
}

export type AddressRow = {
  /** Of the network, and the key of the address. */
  place: string
  ip_key: string
  device_id: string
  ip: string
  status: DiscoveredStatus
  first_seen: string
  last_seen: string
  last_scan_id: string
  /** The last scan that found a port open there; '' where none is. */
  ports_scan_id: string
  /** JSON of what the scanner said. */
  observation: string
}

export type IdentityRow = {
  /** Of the network, and the key. */
  place: string
  key: string
  device_id: string | null
}
/** What a search looks at (`search_text`) and a lookup asks for, lower case. */
export type TextRow = { device_id: string; search_text: string; mac_address: string; hostname_key: string }

/** A device about which another one has told something; `links` of the device says what. */
export type LinkRow = { device_id: string; other_id: string }

export type HostKeyRow = {
  /** Of the network, and the key of the address. */
  place: string
  network_id: string
  ip_key: string
  ip: string
  fingerprint: string
  pinned_at: string
}
export type LockRow = { device_id: string; field: LockableField; created_by: string; created_at: string }

export type DiscoveryTables = {
  discovery_scans: ScanRow
  discovery_scan_states: ScanStateRow
  discovery_changes: ChangeRow
  discovery_rules: RuleRow
  discovered_devices: DiscoveredRow
  discovered_texts: TextRow
  discovered_addresses: AddressRow
  discovered_identities: IdentityRow
  discovery_links: LinkRow
  discovery_host_keys: HostKeyRow
  discovery_locks: LockRow
}
