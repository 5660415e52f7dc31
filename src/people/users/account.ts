/** Users for other features: their permissions, their public form, and the changes at a sign-in. */

import { PasswordsBusyError, type PasswordTurn } from '../../base/security/passwords.ts'
import { AppError } from '../../contract/errors.ts'
import type { ScopeSet } from '../../kernel/caller.ts'
import type { Ctx, DbScope, StoreScope } from '../../kernel/ctx.ts'
import type { Permission } from '../../kernel/operation.ts'
import { createReach } from '../../kernel/rights/access.ts'
import { isScopable } from '../roles/catalogue.ts'
import { findRolePermissions } from '../roles/roles.ts'
import type { User } from './api.ts'
import { findMissing, requireCovered } from './covering.ts'
import * as grants from './grant-store.ts'
import { findProviderTerms, LOCAL, type ProviderTerms } from './provider-terms.ts'
import * as store from './store.ts'
import type { UserRow } from './table.ts'

/** The hash of a user without a password, which no password matches. */
export const NO_PASSWORD = ''

/** The refusal of a key or a token of a user who has not signed in by a provider for too long. */
export const ASLEEP = 'The user has not signed in for too long; sign in by single sign-on to use this again'

/** The fields of a user that a request needs. */
export type Account = {
  readonly id: string
  readonly username: string
  readonly isActive: boolean
  /** A session or token of another generation is invalid. */
  readonly generation: number
  /** The permissions that the user has everywhere. */
  readonly permissions: ReadonlySet<string>
  /** The others, with the part of the estate in which the user has each. */
  readonly scopedPermissions?: ReadonlyMap<Permission, ScopeSet>
} & ProviderTerms

export const findAccount = async (scope: DbScope, id: string): Promise<Account | undefined> =>
  (await findAccounts(scope, [id])).get(id)

/** Returns accounts by id; ids without a user have no entry. */
export const findAccounts = async (scope: DbScope, ids: readonly string[]): Promise<ReadonlyMap<string, Account>> => {
  const rightsByRoles = new Map<string, Promise<HeldRights>>()
  const findRights = (held: readonly grants.HeldRole[]): Promise<HeldRights> => {
    const key = held
      .map(({ role_id, scope_id }) => `${role_id} ${scope_id ?? ''}`)
      .sort()
      .join()
    const known = rightsByRoles.get(key) ?? findRightsOfRoles(scope, held)
    rightsByRoles.set(key, known)
    return known
  }
  const accounts = new Map<string, Account>()
  const users = await store.withRoles(scope, ids)
  const withoutPassword = users.flatMap(({ id, password_hash }) => (password_hash === NO_PASSWORD ? id : []))
  const terms = await findProviderTerms(scope, withoutPassword)
  for (const { id, username, is_active, generation, held } of users) {
    const isActive = is_active === 1
    accounts.set(id, { id, username, isActive, generation, ...(await findRights(held)), ...(terms.get(id) ?? LOCAL) })
  }
  return accounts
}

type HeldRights = Pick<Account, 'permissions' | 'scopedPermissions'>

type HeldScopes = {
  /** The permissions that are held everywhere. */
  readonly permissions: ReadonlySet<string>
  /** The others, with the ids of the scopes in which each is held. */
  readonly scopesByPermission: ReadonlyMap<Permission, readonly string[]>
}

const findScopesOfRoles = async (scope: DbScope, held: readonly grants.HeldRole[]): Promise<HeldScopes> => {
  const idsIn = (scopeId: string | null) =>
    held.filter(({ scope_id }) => scope_id === scopeId).map(({ role_id }) => role_id)
  const permissions = await findRolePermissions(scope, idsIn(null))
  const scopesByPermission = new Map<Permission, string[]>()
  const scopeIds = [...new Set(held.flatMap(({ scope_id }) => scope_id ?? []))].sort()
  for (const id of scopeIds)
    for (const name of await findRolePermissions(scope, idsIn(id))) {
      if (!isScopable(name) || permissions.has(name)) continue
      const others = scopesByPermission.get(name)
      if (others) others.push(id)
      else scopesByPermission.set(name, [id])
    }
  return { permissions, scopesByPermission }
}

