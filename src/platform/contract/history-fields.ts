/** The input fields that every write and every read of the estate takes beside its own. Browser-safe. */
import { z } from 'zod'
import { line } from './fields.ts'

/** The longest note of a change, in characters. */
const MAX_NOTE = 1000

/** Decodes percent-encoded UTF-8 (RFC 3986 2.1). A percent sign that begins no valid sequence stays. */
const decoded = (text: string): string =>
  text.replace(/(?:%[0-9a-f]{2})+/gi, (encoded) => {
    try {
      return decodeURIComponent(encoded)
    } catch {
      return encoded
    }
  })

const ChangeNote = z
  .string()
  .transform((text) => decoded(text).trim())
  .pipe(line(MAX_NOTE).refine((text) => !/[\r\n\u2028\u2029]/.test(text), 'must be one line'))
  .optional()
  .describe('Why, for the history; in a header, bytes beyond ASCII are percent-encoded')

/** `true` answers as the call would, `changes` with the objects that would change. */
export type DryRun = boolean | 'changes'

const DryRun = z
  .union([z.boolean(), z.literal('changes')], { error: 'must be true, false or changes' })
  .optional()
  .describe('Writes nothing: true answers as the call would, changes with the objects that would change')

const AsOf = line(64)
  .min(1)
  .optional()
  .describe('The moment of the answer: an RFC 3339 time, the id of a change, or how long ago, like 30m, 24h or 7d')

export const WRITE_FIELDS = { change_note: ChangeNote, dry_run: DryRun }
export const READ_FIELDS = { as_of: AsOf }

/** The values of these fields in a call. */
export type HistoryFields = {
  readonly note: string
  readonly dryRun: DryRun
  readonly asOf: string | undefined
}

type Fields = Readonly<Record<string, unknown>>

/** Separates these fields from the operation's own. @param input parsed by a schema with them */
export const splitHistoryFields = (input: Fields): { readonly own: Fields } & HistoryFields => {
  // The schemas above define the types.
  const {
    change_note: note = '',
    dry_run: dryRun = false,
    as_of: asOf,
    ...own
  } = input as Fields & {
    readonly change_note?: string
    readonly dry_run?: DryRun
    readonly as_of?: string
  }
  return { own, note, dryRun, asOf }
}
