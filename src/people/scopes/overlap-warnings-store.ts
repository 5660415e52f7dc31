/** The queries for the networks of users with rights that are limited by scopes. */
import type { Kysely } from 'kysely'
import { prepared } from '../../database/query/prepared.ts'
import type { Tables } from '../../database/tables.ts'
import type { DbScope, StoreScope } from '../../kernel/ctx.ts'

/** Finds the ids of the users with a role that counts only in a scope, of their own or of a group. */
export const findLimitedUsers = async ({ db }: DbScope): Promise<string[]> => {
  const own = db
    .selectFrom('grants')
    .select('user_id')
    .where('scope_id', 'is not', null)
    .where('user_id', 'is not', null)
  const ofGroups = db
    .selectFrom('grants')
    .innerJoin('group_members', 'group_members.group_id', 'grants.group_id')
    .select('group_members.user_id')
    .where('scope_id', 'is not', null)
  const rows = await own.union(ofGroups).execute()
  return rows.flatMap(({ user_id }) => user_id ?? [])
}

/** Networks that are read by one query. */
const PAGE = 500

const networksBehind = prepared(
  (db: Kysely<Tables>, { id }: { id: string }) =>
    db
      .selectFrom('networks')
      .leftJoin('history', (join) =>
        join
          .onRef('history.id', '=', 'networks.id')
          .on('history.kind', '=', 'network')
          .on('history.before', 'is', null),
      )
      .leftJoin('changes', 'changes.seq', 'history.seq')
      .select(['networks.id', 'changes.user_id', 'history.seq'])
      .where('networks.id', '>', id)
      .orderBy('networks.id')
      .orderBy('history.seq')
      .limit(PAGE),
  'many',
)

/** A network with the user who has created it, if the history tells. */
type MadeNetwork = { readonly id: string; readonly userId: string | null }

/**
 * Finds networks in the order of their ids.
 * @param after the last id of the page before
 */
export const findMadeNetworks = async (scope: StoreScope, after: string) => {
  const rows = await networksBehind(scope, { id: after })
  // One that was deleted and restored has several rows. The last one counts.
  const byId = new Map(rows.map(({ id, user_id }) => [id, { id, userId: user_id } satisfies MadeNetwork]))
  const isLast = rows.length < PAGE
  // The rows of the last network of a full page may continue on the next one.
  const [last] = [...byId.keys()].slice(-1)
  if (!isLast && last !== undefined && byId.size > 1) byId.delete(last)
  const networks = [...byId.values()]
  return { networks, isLast, end: networks.at(-1)?.id ?? after }
}
