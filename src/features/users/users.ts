/** The rules of users: who they are, what they may do, and what a sign-in changes about them. */

import type { Ctx } from '../ctx.ts'
import { permissionsOfRoles } from '../roles/roles.ts'
import type { User } from './api.ts'
import * as store from './store.ts'
import type { UserRow } from './table.ts'

type Scope = store.Scope

/** A user as far as a request is concerned. */
export type Account = {
  readonly id: string
  readonly username: string
  readonly isActive: boolean
  /** A session or token of another generation is void. */
  readonly generation: number
  readonly permissions: ReadonlySet<string>
}

export const accountOf = async (scope: Scope, id: string): Promise<Account | undefined> => {
  const user = await store.find(scope, id)
  if (!user) return undefined
  const roles = await store.rolesOf(scope, id)
  return {
    id,
    username: user.username,
    isActive: user.is_active === 1,
    generation: user.generation,
    permissions: await permissionsOfRoles(
      scope,
      roles.map((role) => role.id),
    ),
  }
}

/** The user as it is sent. */
export const userOf = async (scope: Scope, row: UserRow): Promise<User> => ({
  id: row.id,
  username: row.username,
  email: row.email,
  full_name: row.full_name,
  is_active: row.is_active === 1,
  roles: (await store.rolesOf(scope, row.id)).map(({ name }) => name),
  created_at: row.created_at,
  updated_at: row.updated_at,
  last_login_at: row.last_login_at,
})

export const findUser = async (scope: Scope, id: string): Promise<User | undefined> => {
  const row = await store.find(scope, id)
  return row && userOf(scope, row)
}

/** What a sign-in checks a password against; undefined unless an active user has this name. */
export const findForSignIn = async (
  scope: Scope,
  username: string,
): Promise<{ readonly id: string; readonly passwordHash: string } | undefined> => {
  const row = await store.findByName(scope, username)
  return row?.is_active === 1 ? { id: row.id, passwordHash: row.password_hash } : undefined
}

type SignIn = {
  readonly id: string
  /** The hash that the password was found to match. */
  readonly passwordHash: string
  /** A stronger one to keep in its place. */
  readonly strongerHash: string | undefined
}

export type SignedIn = { readonly user: User; readonly generation: number }

/** Records a sign-in; undefined if the user was deactivated, deleted or given another password while it was checked. */
export const recordSignIn = async (
  ctx: Ctx,
  { id, passwordHash, strongerHash }: SignIn,
): Promise<SignedIn | undefined> => {
  const row = await store.lock(ctx, id)
  if (row?.is_active !== 1 || row.password_hash !== passwordHash) return undefined
  await store.update(ctx, id, { last_login_at: ctx.now, password_hash: strongerHash ?? passwordHash })
  return { user: await userOf(ctx, { ...row, last_login_at: ctx.now }), generation: row.generation }
}
