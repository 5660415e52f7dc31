/** The settings of a source that its judgment reads. */
import { notFound } from '../../contract/errors.ts'
import type { DbScope } from '../../kernel/ctx.ts'
import type { JudgedSource } from './row.ts'

const COLUMNS = [
  ...(['id', 'name', 'kind', 'options', 'mode', 'custom', 'ref'] as const),
  ...(['when_gone', 'gone_after_hours', 'max_gone_percent'] as const),
] as const

/** @throws AppError NOT_FOUND */
export const getSourceOrThrow = async ({ db }: DbScope, id: string): Promise<JudgedSource> => {
  const row = await db.selectFrom('sources').select(COLUMNS).where('id', '=', id).executeTakeFirst()
  if (!row) throw notFound('source', id)
  return row
}
