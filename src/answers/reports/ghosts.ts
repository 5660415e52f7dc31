/** Documented devices that scans of their networks no longer see. */
import { sql } from 'kysely'
import { describeDevices } from './objects.ts'
import { countDays, daysAgo, type Found, formatDays, type Report } from './report.ts'

export const ghosts: Report = {
  name: 'ghosts',
  title: 'Ghosts',
  description: 'Active devices that the last scans of their networks have not seen',
  permissions: ['devices:list'],
  days: 30,
  uses: ['days', 'network_id', 'datacenter_id'],
  owner: 'devices',
  query: ({ whole }, { days }) => {
    const before = daysAgo(whole, days)
    const seenAt = sql`(SELECT max(a.last_seen) FROM network_addresses AS n
      JOIN discovered_addresses AS a ON a.place = n.network_id || ' ' || n.ip_key WHERE n.device_id = d.id)`
    const seenAs = sql`(SELECT max(x.last_seen) FROM discovered_devices AS x WHERE x.matched_device_id = d.id)`
    return sql<Found & { name_order: string }>`
      SELECT id, CASE WHEN seen_at > seen_as THEN seen_at ELSE seen_as END AS since, '' AS item, name_order
      FROM (SELECT d.id, d.name_order, coalesce(${seenAt}, '') AS seen_at, coalesce(${seenAs}, '') AS seen_as
        FROM (SELECT n.device_id, max(s.started_at) AS scanned_at FROM network_addresses AS n
          JOIN (SELECT network_id, max(started_at) AS started_at FROM discovery_scans
            WHERE status = 'completed' GROUP BY network_id) AS s ON s.network_id = n.network_id
          WHERE NOT EXISTS (SELECT 1 FROM discovered_devices AS x
            WHERE x.matched_device_id = n.device_id AND x.status = 'up')
          GROUP BY n.device_id) AS c
        JOIN devices AS d ON d.id = c.device_id
        WHERE d.status = 'active' AND d.created_at < c.scanned_at AND d.created_at <= ${before}
          AND NOT EXISTS (SELECT 1 FROM network_addresses AS n
            JOIN discovered_addresses AS a ON a.place = n.network_id || ' ' || n.ip_key
            JOIN discovered_devices AS x ON x.id = a.device_id AND x.status = 'up' WHERE n.device_id = d.id)) AS unseen
      WHERE seen_at <= ${before} AND seen_as <= ${before}`
  },
  describe: describeDevices(({ device, base }, _, { whole }) => ({
    ...base,
    id: `ghosts:${device.id}`,
    message:
      base.since === null
        ? 'No scan of its networks has ever seen it: retire it, or correct its addresses'
        : `Not seen for ${formatDays(countDays(base.since, whole.now))}: retire it, or correct its addresses`,
  })),
}
