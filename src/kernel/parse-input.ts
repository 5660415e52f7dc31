/** Parses the input of a call for its handler. */
import { type HistoryFields, splitHistoryFields } from '../contract/fields/history-fields.ts'
import { parse } from '../contract/validate.ts'
import type { AnyOperation } from './operation.ts'

/** The fields of a call that has none of them. */
const NO_FIELDS: HistoryFields = { note: '', dryRun: false, asOf: undefined, idempotencyKey: undefined }

/** Parses the input. Separates the fields that the kernel itself reads. */
export const parseInput = (
  op: AnyOperation,
  input: unknown,
): { readonly own: never; readonly fields: HistoryFields } => {
  const parsed = parse(op.input, input)
  // A read of the present is not copied. An operation has one of both flags at most.
  const isAsSent = op.supportsAsOf ? !('as_of' in parsed) : !(op.hasHistory || (op.proposes && 'proposal' in parsed))
  if (isAsSent) return { own: parsed as never, fields: NO_FIELDS }
  const { own, ...fields } = splitHistoryFields(parsed)
  // The handler's own input type; `implement` has paired them.
  if (!op.handlesDryRun) return { own: own as never, fields }
  return { own: { ...own, dry_run: fields.dryRun !== false } as never, fields: { ...fields, dryRun: false } }
}
