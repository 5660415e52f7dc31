/** The rules of groups. A caller hands out only held permissions by a group. */
import { invalidField, nameTaken, orNotFound } from '../../contract/errors.ts'
import { computeEtag } from '../../contract/etag.ts'
import { merge } from '../../contract/merge.ts'
import { containsText } from '../../database/query/contains.ts'
import { type Ctx, type Feature, implement } from '../../kernel/ctx.ts'
import { JsonList } from '../../kernel/handler-result.ts'
import { listRows } from '../../kernel/list.ts'
import { lockAccount, requireCharge } from '../users/account.ts'
import { requireCovered } from '../users/covering.ts'
import {
  emitRolesChanged,
  findMemberIds,
  findRolesOfGroup,
  guardLastAdmin,
  removeOfGroup,
  watchLastAdmin,
} from '../users/grants.ts'
import { type Group, type GroupDraft, type GroupMember, type GroupPatch, groups, type Membership } from './api.ts'
import * as store from './store.ts'
import type { GroupMemberRow } from './table.ts'

const getOrThrow = async (ctx: Ctx, id: string): Promise<Group> => orNotFound(await store.find(ctx, id), 'group', id)

const lockForChange = async (ctx: Ctx, id: string): Promise<Group> => {
  const group = orNotFound(await store.lock(ctx, id), 'group', id)
  ctx.precondition(group)
  return group
}

/** Returns the roles of the group. @throws AppError FORBIDDEN that names their permissions that the caller lacks */
export const requireRolesHeld = async (ctx: Ctx, { id, name }: Pick<Group, 'id' | 'name'>): Promise<string[]> => {
  const held = await findRolesOfGroup(ctx, id)
  await requireCovered(ctx, held, `The group "${name}"`)
  return held.map(({ role_id }) => role_id)
}

const findRoleIds = async (ctx: Ctx, groupId: string): Promise<string[]> =>
  (await findRolesOfGroup(ctx, groupId)).map(({ role_id }) => role_id)

const requireFreeName = async (ctx: Ctx, group: Pick<Group, 'id' | 'name'>): Promise<void> => {
  const namesake = await store.findNamesake(ctx, group)
  if (namesake) throw nameTaken('group', namesake.name)
}

const create = async (ctx: Ctx, { name, description }: GroupDraft): Promise<Group> => {
  const times = { created_at: ctx.now, updated_at: ctx.now }
  const group: Group = { id: Bun.randomUUIDv7(), name, description, member_count: 0, ...times }
  await requireFreeName(ctx, group)
  await store.insert(ctx, group)
  await ctx.emit('group.created')
  return group
}

const update = async (ctx: Ctx, { id, ...patch }: GroupPatch): Promise<Group> => {
  const before = await lockForChange(ctx, id)
  const { value, changes } = merge(before, patch)
  if (changes.length === 0) return before
  const group = { ...value, updated_at: ctx.now }
  await requireFreeName(ctx, group)
  await store.update(ctx, group)
  await ctx.emit('group.updated')
  return group
}

const remove = async (ctx: Ctx, id: string): Promise<void> => {
  const group = await lockForChange(ctx, id)
  const requireAdmin = await guardLastAdmin(ctx, await requireRolesHeld(ctx, group))
  await ctx.emit('group.deleting', group)
  const members = await findMemberIds(ctx, id)
  await removeOfGroup(ctx, id)
  await store.remove(ctx, id)
  await requireAdmin()
  await emitRolesChanged(ctx, members)
  await ctx.emit('group.deleted', group)
}

/** Locks the user and the group. @throws AppError VALIDATION_ERROR for an unknown user, FORBIDDEN as `requireCharge` */
const lockMember = async (ctx: Ctx, { id, user_id }: Membership): Promise<Group> => {
  const user = await lockAccount(ctx, user_id)
  const group = orNotFound(await store.lock(ctx, id), 'group', id)
  if (!user) throw invalidField('user_id', `there is no user with id "${user_id}"`)
  await requireCharge(ctx, user)
  return group
}

const add = async (ctx: Ctx, input: Membership): Promise<{ status: 'added' }> => {
  const group = await lockMember(ctx, input)
  await requireRolesHeld(ctx, group)
  const member = { group_id: input.id, user_id: input.user_id }
  const sources = await store.findSources(ctx, member)
  if (sources.includes(store.MANUAL)) return { status: 'added' }
  await store.addMember(ctx, { ...member, source: store.MANUAL })
  // The provider has made it a member before.
  if (sources.length === 0) await emitRolesChanged(ctx, [input.user_id])
  await ctx.emit('group.member-added')
  return { status: 'added' }
}

