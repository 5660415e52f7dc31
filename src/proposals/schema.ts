/** Proposals, their timelines, checks and requirements as they are sent. Browser-safe. */
import { z } from 'zod'
import { ERROR_CODES } from '../contract/errors.ts'
import { Timestamp } from '../contract/fields/fields.ts'
import { Change, Item } from '../record/history/api.ts'

export const ProposalState = z.enum(['draft', 'open', 'merged', 'closed'])
export type ProposalState = z.infer<typeof ProposalState>

export const CloseReason = z.enum(['', 'merged', 'withdrawn', 'rejected', 'expired'])
export type CloseReason = z.infer<typeof CloseReason>

export const EntryType = z.enum([
  ...['opened', 'commented', 'changed', 'moved', 'approved', 'rejected', 'closed', 'merged'],
] as const)
export type EntryType = z.infer<typeof EntryType>

export const CheckName = z
  .string()
  .regex(/^[a-z0-9][a-z0-9._-]{0,63}$/, 'must be 1-64 of a-z 0-9 . _ -, beginning with a-z or 0-9')

export const CheckState = z.enum(['pending', 'success', 'failure'])

const facts = {
  id: z.string(),
  number: z.int().describe('Wherever the id of a proposal is taken, its number is taken as well'),
  state: ProposalState,
  title: z.string(),
  description: z.string(),
  author: z.string().describe('The name of the user who made it'),
  co_authors: z.array(z.string()).describe('The names of others who changed its operations'),
  created_at: Timestamp,
  updated_at: Timestamp,
  opened_at: Timestamp.nullable(),
  closed_at: Timestamp.nullable().describe('Also of a merge'),
  close_reason: CloseReason,
  closed_by: z.string().describe('The name of a user; empty for the server'),
  change_id: z.string().nullable().describe('The change of the merge'),
  fingerprint: z.string().describe('Of the effects of the last run; empty without effects'),
  previewed_at: Timestamp.nullable().describe('The time of the last run'),
  summary: z.string().describe('Of the effects that you see'),
  counts: Change.shape.counts,
  errors: z.int().describe('The number of operations that a rule refuses now'),
}

/** A proposal as a list has it. */
export const ListedProposal = z
  .object(facts)
  .meta({ id: 'ListedProposal', columns: ['number', 'state', 'title', 'author', 'summary', 'updated_at'] })
export type ListedProposal = z.infer<typeof ListedProposal>

export const OperationError = z.object({
  code: z.enum(ERROR_CODES),
  error: z.string(),
  details: z.array(z.object({ field: z.string(), message: z.string() })),
})

export const ProposalOperation = z
  .object({
    id: z.string().describe('1, 2 and so on; never used again'),
    operation: z.string(),
    input: z
      .record(z.string(), z.unknown())
      .nullable()
      .describe('With the fields of the path; null unless you see all items'),
    note: z.string(),
    added_by: z.string(),
    added_at: Timestamp,
    error: OperationError.nullable().describe('Why a rule refuses it now'),
  })
  .meta({ id: 'ProposalOperation' })
export type ProposalOperation = z.infer<typeof ProposalOperation>

/** The demands of a policy on a proposal. */
export const ProposalRequirement = z
  .object({
    policy_id: z.string(),
    policy: z.string().describe('The name of the policy'),
    objects: z.int().describe('The number of items that it applies to, of those that you see'),
    approvals: z.int(),
    given: z.int(),
    approved_by: z.array(z.string()),
    group_id: z.string().nullable(),
    group: z.string().describe('Its name; empty without a group'),
    checks: z.array(z.object({ name: z.string(), state: z.enum([...CheckState.options, 'missing']) })),
    is_met: z.boolean(),
  })
  .meta({ id: 'ProposalRequirement' })
export type ProposalRequirement = z.infer<typeof ProposalRequirement>

export const ProposalCheck = z
  .object({
    name: z.string(),
    state: CheckState,
    summary: z.string(),
    url: z.string(),
    fingerprint: z.string(),
    reported_by: z.string(),
    reported_at: Timestamp,
  })
  .meta({ id: 'ProposalCheck', columns: ['name', 'state', 'summary', 'url', 'reported_by', 'reported_at'] })
export type ProposalCheck = z.infer<typeof ProposalCheck>

/** A reason why the caller cannot merge. */
export const ProposalBlocker = z.object({
  reason: z.enum(['empty', 'error', 'approval', 'check', 'permission']),
  message: z.string(),
})
export type ProposalBlocker = z.infer<typeof ProposalBlocker>

export const Proposal = z
  .object({
    ...facts,
    is_current: z.boolean().describe('False if one of its objects was changed after the last run'),
    operations: z.array(ProposalOperation),
    requirements: z.array(ProposalRequirement),
    checks: z.array(ProposalCheck),
    blockers: z.array(ProposalBlocker).describe('Why you cannot merge it'),
  })
  .meta({ id: 'Proposal', columns: ['number', 'state', 'title', 'author', 'summary', 'updated_at'] })
export type Proposal = z.infer<typeof Proposal>

/** An object that a proposal changes. Its kind may be one without a history. */
export const ProposalItem = Item.extend({
  kind: z.string().describe('A kind of the history, or another one such as dns-record'),
}).meta({ id: 'ProposalItem', columns: ['kind', 'change', 'name', 'fields', 'id'] })
export type ProposalItem = z.infer<typeof ProposalItem>

export const TimelineEntry = z
  .object({
    id: z.string(),
    at: Timestamp,
    username: z.string(),
    type: EntryType,
    text: z.string(),
    kind: z.string().describe('Of the object of a comment; else empty'),
    object_id: z.string(),
    fingerprint: z.string().describe('Of the effects then'),
    is_current: z.boolean().describe('True if it is the present fingerprint'),
  })
  .meta({ id: 'ProposalEntry', columns: ['at', 'username', 'type', 'text', 'kind', 'object_id'] })
export type TimelineEntry = z.infer<typeof TimelineEntry>
