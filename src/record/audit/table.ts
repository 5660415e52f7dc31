/** The tables of the audit trail. */
import type { AuditAction } from '../../kernel/operation.ts'

/** An integer, which some drivers return as text, and prepared queries take as text. */
type Stored = number | string

export type AuditRow = {
  /** The chain and the position in it, as `toSortKey` encodes them. */
  place: Stored
  /** A UUIDv7 of the time in `timestamp`, so that ids sort by time. */
  id: string
  timestamp: string
  action: AuditAction
  resource: string
  resource_id: string
  user_id: string
  username: string
  key_id: string
  ip_address: string
  changes: string
  status: 'success' | 'failure'
  error: string
  request_id: string
  oauth_client: string
  tool: string
  key_owner_id: string
  key_owner: string
  change_id: string
  /** SHA-256 of the previous hash and this entry. */
  hash: string
}

/** The start and end of the stored part of a chain. */
export type AuditChainRow = {
  chain: Stored
  /** The last entry that retention deleted; 0 and '' before that. */
  start_seq: Stored
  start_hash: string
  /** The newest entry. */
  end_seq: Stored
  end_hash: string
  /** Covers all columns above, by ENCRYPTION_KEY; '' without one. */
  signature: string
}

export type AuditTables = { audit: AuditRow; audit_chains: AuditChainRow }

declare module '../../database/tables.ts' {
  interface OwnTables extends AuditTables {}
}