/** Returns the permissions that a user holds: each with the ids of its scopes, or null if it is held everywhere. */
export const findScopesOfUser = async (
  scope: DbScope,
  id: string,
): Promise<ReadonlyMap<string, readonly string[] | null>> => {
  const { permissions, scopesByPermission } = await findScopesOfRoles(
    scope,
    (await grants.findHeldByUser(scope, [id])).get(id) ?? [],
  )
  return new Map<string, readonly string[] | null>([
    ...scopesByPermission,
    ...[...permissions].map((name) => [name, null] as const),
  ])
}

/** Returns the permissions of roles that are held everywhere, and the other permissions with their parts. */
const findRightsOfRoles = async (scope: DbScope, held: readonly grants.HeldRole[]): Promise<HeldRights> => {
  const { permissions, scopesByPermission } = await findScopesOfRoles(scope, held)
  if (scopesByPermission.size === 0) return { permissions }
  const scopeIds = [...new Set([...scopesByPermission.values()].flat())].sort()
  const areas = Map.groupBy(await grants.findAreasOfScopes(scope, scopeIds), ({ scope_id }) => scope_id)
  const reaches = new Map<string, ScopeSet>()
  const getReach = (ids: readonly string[]): ScopeSet => {
    const known = reaches.get(ids.join())
    if (known) return known
    const numbers = new Set(ids.flatMap((id) => (areas.get(id) ?? []).map(({ area_id }) => area_id)))
    const scopeSet = createReach(numbers, [new Set(ids)])
    reaches.set(ids.join(), scopeSet)
    return scopeSet
  }
  return {
    permissions,
    scopedPermissions: new Map([...scopesByPermission].map(([name, ids]) => [name, getReach(ids)])),
  }
}

/** Returns the account of this name, in any case. */
export const findAccountByName = async (scope: DbScope, username: string): Promise<Account | undefined> => {
  const user = await store.findByName(scope, username)
  return user && findAccount(scope, user.id)
}

/** Returns the names of all roles that the user holds, directly or through a group. */
export const findRoleNames = grants.findHeldRoleNames

/** Locks the account until commit, so that its roles and password do not change. */
export const lockAccount = (ctx: StoreScope, id: string): Promise<Pick<UserRow, 'id' | 'username'> | undefined> =>
  store.lock(ctx, id)

/** Invalidates every session, code and token of the user, wherever it is stored. */
export const endUserSignIns = store.endSignIns

/** Returns the permissions of the roles that a user holds, also through groups and in scopes; none for an unknown user. */
export const findPermissionsOfUser = async (scope: DbScope, id: string): Promise<ReadonlySet<string>> =>
  findRolePermissions(scope, await grants.findRoleIds(scope, [id]))

/** @throws AppError FORBIDDEN as `requireCharge`, for users together */
export const requireChargeOfAll = async (ctx: Ctx, ids: readonly string[], subject: string): Promise<void> =>
  requireCovered(ctx, await grants.findRolesHeldBy(ctx, ids), subject)

/** Returns the permissions that users hold together, and that an account lacks where they hold them. */
export const findLacking = async (
  scope: DbScope,
  account: Pick<Account, 'permissions' | 'scopedPermissions'>,
  ids: readonly string[],
): Promise<string[]> => findMissing(scope, account, await grants.findRolesHeldBy(scope, ids))

/**
 * @throws AppError FORBIDDEN that names the permissions of the account that the caller lacks; also for an API key with
 * limits and the account of its owner, who could then sign in without them
 */
export const requireCharge = async (ctx: Ctx, user: Pick<UserRow, 'id' | 'username'>): Promise<void> => {
  if (ctx.caller.isNarrow && ctx.caller.userId === user.id)
    throw new AppError('FORBIDDEN', 'An API key with limits does not change the account of its owner')
  await requireCovered(ctx, await grants.findRolesHeldBy(ctx, [user.id]), `The user "${user.username}"`)
}

/** Like `requireCharge`; the caller's own account is always allowed, and a missing one has no permissions. */
export const requireChargeById = async (ctx: Ctx, userId: string | null): Promise<void> => {
  if (userId === null || userId === ctx.caller.userId) return
  const user = await store.find(ctx, userId)
  if (user) await requireCharge(ctx, user)
}

