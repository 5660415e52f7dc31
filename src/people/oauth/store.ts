/** The queries of OAuth; the only writer of its tables. */

import type { ExpressionBuilder } from 'kysely'
import type { Tables } from '../../database/tables.ts'
import type { DbScope, StoreScope } from '../../kernel/ctx.ts'
import { buildNameKeys } from '../../net/name-order.ts'
import { createRecorder, type RecordScope } from '../../resource/recorder.ts'
import type { OauthAccessTokenRow, OauthClientRow, OauthCodeRow, OauthGrantRow, OauthRefreshTokenRow } from './table.ts'

/** Checks the form of our ids and hashes. PostgreSQL rejects some other texts with an error. */
const isPlain = (text: string): boolean => /^[\w-]{1,64}$/.test(text)

export const findClient = async ({ db }: DbScope, id: string): Promise<OauthClientRow | undefined> =>
  isPlain(id) ? db.selectFrom('oauth_clients').selectAll().where('id', '=', id).executeTakeFirst() : undefined

const clientRecorder = createRecorder({
  ...{ kind: 'oauth-client', table: 'oauth_clients' },
  find: ({ db }, ids) =>
    db
      .selectFrom('oauth_clients')
      .select(['id', 'name', 'auth_method', 'redirect_uris', 'grant_types', 'response_types', 'scope'])
      .select(['created_at', 'consented_at'])
      .where('id', 'in', ids)
      .execute(),
})

const grantRecorder = createRecorder({
  ...{ kind: 'oauth-grant', table: 'oauth_grants' },
  find: ({ db }, ids) => db.selectFrom('oauth_grants').selectAll().where('id', 'in', ids).execute(),
})

export const insertClient = (
  scope: RecordScope,
  client: Omit<OauthClientRow, 'name_key' | 'name_order'>,
): Promise<void> =>
  clientRecorder.write(scope, [client.id], async () => {
    await scope.db
      .insertInto('oauth_clients')
      .values({ ...client, ...buildNameKeys(client.name) })
      .execute()
    await scope.db.insertInto('oauth_client_uses').values({ client_id: client.id, last_used_at: null }).execute()
  })

/** Marks the client as used in a consent, so that it no longer expires. */
export const keepClient = async ({ db }: DbScope, id: string, now: string): Promise<void> => {
  await db
    .updateTable('oauth_clients')
    .set({ consented_at: now })
    .where('id', '=', id)
    .where('consented_at', 'is', null)
    .execute()
}

/** Deletes the grants with this value; their tokens are deleted with them. */
const removeGrants = async (scope: RecordScope, owner: Partial<OauthGrantRow>): Promise<void> => {
  const { db } = scope
  const isGone = (eb: ExpressionBuilder<Tables, 'oauth_grants'>) => eb.and(owner)
  await grantRecorder.writeWhere(
    scope,
    () => db.selectFrom('oauth_grants').select('id').where(isGone).execute(),
    () => db.deleteFrom('oauth_grants').where(isGone).returning('id').execute(),
  )
}

export const removeClient = async (scope: RecordScope, id: string): Promise<void> => {
  await removeGrants(scope, { client_id: id })
  await clientRecorder.write(scope, [id], async () => {
    await scope.db.deleteFrom('oauth_clients').where('id', '=', id).execute()
  })
}

const idle = ({ db }: DbScope) => db.selectFrom('oauth_clients').select('id').where('consented_at', 'is', null)

/** Deletes all but the newest clients without consent. */
export const removeIdleBeyond = async (scope: RecordScope, kept: number): Promise<void> => {
  const rows = await idle(scope)
    .orderBy('created_at', 'desc')
    .orderBy('id', 'desc')
    .limit(Number.MAX_SAFE_INTEGER)
    .offset(kept)
    .execute()
  for (const { id } of rows) await removeClient(scope, id)
}

/** Returns all clients in their public form, by name. */
export const selectClients = ({ db }: DbScope) =>
  db
    .selectFrom('oauth_clients')
    .leftJoin('oauth_client_uses', 'oauth_client_uses.client_id', 'oauth_clients.id')
    .selectAll('oauth_clients')
    .select(['oauth_client_uses.last_used_at'])
    .select((eb) =>
      eb
        .selectFrom('oauth_grants')
        .innerJoin('users', 'users.id', 'oauth_grants.user_id')
        .select((inner) => inner.fn.countAll<number | string>().as('n'))
        .whereRef('oauth_grants.client_id', '=', 'oauth_clients.id')
        .whereRef('oauth_grants.user_generation', '=', 'users.generation')
        .where('users.is_active', '=', 1)
        .as('grant_count'),
    )
    .orderBy('oauth_clients.name_order')
    .orderBy('oauth_clients.id')

