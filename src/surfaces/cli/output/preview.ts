/** Shows the changes of a dry run, and how to undo those of a command. */
import { z } from 'zod'
import type { Row } from '../../../contract/labels.ts'
import { isRecord } from '../../../contract/unknown.ts'
import type { Transport } from '../connection/client.ts'
import type { Session } from '../parse/command.ts'
import { toPrintable } from './display.ts'

/** The columns of the objects of a preview. Their contract belongs to a feature. */
const ITEM = z.unknown().meta({ columns: ['kind', 'change', 'name', 'fields', 'id'] })

/** The shape of a preview, as of an answer that is a list. */
export const PREVIEW = { list: 'items', item: ITEM } as const

/** Returns the number of the proposal that a write was added to. */
export const getProposal = ({ headers, status }: Response): string | null =>
  status === 202 ? headers.get('x-proposal') : null

/** Returns true for the preview of a dry run or of a proposed write: a change without an id. */
export const isPreview = (response: Response, value: unknown): value is Row =>
  (response.headers.get('x-dry-run') === 'true' || getProposal(response) !== null) &&
  isRecord(value) &&
  value.id === '' &&
  Array.isArray(value.items)

export const formatPreviewHead = ({ summary }: Row): string => `${toPrintable(`This ${summary}.`)}\n`

const sumCounts = (counts: unknown): number => {
  if (typeof counts === 'number') return counts
  return isRecord(counts) ? Object.values(counts).reduce<number>((sum, one) => sum + sumCounts(one), 0) : 0
}

/** Formats the end of a preview, which lists its first objects, and counts all. */
export const formatPreviewEnd = ({ counts, items }: Row): string => {
  const more = sumCounts(counts) - (Array.isArray(items) ? items.length : 0)
  return more > 0 ? `and ${more} more\n` : ''
}

/** Returns an answer as JSON shows it: with the number of the proposal that the write was added to. */
export const withProposal = <Answer>(value: Answer, proposal: string | null): Answer =>
  proposal === null || !isRecord(value) ? value : { ...value, proposal: Number(proposal) }

/** Prints only the number of a proposal, as `--quiet` prints only the id of an object. */
export const printProposal = async ({ io }: Session, proposal: string): Promise<void> =>
  io.stdout.write(`${toPrintable(proposal)}\n`)

/** Tells where a proposed write can be seen. With `--quiet` it prints only the number, unless JSON has it already. */
export const tellProposal = async (session: Session, transport: Transport, proposal: string | null): Promise<void> => {
  if (proposal === null) return
  const { io, globals } = session
  if (globals.isQuiet) {
    if (globals.output !== 'json') await printProposal(session, proposal)
    return
  }
  const url = `${transport.baseUrl ?? ''}/proposals/${proposal}`
  await io.stderr.write(`Proposed as ${toPrintable(`${proposal}: ${url}`)}\n`)
}

/** Tells a person how to undo changes, newest first. A script does not need it. */
export const offerUndo = async ({ io, globals }: Session, ids: readonly string[]): Promise<void> => {
  if (!io.stderr.isTty || !io.stdout.isTty || globals.isQuiet) return
  for (const id of ids) await io.stderr.write(`Undo: plat undo ${toPrintable(id)}\n`)
}
