/** The rules of grants: users hand out only what they hold, and an active admin stays. */

import { AppError, type FieldIssue, invalid, invalidField, orNotFound, rejectIssues } from '../../contract/errors.ts'
import { type Ctx, type DbScope, implement, type Reactions } from '../../kernel/ctx.ts'
import { listRows } from '../../kernel/list.ts'
import { ADMIN_ROLE_ID, isScopable } from '../roles/catalogue.ts'
import { findRole, findRolePermissions, requireHeld } from '../roles/roles.ts'
import { loadUser, requireCharge } from './account.ts'
import type { User } from './api.ts'
import { requireCovered } from './covering.ts'
import * as store from './grant-store.ts'
import { type Grant, type GrantDraft, grants } from './grants-api.ts'
import * as users from './store.ts'
import type { UserRow } from './table.ts'

/** For groups and keys. */
export const { findAreasOfScopes, lockScope, findMemberIds, removeOfGroup, findRolesOfGroup } = store

/** Returns the grants of a user and of the groups of the user. */
export const findEffectiveGrants = (scope: DbScope, userId: string): Promise<Grant[]> =>
  store.selectEffective(scope, userId).execute()

export type NamedRole = { readonly id: string; readonly name: string }

/** @throws AppError FORBIDDEN unless the caller holds all permissions of the roles where they are granted: in the scope, or everywhere */
export const requireGrantable = async (
  ctx: Ctx,
  roles: readonly NamedRole[],
  scope_id: string | null = null,
): Promise<void> => {
  for (const { id, name } of roles) await requireCovered(ctx, [{ role_id: id, scope_id }], `The role "${name}"`)
}

/** Returns the ids of the roles that the user no longer holds everywhere when it is gone or inactive. */
export const findLostRoles = async (ctx: Ctx, { id, is_active }: UserRow): Promise<string[]> => {
  if (is_active !== 1) return []
  const held = (await store.findHeldByUser(ctx, [id])).get(id) ?? []
  return held.filter(({ scope_id }) => scope_id === null).map(({ role_id }) => role_id)
}

/**
 * Called before users lose these roles. If one is that of the admins, they are locked until commit.
 * @returns a check to call after the change; false if it has left no active admin
 */
export const watchLastAdmin = async (ctx: Ctx, roleIds: readonly string[]): Promise<() => Promise<boolean>> => {
  if (!roleIds.includes(ADMIN_ROLE_ID)) return async () => true
  await store.lockAdmins(ctx)
  return () => store.isHeldByActive(ctx, ADMIN_ROLE_ID)
}

/** Like `watchLastAdmin`; the check throws AppError LAST_ADMIN. */
export const guardLastAdmin = async (ctx: Ctx, roleIds: readonly string[]): Promise<() => Promise<void>> => {
  const isAdminLeft = await watchLastAdmin(ctx, roleIds)
  return async () => {
    if (await isAdminLeft()) return
    throw new AppError('LAST_ADMIN', 'This is the last active admin; make another one first')
  }
}

/** Emits that these users have gained or lost a role, after the write. */
export const emitRolesChanged = (ctx: Ctx, ids: readonly string[]): Promise<void> =>
  ctx.emit('user.roles-changed', { ids })

/** Emits the change of a user, and returns the user. */
export const emitUpdated = async (ctx: Ctx, id: string): Promise<User> => {
  const user = await loadUser(ctx, orNotFound(await users.find(ctx, id), 'user', id))
  await ctx.emit('user.updated')
  return user
}

/** Replaces the roles that are granted to the user itself. */
export const setRoles = async (ctx: Ctx, { id }: UserRow, roleIds: readonly string[]): Promise<void> => {
  await store.replaceRoles(ctx, { id, now: ctx.now }, roleIds)
  await users.update(ctx, id, { updated_at: ctx.now })
  await emitRolesChanged(ctx, [id])
  await emitUpdated(ctx, id)
}

type Target =
  | { readonly user: UserRow; readonly group?: undefined }
  | { readonly user?: undefined; readonly group: { readonly id: string; readonly name: string } }

const buildMissingIssue = (field: string, noun: string, id: string): FieldIssue => ({
  field,
  message: `there is no ${noun} with id "${id}"`,
})

/** Locks the user or the group that a draft names. @throws AppError VALIDATION_ERROR, FORBIDDEN as `requireCharge` */
const lockTarget = async (ctx: Ctx, { user_id, group_id }: GrantDraft): Promise<Target> => {
  if ((user_id === null) === (group_id === null))
    throw invalidField('user_id', 'is needed, or group_id, and not both of them')
  if (user_id !== null) {
    const user = await users.lock(ctx, user_id)
    if (!user) throw invalid([buildMissingIssue('user_id', 'user', user_id)])
    await requireCharge(ctx, user)
    return { user }
  }
  const id = group_id ?? ''
  const group = await store.lockGroup(ctx, id)
  if (!group) throw invalid([buildMissingIssue('group_id', 'group', id)])
  return { group }
}

const create = async (ctx: Ctx, draft: GrantDraft): Promise<Grant> => {
  const { user, group } = await lockTarget(ctx, draft)
  const role = await findRole(ctx, draft.role_id)
  if (!role) throw invalidField('role_id', `there is no role with the id or name "${draft.role_id}"`)
  const { scope_id } = draft
  if (scope_id !== null && !(await store.lockScope(ctx, scope_id)))
    throw invalid([buildMissingIssue('scope_id', 'scope', scope_id)])
  await requireGrantable(ctx, [role], scope_id)
  const holder = { role_id: role.id, user_id: user?.id ?? null, group_id: group?.id ?? null, scope_id }
  const known = await store.findSameGrant(ctx, holder)
  if (known) return known
  if (user && scope_id === null) {
    const held = await store.findOwnRoles(ctx, user.id)
    await setRoles(ctx, user, [...held.map(({ id }) => id), role.id])
  } else {
    await store.insertGrant(ctx, { ...holder, created_at: ctx.now })
    await emitRolesChanged(ctx, user ? [user.id] : await store.findMemberIds(ctx, group.id))
  }
  const grant = await store.findSameGrant(ctx, holder)
  if (!grant) throw new Error('the grant was just stored')
  await ctx.emit('grant.created')
  return grant
}

