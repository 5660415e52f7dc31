/** The times of runs that decide about rows of other sources. */
import { splitBatches } from '../../../database/query/batches.ts'
import type { DbScope } from '../../../kernel/ctx.ts'

/** Returns the time at which each source has begun its last completed run. */
export const findLastBegins = async (
  { db }: DbScope,
  sourceIds: readonly string[],
): Promise<ReadonlyMap<string, string>> => {
  const begins = new Map<string, string>()
  for (const batch of splitBatches(sourceIds)) {
    const rows = await db
      .selectFrom('source_runs')
      .select(({ fn }) => ['source_id', fn.max('started_at').as('began')])
      .where('source_id', 'in', batch)
      .where('status', '=', 'completed')
      .groupBy('source_id')
      .execute()
    for (const { source_id, began } of rows) if (began) begins.set(source_id, began)
  }
  return begins
}
