/** The contract of proposals: writes that are not made yet, and their reviews. Browser-safe. */
import { z } from 'zod'
import { Filter, Key, line, Page, patch, text } from '../contract/fields/fields.ts'
import { matchWhole, URL_HOST, URL_PORT, WHITE_SPACE } from '../contract/fields/text-rules.ts'
import { operation } from '../kernel/operation.ts'
import { ItemChange } from '../record/history/api.ts'
import {
  CheckName,
  CheckState,
  ListedProposal,
  Proposal,
  ProposalCheck,
  ProposalItem,
  ProposalState,
  TimelineEntry,
} from './schema.ts'

/** The most operations of a proposal. */
export const MAX_OPERATIONS = 100
/** The size of the inputs of a proposal together. */
export const MAX_INPUT_BYTES = 16 * 1024 * 1024
export const MAX_TITLE = 255
const MAX_DESCRIPTION = 10_000
const MAX_COMMENT = 10_000
const MAX_NOTE = 1000
const MAX_SUMMARY = 1024
const MAX_URL = 2048
const MAX_KIND = 64
/** The body of a call that brings operations: their inputs, and what is around them. */
const MAX_BODY_BYTES = MAX_INPUT_BYTES + 1024 * 1024
const FINGERPRINT_LENGTH = 22
const MAX_ROWS = 1000
const DEFAULT_ROWS = 100

const LINE_BREAKS = '\\u0000\\r\\n\\u2028\\u2029'
const VISIBLE = `[^\\u0000${WHITE_SPACE}]`
const isOneLine = (title: string): boolean => title.isWellFormed() && !/[\0\r\n\u2028\u2029]/.test(title)

export const Title = z
  .string()
  .trim()
  .min(1, 'must not be blank')
  .max(MAX_TITLE)
  .refine(isOneLine, 'must be one line of valid Unicode text without NUL characters')
  .meta({
    examples: ['Move rack B'],
    exact: { pattern: matchWhole(`[${WHITE_SPACE}]*${VISIBLE}(?:[^${LINE_BREAKS}]*${VISIBLE})?[${WHITE_SPACE}]*`) },
  })

const ProposalId = z.object({ id: Key.describe('Id or number of a proposal') })
const OperationId = z.object({ ...ProposalId.shape, operation_id: Key.describe('Id of one of its operations') })

const Fingerprint = line(FINGERPRINT_LENGTH)
  .min(1)
  .meta({ examples: ['6xVAc2KCAfpf_JMMIBORDn'] })
const SeenFingerprint = Fingerprint.optional().describe('The fingerprint that you have seen; another one is refused')

const Comment = line(MAX_COMMENT)
  .min(1)
  .meta({ examples: ['Why not the old rack?'] })
const Remark = Comment.optional().describe('For the timeline')

const HTTP_URL = `[Hh][Tt][Tt][Pp][Ss]?://${URL_HOST}(?::${URL_PORT})?(?:[/?#][^\\u0000-\\u0020\\u007f]*)?`
const isHttpUrl = (url: string): boolean => {
  const parsed = URL.canParse(url) ? new URL(url) : undefined
  return (parsed?.protocol === 'http:' || parsed?.protocol === 'https:') && new RegExp(matchWhole(HTTP_URL)).test(url)
}
const CheckUrl = line(MAX_URL)
  .refine((url) => url === '' || isHttpUrl(url), { error: 'must be an address that begins with http:// or https://' })
  .meta({ exact: { pattern: matchWhole(`(?:${HTTP_URL})?`) } })

const Input = z.record(z.string(), z.unknown())

/** An operation of a new proposal. */
const NewOperation = z.object({
  operation: line(MAX_KIND).min(1).describe('Its name, such as devices.update'),
  input: Input.describe('As the operation takes it, with the fields of the path'),
  note: line(MAX_NOTE).optional(),
})

const fields = { description: text(MAX_DESCRIPTION).describe('For all who see the proposal') }

