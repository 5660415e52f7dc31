/** The grants that users have given to clients. Callers see their own, or with a permission everyone's. */

import { AppError, notFound } from '../../contract/errors.ts'
import type { Ctx } from '../../kernel/ctx.ts'
import type { JsonList } from '../../kernel/handler-result.ts'
import { listRows } from '../../kernel/list.ts'
import type { ParsedInputOf } from '../../kernel/operation.ts'
import { RIGHTS_TABLES, requireChargeById } from '../users/account.ts'
import { loadCoverage } from '../users/covering.ts'
import type { oauthGrants } from './api.ts'
import type { OauthGrant } from './schema.ts'
import * as store from './store.ts'

const getUserIdOrThrow = ({ caller }: Ctx): string => {
  if (caller.userId === undefined) throw new AppError('UNAUTHORIZED', 'Only a user agrees to anything')
  return caller.userId
}

type Wanted = ParsedInputOf<typeof oauthGrants.list>

export const listGrants = async (ctx: Ctx, { client_id, user_id, ...page }: Wanted): Promise<JsonList<OauthGrant>> => {
  const own = getUserIdOrThrow(ctx)
  const isAll = ctx.caller.permissions.has('oauth-clients:list')
  const revision = await ctx.store.revision(['oauth_grants', 'oauth_grant_uses', 'oauth_clients', ...RIGHTS_TABLES])
  let query = store.selectGrants(ctx)
  if (isAll && user_id !== undefined) await requireChargeById(ctx, user_id)
  const coverage = isAll ? await loadCoverage(ctx) : undefined
  const isCovered = coverage?.ownerIs('oauth_grants.user_id')
  if (isCovered) query = query.where(isCovered)
  if (!isAll) query = query.where('oauth_grants.user_id', '=', own)
  if (user_id !== undefined) query = query.where('oauth_grants.user_id', '=', user_id)
  if (client_id !== undefined) query = query.where('oauth_grants.client_id', '=', client_id)
  return listRows(ctx, {
    // The same URL lists different grants for different users, and a browser cache knows only the URL.
    revision: `${revision} ${coverage?.tag ?? own}`,
    query,
    page,
    row: (grant): OauthGrant => grant,
  })
}

/** Another user's grant does not exist without oauth-clients:delete. @throws AppError FORBIDDEN */
export const deleteGrant = async (ctx: Ctx, id: string): Promise<void> => {
  await store.lockGrant(ctx, id)
  const grant = await store.selectGrants(ctx).where('oauth_grants.id', '=', id).executeTakeFirst()
  const mayEnd = grant?.user_id === getUserIdOrThrow(ctx) || ctx.caller.permissions.has('oauth-clients:delete')
  if (!grant || !mayEnd) throw notFound('OAuth grant', id)
  await requireChargeById(ctx, grant.user_id)
  ctx.precondition(grant)
  await store.removeGrant(ctx, id)
}