/** A role, and the scope in which it counts: null is everywhere. */
export type ScopedRole = NamedRole & { readonly scope_id: string | null }

type NewGrant = { readonly role_id: string; readonly scope_id: string | null }

/** Locks the scopes. @throws AppError VALIDATION_ERROR naming the fields of a new user, FORBIDDEN as `grants.create` */
export const resolveGrants = async (ctx: Ctx, given: readonly NewGrant[]): Promise<ScopedRole[]> => {
  if (given.length === 0) return []
  ctx.require('users:update')
  const found = new Map<string, ScopedRole>()
  const issues: FieldIssue[] = []
  for (const [i, { role_id, scope_id }] of given.entries()) {
    const role = await findRole(ctx, role_id)
    if (!role)
      issues.push({ field: `grants[${i}].role_id`, message: `there is no role with the id or name "${role_id}"` })
    if (scope_id !== null && !(await store.lockScope(ctx, scope_id)))
      issues.push(buildMissingIssue(`grants[${i}].scope_id`, 'scope', scope_id))
    if (role) found.set(`${role.id} ${scope_id}`, { id: role.id, name: role.name, scope_id })
  }
  rejectIssues(issues)
  for (const role of found.values()) await requireGrantable(ctx, [role], role.scope_id)
  return [...found.values()]
}

/** Gives roles in scopes to a new user. */
export const insertInScopes = async (ctx: Ctx, userId: string, roles: readonly ScopedRole[]): Promise<void> => {
  if (roles.length === 0) return
  for (const { id, scope_id } of roles)
    await store.insertGrant(ctx, { role_id: id, user_id: userId, group_id: null, scope_id, created_at: ctx.now })
  await emitRolesChanged(ctx, [userId])
  await ctx.emit('grant.created')
}

const remove = async (ctx: Ctx, id: string): Promise<void> => {
  const found = orNotFound(await store.findGrant(ctx, id), 'grant', id)
  const { user_id, group_id, scope_id } = found
  // The holder first, as in a create.
  const user = user_id === null ? undefined : await users.lock(ctx, user_id)
  const group = group_id === null ? undefined : await store.lockGroup(ctx, group_id)
  await store.lockGrant(ctx, id)
  const grant = orNotFound(await store.findGrant(ctx, id), 'grant', id)
  ctx.precondition(grant)
  if (user) await requireCharge(ctx, user)
  await requireGrantable(ctx, [{ id: grant.role_id, name: grant.role }], scope_id)
  const requireAdmin = await guardLastAdmin(ctx, scope_id === null ? [grant.role_id] : [])
  if (user && scope_id === null) {
    const held = await store.findOwnRoles(ctx, user.id)
    await setRoles(
      ctx,
      user,
      held.map((role) => role.id).filter((roleId) => roleId !== grant.role_id),
    )
  } else {
    await store.deleteGrant(ctx, id)
    await emitRolesChanged(ctx, user ? [user.id] : await store.findMemberIds(ctx, group?.id ?? ''))
  }
  await requireAdmin()
  await ctx.emit('grant.deleted')
}

export const grantsOperations = implement(grants, {
  list: async (ctx, { user_id, group_id, role_id, scope_id, effective, ...page }) => {
    if (effective && user_id === undefined) throw invalidField('effective', 'is for the grants of a user: add user_id')
    const revision = await ctx.store.revision(['grants', 'roles', 'users', 'groups', 'group_members', 'scopes'])
    let query = user_id !== undefined && effective ? store.selectEffective(ctx, user_id) : store.selectGrants(ctx)
    if (user_id !== undefined && !effective) query = query.where('grants.user_id', '=', user_id)
    if (group_id !== undefined) query = query.where('grants.group_id', '=', group_id)
    if (scope_id !== undefined) query = query.where('grants.scope_id', '=', scope_id)
    if (role_id !== undefined) query = query.where('grants.role_id', '=', role_id)
    return listRows(ctx, { revision, query, page, row: (grant): Grant => grant })
  },
  create,
  delete: async (ctx, { id }) => remove(ctx, id),
})

type ScopeName = { readonly id: string; readonly name: string }

/**
 * A change of a scope hands out all that is granted in it. A grant in the scope itself does not cover that: its holder would reach other
 * objects after it.
 * @throws AppError FORBIDDEN
 */
const requireGrantedHeld = async (ctx: Ctx, { id, name }: ScopeName): Promise<void> => {
  const counting = [...(await findRolePermissions(ctx, (await store.findInScope(ctx, id)).roleIds))].filter(isScopable)
  requireHeld(ctx, counting, `The scope "${name}"`)
}

const revokeInScope = async (ctx: Ctx, scope: ScopeName): Promise<void> => {
  await requireGrantedHeld(ctx, scope)
  const { userIds } = await store.findInScope(ctx, scope.id)
  await store.removeOfScope(ctx, scope.id)
  await emitRolesChanged(ctx, userIds)
}

export const grantsReactions: Reactions = {
  'scope.changing': requireGrantedHeld,
  'scope.deleting': revokeInScope,
}
