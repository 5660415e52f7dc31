/** The table of the state of scanners. That of the scanners themselves follows from their facts. */

/** The fields that a scanner reports, and its credentials. Every scanner has a row. */
export type ScannerStateRow = {
  scanner_id: string
  /** SHA-256 of the unused enrolment token, in hex; '' for none. */
  enrolment_hash: string
  enrolment_expires_at: string | null
  /** SHA-256 of the token in use, in hex; '' for none. */
  token_hash: string
  /** Base64url of the 32 bytes of an X25519 key; '' before enrolment. */
  public_key: string
  /** 1 between the events `scanner.online` and `scanner.offline`. */
  is_online: number
  revoked_at: string | null
  enrolled_at: string | null
  /** To the minute. */
  last_seen_at: string | null
  protocol: number | null
  version: string
  hostname: string
  /** JSON: `{icmp, arp, neighbours, listen}`. */
  capabilities: string
  /** JSON: a list of CIDRs. */
  links: string
  slots: number
  ip_address: string
  spooled_reports: number
  /** The last write of reported fields, to the minute. */
  noted_at: string | null
}

/** The moment of the last request of a scanner. A separate table, because it changes often: lists of scanners stay cached. */
export type ScannerBeatRow = {
  scanner_id: string
  /** By the clock that the instances share, in ms since the epoch. */
  beat_ms: number
}

export type ScannerTables = {
  scanner_states: ScannerStateRow
  scanner_beats: ScannerBeatRow
}

declare module '../../database/tables.ts' {
  interface OwnTables extends ScannerTables {}
}