const action = { effect: 'action', scope: 'custom' } as const
/** The audit entry begins with this field. The inputs do not tell these calls apart. */
const record = <Fields extends z.ZodRawShape>(recordsFields: Readonly<Record<string, string>>, fields: Fields) => ({
  recordsFields,
  recorded: () =>
    z.object({ ...Object.fromEntries(Object.keys(recordsFields).map((name) => [name, z.string()])), ...fields }),
})
/** A call that runs the operations. */
const run = { hasOwnTransactions: true, isLong: true } as const

export const proposals = {
  list: operation({
    name: 'proposals.list',
    summary: 'List proposals, newest first',
    http: 'GET /api/proposals',
    access: 'proposals:list',
    scope: 'custom',
    input: () =>
      z.object({
        state: ProposalState.optional(),
        author: Filter.optional().describe('The name of a user, or me'),
        to_review: z.boolean().optional().describe('Open ones of others that you may approve and have not approved'),
        limit: z.int().min(1).max(MAX_ROWS).default(DEFAULT_ROWS).describe('Most rows to return'),
        offset: Page.offset,
      }),
    output: () => z.array(ListedProposal),
  }),
  create: operation({
    name: 'proposals.create',
    summary: 'Propose writes, which are tried and not made',
    description:
      'Each operation is tried after the ones before it, and nothing is changed. `?proposal=draft` or `?proposal=open` on a write makes a proposal of it.',
    http: 'POST /api/proposals',
    status: 201,
    effect: 'create',
    access: 'proposals:create',
    scope: 'custom',
    ...run,
    errors: [412],
    maxBodyBytes: MAX_BODY_BYTES,
    cli: { args: ['title'] },
    input: () =>
      z.object({
        title: Title,
        description: fields.description.prefault(null),
        operations: z.array(NewOperation).max(MAX_OPERATIONS).default([]),
        open: z.boolean().default(false).describe('Opens it for review; else it is a draft'),
      }),
    output: Proposal,
  }),
  get: operation({
    name: 'proposals.get',
    summary: 'Show a proposal with its operations, requirements and checks',
    http: 'GET /api/proposals/{id}',
    access: 'proposals:read',
    scope: 'custom',
    input: ProposalId,
    output: Proposal,
  }),
  update: operation({
    name: 'proposals.update',
    summary: 'Change the title or the description of a proposal',
    http: 'PUT /api/proposals/{id}',
    access: 'proposals:create',
    scope: 'custom',
    input: () => z.object({ ...ProposalId.shape, ...patch({ title: Title, ...fields }) }),
    output: Proposal,
  }),
  items: operation({
    name: 'proposals.items',
    summary: 'List the objects that a proposal changes, by kind and id',
    description: 'After the merge, those of its change.',
    http: 'GET /api/proposals/{id}/items',
    access: 'proposals:read',
    scope: 'custom',
    input: () => z.object({ ...ProposalId.shape, kind: Filter.optional(), change: ItemChange.optional(), ...Page }),
    output: () => z.array(ProposalItem),
  }),
  timeline: operation({
    name: 'proposals.timeline',
    summary: 'List what happened to a proposal, oldest first',
    http: 'GET /api/proposals/{id}/timeline',
    access: 'proposals:read',
    scope: 'custom',
    input: () => z.object({ ...ProposalId.shape, ...Page }),
    output: () => z.array(TimelineEntry),
  }),
  replaceOperation: operation({
    name: 'proposals.replace-operation',
    summary: 'Replace the input of an operation of a proposal',
    http: 'PUT /api/proposals/{id}/operations/{operation_id}',
    access: 'proposals:create',
    scope: 'custom',
    ...run,
    errors: [409],
    maxBodyBytes: MAX_BODY_BYTES,
    input: () => z.object({ ...OperationId.shape, input: Input }),
    output: Proposal,
  }),
  removeOperation: operation({
    name: 'proposals.remove-operation',
    summary: 'Remove an operation from a proposal',
    http: 'DELETE /api/proposals/{id}/operations/{operation_id}',
    access: 'proposals:create',
    scope: 'custom',
    ...run,
    errors: [409],
    mcp: 'hidden',
    input: OperationId,
    output: () => z.void(),
  }),
  open: operation({
    name: 'proposals.open',
    summary: 'Open a draft or a closed proposal for review',
    http: 'POST /api/proposals/{id}/open',
    access: 'proposals:create',
    ...action,
    ...run,
    ...record({ state: 'open' }, {}),
    input: ProposalId,
    output: Proposal,
  }),
  close: operation({
    name: 'proposals.close',
    summary: 'Withdraw a proposal of your own',
    http: 'POST /api/proposals/{id}/close',
    access: 'proposals:create',
    ...action,
    ...record({ state: 'closed' }, { text: Remark }),
    input: () => z.object({ ...ProposalId.shape, text: Remark }),
    output: Proposal,
  }),
  refresh: operation({
    name: 'proposals.refresh',
    summary: 'Try the operations of a proposal again, on what there is now',
    http: 'POST /api/proposals/{id}/refresh',
    access: 'proposals:read',
    ...action,
    ...run,
    skipsAudit: true,
    input: ProposalId,
    output: Proposal,
  }),
  merge: operation({
    name: 'proposals.merge',
    summary: 'Make the writes of a proposal, as one change',
    description:
      'Needs your own permissions for each of them, and what the policies ask. All of it is done or nothing: a refusal is 409 MERGE_CONFLICT, a missing approval 403 APPROVAL_REQUIRED, and 412 says that it would do something else now.',
    http: 'POST /api/proposals/{id}/merge',
    access: 'proposals:read',
    ...action,
    hasHistory: true,
    proposes: false,
    isBulk: true,
    isLong: true,
    errors: [412],
    mcp: 'hidden',
    input: () => z.object({ ...ProposalId.shape, fingerprint: SeenFingerprint }),
    output: Proposal,
  }),
}

