/** The events of proposals, which webhooks and the live feed send. */
import type { Ctx } from '../kernel/ctx.ts'
import type { EventName } from '../record/events/catalogue.ts'
import { addEntry, type NewEntry } from './entry-store.ts'
import { toListed } from './listed.ts'
import { parseCounts } from './review/counts.ts'
import type { ListedRow } from './store.ts'
import type { EntryRow } from './table.ts'

type ProposalEvent = Extract<EventName, `proposal.${string}`>

/** The entry of the timeline that an event is about. */
type Told = { readonly username: string; readonly text: string }

/** Announces an event with the proposal, counted whole. Drafts tell nothing. */
export const announceProposal = (ctx: Ctx, name: ProposalEvent, row: ListedRow, { username, text }: Told): void => {
  if (row.state === 'draft') return
  const listed = toListed(row, parseCounts(row))
  ctx.announce({ name, resourceId: row.id, data: JSON.stringify({ ...listed, username, text }) })
}

/** Adds an entry to the timeline, and announces it. */
export const noteEntry = async (tx: Ctx, name: ProposalEvent, row: ListedRow, entry: NewEntry): Promise<EntryRow> => {
  const noted = await addEntry(tx, row, entry)
  announceProposal(tx, name, row, noted)
  return noted
}
