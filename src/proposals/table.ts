/** The tables of proposals and policies. */
import type { Generated } from 'kysely'
import type { ItemChange } from '../kernel/changes/change-record.ts'
import type { Policy } from './policies/api.ts'
import type { CloseReason, ListedProposal, ProposalCheck, ProposalState, TimelineEntry } from './schema.ts'

/** An integer of 64 bits, which PostgreSQL's driver returns as text. */
type Stored = number | string

/** The fields that are stored as they are sent. */
type Sent =
  | ('id' | 'title' | 'description' | 'author' | 'previewed_at' | 'change_id')
  | ('created_at' | 'updated_at' | 'opened_at' | 'closed_at')

/** A proposal, or with the state `plan` a plan of an AI client, which has no number. */
export type ProposalRow = Pick<ListedProposal, Sent> & {
  seq: Generated<Stored>
  number: number | null
  state: ProposalState | 'plan'
  /** The client of a plan; else ''. */
  client: Generated<string>
  author_id: string
  /** JSON: `[{id, username}]`. */
  co_authors: Generated<string>
  /** JSON: `[{id, operation, input, note, added_by, added_at, error}]`. */
  operations: string
  /** The size of the inputs together. */
  input_bytes: Generated<Stored>
  /** The id of the next operation. */
  next_operation: Generated<number>
  /** The number of operations that the last run refused. */
  errors: Generated<number>
  fingerprint: Generated<string>
  /** JSON: the number of effects by change and kind. */
  counts: Generated<string>
  /** Counts each edit and each stored run. */
  version: Generated<number>
  /** The number of the last change before the last run. */
  base_seq: Generated<Stored>
  /** The revision of the scopes at the last run. */
  scopes_revision: Generated<string>
  close_reason: Generated<CloseReason>
  closed_by: Generated<string>
  /** The time of the last entry or edit, from which it expires. */
  touched_at: string
  /** The end of a plan. */
  expires_at: string | null
  /** The time at which a plan was applied. */
  applied_at: string | null
}

/** An object that a proposal changes. */
export type EffectRow = {
  /** The `seq` of the proposal. */
  proposal: Stored
  kind: string
  id: string
  /** In the order of the first writes. */
  position: number
  /** The id of the operation that wrote it first. */
  operation: string
  name: string
  change: ItemChange
  /** The documents as JSON; null where the object does not exist. */
  before: string | null
  document: string | null
  /** The values that the history would have for `document`. */
  sort_key: string | null
  order_key: string
  derived: string | null
  child_id: string | null
  hash: string
  /** JSON: `{"before": [...], "after": [...]}`, sets of ids of scopes; '' without scopes. */
  places: string
}

/** An entry of the timeline. */
export type EntryRow = Omit<TimelineEntry, 'is_current'> & {
  proposal: Stored
  n: number
  user_id: string
  /** JSON: the ids of the policies for which an approval counts; '[]' for others. */
  policies: string
}

export type CheckRow = ProposalCheck & { proposal: Stored }

/** The lists are JSON. */
export type PolicyRow = Omit<Policy, 'enabled' | 'permissions' | 'checks' | 'protect'> & {
  /** Lower case: names are unique in any case. */
  name_key: string
  /** The collation key of the name: see `net/name-order.ts`. */
  name_order: string
  enabled: number
  permissions: string
  checks: string
  protect: number
}

/** A plan of an AI client in the table of older programs, which only they write. */
export type FormerPlanRow = {
  id: string
  user_id: string
  client: string
  operation: string
  input: string
  changes: string
  created_at: string
  expires_at: string
  applied_at: string | null
}

export type ProposalTables = {
  plans: FormerPlanRow
  proposals: ProposalRow
  proposal_effects: EffectRow
  proposal_entries: EntryRow
  proposal_checks: CheckRow
  policies: PolicyRow
}

declare module '../database/tables.ts' {
  interface OwnTables extends ProposalTables {}
}
