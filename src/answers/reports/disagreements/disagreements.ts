/** Addresses about which documentation, scans, DNS and DHCP contradict each other. */
import { type RawBuilder, type SqlBool, sql } from 'kysely'
import { pause } from '../../../base/runtime/pause.ts'
import { splitBatches } from '../../../database/query/batches.ts'
import { isLive } from '../../../inventory/reservations/reservations.ts'
import type { Ctx } from '../../../kernel/ctx.ts'
import { compareCodePoints } from '../../../net/name-order.ts'
import type { Finding } from '../api.ts'
import { differs } from '../dns.ts'
import { findDatacenters, loadDevices } from '../objects.ts'
import { EMPTY, type Found, type Report, type Scope } from '../report.ts'
import { type ForwardNames, loadForwardNames } from './forward-names.ts'
import {
  type AddressRow,
  type Contradiction,
  findContradiction,
  readTruths,
  SOURCES,
  type Source,
  type Truths,
} from './truths.ts'

/** The row of an address, with the position of its finding. */
type Row = AddressRow & {
  readonly ip_key: string
  readonly network_id: string
  readonly discovered_hostname: string
  readonly name_order: string
}

/** Matches addresses that the last scan saw. */
const isUp = sql<SqlBool>`a.status = 'up' AND x.status = 'up'`

/** Selects the addresses that are up or leased, with all that is known there; a row for each of its networks and documented devices. */
const selectRows = ({ store, now }: Ctx, condition: RawBuilder<SqlBool>) => sql<Row>`
    SELECT a.ip_key, a.place, a.ip, CASE WHEN ${isUp} THEN 1 ELSE 0 END AS is_up, a.last_seen,
      a.seen_mac, a.seen_names, a.ptr_names, a.lease_names, a.lease_end,
      ${sql.raw(store.sql.past.text('a.observation', 'mac'))} AS lease_mac, x.id AS discovered_id, x.network_id,
      coalesce(t.hostname_key, '') AS discovered_hostname,
      d.id AS device_id, d.name AS device_name, d.hostname_key AS device_hostname, h.mac_address AS device_mac,
      d.updated_at AS device_updated_at,
      (SELECT string_agg(o.domain, ' ') FROM device_domains AS o WHERE o.device_id = d.id) AS domains,
      r.id AS reservation_id, r.hostname AS reservation_hostname, r.mac_address AS reservation_mac,
      r.updated_at AS reservation_updated_at,
      coalesce(d.name_order, CASE WHEN r.id IS NULL THEN coalesce(nullif(t.hostname_key, ''), x.ip_key)
        ELSE coalesce(nullif(lower(r.hostname), ''), x.ip_key) END) AS name_order
    FROM discovered_addresses AS a JOIN discovered_devices AS x ON x.id = a.device_id
    LEFT JOIN discovered_texts AS t ON t.device_id = x.id
    LEFT JOIN addresses AS h ON h.ip_key = a.ip_key LEFT JOIN devices AS d ON d.id = h.device_id
    LEFT JOIN reservations AS r ON r.ip_key = a.ip_key AND ${isLive(now)}
    WHERE ((${isUp}) OR a.lease_end > ${now}) AND ${condition}
    ORDER BY a.ip_key, is_up DESC, a.last_seen DESC, a.place, d.id`

/** Returns the rows of one address: of several networks, those of the network that saw it last. */
const filterLatest = (rows: readonly Row[]): Row[] => rows.filter(({ place }) => place === rows[0]?.place)

const getResourceId = ({ device_id, reservation_id, discovered_id }: Row): string =>
  device_id ?? reservation_id ?? discovered_id

type Sorted = Found & { readonly name_order: string }

const compareFound = (one: Sorted, other: Sorted): number =>
  compareCodePoints(one.name_order, other.name_order) ||
  compareCodePoints(one.id, other.id) ||
  compareCodePoints(one.item, other.item)

/** Reads the rows of addresses, by their keys. */
const readRows = async ({ ctx }: Scope, keys: readonly string[]): Promise<ReadonlyMap<string, Row[]>> => {
  const { rows } = await selectRows(ctx, sql<SqlBool>`a.ip_key IN (${sql.join(keys)})`).execute(ctx.db)
  return new Map([...Map.groupBy(rows, ({ ip_key }) => ip_key)].map(([key, all]) => [key, filterLatest(all)]))
}

