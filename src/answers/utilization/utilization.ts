/** The rules of utilization: a sample a day of every network and pool, and an event when a pool is nearly full. */
import type { Config } from '../../base/config/config.ts'
import { pause } from '../../base/runtime/pause.ts'
import * as networks from '../../inventory/networks/networks.ts'
import * as pools from '../../inventory/pools/pools.ts'
import type { Figures } from '../../inventory/used-addresses/utilization.ts'
import { type Ctx, type Feature, implement } from '../../kernel/ctx.ts'
import { type History, MAX_DAYS, type Sample, utilization } from './api.ts'
import { createCrossings } from './crossings.ts'
import { computeForecast } from './forecast.ts'
import * as store from './store.ts'
import type { SampleRow } from './table.ts'

export type UtilizationOptions = { readonly config: Pick<Config, 'poolUtilizationThresholdPercent'> }

const DAY_MS = 24 * 60 * 60 * 1000
const SAMPLE_MS = 60 * 60 * 1000
const BATCH = 200
/** Older samples say little about the future. */
const FORECAST_DAYS = 90

const toDay = (ms: number): string => new Date(ms).toISOString().slice(0, 10)

type Use = { readonly used: number; readonly total: number }

/** Counts used and reserved addresses. */
export const toUse = ({ used_ips, reserved_ips, total_ips }: Figures): Use => ({
  used: used_ips + reserved_ips,
  total: total_ips,
})

/** The current utilization. */
export type Current = Use & { readonly id: string }

/** Replaces today's stored sample by the current value. */
const withToday = (ctx: Ctx, { id, used, total }: Current, before: readonly Sample[]): Sample[] => {
  const day = ctx.now.slice(0, 10)
  return [...before.filter((one) => one.day < day), store.fromRow({ object_id: id, day, used, total })]
}

const loadHistory = async (ctx: Ctx, now: Current, days: number): Promise<History> => {
  const before = await store.findSince(ctx, now.id, toDay(Date.parse(ctx.now) - (days - 1) * DAY_MS))
  const samples = withToday(ctx, now, before)
  return { samples, forecast: computeForecast(samples.slice(-FORECAST_DAYS)) }
}

/** Returns the forecast of each network and pool, from the samples of the last 90 days. */
export const loadForecasts = async (ctx: Ctx, now: readonly Current[]): Promise<Map<string, History['forecast']>> => {
  const from = toDay(Date.parse(ctx.now) - (FORECAST_DAYS - 1) * DAY_MS)
  const ids = now.map(({ id }) => id)
  const before = await store.findAllSince(ctx, ids, from)
  return new Map(now.map((one) => [one.id, computeForecast(withToday(ctx, one, before.get(one.id) ?? []))]))
}

const sample = async (ctx: Ctx): Promise<void> => {
  const day = ctx.now.slice(0, 10)
  const rows: SampleRow[] = [
    ...(await networks.findAllUtilization(ctx)).map(({ id, utilization: now }) => ({
      object_id: id,
      day,
      ...toUse(now),
    })),
    ...(await pools.findAllUtilization(ctx)).map(({ pool: { id }, utilization: now }) => ({
      object_id: id,
      day,
      ...toUse(now),
    })),
  ]
  for (let from = 0; from < rows.length; from += BATCH) {
    await ctx.write((inner) => store.record(inner, rows.slice(from, from + BATCH)))
    await pause()
  }
  const oldest = toDay(Date.parse(ctx.now) - MAX_DAYS * DAY_MS)
  await ctx.write((inner) => store.removeBefore(inner, oldest))
}

export const utilizationFeature = ({ config }: UtilizationOptions): Feature => {
  const crossings = createCrossings(config.poolUtilizationThresholdPercent)
  return {
    operations: implement(utilization, {
      ofNetwork: async (ctx, { id, days }) =>
        loadHistory(ctx, { id, ...toUse(await networks.getUtilizationOrThrow(ctx, id)) }, days),
      ofPool: async (ctx, { id, days }) =>
        loadHistory(ctx, { id, ...toUse(await pools.getUtilizationOrThrow(ctx, id)) }, days),
    }),
    reactions: crossings.reactions,
    follows: crossings.follows,
    jobs: [
      {
        name: 'utilization.sample',
        summary:
          'Records the utilization of networks and pools, and reports pools that crossed POOL_UTILIZATION_THRESHOLD without a change',
        everyMs: SAMPLE_MS,
        runsAtStart: true,
        run: async (ctx) => {
          await sample(ctx)
          await crossings.compareAll(ctx)
        },
      },
    ],
  }
}
