/** Sources: their settings, the runs that read them, and the snapshots that clients push. */
import type { Config } from '../base/config/config.ts'
import type { Metrics } from '../base/runtime/metrics.ts'
import { getTemporaryFolder } from '../base/runtime/unnamed-file.ts'
import { invalidField, notFound, orNotFound } from '../contract/errors.ts'
import { containsText } from '../database/query/contains.ts'
import { type Ctx, type Feature, implement } from '../kernel/ctx.ts'
import { hasEvent } from '../kernel/events.ts'
import { listRows, listValues } from '../kernel/list.ts'
import type { Means } from '../record/history/kinds.ts'
import { onDeleting } from '../resource/deleting.ts'
import { sourceRoutes, sources } from './api.ts'
import { isFetched } from './checks.ts'
import { createSourceReader, type SourceReader } from './fetch/process.ts'
import { findTargetProblem } from './fetch/target.ts'
import { SOURCE_KINDS } from './kinds/index.ts'
import type { SourceKind } from './kinds/source-kind.ts'
import { addMetrics } from './metrics.ts'
import { buildTarget } from './runs/job.ts'
import { createPushHandler } from './runs/push.ts'
import { forgetRuns } from './runs/retention.ts'
import * as runs from './runs/run-store.ts'
import { createRunner, type RunnerOptions } from './runs/runner.ts'
import { testSource } from './runs/test-source.ts'
import type { SourceKindInfo, SourceRun } from './schema.ts'
import { create, getKindOrThrow, remove, requireRights, update } from './settings.ts'
import { createSerializer, SOURCE_TABLES, serializeSource } from './status.ts'
import * as store from './store.ts'

export type SourceOptions = Omit<RunnerOptions, 'reader' | 'onEnded' | 'config' | 'means'> & {
  readonly config: Pick<Config, 'dataDir' | 'sourceTargets' | 'ssrfAllowPrivateTargets'> & Omit<Means, 'operations'>
  readonly metrics: Metrics
  readonly reader?: SourceReader
  /** The operations of all resources. */
  readonly operations: Feature['operations']
}

const MEASURE_MS = 10_000
const DAY_MS = 24 * 60 * 60 * 1000

const toInfo = (kind: SourceKind): SourceKindInfo => ({
  ...{ kind: kind.kind, title: kind.title, description: kind.description, needs: kind.needs },
  ...{ default_url: kind.defaultUrl ?? '', is_pushed_only: kind.isPushedOnly ?? false },
  ...{ secrets: [...kind.secrets], options: [...kind.options], types: [...kind.types] },
  ...{ when_gone: kind.whenGone, gone_after_hours: kind.goneAfterHours },
})

/** @throws AppError NOT_FOUND */
const getOrThrow = async (ctx: Ctx, id: string): Promise<store.Stored> =>
  orNotFound(await store.find(ctx, id), 'source', id)

/** Asks for a run, or returns the one that waits or runs. @throws AppError NOT_FOUND, VALIDATION_ERROR */
const askForRun = async (
  ctx: Ctx,
  { id, apply, force }: { readonly id: string; readonly apply: boolean; readonly force: boolean },
): Promise<SourceRun> => {
  await store.lockState(ctx, id)
  const { source } = await getOrThrow(ctx, id)
  if (!source.enabled) throw invalidField('enabled', 'the source is disabled')
  if (!isFetched(getKindOrThrow(source.kind), source))
    throw invalidField('url', 'is empty: the snapshots of this source are pushed (plat source push)')
  const [open] = await runs.findOpen(ctx, id)
  if (open) return runs.toRun(open)
  const run = await runs.insert(ctx, { source_id: id, trigger: 'hand', applies: apply, force })
  await ctx.emit('source.changed')
  return runs.toRun(run)
}

