/** The queries of credentials; the only writer of their table. Sealed values pass through it as they are. */

import type { Ctx, DbScope } from '../../kernel/ctx.ts'
import { buildNameKeys } from '../../net/name-order.ts'
import { createRecorder, type RecordScope } from '../../resource/recorder.ts'
import type { Credential } from './api.ts'
import type { CredentialRow } from './table.ts'

/** A credential in its public form, and its sealed secrets, which are never sent. */
export type Stored = { readonly credential: Credential; readonly sealed: string | null }

const columns = [
  'id',
  'name',
  'type',
  'username',
  'auth_protocol',
  'priv_protocol',
  'secret',
  'device_id',
  'network_id',
  'description',
  'created_at',
  'updated_at',
] as const

type Row = Omit<CredentialRow, 'name_key' | 'name_order'>

/** Returns the fields in the order of the contract. */
export const toCredential = ({ secret, device_id, network_id, description, ...row }: Row): Credential => {
  const { created_at, updated_at, ...named } = row
  return { ...named, has_secret: secret !== null, device_id, network_id, description, created_at, updated_at }
}

const toStored = (row: Row | undefined): Stored | undefined =>
  row && { credential: toCredential(row), sealed: row.secret }

export const query = ({ db }: DbScope) =>
  db.selectFrom('credentials').select(columns).orderBy('name_order').orderBy('id')

const selectById = ({ db }: DbScope, id: string) => db.selectFrom('credentials').select(columns).where('id', '=', id)

export const find = async (scope: DbScope, id: string): Promise<Stored | undefined> =>
  toStored(await selectById(scope, id).executeTakeFirst())

/** Finds like `find`, and locks the row until commit. */
export const lock = async (ctx: Ctx, id: string): Promise<Stored | undefined> =>
  toStored(await ctx.store.sql.lockRows(selectById(ctx, id)).executeTakeFirst())

const toRow = ({ credential: { has_secret: _, ...fields }, sealed }: Stored): CredentialRow => ({
  ...fields,
  ...buildNameKeys(fields.name),
  secret: sealed,
})

const recorder = createRecorder({
  ...{ kind: 'credential', table: 'credentials' },
  find: async (ctx, ids) => (await query(ctx).where('id', 'in', ids).execute()).map(toCredential),
})

export const insert = (scope: RecordScope, stored: Stored): Promise<void> =>
  recorder.write(scope, [stored.credential.id], async () => {
    await scope.db.insertInto('credentials').values(toRow(stored)).execute()
  })

export const update = (scope: RecordScope, stored: Stored): Promise<void> =>
  recorder.write(scope, [stored.credential.id], async () => {
    await scope.db.updateTable('credentials').set(toRow(stored)).where('id', '=', stored.credential.id).execute()
  })

export const remove = (scope: RecordScope, id: string): Promise<void> =>
  recorder.write(scope, [id], async () => {
    await scope.db.deleteFrom('credentials').where('id', '=', id).execute()
  })

/** Call for deleted devices. Their credentials lose the network too: without the device they would be tried on all of it. */
export const clearDevices = async (ctx: Ctx, ids: readonly string[]): Promise<void> => {
  const { db, now } = ctx
  const forNowhere = { device_id: null, network_id: null, updated_at: now }
  await recorder.writeWhere(
    ctx,
    () => db.selectFrom('credentials').select('id').where('device_id', 'in', ids).execute(),
    () => db.updateTable('credentials').set(forNowhere).where('device_id', 'in', ids).returning('id').execute(),
  )
}

export const clearNetwork = async (ctx: Ctx, id: string): Promise<void> => {
  const { db, now } = ctx
  const cleared = { network_id: null, updated_at: now }
  await recorder.writeWhere(
    ctx,
    () => db.selectFrom('credentials').select('id').where('network_id', '=', id).execute(),
    () => db.updateTable('credentials').set(cleared).where('network_id', '=', id).returning('id').execute(),
  )
}
