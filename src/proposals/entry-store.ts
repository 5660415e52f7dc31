/** The queries of timelines; the only writer of their table. */
import type { Ctx, DbScope } from '../kernel/ctx.ts'
import type { EntryType } from './schema.ts'
import * as store from './store.ts'
import type { EntryRow } from './table.ts'

export type NewEntry = {
  readonly type: EntryType
  readonly text?: string | undefined
  /** The object of a comment. */
  readonly kind?: string | undefined
  readonly object_id?: string | undefined
  /** The ids of the policies for which an approval counts. */
  readonly policies?: readonly string[]
}

type Noted = Pick<store.StoredProposal, 'seq' | 'fingerprint'>

/** Adds an entry about the present effects, by the caller or by a job. The row of the proposal is locked. */
export const addEntry = async (
  tx: Ctx,
  { seq: proposal, fingerprint }: Noted,
  { type, text = '', kind = '', object_id = '', policies = [] }: NewEntry,
): Promise<EntryRow> => {
  const { n } = await tx.db
    .selectFrom('proposal_entries')
    .select(({ fn }) => fn.max<number | null>('n').as('n'))
    .where('proposal', '=', proposal)
    .executeTakeFirstOrThrow()
  const { userId = '', username, via } = tx.caller
  const row: EntryRow = {
    proposal,
    ...{ n: (n ?? 0) + 1, id: Bun.randomUUIDv7(), at: tx.now, user_id: userId },
    username: via === 'job' ? '' : username,
    ...{ type, text, kind, object_id, fingerprint, policies: JSON.stringify(policies) },
  }
  await tx.db.insertInto('proposal_entries').values(row).execute()
  await store.touch(tx, proposal, tx.now)
  return row
}

/** Returns the entries, oldest first. */
export const selectEntries = ({ db }: DbScope, proposal: number | string) =>
  db.selectFrom('proposal_entries').selectAll().where('proposal', '=', proposal).orderBy('n')

export const removeEntries = async ({ db }: DbScope, proposal: number | string): Promise<void> => {
  await db.deleteFrom('proposal_entries').where('proposal', '=', proposal).execute()
}
