/** The tables that the audit trail owns. */
import type { AuditAction } from '../../platform/operation/operation.ts'

/** A whole number, which some drivers hand out and prepared queries take as text. */
type Stored = number | string

export type AuditRow = {
  /** Which chain it is of, and where in it, as `placeOf` says. */
  place: Stored
  /** UUIDv7 of the moment in `timestamp`, so that the order of ids is the order of time. */
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
  /** SHA-256 of the hash before and of this entry. */
  hash: string
}

/** Where the kept part of a chain begins and ends. */
export type AuditChainRow = {
  chain: Stored
  /** Of the last entry that was deleted because of its age; 0 and '' before that. */
  start_seq: Stored
  start_hash: string
  /** Of the newest entry. */
  end_seq: Stored
  end_hash: string
  /** Of all the above, by ENCRYPTION_KEY; '' without one. */
  signature: string
}

export type AuditTables = { audit: AuditRow; audit_chains: AuditChainRow }
