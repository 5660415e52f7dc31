/** The queries of grants; the only writer of their table. A user holds the roles of its own grants and of its groups' grants. */
import type { ExpressionBuilder, Kysely } from 'kysely'
import { splitBatches } from '../../database/query/batches.ts'
import type { Tables } from '../../database/tables.ts'
import type { Ctx, DbScope, StoreScope } from '../../kernel/ctx.ts'
import { createRecorder, type RecordScope } from '../../resource/recorder.ts'
import type { Grant } from './grants-api.ts'
import type { GrantRow } from './table.ts'

/** Returns the roles that users hold, directly or through a group, each once. */
const selectHeldRoles = (db: Kysely<Tables>) =>
  db
    .selectFrom('grants')
    .select(['user_id', 'role_id', 'scope_id'])
    .where('user_id', 'is not', null)
    .$narrowType<{ user_id: string }>()
    .union(
      db
        .selectFrom('group_members')
        .innerJoin('grants', 'grants.group_id', 'group_members.group_id')
        .select(['group_members.user_id', 'grants.role_id', 'grants.scope_id']),
    )
    .as('held')

/** A role that a user holds, and the scope in which: null is everywhere. */
export type HeldRole = Pick<GrantRow, 'role_id' | 'scope_id'>

/** Returns the roles that these users hold, by user; a user without any has no entry. */
export const findHeldByUser = async ({ db }: DbScope, ids: readonly string[]): Promise<Map<string, HeldRole[]>> => {
  const byUser = new Map<string, HeldRole[]>()
  for (const some of splitBatches(ids)) {
    const rows = await db.selectFrom(selectHeldRoles(db)).selectAll().where('user_id', 'in', some).execute()
    for (const { user_id, ...role } of rows) {
      const held = byUser.get(user_id)
      if (held) held.push(role)
      else byUser.set(user_id, [role])
    }
  }
  return byUser
}

/** Returns the roles that these users hold together. */
export const findRolesHeldBy = async (scope: DbScope, ids: readonly string[]): Promise<HeldRole[]> =>
  [...(await findHeldByUser(scope, ids)).values()].flat()

/** Returns the roles that are granted to anybody, each once in each scope. */
export const findGrantedRoles = ({ db }: DbScope): Promise<HeldRole[]> =>
  db.selectFrom('grants').select(['role_id', 'scope_id']).distinct().execute()

/** Returns the ids of the roles that these users hold together, in any scope. */
export const findRoleIds = async (scope: DbScope, ids: readonly string[]): Promise<string[]> => [
  ...new Set([...(await findHeldByUser(scope, ids)).values()].flat().map(({ role_id }) => role_id)),
]

/** Returns the areas of scopes. */
export const findAreasOfScopes = (
  { db }: DbScope,
  ids: readonly string[],
): Promise<{ scope_id: string; area_id: number }[]> =>
  db.selectFrom('area_scopes').selectAll().where('scope_id', 'in', ids).execute()

/** Returns the names of all roles that the user holds, in any scope. */
export const findHeldRoleNames = async ({ db }: DbScope, id: string): Promise<string[]> => {
  const rows = await db
    .selectFrom(selectHeldRoles(db))
    .innerJoin('roles', 'roles.id', 'held.role_id')
    .select('roles.name')
    .where('held.user_id', '=', id)
    .execute()
  return rows.map(({ name }) => name)
}

/** Returns the roles that are granted to the user itself everywhere, by name. */
export const findOwnRoles = ({ db }: DbScope, id: string): Promise<{ id: string; name: string }[]> =>
  db
    .selectFrom('grants')
    .innerJoin('roles', 'roles.id', 'grants.role_id')
    .select(['roles.id', 'roles.name'])
    .where('grants.user_id', '=', id)
    .where('grants.scope_id', 'is', null)
    .orderBy('roles.name_order')
    .execute()

