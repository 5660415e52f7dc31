/** The families of metrics of the estate, and the queries of their samples. */
import { countAllReports, type ReportSettings } from '../../answers/reports/counts.ts'
import type { Sample } from '../../base/runtime/metrics.ts'
import { Bucket } from '../../discovery/schema.ts'
import { ConflictType } from '../../inventory/conflicts/schema.ts'
import * as networks from '../../inventory/networks/networks.ts'
import * as pools from '../../inventory/pools/pools.ts'
import { listEnrolled } from '../../inventory/scanners/state-store.ts'
import type { Ctx } from '../../kernel/ctx.ts'

export type Family = { readonly name: string; readonly help: string; readonly samples: readonly Sample[] }

const toRatio = (percent: number): number => Math.round(percent * 100) / 10_000

const findNetworks = async (ctx: Ctx): Promise<Family[]> => {
  const all = await networks.findAllUtilization(ctx)
  return [
    {
      name: 'plat_network_utilization_ratio',
      help: 'The part of the usable addresses of a network that is used or reserved, without the networks in it',
      samples: all.map(({ id, name, subnet, utilization }) => ({
        labels: { network_id: id, network: name, subnet },
        value: toRatio(utilization.utilization),
      })),
    },
  ]
}

const findPools = async (ctx: Ctx): Promise<Family[]> => {
  const all = (await pools.findAllUtilization(ctx)).map(({ pool: { id, name, network_id }, utilization }) => ({
    labels: { pool_id: id, pool: name, network_id },
    utilization,
  }))
  return [
    {
      name: 'plat_pool_utilization_ratio',
      help: 'The part of the addresses of a pool that is used or reserved',
      samples: all.map(({ labels, utilization }) => ({ labels, value: toRatio(utilization.utilization) })),
    },
    {
      name: 'plat_pool_available_addresses',
      help: 'The addresses of a pool that are neither used nor reserved',
      samples: all.map(({ labels, utilization }) => ({ labels, value: utilization.available_ips })),
    },
  ]
}

type Counted = { readonly key: string; readonly n: number | string }

const toCounts = (rows: readonly Counted[]): ReadonlyMap<string, number> =>
  new Map(rows.map(({ key, n }) => [key, Number(n)]))

const findConflicts = async ({ db }: Ctx): Promise<Family[]> => {
  const rows = await db
    .selectFrom('conflicts')
    .select(({ fn }) => ['type as key', fn.countAll<number | string>().as('n')])
    .where('status', '=', 'active')
    .groupBy('type')
    .execute()
  const counts = toCounts(rows)
  return [
    {
      name: 'plat_conflicts',
      help: 'Active conflicts: addresses on several devices, and overlapping subnets',
      samples: ConflictType.options.map((type) => ({ labels: { type }, value: counts.get(type) ?? 0 })),
    },
  ]
}

const findScans = async ({ db, now }: Ctx): Promise<Family[]> => {
  const rows = await db
    .selectFrom('discovery_scans')
    .select(({ fn }) => ['network_id', fn.max('completed_at').as('at')])
    .where('status', '=', 'completed')
    .groupBy('network_id')
    .orderBy('network_id')
    .execute()
  return [
    {
      name: 'plat_scan_age_seconds',
      help: 'Seconds since the last completed scan of a network; absent if there is none',
      samples: rows.flatMap(({ network_id, at }) =>
        at === null
          ? []
          : { labels: { network_id }, value: Math.max(0, Math.round((Date.parse(now) - Date.parse(at)) / 1000)) },
      ),
    },
  ]
}

const findDiscovered = async ({ db, store }: Ctx): Promise<Family[]> => {
  // Both counts read indexes only; the rows are large.
  const query = db
    .selectFrom('discovered_devices')
    .select(({ fn }) => ['network_id as key', fn.countAll<number | string>().as('n')])
    .groupBy('network_id')
    .orderBy('network_id')
    .modifyEnd(store.sql.slowMark)
  const all = await query.execute()
  const down = toCounts(await query.where('status', '=', 'down').execute())
  return [
    {
      name: 'plat_discovered_devices',
      help: 'Devices that scans have found, by network and status',
      samples: all.flatMap(({ key: network_id, n }) => {
        const gone = down.get(network_id) ?? 0
        return [
          { labels: { network_id, status: 'up' }, value: Math.max(0, Number(n) - gone) },
          { labels: { network_id, status: 'down' }, value: gone },
        ]
      }),
    },
  ]
}

const findInbox = async ({ db }: Ctx): Promise<Family[]> => {
  const rows = await db
    .selectFrom('discovered_devices')
    .select(({ fn }) => ['bucket as key', fn.countAll<number | string>().as('n')])
    .where('bucket', '<>', '')
    .where('is_ignored', '=', 0)
    .groupBy('bucket')
    .execute()
  const counts = toCounts(rows)
  return [
    {
      name: 'plat_inbox_items',
      help: 'Discovered devices that wait for a decision, by reason',
      samples: Bucket.options.map((bucket) => ({ labels: { bucket }, value: counts.get(bucket) ?? 0 })),
    },
  ]
}

const findScanners = async (ctx: Ctx): Promise<Family[]> => [
  {
    name: 'plat_scanner_up',
    help: 'Whether an enrolled scanner is online',
    samples: (await listEnrolled(ctx)).map(({ id, name, is_online }) => ({
      ...{ labels: { scanner_id: id, scanner: name }, value: Number(is_online) },
    })),
  },
]

const createReportFinder =
  (settings: ReportSettings) =>
  async (ctx: Ctx): Promise<Family[]> => {
    const counts = await countAllReports(ctx, settings)
    return [
      {
        name: 'plat_report_findings',
        help: 'Findings of a report with its default parameters',
        samples: counts.map(({ name, count }) => ({ labels: { report: name }, value: count })),
      },
    ]
  }

/** Returns the families, to be read one after the other, so that requests are answered in between. */
export const listFamilies = (settings: ReportSettings) => [
  ...[findNetworks, findPools, findConflicts, findScans, findDiscovered, findInbox, findScanners],
  createReportFinder(settings),
]
