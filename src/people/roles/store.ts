/** The queries of roles; the only writer of their tables. Permissions of system roles are in the catalog. */

import type { Ctx, DbScope } from '../../kernel/ctx.ts'
import { buildNameKeys, toNameKey } from '../../net/name-order.ts'
import { createRecorder, type RecordScope } from '../../resource/recorder.ts'
import type { RoleRow } from './table.ts'

const columns = ['id', 'name', 'description', 'is_system', 'created_at', 'updated_at'] as const
export type StoredRole = Pick<RoleRow, (typeof columns)[number]>

export const query = ({ db }: DbScope) => db.selectFrom('roles').select(columns).orderBy('name_order').orderBy('id')

const selectById = ({ db }: DbScope, id: string) => db.selectFrom('roles').select(columns).where('id', '=', id)

export const find = (scope: DbScope, id: string): Promise<StoredRole | undefined> =>
  selectById(scope, id).executeTakeFirst()

/** Finds like `find`, and locks the role until commit. */
export const lock = (ctx: Ctx, id: string): Promise<StoredRole | undefined> =>
  ctx.store.sql.lockRows(selectById(ctx, id)).executeTakeFirst()

/** Returns the role of this name, in any case. */
export const findByName = ({ db }: DbScope, name: string): Promise<StoredRole | undefined> =>
  db.selectFrom('roles').select(columns).where('name_key', '=', toNameKey(name.trim())).executeTakeFirst()

/** Returns the stored permissions of these roles, sorted. */
export const findPermissions = async ({ db }: DbScope, roleIds: readonly string[]): Promise<string[]> => {
  if (roleIds.length === 0) return []
  const rows = await db
    .selectFrom('role_permissions')
    .select('permission')
    .where('role_id', 'in', roleIds)
    .orderBy('permission')
    .execute()
  return rows.map(({ permission }) => permission)
}

/** Returns the stored permissions of every role, sorted; roles without any have no entry. */
export const findPermissionsByRole = async ({ db }: DbScope): Promise<Map<string, string[]>> => {
  const rows = await db.selectFrom('role_permissions').selectAll().orderBy('role_id').orderBy('permission').execute()
  const byRole = new Map<string, string[]>()
  for (const { role_id, permission } of rows) {
    const held = byRole.get(role_id)
    if (held) held.push(permission)
    else byRole.set(role_id, [permission])
  }
  return byRole
}

type WholeRole = StoredRole & { readonly permissions: readonly string[] }

const insertPermissions = async ({ db }: DbScope, role_id: string, permissions: readonly string[]): Promise<void> => {
  if (permissions.length === 0) return
  await db
    .insertInto('role_permissions')
    .values(permissions.map((permission) => ({ role_id, permission })))
    .execute()
}

const recorder = createRecorder({
  ...{ kind: 'role', table: 'roles' },
  find: async (ctx, ids) => {
    const rows = await query(ctx).where('id', 'in', ids).execute()
    return Promise.all(rows.map(async (row) => ({ ...row, permissions: await findPermissions(ctx, [row.id]) })))
  },
})

export const insert = (scope: RecordScope, { permissions, ...role }: WholeRole): Promise<void> =>
  recorder.write(scope, [role.id], async () => {
    await scope.db
      .insertInto('roles')
      .values({ ...role, ...buildNameKeys(role.name) })
      .execute()
    await insertPermissions(scope, role.id, permissions)
  })

export const update = (scope: RecordScope, { permissions, ...role }: WholeRole): Promise<void> =>
  recorder.write(scope, [role.id], async () => {
    const { db } = scope
    await db
      .updateTable('roles')
      .set({ ...role, ...buildNameKeys(role.name) })
      .where('id', '=', role.id)
      .execute()
    await db.deleteFrom('role_permissions').where('role_id', '=', role.id).execute()
    await insertPermissions(scope, role.id, permissions)
  })

export const remove = (scope: RecordScope, id: string): Promise<void> =>
  recorder.write(scope, [id], async () => {
    await scope.db.deleteFrom('role_permissions').where('role_id', '=', id).execute()
    await scope.db.deleteFrom('roles').where('id', '=', id).execute()
  })