/** A change to these tables may change which accounts a caller covers. */
export const RIGHTS_TABLES = ['users', 'grants', 'group_members', 'roles', 'role_permissions'] as const

/** Returns the public form of the user, with the names of all roles. */
export const toSentUser = (row: UserRow, roles: readonly string[]): User => ({
  id: row.id,
  username: row.username,
  email: row.email,
  full_name: row.full_name,
  is_active: row.is_active === 1,
  has_password: row.password_hash !== NO_PASSWORD,
  is_break_glass: row.is_break_glass === 1,
  roles: [...roles],
  created_at: row.created_at,
  updated_at: row.updated_at,
  last_login_at: row.last_login_at,
})

export const loadUser = async (scope: DbScope, row: UserRow): Promise<User> =>
  toSentUser(
    row,
    (await grants.findOwnRoles(scope, row.id)).map(({ name }) => name),
  )

export const findUser = async (scope: DbScope, id: string): Promise<User | undefined> => {
  const row = await store.find(scope, id)
  return row && loadUser(scope, row)
}

/** The fields of a user that a password check needs. */
export type SignInUser = {
  readonly id: string
  readonly passwordHash: string
  readonly generation: number
  readonly isBreakGlass: boolean
}

/** Returns undefined unless an active user with a password has this name. */
export const findForSignIn = async (scope: DbScope, username: string): Promise<SignInUser | undefined> => {
  const row = await store.findByName(scope, username)
  if (row?.is_active !== 1 || row.password_hash === NO_PASSWORD) return undefined
  const { id, password_hash: passwordHash, generation } = row
  return { id, passwordHash, generation, isBreakGlass: row.is_break_glass === 1 }
}

type SignIn = {
  readonly id: string
  /** The hash that the password matched; undefined for a sign-in without a password. */
  readonly passwordHash?: string
  /** A stronger hash to store instead. */
  readonly strongerHash?: string | undefined
  /** Runs with the user locked. @returns the reason why the user must not sign in, which is committed as well */
  readonly refuse?: (tx: Ctx, id: string) => Promise<AppError | undefined>
}

export type SignedIn = {
  readonly user: User
  readonly generation: number
  /** The time of the sign-in, which may be long after the request arrived: RFC 3339. */
  readonly at: string
}

/** Records a sign-in. Undefined if the user was changed or deleted during the check; an error if `refuse` gave one. */
export const recordSignIn = async (
  ctx: Ctx,
  { id, passwordHash, strongerHash, refuse }: SignIn,
): Promise<SignedIn | AppError | undefined> => {
  const row = await store.lock(ctx, id)
  if (row?.is_active !== 1 || (passwordHash !== undefined && row.password_hash !== passwordHash)) return undefined
  const refusal = await refuse?.(ctx, id)
  if (refusal) return refusal
  await store.update(ctx, id, { last_login_at: ctx.now, password_hash: strongerHash ?? row.password_hash })
  return { user: await loadUser(ctx, { ...row, last_login_at: ctx.now }), generation: row.generation, at: ctx.now }
}

/** Returns the queue of a request for a known account: by its session or key, or by its device. */
export const createKnownTurn = (
  ctx: Pick<Ctx, 'caller' | 'signal'>,
  userId = ctx.caller.userId ?? '',
): PasswordTurn => ({
  lane: 'known',
  group: userId,
  key: userId,
  sinceMs: performance.now(),
  signal: ctx.signal,
})

/** The queue of password checks has advanced by then. */
const RETRY_AFTER_MS = 5000

/** Awaits work that hashes passwords. @throws AppError LOGIN_RATE_LIMIT_EXCEEDED if too many are running */
export const unlessBusy = async <T>({ now }: Pick<Ctx, 'now'>, work: Promise<T>): Promise<T> => {
  const startedMs = performance.now()
  try {
    return await work
  } catch (cause) {
    if (!(cause instanceof PasswordsBusyError)) throw cause
    // `now` is the time at which the request arrived.
    const retryAt = new Date(Date.parse(now) + performance.now() - startedMs + RETRY_AFTER_MS)
    throw new AppError('LOGIN_RATE_LIMIT_EXCEEDED', 'Too many passwords are checked at once; try again in a moment', {
      cause,
      retryAt,
    })
  }
}