export const sourcesFeature = (options: SourceOptions): Feature => {
  const { config, secrets } = options
  const reader = options.reader ?? createSourceReader(getTemporaryFolder(config.dataDir))
  const { onEnded, measure } = addMetrics(options.metrics)
  const means = { ...config, operations: options.operations }
  const runner = createRunner({ ...options, reader, onEnded, means })

  /** Resolves names before the transaction, which holds the writer. @throws AppError VALIDATION_ERROR */
  const checkTarget = async (kind: SourceKind, source: Parameters<typeof buildTarget>[2]): Promise<void> => {
    if (source.url === '' || kind.isPushedOnly) return
    const allowsQuery = kind.kind === 'document'
    const problem = await findTargetProblem(buildTarget(config, kind, source), { allowsQuery })
    if (problem !== undefined) throw invalidField('url', problem)
  }

  return {
    operations: implement(sources, {
      list: async (ctx, { name, kind, status, enabled, ...page }) => {
        const revision = await ctx.store.revision([...SOURCE_TABLES])
        let query = store.query(ctx)
        if (name) query = query.where(containsText('name_key', name))
        if (kind) query = query.where('kind', '=', kind)
        if (enabled !== undefined) query = query.where('enabled', '=', enabled ? 1 : 0)
        if (status)
          query = query.where('id', 'in', (eb) =>
            eb.selectFrom('source_states').select('source_id').where('status', '=', status),
          )
        const serialize = await createSerializer(ctx)
        return listRows(ctx, { revision, query, page, row: (row) => serialize(store.toSettings(row)) })
      },
      kinds: async (_ctx, page) => listValues(Object.values(SOURCE_KINDS).map(toInfo), page),
      create: {
        prepare: async (ctx, draft) => {
          const kind = getKindOrThrow(draft.kind)
          requireRights(ctx, kind, draft.options)
          await checkTarget(kind, draft)
          return (tx) => create(tx, secrets, { draft, kind })
        },
      },
      get: async (ctx, { id }) => serializeSource(ctx, (await getOrThrow(ctx, id)).source),
      update: {
        prepare: async (ctx, patch) => {
          const before = await store.find(ctx, patch.id)
          if (!before) throw notFound('source', patch.id)
          const kind = getKindOrThrow(before.source.kind)
          const given = {
            url: patch.url ?? before.source.url,
            allow_private: patch.allow_private ?? before.source.allow_private,
            ...{ tls_ca: '', tls_fingerprint: '' },
          }
          requireRights(ctx, kind, patch.options ?? before.source.options)
          if (patch.url !== undefined || patch.allow_private !== undefined) await checkTarget(kind, given)
          return (tx) => update(tx, secrets, patch)
        },
      },
      delete: async (ctx, input) => remove(ctx, means, input),
      test: async (ctx, { id }) =>
        testSource(ctx, { ...options, reader }, await getOrThrow({ ...ctx, db: ctx.store.read }, id)),
      run: async (ctx, input) => askForRun(ctx, input),
      runs: async (ctx, { id, ...page }) => {
        const revision = await ctx.store.revision(['source_runs', 'sources'])
        await getOrThrow(ctx, id)
        return listRows(ctx, { revision, query: runs.query(ctx, id), page, row: runs.toRun })
      },
      showRun: async (ctx, { id, run_id }) => {
        await getOrThrow(ctx, id)
        return runs.toRunWithLog(orNotFound(await runs.find(ctx, id, run_id), 'run', run_id))
      },
    }),
    routes: [{ route: sourceRoutes.push, handler: createPushHandler({ ...options, reader, runner }) }],
    reactions: onDeleting({ datacenters: (ctx, { id }) => store.clearDatacenter(ctx, id) }),
    onCommit: (names) => {
      if (hasEvent(names, 'source.changed')) runner.wake()
    },
    onRemoteCommit: (names) => {
      if (hasEvent(names, 'source.changed')) runner.wake()
    },
    jobs: [
      runner.job,
      {
        name: 'sources.measure',
        summary: 'Counts sources for the metrics',
        everyMs: MEASURE_MS,
        runsAtStart: true,
        onEveryInstance: true,
        run: measure,
      },
      {
        name: 'sources.forget-runs',
        summary: 'Deletes runs of sources that are older than 90 days, except the newest 20 of each source',
        everyMs: DAY_MS,
        runsAtStart: true,
        run: forgetRuns,
      },
    ],
    close: runner.close,
  }
}