export const proposalReviews = {
  comment: operation({
    name: 'proposals.comment',
    summary: 'Comment on a proposal, or on an object that it changes',
    http: 'POST /api/proposals/{id}/comments',
    status: 201,
    access: 'proposals:create',
    ...action,
    recordsPath: true,
    cli: { args: ['id', 'text'] },
    input: () =>
      z.object({
        ...ProposalId.shape,
        text: Comment,
        kind: line(MAX_KIND).min(1).optional().describe('With `object_id`: the object that it is about'),
        object_id: Key.optional(),
      }),
    output: TimelineEntry,
  }),
  approve: operation({
    name: 'proposals.approve',
    summary: 'Approve what a proposal changes now',
    description: 'Its author cannot, nor a user who has changed its operations.',
    http: 'POST /api/proposals/{id}/approve',
    access: 'proposals:approve',
    ...action,
    ...record({ review: 'approve' }, { fingerprint: SeenFingerprint, text: Remark }),
    errors: [412],
    mcp: 'hidden',
    input: () => z.object({ ...ProposalId.shape, fingerprint: SeenFingerprint, text: Remark }),
    output: Proposal,
  }),
  reject: operation({
    name: 'proposals.reject',
    summary: 'Reject a proposal, which closes it',
    http: 'POST /api/proposals/{id}/reject',
    access: 'proposals:approve',
    ...action,
    ...record({ review: 'reject' }, { text: Remark }),
    mcp: 'hidden',
    input: () => z.object({ ...ProposalId.shape, text: Remark }),
    output: Proposal,
  }),
  check: operation({
    name: 'proposals.check',
    summary: 'Report the result of a check of an open proposal',
    description: 'The same name again replaces it. It counts until the effects of the proposal change.',
    http: 'PUT /api/proposals/{id}/checks/{name}',
    access: 'proposals:check',
    scope: 'custom',
    errors: [409],
    mcp: 'hidden',
    input: () =>
      z.object({
        ...ProposalId.shape,
        name: CheckName,
        state: CheckState,
        fingerprint: Fingerprint.describe('Of the effects that were checked; another one is refused'),
        summary: line(MAX_SUMMARY).default(''),
        url: CheckUrl.default(''),
      }),
    output: ProposalCheck,
  }),
}
