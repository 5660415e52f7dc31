/**
 * Decides who may create and change providers: a provider signs in its users, so its owner could become any of them. The rule is
 * that of accounts, docs/decisions/rights.md#escalation.
 */
import { AppError } from '../../contract/errors.ts'
import type { Ctx, DbScope } from '../../kernel/ctx.ts'
import { requireChargeOfAll } from '../users/account.ts'
import { findInDomains } from '../users/provider-users.ts'
import * as identities from './identity-store.ts'
import type { Provider } from './provider-store.ts'

type Linking = Pick<Provider, 'id' | 'name' | 'link_by_email' | 'allowed_domains'>

/** Returns the ids of the users whom a provider could sign in: by their identities, and by their addresses if it links by them. */
export const findSignable = async (scope: DbScope, provider: Linking): Promise<string[]> => {
  const own = await identities.findUserIds(scope, provider.id)
  const byAddress = provider.link_by_email ? await findInDomains(scope, provider.allowed_domains) : []
  return [...new Set([...own, ...byAddress])]
}

/**
 * @param states the provider before and after a change
 * @throws AppError FORBIDDEN unless the caller holds all that the users hold whom the provider could sign in; also for an API key with
 * limits, if the provider links by address or has users
 */
export const requireUsersHeld = async (ctx: Ctx, states: readonly Linking[]): Promise<void> => {
  const ids = new Set<string>()
  for (const state of states) for (const id of await findSignable(ctx, state)) ids.add(id)
  if (ctx.caller.isNarrow && (ids.size > 0 || states.some(({ link_by_email }) => link_by_email)))
    throw new AppError('FORBIDDEN', 'An API key with limits does not change a provider that signs in existing users')
  const name = states.at(-1)?.name ?? ''
  await requireChargeOfAll(ctx, [...ids], `A user whom the provider "${name}" could sign in`)
}
