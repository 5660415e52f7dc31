/** The timelines of proposals, of which this is the only writer, and the events of their entries, which webhooks and the live feed send. */
import type { Ctx, DbScope } from '../kernel/ctx.ts'
import type { EventName } from '../record/events/catalogue.ts'
import { toListed } from './listed.ts'
import { parseCounts } from './review/counts.ts'
import type { EntryType } from './schema.ts'
import * as store from './store.ts'
import type { EntryRow } from './table.ts'

type ProposalEvent = Extract<EventName, `proposal.${string}`>

type NewEntry = {
  readonly type: EntryType
  readonly text?: string | undefined
  /** The object of a comment. */
  readonly kind?: string | undefined
  readonly object_id?: string | undefined
  /** The ids of the policies for which an approval counts. */
  readonly policies?: readonly string[]
}

/** Returns the name of the caller; '' for a job. */
export const getActor = ({ caller: { username, via } }: Pick<Ctx, 'caller'>): string => (via === 'job' ? '' : username)

/**
 * Adds an entry about the present effects, by the caller or by a job, and announces it with the proposal, counted whole. The row is locked.
 * @param before the state before the call: drafts tell nothing
 */
export const noteEntry = async (
  tx: Ctx,
  name: ProposalEvent,
  row: store.ListedRow,
  { type, text = '', kind = '', object_id = '', policies = [] }: NewEntry,
  before = row.state,
): Promise<EntryRow> => {
  const { seq: proposal, fingerprint } = row
  const { n } = await tx.db
    .selectFrom('proposal_entries')
    .select(({ fn }) => fn.max<number | null>('n').as('n'))
    .where('proposal', '=', proposal)
    .executeTakeFirstOrThrow()
  const username = getActor(tx)
  const entry: EntryRow = {
    proposal,
    ...{ n: (n ?? 0) + 1, id: Bun.randomUUIDv7(), at: tx.now, user_id: tx.caller.userId ?? '', username },
    ...{ type, text, kind, object_id, fingerprint, policies: JSON.stringify(policies) },
  }
  await tx.db.insertInto('proposal_entries').values(entry).execute()
  await store.touch(tx, proposal, tx.now)
  const data = { ...toListed(row, parseCounts(row)), username, text }
  if (before !== 'draft') tx.announce({ name, resourceId: row.id, data: JSON.stringify(data) })
  return entry
}

/** Returns the entries, oldest first. */
export const selectEntries = ({ db }: DbScope, proposal: number | string) =>
  db.selectFrom('proposal_entries').selectAll().where('proposal', '=', proposal).orderBy('n')
