/** Discovered devices that are not documented, and discovered devices with new open ports. */
import { sql } from 'kysely'
import type { FieldChange } from '../../discovery/schema.ts'
import { describeDiscovered } from './objects.ts'
import { daysAgo, type Found, type Report, type Scope } from './report.ts'

export const shadows: Report = {
  name: 'shadows',
  title: 'Shadows',
  description: 'Discovered devices that are up, and neither documented nor ignored',
  permissions: ['discovery:list'],
  days: null,
  uses: ['network_id', 'datacenter_id'],
  tables: ['discovered_devices', 'networks'],
  query: ({ whole }) => {
    const firstSeen = sql.raw(whole.store.sql.past.text('x.doc', 'first_seen'))
    return sql<Found & { name_order: string }>`
      SELECT x.id, ${firstSeen} AS since, '' AS item, coalesce(nullif(t.hostname_key, ''), x.ip_key) AS name_order
      FROM discovered_devices AS x LEFT JOIN discovered_texts AS t ON t.device_id = x.id
      WHERE x.bucket = 'new' AND x.bucket <> '' AND x.is_ignored = 0 AND x.status = 'up'`
  },
  describe: describeDiscovered(({ device, base }) => ({
    ...base,
    id: `shadows:${device.id}`,
    message: 'Seen, and not documented: promote it, or ignore it',
  })),
}

type PortRow = {
  readonly id: string
  readonly changes: string
  readonly open_ports: string
}

/** Returns the ports of a text such as `22, 80`. */
const parsePorts = (text: string): number[] => text.split(', ').flatMap((port) => (port === '' ? [] : Number(port)))

/** Returns the ports that a change of a scan found open, and that were not open before. */
const listOpened = (changes: string): number[] => {
  // The stored JSON was written by a scan.
  const change = (JSON.parse(changes) as FieldChange[]).find(({ field }) => field === 'open_ports')
  if (!change) return []
  const before = new Set(parsePorts(change.before))
  return parsePorts(change.after).filter((port) => !before.has(port))
}

/** Reads the devices with ports that completed scans found open since a moment and that still are. */
const findOpened = async ({ ctx, whole }: Scope, since: string): Promise<readonly Found[]> => {
  const { past, slowMark } = whole.store.sql
  const { rows } = await sql<PortRow>`
    SELECT x.id, c.changes, ${sql.raw(past.text('x.doc', 'open_ports'))} AS open_ports
    FROM discovery_scans AS s JOIN discovery_changes AS c ON c.scan_id = s.id
    JOIN discovered_devices AS x ON x.id = c.discovered_id LEFT JOIN discovered_texts AS t ON t.device_id = x.id
    WHERE s.status = 'completed' AND s.completed_at >= ${since} AND c.kind = 'changed' AND x.status = 'up'
      AND c.changes LIKE '%"open_ports"%'
    ORDER BY coalesce(nullif(t.hostname_key, ''), x.ip_key), x.id ${slowMark}`.execute(ctx.db)
  const opened = new Map<string, Set<number>>()
  for (const { id, changes, open_ports } of rows) {
    // The stored list of a discovered device.
    const open = new Set(JSON.parse(open_ports) as number[])
    const ports = listOpened(changes).filter((port) => open.has(port))
    if (ports.length > 0) opened.set(id, new Set([...(opened.get(id) ?? []), ...ports]))
  }
  return [...opened].map(([id, ports]) => ({ id, since: '', item: [...ports].sort((a, b) => a - b).join(' ') }))
}

export const newPorts: Report = {
  name: 'new-ports',
  title: 'New open ports',
  description: 'Devices with ports that a recent scan found open and the scan before did not',
  permissions: ['discovery:list'],
  days: 7,
  uses: ['days', 'network_id', 'datacenter_id'],
  find: (scope, { days }) => findOpened(scope, daysAgo(scope.whole, days)),
  describe: describeDiscovered(({ device, base }, { item }) => {
    const ports = item.split(' ').map(Number)
    const what = ports.length === 1 ? `Port ${ports[0]} was` : `Ports ${ports.join(', ')} were`
    const message = `${what} closed in the scan before: find out what listens there`
    return { ...base, id: `new-ports:${device.id}`, message, details: { ports } }
  }),
}
