/**
 * Imports relationships, of which a file may have hundreds of thousands. New ones are validated and written together;
 * all others one by one.
 */
import { AppError } from '../../platform/contract/errors.ts'
import type { Breathe } from '../../platform/runtime/pause.ts'
import type { Ctx } from '../ctx.ts'
import { RelationshipDraft } from '../relationships/api.ts'
import * as relationships from '../relationships/relationships.ts'
import { attempt, type Outcome, parseRow, type Row } from './row.ts'

type Parsed = { readonly at: number; readonly draft: RelationshipDraft }

/** Returns the valid rows that are new in the database, and first of their kind in the file. */
const newAmong = async (ctx: Ctx, parsed: readonly Parsed[]): Promise<Parsed[]> => {
  const seen = new Set<string>()
  const validated = await relationships.validate(
    ctx,
    parsed.map(({ draft }) => draft),
  )
  return parsed.filter((_, i) => {
    const one = validated[i]
    if (!one || one.known || one.error || seen.has(one.key)) return false
    seen.add(one.key)
    return true
  })
}

export const importRelationships = async (ctx: Ctx, rows: readonly Row[], breathe: Breathe): Promise<Outcome[]> => {
  const outcomes: (Outcome | undefined)[] = rows.map(() => undefined)
  const parsed: Parsed[] = []
  for (const [at, { value }] of rows.entries()) {
    const { parent_id, ...rest } = value
    const draft = parseRow(RelationshipDraft, { device_id: parent_id, ...rest })
    if (draft instanceof AppError) outcomes[at] = draft
    else parsed.push({ at, draft })
    await breathe()
  }
  const fresh = await newAmong(ctx, parsed)
  const together = await attempt(ctx, async () => {
    await relationships.insertAll(
      ctx,
      fresh.map(({ draft }) => draft),
    )
    return 'created'
  })
  if (together === 'created') for (const { at } of fresh) outcomes[at] = together
  for (const { at, draft } of parsed) {
    outcomes[at] ??= await attempt(ctx, () => relationships.upsert(ctx, draft))
    await breathe()
  }
  return outcomes.filter((outcome) => outcome !== undefined)
}
