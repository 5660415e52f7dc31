/** The queries of plans: rows of proposals with the state `plan`, and their effects without documents. */
import type { DbScope } from '../../kernel/ctx.ts'
import * as store from '../store.ts'

/** The id of the only operation of a plan. */
export const OPERATION = '1'

const selectPlans = ({ db }: DbScope) => db.selectFrom('proposals').where('state', '=', 'plan')

export const find = (scope: DbScope, id: string): Promise<store.StoredProposal | undefined> =>
  selectPlans(scope).selectAll().where('id', '=', id).executeTakeFirst()

/** Returns true for the first caller only, unless its transaction is rolled back. */
export const claim = async ({ db }: DbScope, id: string, now: string): Promise<boolean> => {
  const claimed = await db
    .updateTable('proposals')
    .set({ applied_at: now })
    .where('id', '=', id)
    .where('state', '=', 'plan')
    .where('applied_at', 'is', null)
    .where('expires_at', '>', now)
    .returning('id')
    .execute()
  return claimed.length > 0
}

/** Deletes all but the newest plans of a user. */
export const keepNewest = async (scope: DbScope, userId: string, most: number): Promise<void> => {
  const mine = selectPlans(scope).select('seq').where('author_id', '=', userId)
  const oldest = await mine.orderBy('seq', 'desc').limit(1).offset(most).executeTakeFirst()
  if (oldest) await store.removePlans(scope, mine.where('seq', '<=', oldest.seq))
}
