/** Imports relationships. A file may have hundreds of thousands, so a batch writes them together. */
import { AppError } from '../../contract/errors.ts'
import { RelationshipDraft } from '../../inventory/relationships/api.ts'
import type { Given } from '../../inventory/relationships/relationships.ts'
import * as relationships from '../../inventory/relationships/relationships.ts'
import { removeEmpty } from '../apply/known-part.ts'
import { type Importer, type Outcome, parseRow } from './row.ts'

export const importRelationships: Importer = async (ctx, rows, { breathe, rules }) => {
  const outcomes: Outcome[] = []
  const parsed: { readonly at: number; readonly given: Given }[] = []
  for (const [at, { value }] of rows.entries()) {
    const { parent_id, ...rest } = value
    const draft = parseRow(RelationshipDraft, { device_id: parent_id, ...rest })
    if (draft instanceof AppError) outcomes[at] = draft
    else parsed.push({ at, given: { draft, fields: Object.keys(rules.empty === 'keep' ? removeEmpty(rest) : rest) } })
    await breathe()
  }
  const upserted = await relationships.upsertAll(
    ctx,
    parsed.map(({ given }) => given),
  )
  for (const [i, { at }] of parsed.entries()) {
    const outcome = upserted[i]
    if (outcome !== undefined) outcomes[at] = outcome
  }
  return outcomes
}
