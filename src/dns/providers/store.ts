/** The queries of DNS servers; the only writer of their table. Sealed secrets pass through it as they are. */

import type { DbScope } from '../../kernel/ctx.ts'
import { buildNameKeys } from '../../net/name-order.ts'
import { createPlainStore } from '../../resource/recorder.ts'
import type { DnsProvider } from './api.ts'
import type { DnsProviderRow } from './table.ts'

export type Stored = { readonly provider: DnsProvider; readonly sealed: string | null }

const columns = [
  ...(['id', 'name', 'type', 'host', 'port', 'tsig_name', 'tsig_algorithm', 'tsig_secret'] as const),
  ...(['timeout_seconds', 'description', 'created_at', 'updated_at'] as const),
] as const

type Row = Omit<DnsProviderRow, 'name_key' | 'name_order'>

/** Returns the fields in the order of the contract. */
export const toProvider = ({ tsig_secret, type, tsig_algorithm, ...row }: Row): DnsProvider => {
  const { id, name, host, port, tsig_name, timeout_seconds, description, created_at, updated_at } = row
  return {
    // Validated before they were stored.
    ...{ id, name, type: type as DnsProvider['type'], host, port, tsig_name },
    tsig_algorithm: tsig_algorithm as DnsProvider['tsig_algorithm'],
    ...{ has_secret: tsig_secret !== null, timeout_seconds, description, created_at, updated_at },
  }
}

const fromRow = (row: Row): Stored => ({ provider: toProvider(row), sealed: row.tsig_secret })

export const query = ({ db }: DbScope) =>
  db.selectFrom('dns_providers').select(columns).orderBy('name_order').orderBy('id')

const toRow = ({ provider: { has_secret: _, ...fields }, sealed }: Stored): DnsProviderRow => ({
  ...fields,
  ...buildNameKeys(fields.name),
  tsig_secret: sealed,
})

export const { find, lock, insert, update, remove } = createPlainStore({
  ...{ kind: 'dns-provider', table: 'dns_providers' },
  ...{ query, fromRow, toRow },
  toDocument: ({ provider }) => provider,
})
