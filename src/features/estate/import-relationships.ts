/** Imports relationships, of which a file may have hundreds of thousands: those of a batch are written together. */
import { AppError } from '../../platform/contract/errors.ts'
import type { Breathe } from '../../platform/runtime/pause.ts'
import type { Ctx } from '../ctx.ts'
import { RelationshipDraft } from '../relationships/api.ts'
import * as relationships from '../relationships/relationships.ts'
import { type Outcome, parseRow, type Row } from './row.ts'

export const importRelationships = async (ctx: Ctx, rows: readonly Row[], breathe: Breathe): Promise<Outcome[]> => {
  const outcomes: Outcome[] = []
  const parsed: { readonly at: number; readonly draft: RelationshipDraft }[] = []
  for (const [at, { value }] of rows.entries()) {
    const { parent_id, ...rest } = value
    const draft = parseRow(RelationshipDraft, { device_id: parent_id, ...rest })
    if (draft instanceof AppError) outcomes[at] = draft
    else parsed.push({ at, draft })
    await breathe()
  }
  const upserted = await relationships.upsertAll(
    ctx,
    parsed.map(({ draft }) => draft),
  )
  for (const [i, { at }] of parsed.entries()) {
    const outcome = upserted[i]
    if (outcome !== undefined) outcomes[at] = outcome
  }
  return outcomes
}
