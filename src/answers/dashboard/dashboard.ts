/** Composes the first page from the tables of other features, each part for callers who may list it. */
import { sql } from 'kysely'
import type { Config } from '../../base/config/config.ts'
import { getCachedCount } from '../../database/cache/query-cache.ts'
import * as discovery from '../../discovery/discovery.ts'
import * as networks from '../../inventory/networks/networks.ts'
import * as pools from '../../inventory/pools/pools.ts'
import { listEnrolled } from '../../inventory/scanners/state-store.ts'
import { computeNestedFigures } from '../../inventory/used-addresses/utilization.ts'
import { type Ctx, type Feature, implement } from '../../kernel/ctx.ts'
import { countRows } from '../../kernel/list.ts'
import type { Permission } from '../../kernel/operation.ts'
import { parseCidrOrThrow } from '../../net/cidr.ts'
import { findAccount } from '../../people/users/account.ts'
import type { ObjectNames } from '../../record/audit/object-names.ts'
import { PING } from '../../record/events/catalogue.ts'
import { countReports } from '../reports/counts.ts'
import { type Current, loadForecasts, toUse } from '../utilization/utilization.ts'
import { type Dashboard, dashboard, type Fill } from './api.ts'
import { type FullObject, findAttention } from './attention.ts'

const FULLEST = 7
/** From this percentage on, a pool needs attention. */
const NEARLY_FULL = 90
const FULL_POOLS = 6
const CHANGES = 10
/** The number of latest audit entries that are searched for changes. */
const LOOKED_AT = 60
const DAY_MS = 24 * 60 * 60 * 1000
const ENDING_MS = 14 * DAY_MS

const later = (ctx: Ctx, byMs: number): string => new Date(Date.parse(ctx.now) + byMs).toISOString()

const countObjects = (ctx: Ctx, table: 'devices' | 'networks' | 'pools' | 'datacenters' | 'racks'): Promise<number> =>
  getCachedCount(ctx, table, 'all', () => countRows(ctx.db.selectFrom(table)))

type Full = Current & Omit<Fill, 'days_to_full'>
type FullNetwork = Full & { readonly subnet: string }
/** The fullest objects, and the ones from the threshold on, which need attention. Fullest first. */
type Fullest<T> = { readonly fullest: T[]; readonly full: FullObject[] }

/** A subnet of two addresses or of one is a link or a host, which is in use as meant when it is full (RFC 3021, RFC 6164). */
const isLink = (subnet: string): boolean => {
  const { first, last } = parseCidrOrThrow(subnet)
  return last - first <= 1n
}

/** Here an address counts in all networks that contain it, for utilization only in the most specific one. */
const loadNetworkParts = async (ctx: Ctx, threshold: number): Promise<Fullest<FullNetwork>> => {
  // The use of a network that the caller sees includes that of networks in it that the caller does not see.
  const all = (await networks.findAllUtilization(ctx.unscoped)).map((network) => {
    const { id, name, subnet, hasNetworks, utilization } = network
    const { available_ips, ...figures } = computeNestedFigures(utilization)
    const isEmpty = toUse({ ...figures, available_ips }).used === 0
    return {
      ...{ id, name, subnet, hasNetworks, isEmpty, available_ips },
      ...toUse(utilization),
      utilization: figures.utilization,
    }
  })
  const seen =
    ctx.unscoped === ctx
      ? undefined
      : new Set((await ctx.db.selectFrom('networks').select('id').execute()).map(({ id }) => id))
  const shown = all
    .filter(({ id, isEmpty, subnet }) => !isEmpty && !isLink(subnet) && (seen?.has(id) ?? true))
    .sort((a, b) => b.utilization - a.utilization)
  return {
    fullest: shown.slice(0, FULLEST),
    full: shown.filter(({ hasNetworks, utilization }) => !hasNetworks && utilization >= threshold),
  }
}

