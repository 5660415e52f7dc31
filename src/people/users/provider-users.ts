/** Users that an identity provider names: found, created and changed by their sign-in, without a password. */

import type { Ctx, DbScope } from '../../kernel/ctx.ts'
import { loadUser, NO_PASSWORD, type SignedIn } from './account.ts'
import type { User } from './api.ts'
import { requireCovered } from './covering.ts'
import * as grants from './grant-store.ts'
import * as store from './store.ts'
import { requireFree } from './usernames.ts'

/** The claims of a provider about a user. `email` is verified, or ''. */
export type ProviderProfile = Pick<User, 'email' | 'full_name'>

/** Returns the id of the user with the e-mail address. */
export const findIdByEmail = async (scope: DbScope, email: string): Promise<string | undefined> =>
  (await store.findByEmail(scope, email))?.id

/** Returns the ids of the users with an address in one of the domains, which are in lower case; in any domain if there is none. */
export const findInDomains = async (scope: DbScope, domains: readonly string[]): Promise<string[]> =>
  (await store.findWithAddress(scope))
    .filter(
      ({ email_key }) => domains.length === 0 || domains.includes(email_key.slice(email_key.lastIndexOf('@') + 1)),
    )
    .map(({ id }) => id)

/** Locks all usernames until commit, so that two first sign-ins do not create one user each. */
export const lockUsernames = store.lockNames

/** @throws AppError ALREADY_EXISTS if another user has the name, a similar one, or the address */
export const createUser = async (
  ctx: Ctx,
  { username, email, full_name }: ProviderProfile & Pick<User, 'username'>,
): Promise<string> => {
  const id = Bun.randomUUIDv7()
  await requireFree(ctx, { id, username, email })
  const times = { created_at: ctx.now, updated_at: ctx.now, last_login_at: null }
  const fields = { id, username, email, full_name, is_active: true, password_hash: NO_PASSWORD }
  await store.insert(ctx, { ...fields, role_ids: [], ...times })
  const row = await store.find(ctx, id)
  if (row) await ctx.emit('user.created')
  return id
}

/**
 * A password opens the account also after the next sign-in by a provider, when its groups may give the user more.
 * @throws AppError FORBIDDEN unless the caller holds all that is granted to the groups of the user's providers
 */
export const requireProvidersCovered = async (
  ctx: Ctx,
  { id, username }: Pick<User, 'id' | 'username'>,
): Promise<void> => {
  const rows = await ctx.db
    .selectFrom('identities')
    .innerJoin('sso_providers', 'sso_providers.id', 'identities.provider_id')
    .select('sso_providers.group_mappings')
    .where('identities.user_id', '=', id)
    .execute()
  // Validated before they were stored.
  const mappings = rows.flatMap(({ group_mappings }) => JSON.parse(group_mappings) as { group_id: string }[])
  const held: grants.HeldRole[] = []
  for (const groupId of new Set(mappings.map(({ group_id }) => group_id)))
    held.push(...(await grants.findRolesOfGroup(ctx, groupId)))
  await requireCovered(ctx, held, `A group that an identity provider may give to "${username}"`)
}

/** Leaves the user without a password, and invalidates every session and token. */
export const removePassword = async (scope: DbScope & Pick<Ctx, 'now'>, id: string): Promise<void> =>
  store.setPassword(scope, id, NO_PASSWORD, scope.now)

/** Returns the address if no other user has it, else the stored one. */
const resolveEmail = async (ctx: Ctx, row: Pick<User, 'id' | 'email'>, email: string): Promise<string> => {
  if (email === '' || email === row.email) return row.email
  const holder = await store.findByEmail(ctx, email)
  return holder === undefined || holder.id === row.id ? email : row.email
}

/**
 * Records a sign-in by a provider, with the profile that it has sent; an empty field is kept as it is. Undefined if the
 * user is deactivated or gone.
 */
export const recordProviderSignIn = async (
  ctx: Ctx,
  id: string,
  profile: ProviderProfile,
): Promise<SignedIn | undefined> => {
  const row = await store.lock(ctx, id)
  if (row?.is_active !== 1) return undefined
  const full_name = profile.full_name || row.full_name
  const email = await resolveEmail(ctx, row, profile.email)
  const changes = [...(full_name === row.full_name ? [] : ['full_name']), ...(email === row.email ? [] : ['email'])]
  const updated_at = changes.length > 0 ? ctx.now : row.updated_at
  const change = { full_name, email, updated_at, last_login_at: ctx.now }
  await store.update(ctx, id, change)
  const user = await loadUser(ctx, { ...row, ...change })
  if (changes.length > 0) await ctx.emit('user.updated')
  return { user, generation: row.generation, at: ctx.now }
}
