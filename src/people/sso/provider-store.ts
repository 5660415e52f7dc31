/** The queries of identity providers; the only writer of their table. Sealed secrets pass through it as they are. */

import type { DbScope } from '../../kernel/ctx.ts'
import { buildNameKeys } from '../../net/name-order.ts'
import { createPlainStore, type RecordScope } from '../../resource/recorder.ts'
import * as identities from './identity-store.ts'
import type { GroupMapping, SsoProvider } from './schema.ts'
import type { SsoProviderRow } from './table.ts'

/** A provider without the addresses that follow from PUBLIC_URL. */
export type Provider = Omit<SsoProvider, 'redirect_uri' | 'backchannel_logout_uri'>
export type Stored = { readonly provider: Provider; readonly sealed: string | null }

const columns = [
  ...(['id', 'name', 'issuer', 'client_id', 'client_secret', 'scopes', 'enabled', 'create_users'] as const),
  ...(['link_by_email', 'allowed_domains', 'username_claim', 'groups_claim', 'group_mappings'] as const),
  ...(['required_acr', 'max_session_hours', 'credentials_max_idle_days', 'allow_http'] as const),
  ...(['created_at', 'updated_at'] as const),
] as const

type Row = Omit<SsoProviderRow, 'name_key' | 'name_order' | 'changed_by'>

/** Returns the fields in the order of the contract. */
export const toProvider = (row: Row): Provider => ({
  id: row.id,
  name: row.name,
  issuer: row.issuer,
  client_id: row.client_id,
  has_secret: row.client_secret !== null,
  // Validated before they were stored.
  scopes: JSON.parse(row.scopes) as string[],
  enabled: row.enabled === 1,
  create_users: row.create_users === 1,
  link_by_email: row.link_by_email === 1,
  allowed_domains: JSON.parse(row.allowed_domains) as string[],
  username_claim: row.username_claim,
  groups_claim: row.groups_claim,
  group_mappings: JSON.parse(row.group_mappings) as GroupMapping[],
  required_acr: row.required_acr,
  max_session_hours: row.max_session_hours,
  credentials_max_idle_days: row.credentials_max_idle_days,
  allow_http: row.allow_http === 1,
  created_at: row.created_at,
  updated_at: row.updated_at,
})

const toStored = (row: Row): Stored => ({ provider: toProvider(row), sealed: row.client_secret })

export const query = ({ db }: DbScope) =>
  db.selectFrom('sso_providers').select(columns).orderBy('name_order').orderBy('id')

/** Returns the providers that link by address, with the user who has made or last changed each, if known. */
export const findLinking = async ({ db }: DbScope): Promise<{ provider: Provider; changedBy: string | null }[]> => {
  const query = db
    .selectFrom('sso_providers')
    .select([...columns, 'changed_by'])
    .where('link_by_email', '=', 1)
  const rows = await query.orderBy('name_order').orderBy('id').execute()
  return rows.map(({ changed_by, ...row }) => ({ provider: toProvider(row), changedBy: changed_by }))
}

/** Returns the providers by which users may sign in, by name. */
export const findEnabled = async (scope: DbScope): Promise<Pick<Provider, 'id' | 'name'>[]> =>
  scope.db
    .selectFrom('sso_providers')
    .select(['id', 'name'])
    .where('enabled', '=', 1)
    .orderBy('name_order')
    .orderBy('id')
    .execute()

const toRow = ({ provider: { has_secret: _, ...fields }, sealed }: Stored): Omit<SsoProviderRow, 'changed_by'> => ({
  ...fields,
  ...buildNameKeys(fields.name),
  client_secret: sealed,
  scopes: JSON.stringify(fields.scopes),
  allowed_domains: JSON.stringify(fields.allowed_domains),
  group_mappings: JSON.stringify(fields.group_mappings),
  enabled: Number(fields.enabled),
  create_users: Number(fields.create_users),
  link_by_email: Number(fields.link_by_email),
  allow_http: Number(fields.allow_http),
})

const store = createPlainStore({
  ...{ kind: 'sso-provider', table: 'sso_providers' },
  ...{ query, fromRow: toStored, toRow },
  toDocument: ({ provider }) => provider,
})
export const { find, findNamesake, lock, update } = store

/** @param changed_by the id of the user who makes it */
export const insert = (scope: RecordScope, stored: Stored, changed_by: string | null): Promise<void> =>
  store.write(scope, [stored.provider.id], async () => {
    await scope.db
      .insertInto('sso_providers')
      .values({ ...toRow(stored), changed_by })
      .execute()
  })

/** Records who has made a change. */
export const commitChange = async ({ db }: DbScope, id: string, changed_by: string | null): Promise<void> => {
  await db.updateTable('sso_providers').set({ changed_by }).where('id', '=', id).execute()
}

/** Foreign keys delete its sign-ins in progress and the provider's side of its sessions. */
export const remove = async (scope: RecordScope, id: string): Promise<void> => {
  await identities.removeIdentities(scope, { provider_id: id })
  await store.remove(scope, id)
}