const loadPoolParts = async (ctx: Ctx, threshold: number): Promise<Pick<Dashboard, 'full_pools'> & Fullest<Full>> => {
  const all = (await pools.findAllUtilization(ctx))
    .map(({ pool: { id, name }, utilization: figures }) => {
      const { utilization, available_ips } = figures
      return { id, name, utilization, available_ips, ...toUse(figures) }
    })
    .sort((a, b) => b.utilization - a.utilization)
  const full = all.filter(({ utilization }) => utilization > NEARLY_FULL)
  return {
    fullest: all.slice(0, FULLEST),
    full: all.filter(({ utilization }) => utilization >= threshold),
    full_pools: {
      count: full.length,
      pools: full.slice(0, FULL_POOLS).map(({ used: _, total: __, ...pool }) => pool),
    },
  }
}

const countActiveConflicts = async (ctx: Ctx): Promise<Dashboard['conflicts']> => {
  const found = { duplicate_ip: 0, overlapping_subnet: 0 }
  const rows = await ctx.db
    .selectFrom('conflicts')
    .select(({ fn }) => ['type', fn.countAll<number | string>().as('n')])
    .where('status', '=', 'active')
    .groupBy('type')
    .execute()
  for (const { type, n } of rows) found[type] = Number(n)
  return found
}

const countInboxItems = async (ctx: Ctx): Promise<Dashboard['inbox']> => {
  const found = { new: 0, changed: 0, gone: 0, conflict: 0 }
  const rows = await ctx.db
    .selectFrom('discovered_devices')
    .select(({ fn }) => ['bucket', fn.countAll<number | string>().as('n')])
    .where('bucket', '<>', '')
    .where('is_ignored', '=', 0)
    .groupBy('bucket')
    .execute()
  for (const { bucket, n } of rows) if (bucket !== '') found[bucket] = Number(n)
  return found
}

const countScanners = async (ctx: Ctx): Promise<Dashboard['scanners']> => {
  const all = await listEnrolled(ctx)
  const online = all.filter(({ is_online }) => is_online).length
  return { online, offline: all.length - online }
}

const findTroubledWebhooks = async (ctx: Ctx): Promise<Dashboard['webhooks']> => {
  const rows = await ctx.db
    .selectFrom('webhooks')
    .select((eb) => [
      'id',
      'name',
      'disabled_reason',
      eb
        .selectFrom('webhook_deliveries')
        // A literal condition, so that the index of failed deliveries is used.
        .where(sql<boolean>`status = 'failed'`)
        .whereRef('webhook_id', '=', 'webhooks.id')
        .where('webhook_deliveries.created_at', '>=', later(ctx, -DAY_MS))
        // The sender of a test delivery has already seen its result.
        .where('event', '<>', PING)
        .select(({ fn }) => fn.countAll<number | string>().as('n'))
        .as('failed'),
    ])
    .orderBy('name_order')
    .orderBy('id')
    .execute()
  return rows
    .map((row) => ({ ...row, failed: Number(row.failed) }))
    .filter((row) => row.failed > 0 || row.disabled_reason !== '')
}

const findEndingKeys = async (ctx: Ctx): Promise<Dashboard['ending_keys']> => {
  const { userId, isNarrow } = ctx.caller
  // A key with limits does not see the keys of its owner.
  if (userId === undefined || isNarrow) return []
  const rows = await ctx.db
    .selectFrom('api_keys')
    .select(['id', 'name', 'expires_at'])
    .where('user_id', '=', userId)
    .where('expires_at', '<', later(ctx, ENDING_MS))
    .orderBy('expires_at')
    .orderBy('id')
    .execute()
  return rows.flatMap(({ id, name, expires_at }) => (expires_at === null ? [] : [{ id, name, expires_at }]))
}

const hasCredentials = async ({ db }: Ctx, userId: string): Promise<boolean> => {
  for (const table of ['api_keys', 'oauth_grants'] as const)
    if (await db.selectFrom(table).select('id').where('user_id', '=', userId).limit(1).executeTakeFirst()) return true
  return false
}