/** Returns all grants in force, newest first. */
export const selectGrants = ({ db }: DbScope) =>
  db
    .selectFrom('oauth_grants')
    .innerJoin('oauth_grant_uses', 'oauth_grant_uses.grant_id', 'oauth_grants.id')
    .innerJoin('oauth_clients', 'oauth_clients.id', 'oauth_grants.client_id')
    .innerJoin('users', 'users.id', 'oauth_grants.user_id')
    .select([
      'oauth_grants.id',
      'oauth_grants.client_id',
      'oauth_clients.name as client_name',
      'oauth_grants.user_id',
      'users.username',
      'oauth_grants.scope',
      'oauth_grants.created_at',
      'oauth_grant_uses.last_used_at',
      'oauth_grant_uses.expires_at',
    ])
    .whereRef('oauth_grants.user_generation', '=', 'users.generation')
    .where('users.is_active', '=', 1)
    .orderBy('oauth_grants.created_at', 'desc')
    .orderBy('oauth_grants.id', 'desc')

/** Returns the ids of the users who have a grant in force with the client. */
export const findUsersOfClient = async (scope: DbScope, clientId: string): Promise<string[]> => {
  const rows = await selectGrants(scope).where('oauth_grants.client_id', '=', clientId).execute()
  return [...new Set(rows.map(({ user_id }) => user_id))]
}

type NewGrant = OauthGrantRow & { readonly expires_at: string }

export const insertGrant = (scope: RecordScope, { expires_at, ...grant }: NewGrant): Promise<void> =>
  grantRecorder.write(scope, [grant.id], async () => {
    await scope.db.insertInto('oauth_grants').values(grant).execute()
    await scope.db
      .insertInto('oauth_grant_uses')
      .values({ grant_id: grant.id, last_used_at: null, expires_at })
      .execute()
  })

/** Deletes the grant; its tokens are deleted with it. */
export const removeGrant = (scope: RecordScope, id: string): Promise<void> => removeGrants(scope, { id })

/** Deletes a user's grants, tokens and codes. @returns the grants that were in force */
export const removeUserGrants = async (scope: RecordScope, userId: string) => {
  const inForce = await selectGrants(scope).where('oauth_grants.user_id', '=', userId).execute()
  await scope.db.deleteFrom('oauth_codes').where('user_id', '=', userId).execute()
  await removeGrants(scope, { user_id: userId })
  return inForce
}

/** Locks the grant until commit. */
export const lockGrant = async (ctx: StoreScope, id: string): Promise<void> => {
  await ctx.store.sql.lockRows(ctx.db.selectFrom('oauth_grants').select('id').where('id', '=', id)).executeTakeFirst()
}

/** Extends the grant to the end of its newest token; never shortens it. */
export const extendGrant = async ({ db }: DbScope, id: string, expires_at: string): Promise<void> => {
  await db
    .updateTable('oauth_grant_uses')
    .set({ expires_at })
    .where('grant_id', '=', id)
    .where('expires_at', '<', expires_at)
    .execute()
}

type Use = { readonly grantId: string; readonly clientId: string }

/** Updates the time of last use, only forward; does not recreate a deleted grant. */
export const recordUse = async ({ db }: DbScope, { grantId, clientId }: Use, last_used_at: string): Promise<void> => {
  await db
    .updateTable('oauth_grant_uses')
    .set({ last_used_at })
    .where('grant_id', '=', grantId)
    .where((eb) => eb.or([eb('last_used_at', 'is', null), eb('last_used_at', '<', last_used_at)]))
    .execute()
  await db
    .updateTable('oauth_client_uses')
    .set({ last_used_at })
    .where('client_id', '=', clientId)
    .where((eb) => eb.or([eb('last_used_at', 'is', null), eb('last_used_at', '<', last_used_at)]))
    .execute()
}

export const insertCode = async ({ db }: DbScope, code: OauthCodeRow): Promise<void> => {
  await db.insertInto('oauth_codes').values(code).execute()
}

/** Locks the code until commit, so that concurrent requests see each other's result. */
export const lockCode = (ctx: StoreScope, hash: string): Promise<OauthCodeRow | undefined> =>
  ctx.store.sql.lockRows(ctx.db.selectFrom('oauth_codes').selectAll().where('code_hash', '=', hash)).executeTakeFirst()

type CodeUse = { readonly now: string; readonly grantId: string | null }

