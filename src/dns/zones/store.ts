/** The queries of DNS zones, and of the state that their lanes keep; the only writer of these two tables and of the reports. */

import type { Kysely } from 'kysely'
import { prepared } from '../../database/query/prepared.ts'
import type { Tables } from '../../database/tables.ts'
import { withSpace } from '../../inventory/spaces/fields.ts'
import type { Ctx, DbScope, StoreScope } from '../../kernel/ctx.ts'
import { createLeases } from '../../kernel/jobs/leases.ts'
import { toNameOrder } from '../../net/name-order.ts'
import { createPlainStore, type RecordScope } from '../../resource/recorder.ts'
import type { DriftReport, ZoneSettings } from './schema.ts'
import type { Delegation } from './sync/delegations.ts'
import type { DnsZoneRow, DnsZoneStateRow } from './table.ts'

export const leases = createLeases('dns_zone_states', 'zone_id')

export type ZoneState = Omit<DnsZoneStateRow, 'holder' | 'until_ms'>

/** The state of a zone that nothing is known about. */
export const FRESH = {
  ...{ head: '', server_serial: null, compared_serial: null, error: '', failures: 0, retry_ms: 0, held: '' },
  ...{ drift_count: 0, check_ms: 0, last_synced_at: null, last_checked_at: null },
  ...{ transfer_failures: 0, transfer_error: '', delegations: '[]' },
} as const

/** Returns the fields in the order of the contract. */
export const toSettings = (row: DnsZoneRow): ZoneSettings => {
  const { id, name, subnet, provider_id, ttl, datacenter_id, network_id, admin_email, negative_ttl } = row
  const { max_delete_percent, check_interval_seconds, description, created_at, updated_at } = row
  // Validated before they were stored.
  const settings = {
    ...{
      id,
      name,
      subnet,
      kind: row.kind as ZoneSettings['kind'],
      provider_id,
      mode: row.mode as ZoneSettings['mode'],
    },
    ...{ ttl, tags: JSON.parse(row.tags) as string[], datacenter_id, network_id },
    statuses: JSON.parse(row.statuses) as ZoneSettings['statuses'],
    ...{ is_default: row.is_default === 1, nameservers: JSON.parse(row.nameservers) as string[], admin_email },
    ...{ negative_ttl, max_delete_percent, check_interval_seconds, repair: row.repair === 1, description },
    ...{ created_at, updated_at },
  }
  return withSpace(settings, row.space_id)
}

const toRow = ({ is_default, repair, tags, statuses, nameservers, ...zone }: ZoneSettings): DnsZoneRow => ({
  ...zone,
  name_order: toNameOrder(zone.name),
  space_id: zone.space_id ?? null,
  is_default: is_default ? 1 : 0,
  repair: repair ? 1 : 0,
  tags: JSON.stringify(tags),
  statuses: JSON.stringify(statuses),
  nameservers: JSON.stringify(nameservers),
})

export const query = ({ db }: DbScope) => db.selectFrom('dns_zones').selectAll().orderBy('name_order').orderBy('id')

const all = prepared((db: Kysely<Tables>) => query({ db }))

/** Returns the settings of all zones. */
export const findAllSettings = async (scope: StoreScope): Promise<ZoneSettings[]> =>
  (await all(scope, {})).map(toSettings)

const keys = prepared((db: Kysely<Tables>) =>
  db.selectFrom('dns_zones').select(['id', 'name', 'subnet', 'is_default', 'space_id']).orderBy('id'),
)

/** Returns a text that changes with the zones that names and addresses belong to; '' without zones. */
export const loadPlacementKey = async (scope: StoreScope): Promise<string> => {
  const rows = await keys(scope, {})
  return rows
    .map(({ id, name, subnet, is_default, space_id }) => `${id} ${name} ${subnet} ${is_default} ${space_id}`)
    .join('\n')
}

const store = createPlainStore({ ...{ kind: 'dns-zone', table: 'dns_zones' }, query, fromRow: toSettings, toRow })
export const { find, lock, update: updateRow } = store

export const insert = (scope: RecordScope, zone: ZoneSettings): Promise<void> =>
  store.write(scope, [zone.id], async () => {
    await scope.db.insertInto('dns_zones').values(toRow(zone)).execute()
    const state = { zone_id: zone.id, holder: '', until_ms: 0, serial: 0, ...FRESH }
    await scope.db.insertInto('dns_zone_states').values(state).execute()
  })

