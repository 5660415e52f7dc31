/** Reads clients in their stored and public forms, and authenticates them at the protocol endpoints. */

import { orNotFound } from '../../../contract/errors.ts'
import type { Ctx, DbScope } from '../../../kernel/ctx.ts'
import type { JsonList } from '../../../kernel/handler-result.ts'
import { listRows, type Page } from '../../../kernel/list.ts'
import { requireChargeOfAll } from '../../users/account.ts'
import type { Parameters, RegisteredClient } from '../authorization.ts'
import { OauthProtocolError } from '../oauth-error.ts'
import type { GrantType, OauthClient } from '../schema.ts'
import * as store from '../store.ts'
import type { OauthClientRow } from '../table.ts'
import { isProven, parseClient } from './client-credentials.ts'

/** Parses a JSON list of strings, which only `validateRegistration` produces. */
const parseTexts = (json: string): string[] => JSON.parse(json) as string[]

export const parseGrantTypes = ({ grant_types }: Pick<OauthClientRow, 'grant_types'>): GrantType[] =>
  parseTexts(grant_types) as GrantType[]

export const toRegisteredClient = (row: OauthClientRow): RegisteredClient => ({
  id: row.id,
  name: row.name,
  redirectUris: parseTexts(row.redirect_uris),
  scope: row.scope,
  isConfidential: row.secret_hash !== null,
})

/** Authenticates the client of a request. @throws OauthProtocolError */
export const authenticate = async (ctx: DbScope, headers: Headers, parameters: Parameters): Promise<OauthClientRow> => {
  const shown = parseClient(headers, parameters)
  const row = await store.findClient(ctx, shown.id)
  // Both cases get the same answer, so that it does not reveal which clients exist.
  if (!row || !isProven(shown, row.secret_hash))
    throw new OauthProtocolError('invalid_client', 'The client is not registered, or has not shown that it is itself')
  return row
}

type ListedClient = OauthClientRow & { last_used_at: string | null; grant_count: number | string | null }

const toOauthClient = (row: ListedClient): OauthClient => ({
  id: row.id,
  client_id: row.id,
  client_name: row.name,
  redirect_uris: parseTexts(row.redirect_uris),
  grant_types: parseGrantTypes(row),
  response_types: ['code'],
  token_endpoint_auth_method: row.auth_method,
  scope: row.scope,
  is_confidential: row.secret_hash !== null,
  created_at: row.created_at,
  last_used_at: row.last_used_at,
  grant_count: Number(row.grant_count ?? 0),
})

export const listClients = async (ctx: Ctx, page: Page): Promise<JsonList<OauthClient>> => {
  // Includes users, because a deleted user's grants are deleted too.
  const revision = await ctx.store.revision(['oauth_clients', 'oauth_client_uses', 'oauth_grants', 'users'])
  return listRows(ctx, {
    revision,
    query: store.selectClients(ctx),
    page,
    row: (row): OauthClient => toOauthClient(row),
  })
}

export const getClient = async (ctx: Ctx, id: string): Promise<OauthClient> => {
  const row = orNotFound(
    await store.selectClients(ctx).where('oauth_clients.id', '=', id).executeTakeFirst(),
    'OAuth client',
    id,
  )
  return toOauthClient(row)
}

/** Deletes a client with all grants and tokens. @throws AppError FORBIDDEN as `requireChargeById` of its users */
export const deleteClient = async (ctx: Ctx, id: string): Promise<void> => {
  const client = await getClient(ctx, id)
  const users = (await store.findUsersOfClient(ctx, id)).filter((user) => user !== ctx.caller.userId)
  await requireChargeOfAll(ctx, users, 'A user that the client acts for')
  ctx.precondition(client)
  await store.removeClient(ctx, id)
}