export const markCodeUsed = async ({ db }: DbScope, hash: string, { now, grantId }: CodeUse): Promise<void> => {
  await db.updateTable('oauth_codes').set({ used_at: now, grant_id: grantId }).where('code_hash', '=', hash).execute()
}

export const insertRefreshToken = async ({ db }: DbScope, token: OauthRefreshTokenRow): Promise<void> => {
  await db.insertInto('oauth_refresh_tokens').values(token).execute()
}

/** Returns the token joined with its grant and client. */
export const findRefreshToken = ({ db }: DbScope, hash: string) =>
  db
    .selectFrom('oauth_refresh_tokens')
    .innerJoin('oauth_grants', 'oauth_grants.id', 'oauth_refresh_tokens.grant_id')
    .selectAll('oauth_refresh_tokens')
    .select(['oauth_grants.client_id', 'oauth_grants.user_id', 'oauth_grants.user_generation', 'oauth_grants.scope'])
    .where('token_hash', '=', hash)
    .executeTakeFirst()

/** Like `findRefreshToken`, with a lock on the grant; locking the token first could deadlock with revocation. */
export const lockRefreshToken = async (ctx: StoreScope, hash: string) => {
  const found = await findRefreshToken(ctx, hash)
  if (!found) return undefined
  await lockGrant(ctx, found.grant_id)
  return findRefreshToken(ctx, hash)
}

export const markRefreshTokenUsed = async ({ db }: DbScope, hash: string, now: string): Promise<void> => {
  await db.updateTable('oauth_refresh_tokens').set({ used_at: now }).where('token_hash', '=', hash).execute()
}

export const insertAccessToken = async ({ db }: DbScope, token: OauthAccessTokenRow): Promise<void> => {
  await db.insertInto('oauth_access_tokens').values(token).execute()
}

/** Returns the token joined with its grant and client. */
export const findAccessToken = ({ db }: DbScope, hash: string) =>
  db
    .selectFrom('oauth_access_tokens')
    .innerJoin('oauth_grants', 'oauth_grants.id', 'oauth_access_tokens.grant_id')
    .innerJoin('oauth_clients', 'oauth_clients.id', 'oauth_grants.client_id')
    .selectAll('oauth_access_tokens')
    .select([
      'oauth_grants.client_id',
      'oauth_clients.name as client_name',
      'oauth_grants.user_id',
      'oauth_grants.user_generation',
    ])
    .where('token_hash', '=', hash)
    .executeTakeFirst()

type Until = { readonly before: string; readonly limit: number }

const selectExpiredTokens =
  (table: 'oauth_access_tokens' | 'oauth_refresh_tokens') =>
  ({ db }: DbScope, { before, limit }: Until) =>
    db.selectFrom(table).select('token_hash as key').where('expires_at', '<=', before).limit(limit).execute()

/** The kinds of rows that expire, each deleted in batches. */
export const ENDING = {
  codes: {
    find: ({ db }: DbScope, { before, limit }: Until) =>
      db.selectFrom('oauth_codes').select('code_hash as key').where('expires_at', '<=', before).limit(limit).execute(),
    remove: ({ db }: DbScope, keys: readonly string[]) =>
      db.deleteFrom('oauth_codes').where('code_hash', 'in', keys).execute(),
  },
  accessTokens: {
    find: selectExpiredTokens('oauth_access_tokens'),
    remove: ({ db }: DbScope, keys: readonly string[]) =>
      db.deleteFrom('oauth_access_tokens').where('token_hash', 'in', keys).execute(),
  },
  refreshTokens: {
    find: selectExpiredTokens('oauth_refresh_tokens'),
    remove: ({ db }: DbScope, keys: readonly string[]) =>
      db.deleteFrom('oauth_refresh_tokens').where('token_hash', 'in', keys).execute(),
  },
  grants: {
    find: ({ db }: DbScope, { before, limit }: Until) =>
      db
        .selectFrom('oauth_grant_uses')
        .select('grant_id as key')
        .where('expires_at', '<=', before)
        .limit(limit)
        .execute(),
    remove: ({ db }: DbScope, keys: readonly string[]) =>
      db.deleteFrom('oauth_grants').where('id', 'in', keys).execute(),
  },
  idleClients: {
    find: (scope: DbScope, { before, limit }: Until) =>
      idle(scope).select('id as key').where('created_at', '<=', before).orderBy('created_at').limit(limit).execute(),
    // Skips clients that have got a consent since the selection.
    remove: ({ db }: DbScope, keys: readonly string[]) =>
      db.deleteFrom('oauth_clients').where('id', 'in', keys).where('consented_at', 'is', null).execute(),
  },
} as const