/** Returns the sorted names of the roles that are granted to each user itself everywhere; users without any have no entry. */
export const findRoleNamesByUser = async ({ db }: DbScope): Promise<Map<string, string[]>> => {
  const rows = await db
    .selectFrom('grants')
    .innerJoin('roles', 'roles.id', 'grants.role_id')
    .select(['grants.user_id', 'roles.name'])
    .where('grants.user_id', 'is not', null)
    .where('grants.scope_id', 'is', null)
    .$narrowType<{ user_id: string }>()
    .orderBy('roles.name_order')
    .execute()
  const byUser = new Map<string, string[]>()
  for (const { user_id, name } of rows) {
    const held = byUser.get(user_id)
    if (held) held.push(name)
    else byUser.set(user_id, [name])
  }
  return byUser
}

/** Returns the roles that are granted to the group. */
export const findRolesOfGroup = ({ db }: DbScope, groupId: string): Promise<HeldRole[]> =>
  db.selectFrom('grants').select(['role_id', 'scope_id']).where('group_id', '=', groupId).execute()

/** Returns true if an active user holds the role everywhere. */
export const isHeldByActive = async ({ db }: DbScope, roleId: string): Promise<boolean> => {
  const holder = await db
    .selectFrom(selectHeldRoles(db))
    .innerJoin('users', 'users.id', 'held.user_id')
    .select('users.id')
    .where('held.role_id', '=', roleId)
    .where('held.scope_id', 'is', null)
    .where('users.is_active', '=', 1)
    .limit(1)
    .executeTakeFirst()
  return holder !== undefined
}

/** Returns the ids of all who hold the role, directly or through a group, in any scope. */
export const findHolders = async ({ db }: DbScope, roleId: string): Promise<string[]> => {
  const rows = await db
    .selectFrom(selectHeldRoles(db))
    .select('user_id')
    .distinct()
    .where('role_id', '=', roleId)
    .execute()
  return rows.map(({ user_id }) => user_id)
}

/** Locks until commit, so that no other transaction removes an admin. */
export const lockAdmins = (ctx: Ctx): Promise<void> => ctx.lock('admins')

type NewGrant = Omit<GrantRow, 'id'>

const recorder = createRecorder({
  ...{ kind: 'grant', table: 'grants' },
  find: (ctx, ids) => selectGrants(ctx).where('grants.id', 'in', ids).execute(),
})

export const insertGrant = async (scope: RecordScope, grant: NewGrant): Promise<string> => {
  const id = Bun.randomUUIDv7()
  await recorder.write(scope, [id], async () => {
    await scope.db
      .insertInto('grants')
      .values({ id, ...grant })
      .execute()
  })
  return id
}

/** Deletes the grants with these values. */
const removeWhere = async (scope: RecordScope, holder: Partial<GrantRow>): Promise<void> => {
  const { db } = scope
  const isGone = (eb: ExpressionBuilder<Tables, 'grants'>) => eb.and(holder)
  await recorder.writeWhere(
    scope,
    () => db.selectFrom('grants').select('id').where(isGone).execute(),
    () => db.deleteFrom('grants').where(isGone).returning('id').execute(),
  )
}

/** Grants these roles to the user itself everywhere and revokes its others; the grants of the roles that it keeps stay. */
export const replaceRoles = async (
  scope: RecordScope,
  { id, now }: { readonly id: string; readonly now: string },
  roleIds: readonly string[],
): Promise<void> => {
  const own = await scope.db
    .selectFrom('grants')
    .select(['id', 'role_id'])
    .where('user_id', '=', id)
    .where('scope_id', 'is', null)
    .execute()
  const lost = own.filter(({ role_id }) => !roleIds.includes(role_id))
  const gained = roleIds.filter((roleId) => !own.some(({ role_id }) => role_id === roleId))
  for (const grant of lost) await deleteGrant(scope, grant.id)
  for (const role_id of gained)
    await insertGrant(scope, { role_id, user_id: id, group_id: null, scope_id: null, created_at: now })
}

export const deleteGrant = (scope: RecordScope, id: string): Promise<void> => removeWhere(scope, { id })

export const removeOfRole = (scope: RecordScope, role_id: string): Promise<void> => removeWhere(scope, { role_id })

export const removeOfUser = (scope: RecordScope, user_id: string): Promise<void> => removeWhere(scope, { user_id })

