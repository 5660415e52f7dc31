/** Decides which user an identity is: docs/decisions/sso.md. */
import { AppError } from '../../contract/errors.ts'
import type { Ctx } from '../../kernel/ctx.ts'
import { removeMembershipsFrom, setMembershipsFrom } from '../groups/groups.ts'
import { type EndedCredentials, endAllCredentials } from '../revoke-access/end-credentials.ts'
import { findPermissionsOfUser, findUser, type SignedIn } from '../users/account.ts'
import { createUser, findIdByEmail, lockUsernames, recordProviderSignIn } from '../users/provider-users.ts'
import type { SsoError } from './api.ts'
import { type Claims, getFullName, getGroups, getUsername, getVerifiedEmail, mapGroups } from './claims.ts'
import * as store from './identity-store.ts'
import type { Provider } from './provider-store.ts'
import type { IdentityRow } from './table.ts'

/** A sign-in that is refused. `code` is shown to the user, the message to administrators. */
export class SsoRefusal extends Error {
  override readonly name = 'SsoRefusal'
  constructor(
    readonly code: SsoError,
    message: string,
  ) {
    super(message)
  }
}

/** A user with a permission of these decides about the rights of others. */
const OF_PEOPLE = ['users', 'roles', 'groups', 'scopes', 'sso-providers', 'apikeys', 'oauth-clients']

const canManagePeople = (permissions: ReadonlySet<string>): boolean =>
  [...permissions].some((name) => OF_PEOPLE.includes(name.slice(0, name.indexOf(':'))))

export type Known = 'known' | 'linked' | 'created'

/** The groups of a sign-in. */
export type Joined = {
  readonly state: ReturnType<typeof getGroups>['state']
  /** The groups of the last active admin, in which the user stays although the provider no longer names them. */
  readonly kept: readonly string[]
}
export type Admitted = SignedIn & Pick<Found, 'how' | 'ended'> & { readonly groups: Joined }

type NewIdentity = Pick<IdentityRow, 'user_id'> & { readonly isByEmail: boolean }

const storeIdentity = async (
  ctx: Ctx,
  provider: Provider,
  { sub: subject }: Claims,
  { user_id, isByEmail }: NewIdentity,
): Promise<void> => {
  const id = Bun.randomUUIDv7()
  const times = { created_at: ctx.now, last_login_at: ctx.now, logged_out_at: null }
  const linked_by_email = Number(isByEmail)
  await store.insertIdentity(ctx, { id, provider_id: provider.id, subject, user_id, ...times, linked_by_email })
}

/** @throws SsoRefusal no_account for a break-glass user, and for one who manages people */
const requireLinkable = async (ctx: Ctx, userId: string): Promise<void> => {
  const refuse = (who: string): never => {
    throw new SsoRefusal('no_account', `the address is of ${who}, who links the identity while signed in`)
  }
  if ((await findUser(ctx, userId))?.is_break_glass) refuse('a break-glass user')
  if (canManagePeople(await findPermissionsOfUser(ctx, userId))) refuse('a user who manages people')
}

/** Returns the local user with the verified address. @throws SsoRefusal as `requireLinkable` */
const findUserToLink = async (ctx: Ctx, email: string): Promise<string | undefined> => {
  const userId = email === '' ? undefined : await findIdByEmail(ctx, email)
  if (userId !== undefined) await requireLinkable(ctx, userId)
  return userId
}

/**
 * Ends all that opened the account before, because nothing proves that it belonged to the owner of the address: the user who made
 * it knows its password. Ends identities at other providers too, which may have given the account its address.
 */
const takeOver = async (ctx: Ctx, userId: string): Promise<EndedCredentials> => {
  const ended = await endAllCredentials(ctx, userId)
  if (ended.keys.length > 0) await ctx.emit('key.deleted')
  for (const { id, provider_id } of await store.selectIdentities(ctx, userId).execute()) {
    await store.deleteIdentity(ctx, id)
    await removeMembershipsFrom(ctx, provider_id, userId)
  }
  return ended
}

