/** The queries of checks; the only writer of their table. */
import type { DbScope } from '../../kernel/ctx.ts'
import type { CheckRow } from '../table.ts'

type Seq = number | string

/** Returns the checks of a proposal, by name. */
export const findChecks = ({ db }: DbScope, proposal: Seq): Promise<CheckRow[]> =>
  db.selectFrom('proposal_checks').selectAll().where('proposal', '=', proposal).orderBy('name').execute()

/** Stores a check in place of the one with its name. */
export const put = async ({ db }: DbScope, check: CheckRow): Promise<void> => {
  const { proposal: _, name: _name, ...state } = check
  await db
    .insertInto('proposal_checks')
    .values(check)
    .onConflict((conflict) => conflict.columns(['proposal', 'name']).doUpdateSet(state))
    .execute()
}

/** Deletes the checks of a proposal, which has other effects now. */
export const removeChecks = async ({ db }: DbScope, proposal: Seq): Promise<void> => {
  await db.deleteFrom('proposal_checks').where('proposal', '=', proposal).execute()
}
