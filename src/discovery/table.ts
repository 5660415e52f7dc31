/** The tables that discovery owns. */

import type { LeaseColumns } from '../kernel/jobs/leases.ts'
import type { IpKey } from '../net/ip.ts'
import type { WithArea } from '../resource/area.ts'
import type { Bucket, ChangeKind, DiscoveredStatus, LockableField, Scan, ScanType } from './schema.ts'

/**
 * Its lease is held by the process that runs it; under the id of the scan while it is recorded. It is free while a scanner (`scanner_id`)
 * runs the scan.
 */
export type ScanRow = Omit<Scan, 'progress_percent'> &
  LeaseColumns & {
    /** Number of resumes after its process had died. */
    resumes: number
    /** 1 if a scanner has reported its end: an instance of the server takes the lease and completes it. */
    is_done: number
    /** JSON: the user that gives the right to use credentials. Null in scans of earlier versions, and of their rules. */
    credential_user: string | null
  }

export type ScanStateRow = {
  scan_id: string
  /** JSON, or '' until the scanner has reported. */
  privilege: string
  /** JSON. */
  log: string
  /** JSON of the scanner's own, or ''. */
  checkpoint: string
  /** Names the last taking of the scan by a scanner; '' for none. It stays while the scan waits for another scanner. */
  lease: string
  /** The number of the last report of this lease that is stored; 0 for none. */
  seq: number
}

export type ChangeRow = {
  scan_id: string
  discovered_id: string
  kind: ChangeKind
  ip: string
  /** In the default space, wherever the network is: it only orders the changes of a scan. */
  ip_key: IpKey
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
  listen: number
  last_run_at: string | null
  next_run_at: string | null
  /**
   * JSON: the user who made or last changed it, and gives its scans the right to use credentials. Null in rules of earlier versions.
   */
  credential_user: string | null
  created_at: string
  updated_at: string
}

export type DiscoveredRow = {
  id: string
  network_id: string
  /** In the space of the network. */
  ip_key: IpKey
  status: DiscoveredStatus
  confidence: number
  last_seen: string
  first_scan_id: string
  last_scan_id: string
  /** The last completed scan that did not see it. */
  unseen_scan_id: string
  /** The scan in which it was there again. */
  returned_scan_id: string
  /** JSON of the state after the last completed scan, to find the changes of this one. */
  baseline: string
  is_changed: number
  promoted_to_device_id: string | null
  matched_device_id: string | null
  bucket: Bucket | ''
  bucket_since: string
  is_ignored: number
  /** `findings` at the time they were ignored. */
  ignored_findings: string
  /** JSON: the differences of the inbox. */
  findings: string
  /** JSON: undecided contradictions. */
  conflicts: string
  /** JSON: places of connection, as switches and neighbors report them. */
  links: string
  /** 1 where `mac_address` was drawn at random: such records are kept for a shorter time. */
  random_mac: number
  /** The device as JSON, exactly as it is sent in lists. */
  doc: string
}

export type AddressRow = {
  /** Network id and address key. */
  place: string
  /** In the space of the network. */
  ip_key: IpKey
  device_id: string
  ip: string
  status: DiscoveredStatus
  first_seen: string
  last_seen: string
  last_scan_id: string
  /** The last scan that found a port open there; '' where none is. */
  ports_scan_id: string
  /** JSON of the scanner's report. */
  observation: string
  /** Its MAC, unless only a lease tells it; '' for none. */
  seen_mac: string
  /** The host names that it tells itself, in lower case between blanks; '' for none. */
  seen_names: string
  /** Its PTR names, in the same form. */
  ptr_names: string
  /** The first label of its one PTR name; a blank for several. */
  ptr_label: string
  /** The name of its lease, in the same form. */
  lease_names: string
  /** The end of its lease; '' without one. */
  lease_end: string
}

export type IdentityRow = {
  /** Network id and identity key. */
  place: string
  key: string
  device_id: string | null
}
/** Searched text (`search_text`) and lookup keys, lower case. */
export type TextRow = { device_id: string; search_text: string; mac_address: string; hostname_key: string }

/** A device and another one that reported a link of it. */
export type LinkRow = { device_id: string; other_id: string }

export type HostKeyRow = {
  /** Network id and address key. */
  place: string
  network_id: string
  /** In the space of the network. */
  ip_key: IpKey
  ip: string
  fingerprint: string
  pinned_at: string
}
export type LockRow = { device_id: string; field: LockableField; created_by: string; created_at: string }

/** A TLS certificate that a scan has read at a port. */
export type CertificateRow = {
  device_id: string
  ip: string
  port: number
  subject: string
  issuer: string
  /** JSON: a list of texts. */
  names: string
  expires_at: string
}

export type DiscoveryTables = {
  discovery_scans: ScanRow
  discovery_scan_states: ScanStateRow
  discovery_changes: ChangeRow
  discovery_rules: RuleRow
  discovered_devices: WithArea<DiscoveredRow>
  discovered_texts: TextRow
  discovered_addresses: AddressRow
  discovered_identities: IdentityRow
  discovered_certificates: CertificateRow
  discovery_links: LinkRow
  discovery_host_keys: HostKeyRow
  discovery_locks: LockRow
}

declare module '../database/tables.ts' {
  interface OwnTables extends DiscoveryTables {}
}
