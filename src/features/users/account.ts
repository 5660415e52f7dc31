/** Users for other features: their permissions, their public form, and the changes at a sign-in. */
import { type Expression, type SqlBool, sql } from 'kysely'
import { AppError } from '../../platform/contract/errors.ts'
import { PasswordsBusyError, type PasswordTurn } from '../../platform/security/passwords.ts'
import type { Ctx, DbScope, StoreScope } from '../ctx.ts'
import { permissionsOfRoles, requireHeld, rolesBeyond } from '../roles/roles.ts'
import type { User } from './api.ts'
import * as store from './store.ts'
import type { UserRow } from './table.ts'

/** The fields of a user that a request needs. */
export type Account = {
  readonly id: string
  readonly username: string
  readonly isActive: boolean
  /** A session or token of another generation is invalid. */
  readonly generation: number
  readonly permissions: ReadonlySet<string>
}

export const accountOf = async (scope: DbScope, id: string): Promise<Account | undefined> => {
  const user = await store.find(scope, id)
  if (!user) return undefined
  return {
    id,
    username: user.username,
    isActive: user.is_active === 1,
    generation: user.generation,
    permissions: await permissionsOfUser(scope, id),
  }
}

/** Returns accounts by id; ids without a user have no entry. */
export const accountsOf = async (scope: DbScope, ids: readonly string[]): Promise<ReadonlyMap<string, Account>> => {
  const permissionsBySet = new Map<string, Promise<ReadonlySet<string>>>()
  const permissionsOf = (roleIds: readonly string[]): Promise<ReadonlySet<string>> => {
    const set = roleIds.toSorted().join(' ')
    const known = permissionsBySet.get(set) ?? permissionsOfRoles(scope, roleIds)
    permissionsBySet.set(set, known)
    return known
  }
  const accounts = new Map<string, Account>()
  for (const { id, username, is_active, generation, roleIds } of await store.withRoles(scope, ids)) {
    const permissions = await permissionsOf(roleIds)
    accounts.set(id, { id, username, isActive: is_active === 1, generation, permissions })
  }
  return accounts
}

/** Returns the account of this name, in any case. */
export const accountNamed = async (scope: DbScope, username: string): Promise<Account | undefined> => {
  const user = await store.findByName(scope, username)
  return user && accountOf(scope, user.id)
}

/** Locks the account until commit, so that its roles and password do not change. */
export const lockAccount = async (ctx: StoreScope, id: string): Promise<void> => {
  await store.lock(ctx, id)
}

/** Invalidates every session, code and token of the user, wherever it is stored. */
export const endSignInsOf = store.endSignIns

/** Returns the permissions of a user's roles; none for an unknown user. */
export const permissionsOfUser = async (scope: DbScope, id: string): Promise<ReadonlySet<string>> => {
  const roles = await store.rolesOf(scope, id)
  return permissionsOfRoles(
    scope,
    roles.map((role) => role.id),
  )
}

/** Returns the permissions of these users' roles together. */
export const permissionsOfUsers = async (scope: DbScope, ids: readonly string[]): Promise<ReadonlySet<string>> =>
  permissionsOfRoles(scope, await store.roleIdsOf(scope, ids))

/** @throws AppError FORBIDDEN that names the permissions of the account that the caller lacks */
export const requireCharge = async (ctx: Ctx, user: Pick<UserRow, 'id' | 'username'>): Promise<void> =>
  requireHeld(ctx, await permissionsOfUser(ctx, user.id), `The user "${user.username}"`)

/** As `requireCharge`; the caller's own account is always allowed, and a missing one has no permissions. */
export const requireChargeOf = async (ctx: Ctx, userId: string | null): Promise<void> => {
  if (userId === null || userId === ctx.caller.userId) return
  const user = await store.find(ctx, userId)
  if (user) await requireCharge(ctx, user)
}

/** A change to these tables may change which accounts a caller covers. */
export const RIGHTS_TABLES = ['users', 'user_roles', 'roles', 'role_permissions'] as const

export type Coverage = {
  /** Part of the ETag of the list, because other callers may see other rows at the same URL. */
  readonly tag: string
  /** A condition: the owner has no permission that the caller lacks. Undefined if all owners match. */
  readonly ownerIs: (column: 'api_keys.user_id' | 'oauth_grants.user_id') => Expression<SqlBool> | undefined
}

/** Returns the accounts without a permission that the caller lacks, and the caller's own. */
export const coverageOf = async (ctx: Ctx): Promise<Coverage> => {
  const beyond = await rolesBeyond(ctx)
  if (beyond.length === 0) return { tag: 'all', ownerIs: () => undefined }
  const own = ctx.caller.userId ?? ''
  return {
    tag: `${own} but ${beyond.join()}`,
    ownerIs: (column) => {
      const owner = sql.ref(column)
      return sql<SqlBool>`(${owner} = ${own} OR NOT EXISTS (
        SELECT 1 FROM user_roles AS held WHERE held.user_id = ${owner} AND held.role_id IN (${sql.join(beyond)})))`
    },
  }
}

/** Returns the public form of the user, with the names of all roles. */
export const sentUser = (row: UserRow, roles: readonly string[]): User => ({
  id: row.id,
  username: row.username,
  email: row.email,
  full_name: row.full_name,
  is_active: row.is_active === 1,
  roles: [...roles],
  created_at: row.created_at,
  updated_at: row.updated_at,
  last_login_at: row.last_login_at,
})

export const userOf = async (scope: DbScope, row: UserRow): Promise<User> =>
  sentUser(
    row,
    (await store.rolesOf(scope, row.id)).map(({ name }) => name),
  )

export const findUser = async (scope: DbScope, id: string): Promise<User | undefined> => {
  const row = await store.find(scope, id)
  return row && userOf(scope, row)
}

/** The fields of a user that a password check needs. */
export type SignInUser = { readonly id: string; readonly passwordHash: string; readonly generation: number }

/** Returns undefined unless an active user has this name. */
export const findForSignIn = async (scope: DbScope, username: string): Promise<SignInUser | undefined> => {
  const row = await store.findByName(scope, username)
  if (row?.is_active !== 1) return undefined
  return { id: row.id, passwordHash: row.password_hash, generation: row.generation }
}

type SignIn = {
  readonly id: string
  /** The hash that the password matched. */
  readonly passwordHash: string
  /** A stronger hash to store instead. */
  readonly strongerHash: string | undefined
}

export type SignedIn = {
  readonly user: User
  readonly generation: number
  /** The time of the sign-in, which may be long after the request arrived: RFC 3339. */
  readonly at: string
}

/** Records a sign-in. Undefined if the user was changed or deleted during the check. */
export const recordSignIn = async (
  ctx: Ctx,
  { id, passwordHash, strongerHash }: SignIn,
): Promise<SignedIn | undefined> => {
  const row = await store.lock(ctx, id)
  if (row?.is_active !== 1 || row.password_hash !== passwordHash) return undefined
  await store.update(ctx, id, { last_login_at: ctx.now, password_hash: strongerHash ?? passwordHash })
  return { user: await userOf(ctx, { ...row, last_login_at: ctx.now }), generation: row.generation, at: ctx.now }
}

/** Returns the queue of a request for a known account: by its session or key, or by its device. */
export const turnOf = (ctx: Pick<Ctx, 'caller' | 'signal'>, userId = ctx.caller.userId ?? ''): PasswordTurn => ({
  lane: 'known',
  group: userId,
  key: userId,
  sinceMs: performance.now(),
  signal: ctx.signal,
})

/** By then the queue of password checks has advanced. */
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
