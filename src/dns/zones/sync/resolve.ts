/** Settles entries of the last report: by a push to the server, or by own records. */

import { noteAll } from '../reactions.ts'
import type { DriftEntry, DriftKind, DriftReport } from '../schema.ts'
import * as store from '../store.ts'
import type { CheckOptions } from './check.ts'
import { createEmptyReport, saveReport } from './check.ts'
import { buildRrsetKey } from './desired-rrsets.ts'
import { pull, pullChanges } from './pull.ts'
import { type Failed, push, pushChanges, type Resolved } from './push.ts'
import type { Run } from './run.ts'

type Input = {
  readonly direction: 'push' | 'pull'
  readonly entries?: readonly { readonly name: string; readonly type: string }[] | undefined
  readonly kind?: DriftKind | undefined
}

const NOT_IN_REPORT = 'is not in the last report; check the zone again'

/** Entries are selected by the last report. */
const selectEntries = (
  report: DriftReport,
  { entries, kind }: Input,
): { readonly wanted: readonly DriftEntry[]; readonly failed: readonly Failed[] } => {
  if (!entries) return { wanted: report.entries.filter((one) => one.kind === kind), failed: [] }
  const known = new Map(report.entries.map((one) => [buildRrsetKey(one.name, one.type), one]))
  const wanted = new Map<string, DriftEntry>()
  const failed: Failed[] = []
  for (const { name, type } of entries) {
    const key = buildRrsetKey(name, type.toUpperCase())
    const one = known.get(key)
    if (one && (kind === undefined || one.kind === kind)) wanted.set(key, one)
    else failed.push({ name, type, error: NOT_IN_REPORT })
  }
  return { wanted: [...wanted.values()], failed }
}

/** Returns the report without the entries that are settled. */
const dropEntries = (report: DriftReport, done: readonly DriftEntry[]): DriftReport => {
  const keys = new Set(done.map(({ name, type }) => buildRrsetKey(name, type)))
  const counts = { missing: report.missing, changed: report.changed, blocked: report.blocked, foreign: report.foreign }
  for (const { kind } of done) counts[kind]--
  return { ...report, ...counts, entries: report.entries.filter((one) => !keys.has(buildRrsetKey(one.name, one.type))) }
}

export const resolve = async (
  run: Run,
  input: Input,
  options: CheckOptions,
): Promise<{ resolved: number; failed: Failed[] }> => {
  const { ctx, write, zone } = run
  const report = (await store.findReport({ db: ctx.store.read }, zone.id)) ?? createEmptyReport(zone.id)
  const { wanted, failed } = selectEntries(report, input)
  await ctx.showChanges(async () => {
    if (input.direction === 'push')
      return { answer: { failed }, changes: await pushChanges(run, { entries: wanted, all: report.entries }) }
    const pulled = await pullChanges(run, wanted)
    return { answer: { failed: [...failed, ...pulled.failed] }, changes: pulled.changes }
  })
  const resolveEntries = async (): Promise<Resolved> => {
    if (input.direction === 'pull') return pull(run, wanted)
    const client = await options.createClient(ctx, zone.provider_id ?? '')
    return push(run, { client, entries: wanted, options })
  }
  const { done, failed: refused } = wanted.length === 0 ? { done: [], failed: [] } : await resolveEntries()
  if (done.length > 0)
    await write(async (inner) => {
      await saveReport(inner, dropEntries(report, done), options.emitTransition)
      // Their state is computed again, for the names may have changed since the report.
      const names = new Set(done.map(({ name }) => name))
      await noteAll(
        inner,
        [...names].map((name) => ({ zone_id: zone.id, name })),
      )
    })
  return { resolved: done.length, failed: [...failed, ...refused] }
}
