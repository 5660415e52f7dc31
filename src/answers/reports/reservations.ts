/** Reservations of addresses that seem to be unused. */
import { sql } from 'kysely'
import { isLive } from '../../inventory/reservations/reservations.ts'
import { findDatacenters } from './objects.ts'
import { countDays, daysAgo, EMPTY, type Found, formatDays, type Report, toMoment } from './report.ts'

export const staleReservations: Report = {
  name: 'stale-reservations',
  title: 'Stale reservations',
  description: 'Live reservations that are old, and at whose addresses nothing is up',
  permissions: ['reservations:list'],
  days: 90,
  uses: ['days', 'network_id', 'datacenter_id'],
  owner: 'reservations',
  query: ({ whole }, { days }) => sql<Found & { name_order: string }>`
    SELECT r.id, r.created_at AS since, '' AS item, coalesce(nullif(lower(r.hostname), ''), r.ip_key) AS name_order
    FROM reservations AS r
    WHERE r.created_at <= ${daysAgo(whole, days)} AND ${isLive(whole.now)}
      AND NOT EXISTS (SELECT 1 FROM discovered_addresses AS a WHERE a.ip_key = r.ip_key AND a.status = 'up')`,
  describe: async (scope, found) => {
    const { ctx, whole } = scope
    const ids = found.map(({ id }) => id)
    const rows = await ctx.db
      .selectFrom('reservations')
      .leftJoin('pools', 'pools.id', 'pool_id')
      .select(['reservations.id', 'ip_address', 'hostname', 'mac_address', 'network_id', 'pool_id', 'purpose'])
      .where('reservations.id', 'in', ids)
      .execute()
    const known = new Map(rows.map((row) => [row.id, row]))
    const datacenters = await findDatacenters(
      scope,
      rows.map(({ network_id }) => network_id),
    )
    return ({ id, since }) => {
      const row = known.get(id)
      if (!row) return undefined
      const { ip_address, hostname, mac_address, network_id, pool_id, purpose } = row
      const age = formatDays(countDays(since, whole.now))
      return {
        ...EMPTY,
        ...{ id: `stale-reservations:${id}`, resource: 'reservation' as const, resource_id: id },
        ...{ name: hostname || ip_address, ip_address, mac_address: mac_address ?? '', network_id },
        datacenter_id: network_id === null ? null : (datacenters.get(network_id) ?? null),
        ...{ since: toMoment(since), details: { pool_id, purpose } },
        message: `Reserved ${age} ago, and nothing is up there: delete it, unless its host is still to come`,
      }
    }
  },
}
