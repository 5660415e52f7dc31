/** The forms of proposals in lists and events, and of the entries of their timelines. */
import { type Counts, formatSummary, type Verb } from '../contract/change-summary.ts'
import { notFound } from '../contract/errors.ts'
import { getPlanKind } from '../record/history/plan-kinds.ts'
import type { ListedProposal, TimelineEntry } from './schema.ts'
import * as store from './store.ts'
import type { EntryRow } from './table.ts'

const VERBS: readonly Verb[] = ['create', 'update', 'delete']

/** Returns numbers by noun. @param counts by kind */
const toNouns = (counts: Counts): Counts => {
  const nouns: Counts = {}
  for (const verb of VERBS) {
    const some = Object.entries(counts[verb] ?? {}).map(([kind, n]) => [getPlanKind(kind).noun, n] as const)
    if (some.length > 0) nouns[verb] = Object.fromEntries(some)
  }
  return nouns
}

/** Returns a proposal as lists have it. @param counts the items that the caller sees, by change and kind */
export const toListed = (row: store.ListedRow, counts: Counts): ListedProposal => {
  // A plan is in no list.
  if (row.state === 'plan' || row.number === null) throw notFound('proposal', row.id)
  const nouns = toNouns(counts)
  return {
    ...{ id: row.id, number: row.number, state: row.state, title: row.title, description: row.description },
    author: row.author,
    co_authors: store.parseCoAuthors(row).map(({ username }) => username),
    ...{ created_at: row.created_at, updated_at: row.updated_at, opened_at: row.opened_at, closed_at: row.closed_at },
    ...{ close_reason: row.close_reason, closed_by: row.closed_by, change_id: row.change_id },
    ...{ fingerprint: row.fingerprint, previewed_at: row.previewed_at },
    ...{ summary: formatSummary(nouns), counts: nouns, errors: row.errors },
  }
}

/** Returns an entry of a timeline as it is sent. */
export const toEntry = (
  { fingerprint: present }: Pick<store.ListedRow, 'fingerprint'>,
  entry: EntryRow,
): TimelineEntry => ({
  ...{ id: entry.id, at: entry.at, username: entry.username, type: entry.type, text: entry.text },
  ...{ kind: entry.kind, object_id: entry.object_id, fingerprint: entry.fingerprint },
  is_current: entry.fingerprint === present,
})
