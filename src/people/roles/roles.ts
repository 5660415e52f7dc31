/** The rules of roles. Callers grant only permissions that they hold, and system roles can't be changed. */

import { AppError, nameTaken, notFound } from '../../contract/errors.ts'
import { computeEtag } from '../../contract/etag.ts'
import { merge } from '../../contract/merge.ts'
import { containsText } from '../../database/query/contains.ts'
import { type Ctx, type DbScope, type Feature, implement } from '../../kernel/ctx.ts'
import { listRows, listValues } from '../../kernel/list.ts'
import { type Role, type RoleDraft, type RolePatch, roles } from './api.ts'
import { CATALOGUE, findSystemRole, SYSTEM_ROLES } from './catalogue.ts'
import * as store from './store.ts'

/** Returns the permissions of all these roles together. */
export const findRolePermissions = async (scope: DbScope, roleIds: readonly string[]): Promise<Set<string>> => {
  const custom = roleIds.filter((id) => !findSystemRole(id))
  return new Set([
    ...roleIds.flatMap((id) => findSystemRole(id)?.permissions ?? []),
    ...(await store.findPermissions(scope, custom)),
  ])
}

/** Returns the role with this id, otherwise the one with this name in any case. */
export const findRole = async (scope: DbScope, idOrName: string): Promise<{ id: string; name: string } | undefined> =>
  (await store.find(scope, idOrName)) ?? (await store.findByName(scope, idOrName))

/** The number of missing permissions that an error names; an admin has too many to read. */
const MAX_NAMED = 10

/**
 * Requires the caller to hold the permissions that the call grants, or that the managed user holds.
 * @param subject the object with the permissions: "The role" in "The role has permissions that you lack: ..."
 * @throws AppError FORBIDDEN that names the missing permissions.
 */
export const requireHeld = ({ caller }: Ctx, permissions: Iterable<string>, subject: string): void =>
  refuseMissing(
    [...permissions].filter((permission) => !caller.permissions.has(permission)),
    subject,
  )

/** @throws AppError FORBIDDEN as `requireHeld`, if any permission is missing */
export const refuseMissing = (missing: readonly string[], subject: string): void => {
  if (missing.length === 0) return
  const others = missing.length - MAX_NAMED
  const named = `${missing.toSorted().slice(0, MAX_NAMED).join(', ')}${others > 0 ? ` and ${others} more` : ''}`
  throw new AppError('FORBIDDEN', `${subject} has permissions that you lack: ${named}`)
}

const CATALOGUE_TAG = computeEtag(JSON.stringify([CATALOGUE, SYSTEM_ROLES]))

const toRole = (row: store.StoredRole, stored: readonly string[]): Role => {
  const system = findSystemRole(row.id)
  return {
    id: row.id,
    name: row.name,
    description: system?.description ?? row.description,
    is_system: row.is_system === 1,
    permissions: [...(system?.permissions ?? stored)],
    created_at: row.created_at,
    updated_at: row.updated_at,
  }
}

const loadRoleOrThrow = async (scope: DbScope, row: store.StoredRole | undefined, id: string): Promise<Role> => {
  if (!row) throw notFound('role', id)
  return toRole(row, await store.findPermissions(scope, [id]))
}

const toRow = (role: Role) => ({ ...role, is_system: role.is_system ? 1 : 0 })

const requireFreeName = async (ctx: Ctx, { id, name }: Pick<Role, 'id' | 'name'>): Promise<void> => {
  const namesake = await store.findByName(ctx, name)
  if (namesake && namesake.id !== id) throw nameTaken('role', namesake.name)
}

const create = async (ctx: Ctx, { name, description, permissions }: RoleDraft): Promise<Role> => {
  requireHeld(ctx, permissions, 'This role')
  const times = { created_at: ctx.now, updated_at: ctx.now }
  const role: Role = { id: Bun.randomUUIDv7(), name, description, is_system: false, permissions, ...times }
  await requireFreeName(ctx, role)
  await store.insert(ctx, toRow(role))
  await ctx.emit('role.created')
  return role
}

/** Locks the role, and returns it if the caller may change it. */
const lockForChange = async (ctx: Ctx, id: string): Promise<Role> => {
  const role = await loadRoleOrThrow(ctx, await store.lock(ctx, id), id)
  if (role.is_system) throw new AppError('SYSTEM_ROLE', `The role "${role.name}" comes with Plat and stays as it is`)
  ctx.precondition(role)
  requireHeld(ctx, role.permissions, `The role "${role.name}"`)
  return role
}

const update = async (ctx: Ctx, { id, ...patch }: RolePatch): Promise<Role> => {
  const before = await lockForChange(ctx, id)
  const { value, changes } = merge(before, patch)
  requireHeld(ctx, value.permissions, 'The role as you want it')
  if (changes.length === 0) return before
  await requireFreeName(ctx, value)
  const role = { ...value, updated_at: ctx.now }
  await store.update(ctx, toRow(role))
  await ctx.emit('role.updated')
  return role
}

const remove = async (ctx: Ctx, id: string): Promise<void> => {
  const role = await lockForChange(ctx, id)
  await ctx.emit('role.deleting', role)
  await store.remove(ctx, id)
  await ctx.emit('role.deleted')
}

export const feature: Feature = {
  operations: implement(roles, {
    list: async (ctx, { name, ...page }) => {
      const query = store.query(ctx)
      const revision = await ctx.store.revision(['roles', 'role_permissions'])
      // Read before the stream, which holds a connection and must not wait for a second one.
      const stored = await store.findPermissionsByRole(ctx)
      return listRows(ctx, {
        // The permissions of system roles change with the program.
        revision: `${revision} ${CATALOGUE_TAG}`,
        query: name ? query.where(containsText('name_key', name)) : query,
        page,
        row: (role): Role => toRole(role, stored.get(role.id) ?? []),
      })
    },
    create,
    get: async (ctx, { id }) => loadRoleOrThrow(ctx, await store.find(ctx, id), id),
    update,
    delete: async (ctx, { id }) => remove(ctx, id),
    permissions: async (_ctx, page) => listValues(CATALOGUE, page),
  }),
}
