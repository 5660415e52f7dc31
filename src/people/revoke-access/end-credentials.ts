/** Ends the credentials of an account: the credentials that it gave to others, and its own ways to sign in. */
import type { DbScope, StoreScope } from '../../kernel/ctx.ts'
import { resetFactors } from '../factors/factors.ts'
import { endUserKeys } from '../keys/keys.ts'
import { endUserGrants } from '../oauth/oauth.ts'
import { endUserSignIns, lockAccount } from '../users/account.ts'
import { removePassword } from '../users/provider-users.ts'

export type EndedCredentials = {
  readonly keys: Awaited<ReturnType<typeof endUserKeys>>
  readonly grants: Awaited<ReturnType<typeof endUserGrants>>
}

/** Deletes all API keys, OAuth grants and codes of an account, and ends its sessions in every store. Its ways to sign in stay. */
export const endCredentials = async (scope: DbScope, userId: string): Promise<EndedCredentials> => {
  const grants = await endUserGrants(scope, userId)
  // Sessions, codes and tokens of an earlier generation are invalid in every store.
  await endUserSignIns(scope, userId)
  return { grants, keys: await endUserKeys(scope, userId) }
}

/** Like `endCredentials`, and removes the password and the second factors. Locks the account until commit. */
export const endAllCredentials = async (
  scope: StoreScope & { readonly now: string },
  userId: string,
): Promise<EndedCredentials> => {
  await lockAccount(scope, userId)
  const ended = await endCredentials(scope, userId)
  await resetFactors(scope, userId)
  await removePassword(scope, userId)
  return ended
}
