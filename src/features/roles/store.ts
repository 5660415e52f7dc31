/** The queries of roles; the only writer of their tables. System roles have a row, and their permissions in the catalogue. */
import type { Ctx } from '../ctx.ts'
import type { RoleRow } from './table.ts'

/** A transaction, a context, or the last committed state. */
type Scope = Pick<Ctx, 'db'>

const columns = ['id', 'name', 'description', 'is_system', 'created_at', 'updated_at'] as const
export type StoredRole = Pick<RoleRow, (typeof columns)[number]>

export const query = ({ db }: Scope) => db.selectFrom('roles').select(columns).orderBy('name_key').orderBy('id')

/** What is stored of the permissions of these roles. */
export const permissionsOf = async ({ db }: Scope, roleIds: readonly string[]): Promise<string[]> => {
  if (roleIds.length === 0) return []
  const rows = await db.selectFrom('role_permissions').select('permission').where('role_id', 'in', roleIds).execute()
  return rows.map(({ permission }) => permission)
}

/** The stored permissions of every role, sorted; roles without any have no entry. */
export const permissionsByRole = async ({ db }: Scope): Promise<Map<string, string[]>> => {
  const rows = await db.selectFrom('role_permissions').selectAll().orderBy('role_id').orderBy('permission').execute()
  const byRole = new Map<string, string[]>()
  for (const { role_id, permission } of rows) {
    const held = byRole.get(role_id)
    if (held) held.push(permission)
    else byRole.set(role_id, [permission])
  }
  return byRole
}

type NewRole = StoredRole & { readonly permissions: readonly string[] }

export const insert = async ({ db }: Scope, { permissions, ...role }: NewRole): Promise<void> => {
  await db
    .insertInto('roles')
    .values({ ...role, name_key: role.name.toLowerCase() })
    .execute()
  if (permissions.length === 0) return
  await db
    .insertInto('role_permissions')
    .values(permissions.map((permission) => ({ role_id: role.id, permission })))
    .execute()
}
