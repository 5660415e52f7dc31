/** The queries of credentials; the only writer of their table. Sealed values pass through it as they are. */

import type { Ctx, DbScope } from '../../kernel/ctx.ts'
import { buildNameKeys } from '../../net/name-order.ts'
import { createPlainStore } from '../../resource/recorder.ts'
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

const toStored = (row: Row): Stored => ({ credential: toCredential(row), sealed: row.secret })

export const query = ({ db }: DbScope) =>
  db.selectFrom('credentials').select(columns).orderBy('name_order').orderBy('id')

const toRow = ({ credential: { has_secret: _, ...fields }, sealed }: Stored): CredentialRow => ({
  ...fields,
  ...buildNameKeys(fields.name),
  secret: sealed,
})

const store = createPlainStore({
  ...{ kind: 'credential', table: 'credentials' },
  ...{ query, fromRow: toStored, toRow },
  toDocument: ({ credential }) => credential,
})
export const { find, lock, insert, update, remove } = store

/** Call for deleted devices. Their credentials lose the network too: without the device they would be tried on all of it. */
export const clearDevices = async (ctx: Ctx, ids: readonly string[]): Promise<void> => {
  const { db, now } = ctx
  const forNowhere = { device_id: null, network_id: null, updated_at: now }
  await store.writeWhere(
    ctx,
    () => db.selectFrom('credentials').select('id').where('device_id', 'in', ids).execute(),
    () => db.updateTable('credentials').set(forNowhere).where('device_id', 'in', ids).returning('id').execute(),
  )
}

export const clearNetwork = async (ctx: Ctx, id: string): Promise<void> => {
  const { db, now } = ctx
  const cleared = { network_id: null, updated_at: now }
  await store.writeWhere(
    ctx,
    () => db.selectFrom('credentials').select('id').where('network_id', '=', id).execute(),
    () => db.updateTable('credentials').set(cleared).where('network_id', '=', id).returning('id').execute(),
  )
}