/** Returns the ids of the roles that are granted in the scope, and of all who hold one there. */
export const findInScope = async (
  { db }: DbScope,
  scopeId: string,
): Promise<{ readonly roleIds: string[]; readonly userIds: string[] }> => {
  const roles = await db.selectFrom('grants').select('role_id').distinct().where('scope_id', '=', scopeId).execute()
  const users = await db
    .selectFrom(selectHeldRoles(db))
    .select('user_id')
    .distinct()
    .where('scope_id', '=', scopeId)
    .execute()
  return { roleIds: roles.map(({ role_id }) => role_id), userIds: users.map(({ user_id }) => user_id) }
}

export const removeOfScope = (scope: RecordScope, scope_id: string): Promise<void> => removeWhere(scope, { scope_id })

/** Returns the scope, locked until commit. */
export const lockScope = (ctx: StoreScope, id: string): Promise<{ id: string; name: string } | undefined> =>
  ctx.store.sql.lockRows(ctx.db.selectFrom('scopes').select(['id', 'name']).where('id', '=', id)).executeTakeFirst()

export const removeOfGroup = (scope: RecordScope, group_id: string): Promise<void> => removeWhere(scope, { group_id })

/** Returns all grants in their public form, by role and holder. */
export const selectGrants = ({ db }: DbScope) =>
  db
    .selectFrom('grants')
    .innerJoin('roles', 'roles.id', 'grants.role_id')
    .leftJoin('users', 'users.id', 'grants.user_id')
    .leftJoin('groups', 'groups.id', 'grants.group_id')
    .leftJoin('scopes', 'scopes.id', 'grants.scope_id')
    .select([
      'grants.id',
      'grants.role_id',
      'roles.name as role',
      'grants.user_id',
      'users.username',
      'grants.group_id',
      'groups.name as group',
      'grants.scope_id',
      'scopes.name as scope',
      'grants.created_at',
    ])
    .orderBy('roles.name_order')
    // One of them is null, which the databases place differently.
    .orderBy((eb) => eb.fn.coalesce('users.username_key', 'groups.name_key'))
    .orderBy('grants.id')

/** Returns the grants of a user and of the groups of the user. */
export const selectEffective = (scope: DbScope, userId: string) =>
  selectGrants(scope).where((eb) =>
    eb.or([
      eb('grants.user_id', '=', userId),
      eb(
        'grants.group_id',
        'in',
        eb.selectFrom('group_members').select('group_id').where('group_members.user_id', '=', userId),
      ),
    ]),
  )

export const findGrant = (scope: DbScope, id: string): Promise<Grant | undefined> =>
  selectGrants(scope).where('grants.id', '=', id).executeTakeFirst()

type Natural = Pick<GrantRow, 'role_id' | 'user_id' | 'group_id' | 'scope_id'>

/** Returns the grant of the role to the user or to the group, in the scope. */
export const findSameGrant = (
  scope: DbScope,
  { role_id, user_id, group_id, scope_id }: Natural,
): Promise<Grant | undefined> => {
  const ofRole = selectGrants(scope)
    .where('grants.role_id', '=', role_id)
    .where('grants.scope_id', scope_id === null ? 'is' : '=', scope_id)
  const ofHolder =
    user_id === null ? ofRole.where('grants.group_id', '=', group_id) : ofRole.where('grants.user_id', '=', user_id)
  return ofHolder.executeTakeFirst()
}

/** Locks the grant until commit. */
export const lockGrant = async (ctx: Ctx, id: string): Promise<void> => {
  await ctx.store.sql.lockRows(ctx.db.selectFrom('grants').select('id').where('id', '=', id)).executeTakeFirst()
}

/** Returns the group, locked until commit. */
export const lockGroup = (ctx: StoreScope, id: string): Promise<{ id: string; name: string } | undefined> =>
  ctx.store.sql.lockRows(ctx.db.selectFrom('groups').select(['id', 'name']).where('id', '=', id)).executeTakeFirst()

/** Returns the ids of the members of a group, each once. */
export const findMemberIds = async ({ db }: DbScope, groupId: string): Promise<string[]> => {
  const rows = await db
    .selectFrom('group_members')
    .select('user_id')
    .distinct()
    .where('group_id', '=', groupId)
    .execute()
  return rows.map(({ user_id }) => user_id)
}