const removeMember = async (ctx: Ctx, input: Membership): Promise<void> => {
  const group = await lockMember(ctx, input)
  const member = { group_id: group.id, user_id: input.user_id }
  if ((await store.findSources(ctx, member)).length === 0) return
  const requireAdmin = await guardLastAdmin(ctx, await findRoleIds(ctx, group.id))
  await store.removeMember(ctx, member)
  await requireAdmin()
  await emitRolesChanged(ctx, [input.user_id])
  await ctx.emit('group.member-removed')
}

export const findGroup = store.find

type FromProvider = { readonly userId: string; readonly source: string; readonly groupIds: readonly string[] }

/** Removes one membership, unless no active admin would be left. @returns true if it was removed */
const removeUnlessLastAdmin = async (ctx: Ctx, member: GroupMemberRow): Promise<boolean> => {
  const isAdminLeft = await watchLastAdmin(ctx, await findRoleIds(ctx, member.group_id))
  await store.removeMembership(ctx, member)
  if (await isAdminLeft()) return true
  await store.addMember(ctx, member)
  return false
}

/**
 * Makes the memberships of a user with a provider as their source exactly these. Groups that are gone are left out.
 * @returns the groups in which the user stays, because no active admin would be left
 */
export const setMembershipsFrom = async (ctx: Ctx, { userId, source, groupIds }: FromProvider): Promise<string[]> => {
  const before = await store.findMemberships(ctx, userId)
  const own = before.filter((one) => one.source === source).map(({ group_id }) => group_id)
  const wanted = await store.filterExistingIds(ctx, groupIds)
  const gained = wanted.filter((id) => !own.includes(id))
  // Added first: another group may make the user an admin.
  for (const group_id of gained) await store.addMember(ctx, { group_id, user_id: userId, source })
  const lost: string[] = []
  const kept: string[] = []
  for (const group_id of own.filter((id) => !wanted.includes(id)))
    if (await removeUnlessLastAdmin(ctx, { group_id, user_id: userId, source })) lost.push(group_id)
    else kept.push(group_id)
  // A group of which the user is a member by another source changes nothing.
  const elsewhere = new Set(before.filter((one) => one.source !== source).map(({ group_id }) => group_id))
  if ([...lost, ...gained].some((id) => !elsewhere.has(id))) await emitRolesChanged(ctx, [userId])
  return kept
}

/** Removes the memberships with this source, of all users or of one. @throws AppError LAST_ADMIN */
export const removeMembershipsFrom = async (ctx: Ctx, source: string, userId?: string): Promise<void> => {
  const all = await store.findMembersFrom(ctx, source)
  const members = userId === undefined ? all : all.filter(({ user_id }) => user_id === userId)
  const roleIds: string[] = []
  for (const id of new Set(members.map(({ group_id }) => group_id))) roleIds.push(...(await findRoleIds(ctx, id)))
  const requireAdmin = await guardLastAdmin(ctx, roleIds)
  for (const { group_id, user_id } of members) await store.removeMembership(ctx, { group_id, user_id, source })
  await requireAdmin()
  if (members.length > 0) await emitRolesChanged(ctx, [...new Set(members.map(({ user_id }) => user_id))])
}

/** Returns the members of the memberships, each once. */
const toMembers = (rows: readonly store.MemberRow[]): GroupMember[] =>
  [...Map.groupBy(rows, ({ user_id }) => user_id)].map(([user_id, of]) => ({
    user_id,
    username: of[0]?.username ?? '',
    sources: of.map(({ source }) => source),
  }))

export const feature: Feature = {
  reactions: {
    'user.deleting': (ctx, { id }: { id: string }) => store.removeUser(ctx, id),
  },
  operations: implement(groups, {
    list: async (ctx, { name, user_id, ...page }) => {
      const revision = await ctx.store.revision(['groups', 'group_members', 'users'])
      let query = store.query(ctx)
      if (name) query = query.where(containsText('name_key', name))
      if (user_id !== undefined)
        query = query.where('groups.id', 'in', (eb) =>
          eb.selectFrom('group_members').select('group_id').where('group_members.user_id', '=', user_id),
        )
      return listRows(ctx, { revision, query, page, row: store.toGroup })
    },
    create,
    get: async (ctx, { id }) => getOrThrow(ctx, id),
    update,
    delete: async (ctx, { id }) => remove(ctx, id),
    members: async (ctx, { id, limit, offset = 0 }) => {
      await getOrThrow(ctx, id)
      const members = toMembers(await store.findMembers(ctx, id)).map((member) => JSON.stringify(member))
      return new JsonList({
        revision: computeEtag(members.join()),
        total: async () => members.length,
        rows: async function* () {
          yield members.slice(offset, limit === undefined ? undefined : offset + limit)
        },
      })
    },
    add,
    remove: removeMember,
  }),
}
