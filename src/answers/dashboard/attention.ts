/** Finds the items that need attention, worst first, with the number and the first objects of each. */
import type { SelectQueryBuilder } from 'kysely'
import { toPlural } from '../../contract/change-summary.ts'
import type { Tables } from '../../database/tables.ts'
import { selectLastFailures } from '../../discovery/scans/failed-scans.ts'
import type { Ctx } from '../../kernel/ctx.ts'
import type { Permission } from '../../kernel/operation.ts'
import type { Attention, AttentionObject, Dashboard } from './api.ts'

/** The number of objects that an item names. */
const NAMED = 3

type Kind = Attention['kind']
/** The objects of an item. `count` is how many there are if these are the first ones only. */
type Found = { readonly count?: number; readonly objects: readonly AttentionObject[] }

const countText = (n: number, noun: string): string => `${n} ${n === 1 ? noun : toPlural(noun)}`

const isPermitted = (ctx: Ctx, permission: Permission): boolean => ctx.caller.permissions.has(permission)

const findConflicts = async (ctx: Ctx, type: 'duplicate_ip' | 'overlapping_subnet'): Promise<AttentionObject[]> => {
  const rows = await ctx.db
    .selectFrom('conflicts')
    .select(['id', 'ip_address', 'subnets', 'description'])
    .where('status', '=', 'active')
    .where('type', '=', type)
    .orderBy('id', 'desc')
    .limit(NAMED)
    .execute()
  return rows.map(({ id, ip_address, subnets, description }) => {
    // A list of texts, written by the conflicts.
    const [subnet = ''] = JSON.parse(subnets) as string[]
    return { type: 'conflict', id, name: type === 'duplicate_ip' ? ip_address : subnet, note: description }
  })
}

const findZones = async (ctx: Ctx): Promise<AttentionObject[]> => {
  const rows = await ctx.db
    .selectFrom('dns_zones')
    .innerJoin('dns_zone_states', 'zone_id', 'id')
    .select(['id', 'name', 'error', 'transfer_error', 'held', 'drift_count'])
    .where(({ or, eb }) =>
      or([eb('error', '<>', ''), eb('transfer_error', '<>', ''), eb('held', '<>', ''), eb('drift_count', '>', 0)]),
    )
    .orderBy('name_order')
    .execute()
  return rows.map(({ id, name, error, transfer_error, held, drift_count }) => {
    const drift = `${countText(drift_count, 'RRset')} ${drift_count === 1 ? 'differs' : 'differ'} on the server`
    return { type: 'dns-zone', id, name, note: error || transfer_error || held || drift }
  })
}

/** Adds the names of the networks of scans, which are null for callers who may not list these. */
const withNetworks = (scans: SelectQueryBuilder<Tables, 'discovery_scans', object>) =>
  scans
    .leftJoin('networks', 'networks.id', 'discovery_scans.network_id')
    .select([
      'discovery_scans.id',
      'discovery_scans.network_id',
      'discovery_scans.error_message',
      'networks.name as network_name',
    ])
    .orderBy('discovery_scans.created_at', 'desc')

type ScanRow = { id: string; network_id: string; error_message: string; network_name: string | null }

const toScan = (ctx: Ctx, { id, network_id, error_message, network_name }: ScanRow): AttentionObject => ({
  ...{ type: 'scan', id, note: error_message },
  name: (isPermitted(ctx, 'networks:list') && network_name) || network_id,
})

const findFailedScans = async (ctx: Ctx): Promise<AttentionObject[]> =>
  (await withNetworks(selectLastFailures(ctx)).execute()).map((row) => toScan(ctx, row))

const findRunningScans = async (ctx: Ctx): Promise<AttentionObject[]> => {
  const running = ctx.db.selectFrom('discovery_scans').where('discovery_scans.status', '=', 'running')
  return (await withNetworks(running).limit(NAMED).execute()).map((row) => toScan(ctx, row))
}

const findInboxItems = async (
  ctx: Ctx,
  bucket: 'new' | 'changed' | 'gone' | 'conflict',
): Promise<AttentionObject[]> => {
  const rows = await ctx.db
    .selectFrom('discovered_devices')
    .leftJoin('devices', 'devices.id', 'discovered_devices.matched_device_id')
    .select(['discovered_devices.id', 'discovered_devices.doc', 'devices.name as device_name'])
    .where('discovered_devices.bucket', '=', bucket)
    .where('discovered_devices.is_ignored', '=', 0)
    .orderBy('discovered_devices.bucket_since', 'desc')
    .orderBy('discovered_devices.id', 'desc')
    .limit(NAMED)
    .execute()
  return rows.map(({ id, doc, device_name }) => {
    // The column holds the JSON of a discovered device.
    const { hostname, ip } = JSON.parse(doc) as { readonly hostname: string; readonly ip: string }
    const name = (isPermitted(ctx, 'devices:list') && device_name) || hostname || ip
    return { type: 'discovered_device', id, name, note: name === ip ? '' : ip }
  })
}

