/** The rules of users: creation, changes, deletion, and roles. */

import type { Passwords } from '../../base/security/passwords.ts'
import { AppError, type FieldIssue, invalid, orNotFound, rejectIssues } from '../../contract/errors.ts'
import { merge } from '../../contract/merge.ts'
import { containsText } from '../../database/query/contains.ts'
import { type Ctx, type Feature, implement } from '../../kernel/ctx.ts'
import { listRows, listValues } from '../../kernel/list.ts'
import { sortByName } from '../../net/name-order.ts'
import { CATALOGUE } from '../roles/catalogue.ts'
import { findRole } from '../roles/roles.ts'
import {
  createKnownTurn,
  findScopesOfUser,
  loadUser,
  requireCharge,
  requireChargeOfAll,
  toSentUser,
  unlessBusy,
} from './account.ts'
import { type RoleGrant, type User, type UserDraft, type UserPatch, type UserPermission, users } from './api.ts'
import { changePassword, replacePassword } from './change-password.ts'
import * as grants from './grant-store.ts'
import {
  emitRolesChanged,
  emitUpdated,
  findLostRoles,
  grantsOperations,
  grantsReactions,
  guardLastAdmin,
  insertInScopes,
  type NamedRole,
  requireGrantable,
  resolveGrants,
  type ScopedRole,
  setRoles,
} from './grants.ts'
import * as store from './store.ts'
import type { UserRow } from './table.ts'
import { parseChangedUsername, requireFree } from './usernames.ts'

const getOrThrow = async (ctx: Ctx, id: string): Promise<UserRow> => orNotFound(await store.find(ctx, id), 'user', id)

/** Locks the user, and returns row and user if the caller may change it. */
const lockForChange = async (ctx: Ctx, id: string): Promise<{ row: UserRow; user: User }> => {
  const row = orNotFound(await store.lock(ctx, id), 'user', id)
  const user = await loadUser(ctx, row)
  ctx.precondition(user)
  await requireCharge(ctx, row)
  return { row, user }
}

/** Returns the roles that the fields name. @throws AppError VALIDATION_ERROR naming the fields without a role. */
const resolveRoles = async (ctx: Ctx, named: readonly (readonly [string, string])[]): Promise<NamedRole[]> => {
  const found = new Map<string, NamedRole>()
  const issues: FieldIssue[] = []
  for (const [field, idOrName] of named) {
    const role = await findRole(ctx, idOrName)
    if (role) found.set(role.id, role)
    else issues.push({ field, message: `there is no role with the id or name "${idOrName}"` })
  }
  rejectIssues(issues)
  return [...found.values()]
}

const toRoleFields = (roles: readonly string[]) => roles.map((role, i) => [`roles[${i}]`, role] as const)

type CheckedDraft = {
  /** The roles that count everywhere. */
  readonly roles: readonly NamedRole[]
  readonly inScopes: readonly ScopedRole[]
}

/** Checks everything about a new user except the password. */
const validateDraft = async (ctx: Ctx, draft: UserDraft): Promise<CheckedDraft> => {
  const { username, email, roles, role_id } = draft
  const named = role_id ? [...toRoleFields(roles), ['role_id', role_id] as const] : toRoleFields(roles)
  const held = await resolveRoles(ctx, named)
  await requireGrantable(ctx, held)
  const granted = await resolveGrants(ctx, draft.grants)
  await requireFree(ctx, { id: '', username, email })
  const everywhere = new Map(
    [...held, ...granted.filter(({ scope_id }) => scope_id === null)].map((one) => [one.id, one]),
  )
  return { roles: [...everywhere.values()], inScopes: granted.filter(({ scope_id }) => scope_id !== null) }
}

const insert = async (ctx: Ctx, draft: UserDraft, password_hash: string): Promise<User> => {
  // Until commit no other transaction takes a similar name.
  await store.lockNames(ctx)
  const { roles, inScopes } = await validateDraft(ctx, draft)
  const { username, email, full_name, is_active, is_break_glass } = draft
  const id = Bun.randomUUIDv7()
  const times = { created_at: ctx.now, updated_at: ctx.now, last_login_at: null }
  const role_ids = listIds(roles)
  const flags = { is_active, is_break_glass }
  await store.insert(ctx, { id, username, email, full_name, ...flags, password_hash, role_ids, ...times })
  await insertInScopes(ctx, id, inScopes)
  const user = await loadUser(ctx, await getOrThrow(ctx, id))
  await ctx.emit('user.created')
  return user
}

/** Also checked before the hash, which takes a second. */
const create = async (ctx: Ctx, passwords: Passwords, draft: UserDraft) => {
  await validateDraft(ctx, draft)
  const hash = await unlessBusy(ctx, passwords.hash(draft.password, createKnownTurn(ctx)))
  return (tx: Ctx) => insert(tx, draft, hash)
}

/** Returns the roles after a patch; undefined if it does not change them. */
const resolveRolesAfter = async (ctx: Ctx, id: string, roles: readonly string[] | undefined) => {
  if (roles === undefined) return undefined
  const after = await resolveRoles(ctx, toRoleFields(roles))
  const before = new Set((await grants.findOwnRoles(ctx, id)).map((role) => role.id))
  await requireGrantable(
    ctx,
    after.filter((role) => !before.has(role.id)),
  )
  return after
}

/** Returns the role names in the form of a user. */
const listNames = (roles: readonly NamedRole[]): string[] =>
  sortByName(
    roles.map(({ name }) => name),
    (name) => name,
  )

const listIds = (roles: readonly NamedRole[]): string[] => roles.map(({ id }) => id)

