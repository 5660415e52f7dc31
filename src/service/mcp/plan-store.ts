/** The queries of plans; the only writer of their table. */
import type { DbScope } from '../../kernel/ctx.ts'
import type { PlanRow } from './table.ts'

export const insert = async ({ db }: DbScope, plan: PlanRow): Promise<void> => {
  await db.insertInto('plans').values(plan).execute()
}

export const find = ({ db }: DbScope, id: string): Promise<PlanRow | undefined> =>
  db.selectFrom('plans').selectAll().where('id', '=', id).executeTakeFirst()

/** Returns true for the first caller only, unless its transaction is rolled back. */
export const claim = async ({ db }: DbScope, id: string, now: string): Promise<boolean> => {
  const claimed = await db
    .updateTable('plans')
    .set({ applied_at: now })
    .where('id', '=', id)
    .where('applied_at', 'is', null)
    .where('expires_at', '>', now)
    .returning('id')
    .execute()
  return claimed.length > 0
}

/** Deletes all but the newest plans of a user. */
export const keepNewest = async ({ db }: DbScope, userId: string, most: number): Promise<void> => {
  const mine = db.selectFrom('plans').select('id').where('user_id', '=', userId)
  const oldest = await mine.orderBy('id', 'desc').limit(1).offset(most).executeTakeFirst()
  if (oldest) await db.deleteFrom('plans').where('user_id', '=', userId).where('id', '<=', oldest.id).execute()
}

/** Checks for plans that expired before a time. */
export const hasOlder = async ({ db }: DbScope, moment: string): Promise<boolean> =>
  (await db.selectFrom('plans').select('id').where('expires_at', '<', moment).limit(1).executeTakeFirst()) !== undefined

export const removeOlder = async ({ db }: DbScope, moment: string): Promise<void> => {
  await db.deleteFrom('plans').where('expires_at', '<', moment).execute()
}
