/** The rule for who may hand out roles, and manage users with roles: a caller covers what it holds in the same place. */
import { type Expression, type SqlBool, sql } from 'kysely'
import type { Caller } from '../../kernel/caller.ts'
import type { Ctx, DbScope } from '../../kernel/ctx.ts'
import { isScopable } from '../roles/catalogue.ts'
import { findRolePermissions, refuseMissing } from '../roles/roles.ts'
import type { HeldRole } from './grant-store.ts'
import * as grants from './grant-store.ts'

/** Returns true if the caller has the permission everywhere or in this scope. A part of several scopes is not enough for one that is another. */
const isCovered = ({ permissions, scopedPermissions }: Rights, permission: string, scopeId: string | null): boolean => {
  if (permissions.has(permission)) return true
  if (scopeId === null || !isScopable(permission)) return false
  return scopedPermissions?.get(permission)?.scopes.every((some) => some.has(scopeId)) ?? false
}

/** The rights of a caller or of an account. */
type Rights = Pick<Caller, 'permissions' | 'scopedPermissions'>

/** Returns the permissions of a role that count where it is granted, and that the holder of the rights lacks there. */
const findUncovered = async (scope: DbScope, rights: Rights, { role_id, scope_id }: HeldRole): Promise<string[]> => {
  const counting = [...(await findRolePermissions(scope, [role_id]))].filter(
    (name) => scope_id === null || isScopable(name),
  )
  return counting.filter((name) => !isCovered(rights, name, scope_id))
}

/** Returns the permissions of these roles that the holder of the rights lacks where they are granted, each once. */
export const findMissing = async (scope: DbScope, rights: Rights, held: readonly HeldRole[]): Promise<string[]> => {
  const missing = new Set<string>()
  for (const role of removeDuplicates(held))
    for (const name of await findUncovered(scope, rights, role)) missing.add(name)
  return [...missing]
}

/**
 * @param subject the object with the roles: "The group" in "The group has permissions that you lack: ..."
 * @throws AppError FORBIDDEN that names the permissions of the roles that the caller lacks where they are granted
 */
export const requireCovered = async (ctx: Ctx, held: readonly HeldRole[], subject: string): Promise<void> =>
  refuseMissing(await findMissing(ctx, ctx.caller, held), subject)

const removeDuplicates = (held: readonly HeldRole[]): HeldRole[] => [
  ...new Map(held.map((one) => [`${one.role_id} ${one.scope_id ?? ''}`, one])).values(),
]

export type Coverage = {
  /** Part of the ETag of the list, because other callers may see other rows at the same URL. */
  readonly tag: string
  /** A condition: the owner has no permission that the caller lacks. Undefined if all owners match. */
  readonly ownerIs: (column: 'api_keys.user_id' | 'oauth_grants.user_id') => Expression<SqlBool> | undefined
}

/** Returns the accounts without a role that the caller does not cover, and the caller's own. */
export const loadCoverage = async (ctx: Ctx): Promise<Coverage> => {
  const beyond: string[] = []
  for (const role of await grants.findGrantedRoles(ctx))
    if ((await findUncovered(ctx, ctx.caller, role)).length > 0) beyond.push(`${role.role_id} ${role.scope_id ?? ''}`)
  if (beyond.length === 0) return { tag: 'all', ownerIs: () => undefined }
  const own = ctx.caller.userId ?? ''
  return {
    tag: `${own} but ${beyond.sort().join()}`,
    ownerIs: (column) => {
      const owner = sql.ref(column)
      return sql<SqlBool>`(${owner} = ${own} OR NOT EXISTS (
        SELECT 1 FROM grants AS held WHERE held.role_id || ' ' || COALESCE(held.scope_id, '') IN (${sql.join(beyond)})
          AND (held.user_id = ${owner}
            OR held.group_id IN (SELECT group_id FROM group_members WHERE user_id = ${owner}))))`
    },
  }
}