/** Finds the addresses at which two truths may contradict. Most addresses, at which all truths are obviously the same, are left out. */
const findSuspects = async ({ ctx, whole: { now } }: Scope): Promise<string[]> => {
  const { rows } = await sql<{ ip_key: string }>`
    SELECT a.ip_key FROM discovered_addresses AS a
    LEFT JOIN addresses AS h ON h.ip_key = a.ip_key LEFT JOIN devices AS d ON d.id = h.device_id
    WHERE a.lease_end > ${now} OR (a.status = 'up' AND (a.seen_names <> ''
      OR (a.seen_mac <> '' AND h.mac_address <> '' AND h.mac_address <> a.seen_mac)
      OR (a.ptr_names <> '' AND ${differs}
        AND (d.hostname_key <> '' OR EXISTS (SELECT 1 FROM device_domains AS o WHERE o.device_id = d.id)))))
    UNION SELECT a.ip_key FROM reservations AS r JOIN discovered_addresses AS a ON a.ip_key = r.ip_key
    WHERE a.status = 'up' AND (r.hostname <> '' OR r.mac_address <> '') AND ${isLive(now)}
    ${ctx.store.sql.slowMark}`.execute(ctx.db)
  return rows.map(({ ip_key }) => ip_key)
}

const findAll = async (scope: Scope): Promise<readonly Found[]> => {
  const found: Sorted[] = []
  const forward = await loadForwardNames(scope.whole)
  const { now } = scope.whole
  for (const keys of splitBatches([...new Set([...(await findSuspects(scope)), ...forward.keys()])])) {
    for (const [key, rows] of await readRows(scope, keys)) {
      const [row] = rows
      if (!row || !findContradiction(readTruths(rows, { now, forward: forward.get(key) }))) continue
      found.push({ id: getResourceId(row), since: '', item: row.ip_key, name_order: row.name_order })
    }
    await pause()
  }
  return found.sort(compareFound)
}

const PHRASES: Readonly<Record<Source, string>> = {
  documented: 'the documentation',
  seen: 'the last scan',
  named: 'the DNS',
  leased: 'the DHCP server',
}

const ADVICE: Readonly<Record<Source, string>> = {
  documented: 'correct the documentation, or find out who uses the address',
  seen: 'find out who uses the address',
  named: 'correct the DNS',
  leased: 'correct the DHCP server, or the host',
}

const explain = (truths: Truths, { one, other, field }: Contradiction): string => {
  const quote = (source: Source): string => {
    const { name = '', mac_address = '' } = truths[source]?.truth ?? {}
    return `${PHRASES[source]} says ${field === 'MAC' ? mac_address : name}`
  }
  return `${field === 'MAC' ? 'MAC address' : 'Name'}: ${quote(one)}, ${quote(other)}; ${ADVICE[one === 'documented' ? one : other]}`
}

const describeRows = (
  rows: readonly Row[],
  asked: { readonly now: string; readonly forward: ForwardNames | undefined },
): Pick<Finding, 'message' | 'details'> | undefined => {
  const truths = readTruths(rows, asked)
  const contradiction = findContradiction(truths)
  if (!contradiction) return undefined
  const details = Object.fromEntries(SOURCES.map((source) => [source, truths[source]?.truth ?? null]))
  return { message: explain(truths, contradiction), details }
}

export const disagreements: Report = {
  name: 'disagreements',
  title: 'Disagreements',
  description: 'Addresses about which documentation, scans, DNS and DHCP contradict each other',
  permissions: ['devices:list', 'discovery:list'],
  days: null,
  uses: ['network_id', 'datacenter_id'],
  find: findAll,
  describe: async (scope, found) => {
    const { whole } = scope
    const keys = found.map(({ item }) => item)
    const known = await readRows(scope, keys)
    const forward = await loadForwardNames(whole, new Set(keys))
    const getKnown = await loadDevices(scope, found)
    const datacenters = await findDatacenters(
      scope,
      [...known.values()].flat().map(({ network_id }) => network_id),
    )
    return (one) => {
      const own = known.get(one.item) ?? []
      const [row] = own
      const described = describeRows(own, { now: whole.now, forward: forward.get(one.item) })
      if (!row || !described) return undefined
      const device = row.device_id === null ? undefined : getKnown({ ...one, id: row.device_id })?.device
      const { ip, network_id, reservation_id, reservation_hostname, seen_mac, lease_mac } = row
      return {
        ...EMPTY,
        ...{ id: `disagreements:${network_id}:${ip}`, resource_id: getResourceId(row), ip_address: ip, network_id },
        resource: device
          ? ('device' as const)
          : reservation_id !== null
            ? ('reservation' as const)
            : ('discovered' as const),
        name: device?.name ?? ((reservation_id === null ? row.discovered_hostname : reservation_hostname) || ip),
        mac_address: (device ? row.device_mac : row.reservation_mac) || seen_mac || lease_mac,
        datacenter_id: device?.datacenter_id ?? datacenters.get(network_id) ?? null,
        ...described,
      }
    }
  },
}
