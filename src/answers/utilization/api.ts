/** The utilization contract: history and forecast of networks and pools. Browser-safe. */
import { z } from 'zod'
import { idOf } from '../../contract/fields/fields.ts'
import { operation } from '../../kernel/operation.ts'

export const MAX_DAYS = 730

export const Sample = z.object({
  day: z.iso.date().describe('UTC'),
  used_ips: z.int().describe('Including reserved addresses'),
  total_ips: z.int(),
  utilization: z.number().describe('Percent, two decimals'),
})
export type Sample = z.infer<typeof Sample>

export const History = z
  .object({
    samples: z.array(Sample).describe('One a day, oldest first; that of today keeps changing'),
    forecast: z
      .object({
        per_day: z.number().describe('Additional addresses a day: the median of the slopes between all pairs of days'),
        days_to_full: z.int().nullable().describe('null if it does not fill up, or not within ten years'),
        days: z.int().describe('The number of days with samples, at most the last 90'),
      })
      .nullable()
      .describe('null with fewer than three days'),
  })
  .meta({ id: 'UtilizationHistory' })
export type History = z.infer<typeof History>

const days = z.int().min(1).max(MAX_DAYS).default(90).describe('The number of days to return')

export const utilization = {
  ofNetwork: operation({
    name: 'utilization.of-network',
    summary: 'Show the utilization of a network, day by day, and when it will be full',
    http: 'GET /api/networks/{id}/utilization/history',
    access: 'networks:read',
    scope: 'checkPath',
    cli: { command: 'network utilization-history' },
    input: () => z.object({ id: idOf('networks'), days }),
    output: History,
  }),
  ofPool: operation({
    name: 'utilization.of-pool',
    summary: 'Show the utilization of a pool, day by day, and when it will be full',
    http: 'GET /api/pools/{id}/utilization/history',
    access: 'pools:read',
    scope: 'checkPath',
    cli: { command: 'pool utilization-history' },
    input: () => z.object({ id: idOf('pools'), days }),
    output: History,
  }),
}
