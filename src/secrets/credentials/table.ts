/** The tables of credentials. */
import type { AuthProtocol, CredentialType, PrivProtocol } from './api.ts'

export type CredentialRow = {
  id: string
  name: string
  /** Lower case, for the order of lists and for filters. */
  name_key: string
  /** The collation key of the name: see `net/name-order.ts`. */
  name_order: string
  type: CredentialType
  username: string
  auth_protocol: AuthProtocol
  priv_protocol: PrivProtocol
  /** All secret fields of the credential as one sealed value; null if it has none. */
  secret: string | null
  device_id: string | null
  network_id: string | null
  description: string
  created_at: string
  updated_at: string
}

export type CredentialTables = { credentials: CredentialRow }

declare module '../../database/tables.ts' {
  interface OwnTables extends CredentialTables {}
}