/** Returns the field if keys or OAuth grants of the caller soon sleep. */
const findSleepTime = async (ctx: Ctx): Promise<Pick<Dashboard, 'credentials_sleep_at'>> => {
  const { userId } = ctx.caller
  const account = userId === undefined ? undefined : await findAccount(ctx, userId)
  if (account === undefined || account.sleepsMs >= Date.parse(ctx.now) + ENDING_MS) return {}
  if (!(await hasCredentials(ctx, account.id))) return {}
  return { credentials_sleep_at: new Date(account.sleepsMs).toISOString() }
}

const findChanges = async (ctx: Ctx, names: ObjectNames): Promise<Dashboard['changes']> => {
  const rows = await ctx.db
    .selectFrom('audit')
    .select(['id', 'timestamp', 'username', 'key_owner', 'action', 'resource', 'resource_id', 'status'])
    .orderBy('id', 'desc')
    .limit(LOOKED_AT)
    .execute()
  // Signing in is not a change of the inventory.
  const shown = rows.filter(({ resource }) => resource !== 'session').slice(0, CHANGES)
  const objects = await names.find(ctx, shown)
  return shown.map((row) => ({ ...row, object: objects.get(row.id) ?? null }))
}

type Options = {
  readonly names: ObjectNames
  readonly config: Pick<Config, 'poolUtilizationThresholdPercent'>
  /** Counts the sources that need attention. */
  readonly countSources: (ctx: Ctx) => Promise<NonNullable<Dashboard['sources']>>
}

const show = async (ctx: Ctx, { names, config, countSources }: Options): Promise<Dashboard> => {
  const { permissions } = ctx.caller
  const readIfPermitted = async <T>(permission: Permission, read: (ctx: Ctx) => Promise<T>): Promise<T | null> =>
    permissions.has(permission) ? read(ctx) : null
  const threshold = config.poolUtilizationThresholdPercent
  const ofPools = await readIfPermitted('pools:list', () => loadPoolParts(ctx, threshold))
  const ofNetworks = await readIfPermitted('networks:list', () => loadNetworkParts(ctx, threshold))
  const known = await loadForecasts(ctx, [...(ofPools?.fullest ?? []), ...(ofNetworks?.fullest ?? [])])
  const withForecast = ({ id, name, utilization }: Full): Fill => ({
    ...{ id, name, utilization },
    days_to_full: known.get(id)?.days_to_full ?? null,
  })
  const parts = {
    conflicts: await readIfPermitted('conflicts:list', countActiveConflicts),
    inbox: await readIfPermitted('discovery:list', countInboxItems),
    running_scans: await readIfPermitted('discovery:list', discovery.countRunning),
    scanners: await readIfPermitted('scanners:list', countScanners),
    sources: await readIfPermitted('sources:list', () => countSources(ctx.unscoped)),
    webhooks: await readIfPermitted('webhook:list', () => findTroubledWebhooks(ctx.unscoped)),
    ending_keys: await findEndingKeys(ctx.unscoped),
    ...(await findSleepTime(ctx.unscoped)),
  }
  return {
    devices: await readIfPermitted('devices:list', () => countObjects(ctx, 'devices')),
    networks: await readIfPermitted('networks:list', () => countObjects(ctx, 'networks')),
    pools: await readIfPermitted('pools:list', () => countObjects(ctx, 'pools')),
    datacenters: await readIfPermitted('datacenters:list', () => countObjects(ctx, 'datacenters')),
    racks: await readIfPermitted('racks:list', () => countObjects(ctx, 'racks')),
    attention: await findAttention(ctx, {
      ...parts,
      ...{ fullNetworks: ofNetworks?.full ?? [], fullPools: ofPools?.full ?? [] },
    }),
    fullest_networks: ofNetworks?.fullest.map((one) => ({ ...withForecast(one), subnet: one.subnet })) ?? null,
    fullest_pools: ofPools?.fullest.map(withForecast) ?? null,
    full_pools: ofPools?.full_pools ?? null,
    ...parts,
    reports: await countReports(ctx, config),
    changes: await readIfPermitted('audit:list', () => findChanges(ctx.unscoped, names)),
  }
}

export const dashboardFeature = (options: Options): Feature => ({
  operations: implement(dashboard, { show: (ctx) => show(ctx, options) }),
})