export type FullObject = {
  readonly id: string
  readonly name: string
  readonly subnet?: string
  readonly available_ips: number
}

const toFull =
  (type: 'network' | 'pool') =>
  ({ id, name, subnet, available_ips }: FullObject): AttentionObject => ({
    ...{ type, id, name },
    note: [subnet, `${available_ips} free`].filter((part) => part !== undefined).join(', '),
  })

/** The parts of the dashboard that are read anyway. */
export type Parts = Pick<
  Dashboard,
  'conflicts' | 'inbox' | 'running_scans' | 'webhooks' | 'ending_keys' | 'credentials_sleep_at'
> & { readonly fullNetworks: readonly FullObject[]; readonly fullPools: readonly FullObject[] }

const SEVERITIES: Readonly<Record<Kind, Attention['severity']>> = {
  'conflict.duplicate_ip': 'critical',
  'conflict.overlapping_subnet': 'critical',
  'network.full': 'critical',
  'pool.full': 'critical',
  'webhook.disabled': 'warning',
  'webhook.failing': 'warning',
  'dns.attention': 'warning',
  'scan.failed': 'warning',
  'inbox.gone': 'warning',
  'inbox.changed': 'warning',
  'inbox.conflict': 'warning',
  'inbox.new': 'info',
  'key.ending': 'info',
  'credentials.sleeping': 'info',
  'scan.running': 'info',
}

const listFinders = (ctx: Ctx, parts: Parts): Readonly<Record<Kind, () => Promise<Found> | Found>> => {
  const { conflicts, inbox, webhooks, ending_keys, credentials_sleep_at: sleepsAt, running_scans } = parts
  const readFirst = async (count: number, read: () => Promise<AttentionObject[]>): Promise<Found> =>
    count > 0 ? { count, objects: await read() } : { objects: [] }
  const findInbox = (bucket: keyof NonNullable<Dashboard['inbox']>) => () =>
    readFirst(inbox?.[bucket] ?? 0, () => findInboxItems(ctx, bucket))
  const findConflict = (type: keyof NonNullable<Dashboard['conflicts']>) => () =>
    readFirst(conflicts?.[type] ?? 0, () => findConflicts(ctx, type))
  const findWebhooks = (isDisabled: boolean) => (): Found => ({
    objects: (webhooks ?? [])
      .filter(({ disabled_reason }) => (disabled_reason !== '') === isDisabled)
      .map(({ id, name, disabled_reason, failed }) => ({
        ...{ type: 'webhook', id, name },
        note: isDisabled ? disabled_reason : `${countText(failed, 'event')} not received in 24 hours`,
      })),
  })
  return {
    'conflict.duplicate_ip': findConflict('duplicate_ip'),
    'conflict.overlapping_subnet': findConflict('overlapping_subnet'),
    'network.full': () => ({ objects: parts.fullNetworks.map(toFull('network')) }),
    'pool.full': () => ({ objects: parts.fullPools.map(toFull('pool')) }),
    'webhook.disabled': findWebhooks(true),
    'webhook.failing': findWebhooks(false),
    'dns.attention': async () => ({
      objects: isPermitted(ctx, 'dns:list') ? await findZones(ctx.unscoped) : [],
    }),
    'scan.failed': async () => ({ objects: isPermitted(ctx, 'discovery:list') ? await findFailedScans(ctx) : [] }),
    'inbox.gone': findInbox('gone'),
    'inbox.changed': findInbox('changed'),
    'inbox.conflict': findInbox('conflict'),
    'inbox.new': findInbox('new'),
    'key.ending': () => ({
      objects: ending_keys.map(({ id, name, expires_at }) => ({ type: 'key', id, name, note: expires_at })),
    }),
    'credentials.sleeping': () => ({
      objects:
        sleepsAt === undefined
          ? []
          : [{ type: 'user', id: ctx.caller.userId ?? '', name: ctx.caller.username, note: sleepsAt }],
    }),
    'scan.running': () => readFirst(running_scans ?? 0, () => findRunningScans(ctx)),
  }
}

/** Returns the items in the order of `ATTENTION_KINDS`, without those of which there is none. */
export const findAttention = async (ctx: Ctx, parts: Parts): Promise<Attention[]> => {
  const items: Attention[] = []
  for (const [kind, find] of Object.entries(listFinders(ctx, parts))) {
    const { objects, count = objects.length } = await find()
    // The keys are the kinds.
    const severity = SEVERITIES[kind as Kind]
    if (count > 0) items.push({ kind: kind as Kind, severity, count, objects: objects.slice(0, NAMED) })
  }
  return items
}