/** @throws SsoRefusal username_taken, provider */
const createSsoUser = async (ctx: Ctx, provider: Provider, claims: Claims): Promise<string> => {
  const username = getUsername(claims, provider)
  if (username === undefined)
    throw new SsoRefusal('provider', `neither ${provider.username_claim} nor email names the user`)
  try {
    return await createUser(ctx, { username, email: getVerifiedEmail(claims), full_name: getFullName(claims) })
  } catch (error) {
    if (error instanceof AppError && error.code === 'ALREADY_EXISTS')
      throw new SsoRefusal('username_taken', `a new user "${username}" cannot be made: ${error.message}`)
    throw error
  }
}

type Found = {
  readonly userId: string
  readonly how: Known
  /** The credentials of an account that was linked by its address. */
  readonly ended?: EndedCredentials
}

/** @throws SsoRefusal */
const findOrCreateUser = async (ctx: Ctx, provider: Provider, claims: Claims): Promise<Found> => {
  const key = { provider_id: provider.id, subject: claims.sub }
  const known = await store.findIdentity(ctx, key)
  if (known) return { userId: known.user_id, how: 'known' }
  // The first sign-in of the same identity in another transaction waits here.
  await lockUsernames(ctx)
  const faster = await store.findIdentity(ctx, key)
  if (faster) return { userId: faster.user_id, how: 'known' }
  const linked = provider.link_by_email ? await findUserToLink(ctx, getVerifiedEmail(claims)) : undefined
  if (linked !== undefined) {
    const ended = await takeOver(ctx, linked)
    await storeIdentity(ctx, provider, claims, { user_id: linked, isByEmail: true })
    return { userId: linked, how: 'linked', ended }
  }
  if (!provider.create_users) throw new SsoRefusal('no_account', 'the identity is unknown, and create_users is off')
  const userId = await createSsoUser(ctx, provider, claims)
  await storeIdentity(ctx, provider, claims, { user_id: userId, isByEmail: false })
  return { userId, how: 'created' }
}

const join = async (ctx: Ctx, provider: Provider, claims: Claims, userId: string): Promise<Joined> => {
  const groups = getGroups(claims, provider)
  const groupIds = mapGroups(groups, provider)
  return { state: groups.state, kept: await setMembershipsFrom(ctx, { userId, source: provider.id, groupIds }) }
}

/** Signs in the user of an identity, in one transaction. @throws SsoRefusal */
export const admit = async (ctx: Ctx, provider: Provider, claims: Claims): Promise<Admitted> => {
  const { userId, how, ended } = await findOrCreateUser(ctx, provider, claims)
  const profile = { email: getVerifiedEmail(claims), full_name: getFullName(claims) }
  const signedIn = await recordProviderSignIn(ctx, userId, profile)
  if (!signedIn) throw new SsoRefusal('inactive', 'the user is deactivated')
  const identity = await store.findIdentity(ctx, { provider_id: provider.id, subject: claims.sub })
  if (identity) await store.recordLogin(ctx, identity.id, ctx.now)
  const groups = await join(ctx, provider, claims, userId)
  // The groups of the provider may make it the account of a user who manages people.
  if (how === 'linked') await requireLinkable(ctx, userId)
  return { ...signedIn, how, groups, ...(ended && { ended }) }
}

/** Links an identity to a user who is signed in. @throws SsoRefusal linked_elsewhere */
export const link = async (ctx: Ctx, provider: Provider, claims: Claims, userId: string): Promise<Joined> => {
  await lockUsernames(ctx)
  const known: IdentityRow | undefined = await store.findIdentity(ctx, {
    provider_id: provider.id,
    subject: claims.sub,
  })
  if (known && known.user_id !== userId)
    throw new SsoRefusal('linked_elsewhere', 'the identity is linked to another user')
  if (!known) await storeIdentity(ctx, provider, claims, { user_id: userId, isByEmail: false })
  return join(ctx, provider, claims, userId)
}
