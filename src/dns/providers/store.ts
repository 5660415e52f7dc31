/** The queries of DNS servers; the only writer of their table. Sealed secrets pass through it as they are. */

import type { Ctx, DbScope } from '../../kernel/ctx.ts'
import { buildNameKeys } from '../../net/name-order.ts'
import { createRecorder, type RecordScope } from '../../resource/recorder.ts'
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

const fromRow = (row: Row | undefined): Stored | undefined =>
  row && { provider: toProvider(row), sealed: row.tsig_secret }

export const query = ({ db }: DbScope) =>
  db.selectFrom('dns_providers').select(columns).orderBy('name_order').orderBy('id')

const selectById = ({ db }: DbScope, id: string) => db.selectFrom('dns_providers').select(columns).where('id', '=', id)

export const find = async (scope: DbScope, id: string): Promise<Stored | undefined> =>
  fromRow(await selectById(scope, id).executeTakeFirst())

/** Finds like `find`, and locks the row until commit. */
export const lock = async (ctx: Ctx, id: string): Promise<Stored | undefined> =>
  fromRow(await ctx.store.sql.lockRows(selectById(ctx, id)).executeTakeFirst())

const toRow = ({ provider: { has_secret: _, ...fields }, sealed }: Stored): DnsProviderRow => ({
  ...fields,
  ...buildNameKeys(fields.name),
  tsig_secret: sealed,
})

const recorder = createRecorder({
  ...{ kind: 'dns-provider', table: 'dns_providers' },
  find: async (ctx, ids) => (await query(ctx).where('id', 'in', ids).execute()).map(toProvider),
})

export const insert = (scope: RecordScope, stored: Stored): Promise<void> =>
  recorder.write(scope, [stored.provider.id], async () => {
    await scope.db.insertInto('dns_providers').values(toRow(stored)).execute()
  })

export const update = (scope: RecordScope, stored: Stored): Promise<void> =>
  recorder.write(scope, [stored.provider.id], async () => {
    await scope.db.updateTable('dns_providers').set(toRow(stored)).where('id', '=', stored.provider.id).execute()
  })

export const remove = (scope: RecordScope, id: string): Promise<void> =>
  recorder.write(scope, [id], async () => {
    await scope.db.deleteFrom('dns_providers').where('id', '=', id).execute()
  })
