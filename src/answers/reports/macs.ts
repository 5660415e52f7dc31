/** MAC addresses that several discovered devices have at once. */
import { sql } from 'kysely'
import { isIdentifying } from '../../discovery/devices/identity.ts'
import { isLocallyAdministered } from '../../net/mac.ts'
import { loadDiscovered } from './objects.ts'
import type { Found, Report, Scope } from './report.ts'

/** Most members that a finding names. A router that answers for others has a MAC of thousands. */
const MAX_MEMBERS = 100

/** True for a MAC that its vendor has given to one interface: global, and of no virtual router. */
export const isGlobalIdentity = (mac: string): boolean => isIdentifying(mac) && !isLocallyAdministered(mac)

type Row = Found & { readonly count: number | string }

/** The length of a moment and the blank behind it. */
const MOMENT = 25

const findShared = async ({ ctx, whole }: Scope): Promise<Row[]> => {
  const { past, slowMark } = whole.store.sql
  const { rows } = await sql<Row>`
    SELECT f.id, '' AS since, g.mac_address AS item, g.count
    FROM (SELECT t.mac_address, count(*) AS count, count(x.matched_device_id) AS matched,
        count(DISTINCT x.matched_device_id) AS documented,
        min(${sql.raw(past.text('x.doc', 'first_seen'))} || ' ' || x.id) AS first
      FROM (SELECT mac_address FROM discovered_texts WHERE mac_address <> ''
        GROUP BY mac_address HAVING count(*) > 1) AS m CROSS JOIN discovered_texts AS t CROSS JOIN discovered_devices AS x
      WHERE t.mac_address = m.mac_address AND t.mac_address <> '' AND x.id = t.device_id AND x.status = 'up'
      GROUP BY t.mac_address) AS g
    JOIN discovered_devices AS f ON f.id = substr(g.first, ${sql.raw(String(MOMENT + 1))})
    LEFT JOIN discovered_texts AS n ON n.device_id = f.id
    WHERE g.count > 1 AND (g.matched < g.count OR g.documented > 1)
    ORDER BY coalesce(nullif(n.hostname_key, ''), f.ip_key), f.id, g.mac_address ${slowMark}`.execute(ctx.db)
  return rows.filter(({ item }) => isGlobalIdentity(item))
}

type Member = { readonly mac_address: string; readonly id: string; readonly ip: string; readonly network_id: string }

/** Returns the first devices that are up with each of the MACs, by address, and how many there are. */
const findMembers = async ({ ctx, whole }: Scope, macs: readonly string[]) => {
  const { rows } = await sql<Member & { readonly count: number | string }>`
    SELECT mac_address, id, ip, network_id, count FROM (
      SELECT t.mac_address, x.id, x.network_id, x.ip_key, ${sql.raw(whole.store.sql.past.text('x.doc', 'ip'))} AS ip,
        count(*) OVER (PARTITION BY t.mac_address) AS count,
        row_number() OVER (PARTITION BY t.mac_address ORDER BY x.ip_key, x.id) AS position
      FROM discovered_texts AS t JOIN discovered_devices AS x ON x.id = t.device_id AND x.status = 'up'
      WHERE t.mac_address IN (${sql.join(macs)})) AS members
    WHERE position <= ${sql.raw(String(MAX_MEMBERS))} ORDER BY mac_address, position`.execute(ctx.db)
  return Map.groupBy(rows, ({ mac_address }) => mac_address)
}

export const duplicateMacs: Report = {
  name: 'duplicate-macs',
  title: 'Duplicate MAC addresses',
  description: 'MAC addresses of one interface that several discovered devices have, and not one documented device',
  permissions: ['discovery:list'],
  days: null,
  uses: ['network_id', 'datacenter_id'],
  tables: ['discovered_devices', 'discovered_texts', 'networks'],
  find: findShared,
  describe: async (scope, found) => {
    const members = await findMembers(
      scope,
      found.map(({ item }) => item),
    )
    const getKnown = await loadDiscovered(scope, found)
    return (one) => {
      const { item } = one
      const known = getKnown(one)
      const own = members.get(item) ?? []
      const value = Number(own[0]?.count ?? 0)
      return (
        known && {
          ...known.base,
          ...{ id: `duplicate-macs:${item}`, mac_address: item, value },
          message: `${value} devices have the MAC ${item}: document them as one, or look for a copied machine`,
          details: { members: own.map(({ id, ip, network_id }) => ({ id, ip, network_id })) },
        }
      )
    }
  },
}
