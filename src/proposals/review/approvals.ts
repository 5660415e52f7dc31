/** The approvals that count: of the present effects, and by users who may give them now. */
import type { Caller } from '../../kernel/caller.ts'
import type { Ctx } from '../../kernel/ctx.ts'
import { holdsAnywhere } from '../../kernel/rights/access.ts'
import { filterMembers } from '../../people/groups/store.ts'
import { findAccounts } from '../../people/users/account.ts'
import { selectEntries } from '../entry-store.ts'
import { isWriter, type ListedRow } from '../store.ts'

/** The approvals of one user. */
export type Approval = {
  readonly userId: string
  readonly username: string
  /** The ids of the policies for which it counts. */
  readonly policies: ReadonlySet<string>
}

/** True for a user who may approve it. */
export const canApprove = (
  row: Pick<ListedRow, 'author_id' | 'co_authors'>,
  user: Pick<Caller, 'userId' | 'permissions' | 'scopedPermissions'>,
): boolean => !isWriter(row, user.userId) && holdsAnywhere(user, 'proposals:approve')

/** An entry has been written by this room. */
const parsePolicies = (json: string): readonly string[] => JSON.parse(json) as string[]

/** Returns the approvals of the present effects since the proposal was last opened, one a user. */
export const findGiven = async (ctx: Ctx, row: ListedRow): Promise<readonly Approval[]> => {
  const entries = await selectEntries(ctx, row.seq).where('type', 'in', ['opened', 'approved']).execute()
  const opened = entries.findLastIndex(({ type }) => type === 'opened')
  const counted = entries.slice(opened + 1).filter(({ fingerprint }) => fingerprint === row.fingerprint)
  return [...Map.groupBy(counted, ({ user_id }) => user_id)].flatMap(([userId, own]) =>
    isWriter(row, userId)
      ? []
      : [
          {
            ...{ userId, username: own[0]?.username ?? '' },
            policies: new Set(own.flatMap(({ policies }) => parsePolicies(policies))),
          },
        ],
  )
}

/** Returns the approvals of users who may give them now, under the present names of the users. */
export const findValid = async (ctx: Ctx, row: ListedRow): Promise<readonly Approval[]> => {
  const given = await findGiven(ctx, row)
  if (given.length === 0) return given
  const ids = given.map(({ userId }) => userId)
  const accounts = await findAccounts(ctx, ids)
  return given.flatMap((approval) => {
    const account = accounts.get(approval.userId)
    if (!account?.isActive || !canApprove(row, { ...account, userId: approval.userId })) return []
    return [{ ...approval, username: account.username }]
  })
}

/** Returns the users who are in the group; all of them without a group. */
export const filterInGroup = async (
  ctx: Ctx,
  groupId: string | null,
  userIds: readonly string[],
): Promise<ReadonlySet<string>> => new Set(groupId === null ? userIds : await filterMembers(ctx, groupId, userIds))
