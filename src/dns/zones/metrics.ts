/** The metrics of DNS zones. */
import type { Metrics } from '../../base/runtime/metrics.ts'
import type { Ctx } from '../../kernel/ctx.ts'
import * as rrsets from './rrset-store.ts'
import { ZONE_TABLES } from './serialize.ts'
import * as store from './store.ts'

/** Gauges are read without the database, so a job measures them. */
export const addMetrics = (metrics: Metrics) => {
  let [pending, drifted] = [0, 0]
  let measuredAt = ''
  metrics.gauge('dns_changes_pending', 'RRsets and changed names that are not yet on their server', () => pending)
  metrics.gauge('dns_zones_drifted', 'DNS zones whose server differs from Plat', () => drifted)
  const updates = metrics.counter('dns_updates_total', 'Updates sent to DNS servers, by result', 'result')
  return {
    counted: (result: string): void => updates.add(result),
    measure: async (ctx: Ctx): Promise<void> => {
      const revision = await ctx.store.revision([...ZONE_TABLES])
      if (revision === measuredAt) return
      const counts = await rrsets.countByState(ctx)
      const noted = await rrsets.changeCounts(ctx)
      const sum = (numbers: Iterable<number>): number => [...numbers].reduce((total, n) => total + n, 0)
      pending = sum(counts.flatMap(({ state, n }) => (state === 'pending' ? [n] : []))) + sum(noted.values())
      drifted = [...(await store.findAllStates(ctx)).values()].filter(({ drift_count }) => drift_count > 0).length
      measuredAt = revision
    },
  }
}