/** Removes the role from every account. @throws AppError FORBIDDEN as `requireCharge` of any of them */
const removeRoleFromUsers = async (
  ctx: Ctx,
  { id, name }: { readonly id: string; readonly name: string },
): Promise<void> => {
  const holders = await grants.findHolders(ctx, id)
  await store.touchGrantees(ctx, id)
  await grants.removeOfRole(ctx, id)
  await requireChargeOfAll(ctx, holders, `A user with the role "${name}"`)
  await emitRolesChanged(ctx, holders)
}

const update = async (ctx: Ctx, { id, roles: named, ...patch }: UserPatch): Promise<User> => {
  const { row, user: before } = await lockForChange(ctx, id)
  const roles = await resolveRolesAfter(ctx, id, named)
  const username = parseChangedUsername(before.username, patch.username)
  const { value, changes } = merge(before, { ...patch, username, roles: roles && listNames(roles) })
  if (changes.length === 0) return before
  if (changes.includes('username')) await store.lockNames(ctx)
  await requireFree(ctx, value, before)
  const isLosing = !value.is_active || roles !== undefined
  const requireAdmin = await guardLastAdmin(ctx, isLosing ? await findLostRoles(ctx, row) : [])

  const { email, full_name, is_active, is_break_glass } = value
  await store.update(ctx, id, {
    username: value.username,
    email,
    full_name,
    is_active: Number(is_active),
    is_break_glass: Number(is_break_glass),
    updated_at: ctx.now,
  })
  if (roles) await grants.replaceRoles(ctx, { id, now: ctx.now }, listIds(roles))
  await requireAdmin()
  // A session from before must not become valid again with the user.
  if (before.is_active && !is_active) {
    await store.endSignIns(ctx, id)
    await ctx.emit('user.deactivated', { id })
  }
  if (changes.includes('roles')) await emitRolesChanged(ctx, [id])
  return emitUpdated(ctx, id)
}

const remove = async (ctx: Ctx, id: string): Promise<void> => {
  const { row } = await lockForChange(ctx, id)
  if (id === ctx.caller.userId) throw new AppError('CANNOT_DELETE_SELF', "Users can't delete their own account")
  const requireAdmin = await guardLastAdmin(ctx, await findLostRoles(ctx, row))
  await ctx.emit('user.deleting', { id })
  await grants.removeOfUser(ctx, id)
  await store.remove(ctx, id)
  await requireAdmin()
  await ctx.emit('user.deleted')
}

type Granting = { readonly row: UserRow; readonly role: NamedRole; readonly held: readonly NamedRole[] }

/** @throws AppError VALIDATION_ERROR for an unknown user or role, FORBIDDEN as `requireCharge` */
const validateGrant = async (ctx: Ctx, { user_id, role_id }: RoleGrant): Promise<Granting> => {
  const row = await store.lock(ctx, user_id)
  const role = await findRole(ctx, role_id)
  const issues: FieldIssue[] = []
  if (!row) issues.push({ field: 'user_id', message: `there is no user with id "${user_id}"` })
  if (!role) issues.push({ field: 'role_id', message: `there is no role with the id or name "${role_id}"` })
  if (!row || !role) throw invalid(issues)
  await requireCharge(ctx, row)
  return { row, role, held: await grants.findOwnRoles(ctx, user_id) }
}

const grant = async (ctx: Ctx, input: RoleGrant): Promise<{ status: 'granted' }> => {
  const { row, role, held } = await validateGrant(ctx, input)
  await requireGrantable(ctx, [role])
  if (!held.some(({ id }) => id === role.id)) await setRoles(ctx, row, listIds([...held, role]))
  return { status: 'granted' }
}

const revoke = async (ctx: Ctx, input: RoleGrant): Promise<void> => {
  const { row, role, held } = await validateGrant(ctx, input)
  const kept = held.filter(({ id }) => id !== role.id)
  if (kept.length === held.length) return
  const requireAdmin = await guardLastAdmin(ctx, [role.id])
  await setRoles(ctx, row, listIds(kept))
  await requireAdmin()
}

export const usersFeature = ({ passwords }: { readonly passwords: Passwords }): Feature => ({
  operations: [
    ...grantsOperations,
    ...implement(users, {
      list: async (ctx, { username, is_active, ...page }) => {
        const revision = await ctx.store.revision(['users', 'grants', 'roles'])
        // Read before the stream, which holds a connection and must not wait for a second one.
        const roles = await grants.findRoleNamesByUser(ctx)
        let query = store.query(ctx)
        if (username) query = query.where(containsText('username_key', store.normalizeName(username)))
        if (is_active !== undefined) query = query.where('is_active', '=', is_active ? 1 : 0)
        return listRows(ctx, { revision, query, page, row: (row): User => toSentUser(row, roles.get(row.id) ?? []) })
      },
      create: { prepare: (ctx, draft) => create(ctx, passwords, draft) },
      get: async (ctx, { id }) => loadUser(ctx, await getOrThrow(ctx, id)),
      update,
      delete: async (ctx, { id }) => remove(ctx, id),
      permissions: async (ctx, { id, ...page }) => {
        await getOrThrow(ctx, id)
        const held = await findScopesOfUser(ctx, id)
        return listValues(
          CATALOGUE.flatMap((permission): UserPermission[] => {
            const scope_ids = held.get(permission.name)
            return scope_ids === undefined ? [] : [{ ...permission, scope_ids: scope_ids && [...scope_ids] }]
          }),
          page,
        )
      },
      changePassword: { prepare: (ctx, input) => changePassword(ctx, passwords, input) },
      resetPassword: { prepare: (ctx, input) => replacePassword(ctx, passwords, input) },
      grantRole: grant,
      revokeRole: revoke,
    }),
  ],
  reactions: {
    'role.deleting': removeRoleFromUsers,
    ...grantsReactions,
  },
})
