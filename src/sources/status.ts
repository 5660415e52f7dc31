/** The status of a source, as it is stored, sent and announced. */
import type { Ctx, DbScope } from '../kernel/ctx.ts'
import { isOpen } from './judge/object-reads.ts'
import { buildOwner } from './judge/row.ts'
import type { ObjectCounts, Source, Status } from './schema.ts'
import * as store from './store.ts'

/** The tables that a source as it is sent is made of. */
export const SOURCE_TABLES = ['sources', 'source_states', 'source_runs', 'source_objects'] as const

type Parts = {
  readonly states: ReadonlyMap<string, store.SourceState>
  readonly running: ReadonlySet<string>
  readonly counts: ReadonlyMap<string, ObjectCounts>
}

const NONE: ObjectCounts = { objects: 0, changed: 0, kept: 0, gone: 0, unclear: 0, failed: 0 }

const countObjects = async ({ db }: DbScope, id: string | undefined): Promise<Map<string, ObjectCounts>> => {
  let all = db
    .selectFrom('source_objects')
    .select(({ fn }) => ['source_id', fn.countAll<number | string>().as('n')])
    .groupBy('source_id')
  let open = db
    .selectFrom('source_objects')
    .select(({ fn }) => ['source_id', 'state', fn.countAll<number | string>().as('n')])
    .where(isOpen)
    .groupBy(['source_id', 'state'])
  if (id !== undefined) {
    all = all.where('source_id', '=', id)
    open = open.where('source_id', '=', id)
  }
  const counts = new Map<string, ObjectCounts>()
  for (const { source_id, n } of await all.execute()) counts.set(source_id, { ...NONE, objects: Number(n) })
  for (const { source_id, state, n } of await open.execute())
    counts.set(source_id, { ...(counts.get(source_id) ?? NONE), [state]: Number(n) })
  return counts
}

const findRunning = async ({ db }: DbScope): Promise<Set<string>> => {
  const rows = await db.selectFrom('source_runs').select('source_id').distinct().where(store.IS_OPEN).execute()
  return new Set(rows.map(({ source_id }) => source_id))
}

const toSource = ({ created_at, updated_at, ...settings }: store.SourceSettings, parts: Parts): Source => {
  const state = parts.states.get(settings.id)
  return {
    ...settings,
    managed_by: buildOwner(settings.id),
    ...{ status: state?.status ?? 'new', status_message: state?.message ?? '' },
    ...{ is_running: parts.running.has(settings.id), product: state?.product ?? '' },
    counts: parts.counts.get(settings.id) ?? NONE,
    ...{ last_run_at: state?.last_run_at ?? null, last_success_at: state?.last_success_at ?? null },
    next_run_at: state?.next_run_ms == null ? null : new Date(state.next_run_ms).toISOString(),
    ...{ created_at, updated_at },
  }
}

/** Returns the function that completes a source, for lists. @param id for one source only */
export const createSerializer = async (
  scope: DbScope,
  id?: string,
): Promise<(settings: store.SourceSettings) => Source> => {
  const parts: Parts = {
    states: await store.findStates(scope),
    running: await findRunning(scope),
    counts: await countObjects(scope, id),
  }
  return (settings) => toSource(settings, parts)
}

export const serializeSource = async (scope: DbScope, settings: store.SourceSettings): Promise<Source> =>
  (await createSerializer(scope, settings.id))(settings)

type Waiting = { readonly changed: number; readonly unclear: number; readonly gone: number }

const HOUR_MS = 3_600_000

/** Counts the objects that no run applies by itself. */
const countWaiting = async (ctx: Ctx, { id, mode, gone_after_hours }: store.SourceSettings): Promise<Waiting> => {
  const before = new Date(Date.parse(ctx.now) - gone_after_hours * HOUR_MS).toISOString()
  const rows = await ctx.db
    .selectFrom('source_objects')
    .select(({ fn }) => ['state', fn.countAll<number | string>().as('n')])
    .where('source_id', '=', id)
    .where(isOpen)
    .where(({ eb, or, and }) =>
      or([
        eb('state', '<>', 'gone'),
        and([
          eb('action', '<>', 'none'),
          // Ports and relationships go as soon as their rows do.
          or([eb('missing_since', '<=', before), eb('resource', 'in', ['ports', 'relationships'])]),
        ]),
      ]),
    )
    .groupBy('state')
    .execute()
  const count = (state: string): number => Number(rows.find((row) => row.state === state)?.n ?? 0)
  const isReview = mode === 'review'
  return {
    changed: isReview ? count('changed') : 0,
    unclear: count('unclear'),
    gone: isReview ? count('gone') : 0,
  }
}

const formatWaiting = (waiting: Waiting): string =>
  Object.entries(waiting)
    .flatMap(([state, n]) => (n > 0 ? [`${n} ${state}`] : []))
    .join(', ')

type Judged = { readonly status: Status; readonly message: string }

const computeStatus = async (
  ctx: Ctx,
  settings: store.SourceSettings,
  { message, ...state }: store.SourceState,
): Promise<Judged> => {
  if (state.failures > 0) return { status: 'failed', message }
  if (state.is_held === 1) return { status: 'held', message }
  const waiting = formatWaiting(await countWaiting(ctx, settings))
  if (waiting !== '') return { status: 'waiting', message: waiting }
  return { status: state.last_success_at === null ? 'new' : 'ok', message: '' }
}

const STOPPED: ReadonlySet<Status> = new Set(['held', 'waiting'])

/**
 * Computes and stores the status of a source, and emits the events of its transition. Call it at the end of a transaction that has
 * changed the state or the objects of the source.
 */
export const settleStatus = async (ctx: Ctx, id: string): Promise<void> => {
  const [stored, before] = [await store.find(ctx, id), await store.lockState(ctx, id)]
  if (!stored || !before) return
  const { status, message } = await computeStatus(ctx, stored.source, before)
  if (status === before.status && message === before.message) return
  await store.updateState(ctx, id, { status, message })
  if (status === before.status) return
  const source = await serializeSource(ctx, stored.source)
  if (status === 'failed') await ctx.emit('source.failed', source)
  if (before.status === 'failed') await ctx.emit('source.recovered', source)
  if (STOPPED.has(status) && !STOPPED.has(before.status)) await ctx.emit('source.waiting', source)
}
