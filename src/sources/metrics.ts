/** The metrics of sources. */
import type { Metrics } from '../base/runtime/metrics.ts'
import type { Ctx } from '../kernel/ctx.ts'
import * as store from './store.ts'

export type SourceMetrics = {
  /** Counts a run that has ended. */
  readonly onEnded: (kind: string, result: string, ms: number) => void
  /** Counts the sources by their status. */
  readonly measure: (ctx: Ctx) => Promise<void>
}

export const addMetrics = (metrics: Metrics): SourceMetrics => {
  const totals = new Map<
    string,
    { readonly labels: { readonly kind: string; readonly result: string }; value: number }
  >()
  let counts: store.StatusCounts = { failed: 0, held: 0, waiting: 0 }
  metrics.samples('counter', 'source_runs_total', 'Runs of sources, by kind and result', () => [...totals.values()])
  const durations = metrics.summary('source_run_duration_milliseconds', 'Duration of the runs of sources', 'kind')
  metrics.gauge('sources_failed', 'Enabled sources whose last run has failed', () => counts.failed)
  metrics.gauge(
    'sources_waiting',
    'Enabled sources with changes that a person applies',
    () => counts.waiting + counts.held,
  )
  return {
    onEnded: (kind, result, ms) => {
      const name = `${kind} ${result}`
      const total = totals.get(name) ?? { labels: { kind, result }, value: 0 }
      total.value++
      totals.set(name, total)
      durations.observe(kind, ms)
    },
    measure: async (ctx) => {
      counts = await store.countByStatus(ctx)
    },
  }
}
