/** The queries of plans: rows of proposals with the state `plan`, and their effects without documents. */
import type { Ctx, DbScope } from '../../kernel/ctx.ts'
import { type Fingerprint, toFingerprint } from '../../record/history/effects.ts'
import { replaceEffects } from '../effect-store.ts'
import { NOWHERE } from '../review/places.ts'
import { type NewEffect, NO_KEYS, type StoredOperation } from '../run/effect.ts'
import * as store from '../store.ts'

/** The id of the only operation of a plan. */
export const OPERATION = '1'

export type NewPlan = Pick<store.StoredProposal, 'id' | 'author_id' | 'author' | 'client' | 'title' | 'created_at'> & {
  readonly expires_at: string
  readonly operation: Pick<StoredOperation, 'operation' | 'input'>
}

/** An effect with the columns by which a plan recognizes and names it. */
export type PlannedEffect = Pick<NewEffect, 'kind' | 'id' | 'name' | 'change' | 'hash'>

/** Nothing reads the estate as of a plan. */
const UNREAD = { before: undefined, after: undefined, places: NOWHERE, keys: NO_KEYS }

export const insert = async (
  tx: Ctx,
  { operation: own, ...plan }: NewPlan,
  effects: readonly PlannedEffect[],
): Promise<void> => {
  const { author, created_at: at } = plan
  const operation: StoredOperation = { id: OPERATION, ...own, note: '', added_by: author, added_at: at, error: null }
  const { seq } = await store.insert(tx, {
    ...{ ...plan, updated_at: at, touched_at: at },
    ...{ state: 'plan', description: '', operations: JSON.stringify([operation]) },
  })
  await replaceEffects(
    tx,
    Number(seq),
    effects.map((effect, position) => ({ ...effect, ...UNREAD, position, operation: OPERATION })),
  )
}

const selectPlans = ({ db }: DbScope) => db.selectFrom('proposals').where('state', '=', 'plan')

export const find = (scope: DbScope, id: string): Promise<store.StoredProposal | undefined> =>
  selectPlans(scope).selectAll().where('id', '=', id).executeTakeFirst()

/** Returns the effects as they were planned. */
export const findFingerprints = async ({ db }: DbScope, seq: number | string): Promise<readonly Fingerprint[]> => {
  const effects = db.selectFrom('proposal_effects').select(['kind', 'id', 'name', 'change', 'hash'])
  const rows = await effects.where('proposal', '=', seq).orderBy('position').execute()
  return rows.map(toFingerprint)
}

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

type Plans = ReturnType<typeof selectPlans>

const removeAll = async ({ db }: DbScope, plans: Plans): Promise<void> => {
  const seqs = plans.select('seq')
  await db.deleteFrom('proposal_effects').where('proposal', 'in', seqs).execute()
  await db.deleteFrom('proposals').where('seq', 'in', seqs).execute()
}

/** Deletes all but the newest plans of a user. */
export const keepNewest = async (scope: DbScope, userId: string, most: number): Promise<void> => {
  const mine = selectPlans(scope).where('author_id', '=', userId)
  const oldest = await mine.select('seq').orderBy('seq', 'desc').limit(1).offset(most).executeTakeFirst()
  if (oldest) await removeAll(scope, mine.where('seq', '<=', oldest.seq))
}

/** Checks for plans that expired before a time, also for plans of an older program. */
export const hasOlder = async ({ db }: DbScope, moment: string): Promise<boolean> => {
  const former = db.selectFrom('plans').select('id').where('expires_at', '<', moment)
  const older = selectPlans({ db }).select('id').where('expires_at', '<', moment).unionAll(former)
  return (await older.limit(1).executeTakeFirst()) !== undefined
}

export const removeOlder = async (scope: DbScope, moment: string): Promise<void> => {
  await removeAll(scope, selectPlans(scope).where('expires_at', '<', moment))
  await scope.db.deleteFrom('plans').where('expires_at', '<', moment).execute()
}
