/** The input fields that every write and every read of the estate takes beside its own. Browser-safe. */
import { z } from 'zod'
import { decodeNote, NOTE_HEADER } from '../change-note.ts'
import { KEY_HEADER } from '../idempotency-key.ts'
import { parse } from '../validate.ts'
import { line } from './fields.ts'

/** The longest note of a change, in characters. */
const MAX_NOTE = 1000

const isOneLine = (text: string) => text.isWellFormed() && !text.includes('\u0000') && !/[\r\n\u2028\u2029]/.test(text)

export const ChangeNote = z
  .string()
  .trim()
  .max(MAX_NOTE)
  .refine(isOneLine, 'must be one line of valid Unicode text without NUL characters')
  .optional()
  .describe('The reason, for the history: one line')

/** `true` answers as the call would, `changes` with the objects that would change. */
export type DryRun = boolean | 'changes'

const DryRun = z
  .union([z.boolean(), z.literal('changes')], { error: 'must be true, false or changes' })
  .optional()
  .describe('Writes nothing: true answers as the call would, changes with the objects that would change')

const AsOf = line(64)
  .min(1)
  .optional()
  .describe(
    'The moment of the answer: an RFC 3339 time, the id of a change, or how long ago, like 30m, 24h or 7d; or proposal:7, the estate as that proposal would leave it',
  )

/** True for a proposal in the place of a moment. */
export const isProposalMoment = (asOf: string): boolean => asOf.startsWith('proposal:')

export const IdempotencyKey = line(255).min(1).optional().describe('The same key gets the same answer for 24 hours')

const Proposal = line(64)
  .min(1)
  .optional()
  .describe('Notes the write in a proposal, and makes it not: its id or number, or draft or open for a new one')

export const WRITE_FIELDS = { change_note: ChangeNote, dry_run: DryRun }
/** The field of the writes that a proposal can hold. It is in the query alone. */
export const PROPOSAL_FIELDS = { proposal: Proposal }
export const READ_FIELDS = { as_of: AsOf }
/** The field that a POST takes beside `WRITE_FIELDS`. */
export const KEY_FIELDS = { idempotency_key: IdempotencyKey }

const OF_CALL: ReadonlySet<string> = new Set(Object.keys({ ...KEY_FIELDS, ...WRITE_FIELDS, ...PROPOSAL_FIELDS }))

/** Returns true for a field of a write that is about the call and not about the object. */
export const isFieldOfCall = (field: string): boolean => OF_CALL.has(field)

/** Returns the fields of an input that are not about the call. */
export const omitFieldsOfCall = (input: Fields): Fields =>
  Object.fromEntries(Object.entries(input).filter(([field]) => !isFieldOfCall(field)))

/** The values of these fields in a call. */
export type HistoryFields = {
  readonly note: string
  readonly dryRun: DryRun
  readonly asOf: string | undefined
  readonly idempotencyKey: string | undefined
}

/** Returns the note of a request to a route that is not an operation. @throws AppError VALIDATION_ERROR */
export const readHeaderNote = (headers: Headers): string => {
  const value = headers.get(NOTE_HEADER)
  const change_note = value === null ? undefined : decodeNote(value)
  return parse(z.object({ change_note: ChangeNote }), { change_note }).change_note ?? ''
}

/** Returns the idempotency key of a request to a route that is not an operation. @throws AppError VALIDATION_ERROR */
export const readHeaderKey = (headers: Headers): string | undefined => {
  const idempotency_key = headers.get(KEY_HEADER) ?? undefined
  return parse(z.object(KEY_FIELDS), { idempotency_key }).idempotency_key
}

type Fields = Readonly<Record<string, unknown>>

/** @param input not yet parsed */
export const asksForDryRun = (input: unknown): boolean =>
  typeof input === 'object' &&
  input !== null &&
  'dry_run' in input &&
  (input.dry_run === true || input.dry_run === 'changes')

/** True for a write that is noted in a proposal. @param input not yet parsed */
export const asksForProposal = (input: unknown): boolean =>
  typeof input === 'object' && input !== null && 'proposal' in input && input.proposal !== undefined

const ASKED = z.object({ ...WRITE_FIELDS, ...PROPOSAL_FIELDS })

/** Returns the fields of a write that is noted in a proposal. @throws AppError VALIDATION_ERROR */
export const readProposal = (
  input: unknown,
): Pick<HistoryFields, 'dryRun' | 'note'> & { readonly proposal: string } => {
  const { proposal = '', dry_run: dryRun = false, change_note: note = '' } = parse(ASKED, input)
  return { proposal, dryRun, note }
}

/** Separates these fields from the operation's own. @param input parsed by a schema with them */
export const splitHistoryFields = (input: Fields): { readonly own: Fields } & HistoryFields => {
  // The schemas above define the types.
  const {
    change_note: note = '',
    dry_run: dryRun = false,
    as_of: asOf,
    idempotency_key: idempotencyKey,
    // The kernel has read it before.
    proposal: _,
    ...own
  } = input as Fields & {
    readonly change_note?: string
    readonly dry_run?: DryRun
    readonly as_of?: string
    readonly idempotency_key?: string
    readonly proposal?: string
  }
  return { own, note, dryRun, asOf, idempotencyKey }
}
