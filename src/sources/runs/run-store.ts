/** The queries of runs; the only writer of their table. */
import type { Ctx, DbScope } from '../../kernel/ctx.ts'
import type { LogLine } from '../fetch/protocol.ts'
import type { SourceRun, SourceRunWithLog } from '../schema.ts'
import { IS_OPEN } from '../store.ts'
import type { SourceRunRow } from '../table.ts'

// Written by this file, from values that the contract allows.
const parseStored = <T>(text: string): T => JSON.parse(text) as T

/** A run without its log, which may be long. */
type ListedRow = Omit<SourceRunRow, 'log'>

const LISTED = [
  ...(['id', 'source_id', 'trigger', 'status', 'result', 'product', 'read', 'counts', 'left_over'] as const),
  ...(['warnings', 'requests', 'bytes', 'error_code', 'message', 'change_id', 'applies', 'force'] as const),
  ...(['created_at', 'started_at', 'completed_at'] as const),
]

/** Returns the fields in the order of the contract. */
export const toRun = (row: ListedRow): SourceRun => ({
  ...{ id: row.id, source_id: row.source_id, trigger: row.trigger as SourceRun['trigger'] },
  ...{ status: row.status as SourceRun['status'], result: row.result as SourceRun['result'], product: row.product },
  ...{ read: parseStored<SourceRun['read']>(row.read), counts: parseStored<SourceRun['counts']>(row.counts) },
  ...{
    left: parseStored<SourceRun['left']>(row.left_over),
    warnings: parseStored<SourceRun['warnings']>(row.warnings),
  },
  // PostgreSQL sends 64-bit numbers as text.
  ...{
    requests: Number(row.requests),
    bytes: Number(row.bytes),
    error_code: row.error_code as SourceRun['error_code'],
  },
  ...{ message: row.message, change_id: row.change_id, started_at: row.started_at, completed_at: row.completed_at },
})

export const toRunWithLog = (row: SourceRunRow): SourceRunWithLog => ({
  ...toRun(row),
  log: parseStored<LogLine[]>(row.log).map(({ at, text }) => ({ at, text })),
})

export const query = ({ db }: DbScope, sourceId: string) =>
  db
    .selectFrom('source_runs')
    .select(LISTED)
    .where('source_id', '=', sourceId)
    .orderBy('created_at', 'desc')
    .orderBy('id', 'desc')

export const find = async (scope: DbScope, sourceId: string, id: string): Promise<SourceRunRow | undefined> =>
  query(scope, sourceId).select('log').where('id', '=', id).executeTakeFirst()

/** Returns the runs that wait or run, the oldest first. */
export const findOpen = ({ db }: DbScope, sourceId: string): Promise<SourceRunRow[]> =>
  db
    .selectFrom('source_runs')
    .selectAll()
    .where('source_id', '=', sourceId)
    .where(IS_OPEN)
    .orderBy('created_at')
    .orderBy('id')
    .execute()

/** Returns the newest run that did not fail. */
export const findLastCompleted = (scope: DbScope, sourceId: string): Promise<ListedRow | undefined> =>
  query(scope, sourceId).where('status', '=', 'completed').limit(1).executeTakeFirst()

export const hasAny = async (scope: DbScope, sourceId: string): Promise<boolean> =>
  (await scope.db
    .selectFrom('source_runs')
    .select('id')
    .where('source_id', '=', sourceId)
    .limit(1)
    .executeTakeFirst()) !== undefined

export type NewRun = {
  readonly source_id: string
  readonly trigger: SourceRun['trigger']
  /** False stops the run before it applies. */
  readonly applies: boolean
  readonly force: boolean
}

/** Inserts a run that waits. */
export const insert = async (
  { db, now }: Pick<Ctx, 'db' | 'now'>,
  { source_id, trigger, applies, force }: NewRun,
): Promise<SourceRunRow> => {
  const row: SourceRunRow = {
    ...{ id: Bun.randomUUIDv7(), source_id, trigger, status: 'pending', result: '', product: '' },
    ...{ read: '{}', counts: '{}', left_over: '[]', warnings: '[]', log: '[]', requests: 0, bytes: 0 },
    ...{ error_code: '', message: '', change_id: '', applies: applies ? 1 : 0, force: force ? 1 : 0 },
    ...{ created_at: now, started_at: null, completed_at: null },
  }
  await db.insertInto('source_runs').values(row).execute()
  return row
}

export type RunChange = Partial<Omit<SourceRunRow, 'id' | 'source_id' | 'trigger'>>

export const update = async ({ db }: DbScope, id: string, change: RunChange): Promise<void> => {
  await db.updateTable('source_runs').set(change).where('id', '=', id).execute()
}

/** Ends the runs of a source that wait or run, because their source has changed. */
export const cancelOpen = async ({ db, now }: Pick<Ctx, 'db' | 'now'>, sourceId: string): Promise<void> => {
  await db
    .updateTable('source_runs')
    .set({ status: 'cancelled', message: 'the source was changed', completed_at: now })
    .where('source_id', '=', sourceId)
    .where(IS_OPEN)
    .execute()
}

export const removeAll = async ({ db }: DbScope, sourceId: string): Promise<void> => {
  await db.deleteFrom('source_runs').where('source_id', '=', sourceId).execute()
}

export type OldRuns = {
  /** Runs that were created before are old. */
  readonly before: string
  /** Runs of each source that are kept regardless of age. */
  readonly kept: number
}

/** Deletes the old runs of a source, but for the newest. */
export const removeOld = async (scope: DbScope, sourceId: string, { before, kept }: OldRuns): Promise<void> => {
  const [oldest] = await query(scope, sourceId)
    .clearSelect()
    .select('created_at')
    .offset(kept - 1)
    .limit(1)
    .execute()
  if (!oldest) return
  const moment = oldest.created_at < before ? oldest.created_at : before
  await scope.db.deleteFrom('source_runs').where('source_id', '=', sourceId).where('created_at', '<', moment).execute()
}
