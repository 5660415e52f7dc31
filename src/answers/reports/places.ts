/** Documented devices without a place: addresses outside of all networks, and devices without a datacenter. */
import { sql } from 'kysely'
import { describeDevices } from './objects.ts'
import type { Found, Report } from './report.ts'

/** Comes behind the key of each address. */
const LAST_KEY = '\u{10ffff}'

export const unplacedAddresses: Report = {
  name: 'unplaced-addresses',
  title: 'Addresses in no network',
  description: 'Addresses of devices that belong to no documented network',
  permissions: ['devices:list'],
  days: null,
  uses: ['datacenter_id'],
  tables: ['devices', 'addresses', 'network_addresses', 'networks'],
  // Begins with the gaps between networks: few addresses are in one.
  query: () => sql<Found & { name_order: string }>`
    SELECT DISTINCT d.id, '' AS since, a.ip AS item, d.name_order
    FROM (SELECT '' AS low, coalesce(min(first_key), ${LAST_KEY}) AS high FROM networks
      UNION ALL SELECT max(last_key) OVER (ORDER BY first_key, last_key) AS low,
        coalesce(lead(first_key) OVER (ORDER BY first_key, last_key), ${LAST_KEY}) AS high FROM networks) AS g
    CROSS JOIN addresses AS a CROSS JOIN devices AS d
    WHERE g.low < g.high AND a.ip_key > g.low AND a.ip_key < g.high AND d.id = a.device_id
      AND NOT EXISTS (SELECT 1 FROM network_addresses AS n WHERE n.device_id = a.device_id AND n.ip_key = a.ip_key)`,
  describe: describeDevices(({ device, base }, { item }) => ({
    ...base,
    id: `unplaced-addresses:${device.id}:${item}`,
    message: `No network holds ${item}: document its network, or correct the address`,
  })),
}

export const unlocatedDevices: Report = {
  name: 'unlocated-devices',
  title: 'Devices without a datacenter',
  description: 'Devices that are not decommissioned and stand in no datacenter',
  permissions: ['devices:list'],
  days: null,
  uses: ['network_id', 'datacenter_id'],
  tables: ['devices', 'addresses', 'network_addresses', 'networks'],
  query: () => sql<Found & { name_order: string }>`
    SELECT d.id, '' AS since, '' AS item, d.name_order FROM devices AS d
    WHERE d.datacenter_id IS NULL AND d.status <> 'decommissioned'`,
  describe: describeDevices(({ device, base }) => ({
    ...base,
    id: `unlocated-devices:${device.id}`,
    message: 'It stands in no datacenter: choose one',
  })),
}
