/** The identities of the caller. */
import { invalidField, notFound } from '../../contract/errors.ts'
import { type Ctx, implement } from '../../kernel/ctx.ts'
import { listRows } from '../../kernel/list.ts'
import { removeMembershipsFrom } from '../groups/groups.ts'
import { findUser, lockAccount } from '../users/account.ts'
import { identities } from './api.ts'
import * as store from './identity-store.ts'
import type { Identity } from './schema.ts'

/**
 * Returns true if the user can sign in without this identity. A passkey is no way in of its own: without a password, it needs a
 * recent sign-in by a provider.
 */
const hasOtherWay = async (ctx: Ctx, userId: string, identityId: string): Promise<boolean> => {
  if ((await findUser(ctx, userId))?.has_password) return true
  const others = store
    .selectIdentities(ctx, userId)
    .where('identities.id', '<>', identityId)
    .where('sso_providers.enabled', '=', 1)
  return (await others.executeTakeFirst()) !== undefined
}

const remove = async (ctx: Ctx, id: string): Promise<void> => {
  const userId = ctx.caller.userId ?? ''
  await lockAccount(ctx, userId)
  const identity = await store.lockIdentity(ctx, id)
  if (identity?.user_id !== userId) throw notFound('identity', id)
  if (!(await hasOtherWay(ctx, userId, id)))
    throw invalidField('id', 'is the only way in: set a password or link another identity first')
  await store.deleteIdentity(ctx, id)
  await removeMembershipsFrom(ctx, identity.provider_id, userId)
}

export const identityOperations = implement(identities, {
  list: async (ctx, page) => {
    const userId = ctx.caller.userId ?? ''
    const revision = await ctx.store.revision(['identities', 'sso_providers', 'users'])
    const query = store.selectIdentities(ctx, userId)
    // The same URL lists different identities for different users, and a browser cache knows only the URL.
    return listRows(ctx, { revision: `${revision} ${userId}`, query, page, row: (row): Identity => row })
  },
  delete: async (ctx, { id }) => remove(ctx, id),
})