export const deleteRow = (scope: RecordScope, id: string): Promise<void> =>
  store.write(scope, [id], async () => {
    await scope.db.deleteFrom('dns_reports').where('zone_id', '=', id).execute()
    await scope.db.deleteFrom('dns_zone_states').where('zone_id', '=', id).execute()
    await scope.db.deleteFrom('dns_zones').where('id', '=', id).execute()
  })

const selectStates = ({ db }: DbScope) => db.selectFrom('dns_zone_states').selectAll()

/** PostgreSQL sends 64-bit numbers as text. */
const toNumber = (value: number | null): number | null => (value === null ? null : Number(value))

const toState = ({ holder: _, until_ms: _until, ...row }: DnsZoneStateRow): ZoneState => ({
  ...row,
  serial: Number(row.serial),
  server_serial: toNumber(row.server_serial),
  compared_serial: toNumber(row.compared_serial),
  retry_ms: Number(row.retry_ms),
  check_ms: Number(row.check_ms),
})

export const findAllStates = async (scope: DbScope): Promise<Map<string, ZoneState>> =>
  new Map((await selectStates(scope).execute()).map((row) => [row.zone_id, toState(row)]))

export const findState = async (scope: DbScope, id: string): Promise<ZoneState | undefined> => {
  const row = await selectStates(scope).where('zone_id', '=', id).executeTakeFirst()
  return row && toState(row)
}

/** Returns the delegations that only the server has, as of the last transfer. */
export const findServerDelegations = async ({ db }: DbScope, id: string): Promise<Delegation[]> => {
  const row = await db.selectFrom('dns_zone_states').select('delegations').where('zone_id', '=', id).executeTakeFirst()
  // Written by the comparison with the server.
  return JSON.parse(row?.delegations ?? '[]') as Delegation[]
}

export const updateState = async ({ db }: DbScope, id: string, change: Partial<ZoneState>): Promise<void> => {
  await db.updateTable('dns_zone_states').set(change).where('zone_id', '=', id).execute()
}

/** Locks the state of a zone until commit. */
export const lockState = async (ctx: Ctx, id: string): Promise<void> => {
  const rows = ctx.db.selectFrom('dns_zone_states').select('zone_id').where('zone_id', '=', id)
  await ctx.store.sql.besideOthers(() => ctx.store.sql.lockRows(rows).execute())
}

/** Locks the state of a zone until commit, if no instance holds its lease. */
export const lockFreeState = async (ctx: Ctx, id: string): Promise<boolean> => {
  const free = ctx.db
    .selectFrom('dns_zone_states')
    .select('zone_id')
    .where('zone_id', '=', id)
    .where(leases.isFree(ctx))
  return (await ctx.store.sql.lockFreeRows(free).executeTakeFirst()) !== undefined
}

/** Returns the zones with work that no instance has begun. */
export const findDueZones = async (ctx: Ctx, nowMs: number): Promise<string[]> => {
  const rows = await ctx.db
    .selectFrom('dns_zone_states as states')
    .innerJoin('dns_zones as zones', 'zones.id', 'states.zone_id')
    .select('states.zone_id')
    .where(leases.isFree(ctx))
    .where((eb) =>
      eb.or([
        eb.exists(
          eb.selectFrom('dns_changes').select('dns_changes.id').whereRef('dns_changes.zone_id', '=', 'zones.id'),
        ),
        eb.and([
          eb('states.held', '=', ''),
          eb('states.retry_ms', '<=', nowMs),
          eb.exists(
            eb
              .selectFrom('dns_rrsets')
              .select('dns_rrsets.name')
              .whereRef('dns_rrsets.zone_id', '=', 'zones.id')
              .where('dns_rrsets.state', '=', 'pending'),
          ),
        ]),
        eb.and([eb('zones.provider_id', 'is not', null), eb('states.check_ms', '<=', nowMs)]),
      ]),
    )
    .execute()
  return rows.map(({ zone_id }) => zone_id)
}

export const findReport = async ({ db }: DbScope, id: string): Promise<DriftReport | undefined> => {
  const row = await db.selectFrom('dns_reports').select('doc').where('zone_id', '=', id).executeTakeFirst()
  // Written by this feature.
  return row && (JSON.parse(row.doc) as DriftReport)
}

export const updateReport = async ({ db }: DbScope, report: DriftReport): Promise<void> => {
  const row = { zone_id: report.zone_id, doc: JSON.stringify(report) }
  const { doc } = row
  await db
    .insertInto('dns_reports')
    .values(row)
    .onConflict((conflict) => conflict.column('zone_id').doUpdateSet({ doc }))
    .execute()
}

export const removeReport = async ({ db }: DbScope, id: string): Promise<void> => {
  await db.deleteFrom('dns_reports').where('zone_id', '=', id).execute()
}
