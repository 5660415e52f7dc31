/** The queries of groups; the only writer of their tables. */

import type { ExpressionBuilder } from 'kysely'
import type { Tables } from '../../database/tables.ts'
import type { DbScope, StoreScope } from '../../kernel/ctx.ts'
import { buildNameKeys } from '../../net/name-order.ts'
import { createPlainStore, createRecorder, type RecordScope } from '../../resource/recorder.ts'
import type { Group } from './api.ts'
import type { GroupMemberRow, GroupRow } from './table.ts'

/** The source of a member that a user added. */
export const MANUAL = 'manual'

/** Returns all groups, by name. */
export const query = ({ db }: DbScope) =>
  db
    .selectFrom('groups')
    .select((eb) => [
      'groups.id',
      'groups.name',
      'groups.description',
      eb
        .selectFrom('group_members')
        .select((of) => of.fn.count<number | string>('user_id').distinct().as('n'))
        .whereRef('group_members.group_id', '=', 'groups.id')
        .as('member_count'),
      'groups.created_at',
      'groups.updated_at',
    ])
    .orderBy('name_order')
    .orderBy('id')

type Row = Omit<Group, 'member_count'> & { readonly member_count: number | string | null }

/** Returns the group of a row. */
export const toGroup = ({ id, name, description, member_count, created_at, updated_at }: Row): Group => ({
  id,
  name,
  description,
  member_count: Number(member_count),
  created_at,
  updated_at,
})

const toRow = ({ member_count: _, ...group }: Group): GroupRow => ({ ...group, ...buildNameKeys(group.name) })

const store = createPlainStore({ ...{ kind: 'group', table: 'groups' }, query, fromRow: toGroup, toRow })
export const { find, findNamesake, insert, update } = store

/** Finds like `find`, and locks the row until commit. */
export const lock = async (ctx: StoreScope, id: string): Promise<Group | undefined> => {
  const row = ctx.db.selectFrom('groups').select('id').where('id', '=', id)
  return (await ctx.store.sql.lockRows(row).executeTakeFirst()) && find(ctx, id)
}

export const remove = async (scope: RecordScope, id: string): Promise<void> => {
  // Not left to the foreign key, which would not move the revision of the table.
  await removeMembers(scope, { group_id: id })
  await store.remove(scope, id)
}

export type MemberRow = Pick<GroupMemberRow, 'user_id' | 'source'> & { readonly username: string }

/** Returns the memberships of a group, by username and source. */
export const findMembers = ({ db }: DbScope, groupId: string): Promise<MemberRow[]> =>
  db
    .selectFrom('group_members')
    .innerJoin('users', 'users.id', 'group_members.user_id')
    .select(['group_members.user_id', 'users.username', 'group_members.source'])
    .where('group_members.group_id', '=', groupId)
    .orderBy('users.username_order')
    .orderBy('group_members.source')
    .execute()

type Member = Pick<GroupMemberRow, 'group_id' | 'user_id'>

export const findSources = async ({ db }: DbScope, { group_id, user_id }: Member): Promise<string[]> => {
  const of = db.selectFrom('group_members').select('source')
  const rows = await of.where('group_id', '=', group_id).where('user_id', '=', user_id).execute()
  return rows.map(({ source }) => source)
}

const MEMBER_KEY = ['group_id', 'user_id', 'source'] as const

const toMembership = ({ group_id, user_id, source }: GroupMemberRow) => ({
  ...{ id: `${group_id} ${user_id} ${source}`, group_id, user_id, source },
})

const memberRecorder = createRecorder({
  kind: 'membership',
  find: async ({ db }, ids) => {
    const groupIds = ids.map((id) => id.slice(0, id.indexOf(' ')))
    const rows = await db.selectFrom('group_members').select(MEMBER_KEY).where('group_id', 'in', groupIds).execute()
    return rows.map(toMembership).filter(({ id }) => ids.includes(id))
  },
})

export const addMember = (scope: RecordScope, member: GroupMemberRow): Promise<void> =>
  memberRecorder.write(scope, [toMembership(member).id], async () => {
    await scope.db
      .insertInto('group_members')
      .values(member)
      .onConflict((conflict) => conflict.doNothing())
      .execute()
  })

/** Deletes the memberships with these values. */
const removeMembers = async (scope: RecordScope, member: Partial<GroupMemberRow>): Promise<void> => {
  const { db } = scope
  const isMember = (eb: ExpressionBuilder<Tables, 'group_members'>) => eb.and(member)
  await memberRecorder.writeWhere(
    scope,
    async () => (await db.selectFrom('group_members').select(MEMBER_KEY).where(isMember).execute()).map(toMembership),
    async () =>
      (await db.deleteFrom('group_members').where(isMember).returning(MEMBER_KEY).execute()).map(toMembership),
  )
}

export const removeMember = (scope: RecordScope, { group_id, user_id }: Member): Promise<void> =>
  removeMembers(scope, { group_id, user_id })

/** Deletes the memberships of a user. */
export const removeUser = (scope: RecordScope, user_id: string): Promise<void> => removeMembers(scope, { user_id })

/** Returns the memberships of a user. */
export const findMemberships = (
  { db }: DbScope,
  userId: string,
): Promise<Pick<GroupMemberRow, 'group_id' | 'source'>[]> =>
  db.selectFrom('group_members').select(['group_id', 'source']).where('user_id', '=', userId).execute()

/** Returns the users who are members of the group. */
export const filterMembers = async (
  { db }: DbScope,
  groupId: string,
  userIds: readonly string[],
): Promise<readonly string[]> => {
  if (userIds.length === 0) return []
  const of = db.selectFrom('group_members').select('user_id').distinct().where('group_id', '=', groupId)
  return (await of.where('user_id', 'in', userIds).execute()).map(({ user_id }) => user_id)
}

/** Returns the memberships with this source. */
export const findMembersFrom = ({ db }: DbScope, source: string): Promise<Member[]> =>
  db.selectFrom('group_members').select(['group_id', 'user_id']).where('source', '=', source).execute()

/** Returns the ids that belong to groups. */
export const filterExistingIds = async ({ db }: DbScope, ids: readonly string[]): Promise<string[]> =>
  ids.length === 0
    ? []
    : (await db.selectFrom('groups').select('id').where('id', 'in', ids).execute()).map(({ id }) => id)

export const removeMembership = (scope: RecordScope, { group_id, user_id, source }: GroupMemberRow): Promise<void> =>
  removeMembers(scope, { group_id, user_id, source })
