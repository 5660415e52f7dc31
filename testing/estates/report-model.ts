/** A plain model of the reports: the stored objects in memory, and loops over them. Shares no code with the reports. */
import type { Db } from '../../src/database/database.ts'
import type { Tables } from '../../src/database/tables.ts'
import type { Observation } from '../../src/discovery/devices/records.ts'
import type { DiscoveredDevice } from '../../src/discovery/schema.ts'
import type { DriftReport } from '../../src/dns/zones/schema.ts'
import type { Device } from '../../src/inventory/devices/schema.ts'
import { cidrHolds, parseCidrOrThrow } from '../../src/net/cidr.ts'
import { parseIp } from '../../src/net/ip.ts'

const DAY_MS = 86_400_000

/** The numbers of a finding that the model predicts. */
export type Expected = { readonly id: string; readonly since: string | null; readonly value: number | null }

export type Asked = { readonly now: string; readonly days: number; readonly min: number }

const readAll = async ({ read }: Db<Tables>) => ({
  networks: await read.selectFrom('networks').selectAll().execute(),
  devices: (await read.selectFrom('devices').select('doc').execute()).map(({ doc }) => JSON.parse(doc) as Device),
  pools: await read.selectFrom('pools').selectAll().execute(),
  reservations: await read.selectFrom('reservations').selectAll().execute(),
  scans: await read.selectFrom('discovery_scans').selectAll().execute(),
  changes: await read.selectFrom('discovery_changes').selectAll().execute(),
  discovered: (await read.selectFrom('discovered_devices').selectAll().execute()).map((row) => ({
    ...row,
    device: JSON.parse(row.doc) as DiscoveredDevice,
  })),
  seen: (await read.selectFrom('discovered_addresses').selectAll().execute()).map((row) => ({
    ...row,
    report: JSON.parse(row.observation) as Observation,
  })),
  zones: (
    await read
      .selectFrom('dns_zones')
      .innerJoin('dns_reports', 'zone_id', 'id')
      .select(['name', 'space_id', 'doc'])
      .execute()
  ).map(({ doc, ...zone }) => ({ ...zone, report: JSON.parse(doc) as DriftReport })),
})
type Estate = Awaited<ReturnType<typeof readAll>>

const holds = (subnet: string, text: string): boolean => {
  const ip = parseIp(text)
  return ip !== undefined && cidrHolds(parseCidrOrThrow(subnet), ip)
}

/** Returns the network of an address of a device: its own, else the smallest of its space that holds it. */
const networkOf = ({ networks }: Estate, address: Device['addresses'][number]) => {
  if (address.network_id !== null) return networks.find(({ id }) => id === address.network_id)
  const around = networks.filter(
    ({ subnet, space_id }) => (space_id ?? '') === (address.space_id ?? '') && holds(subnet, address.ip),
  )
  return around.sort((a, b) => b.prefix - a.prefix)[0]
}

const ago = (now: string, days: number): string => new Date(Date.parse(now) - days * DAY_MS).toISOString()
const daysBetween = (from: string, to: string): number => Math.floor((Date.parse(to) - Date.parse(from)) / DAY_MS)
const latest = (texts: readonly string[]): string => [...texts].sort().at(-1) ?? ''
const completed = ({ scans }: Estate, networkId: string) =>
  scans.filter(({ network_id, status }) => network_id === networkId && status === 'completed')
const isUp = ({ status }: { readonly status: string }): boolean => status === 'up'

/** The addresses of a device with the discovered ones at the same places. */
const placesOf = (estate: Estate, device: Device) =>
  device.addresses.flatMap((address) => {
    const network = networkOf(estate, address)
    if (!network) return []
    const seen = estate.seen.filter(({ ip, place }) => ip === address.ip && place.startsWith(`${network.id} `))
    return [{ network, seen }]
  })

const ghosts = (estate: Estate, { now, days }: Asked): Expected[] =>
  estate.devices.flatMap((device) => {
    const places = placesOf(estate, device)
    const own = estate.discovered.filter(({ matched_device_id }) => matched_device_id === device.id)
    const there = places.flatMap(({ seen }) => seen)
    const holders = estate.discovered.filter(({ id }) => there.some(({ device_id }) => device_id === id))
    const wasScanned = places.some(({ network }) =>
      completed(estate, network.id).some(({ started_at }) => (started_at ?? '') > device.created_at),
    )
    const since = latest([...own.map(({ last_seen }) => last_seen), ...there.map(({ last_seen }) => last_seen)])
    const isGhost = device.status === 'active' && wasScanned && ![...own, ...holders].some(isUp)
    const isOld = latest([since, device.created_at]) <= ago(now, days)
    return isGhost && isOld ? [{ id: `ghosts:${device.id}`, since: since || null, value: null }] : []
  })

const shadows = ({ discovered }: Estate): Expected[] =>
  discovered
    .filter((one) => one.bucket === 'new' && one.is_ignored === 0 && isUp(one))
    .map(({ id, device }) => ({ id: `shadows:${id}`, since: device.first_seen, value: null }))

/** Global MACs of the test are those of Intel; the others are local ones and that of a virtual router. */
const identifies = (mac: string): boolean => mac.startsWith('00:1b:21:')

const duplicateMacs = ({ discovered }: Estate): Expected[] =>
  [...Map.groupBy(discovered.filter(isUp), ({ device }) => device.mac_address)].flatMap(([mac, all]) => {
    const documented = new Set(all.map(({ matched_device_id }) => matched_device_id))
    const isOne = documented.size === 1 && !documented.has(null)
    return identifies(mac) && all.length > 1 && !isOne
      ? [{ id: `duplicate-macs:${mac}`, since: null, value: all.length }]
      : []
  })

const bare = (name: string): string => name.toLowerCase().replace(/\.$/, '')
const label = (name: string): string => bare(name).split('.')[0] ?? ''

const isNameOf = ({ hostname, domains, name }: Device, ptr: string): boolean =>
  [hostname, ...domains, name].some((one) => one !== '' && bare(one) === bare(ptr)) ||
  (hostname !== '' && !bare(hostname).includes('.') && bare(hostname) === label(ptr))

const dnsMismatch = (estate: Estate): Expected[] =>
  estate.devices.flatMap((device) => {
    if (device.hostname === '' && device.domains.length === 0) return []
    const own = estate.discovered.filter((one) => one.matched_device_id === device.id && isUp(one))
    const seen = estate.seen.filter((one) => isUp(one) && own.some(({ id }) => id === one.device_id))
    const names = seen.flatMap(({ report }) => report.names.filter(({ source }) => source === 'ptr'))
    return names.some(({ name }) => !isNameOf(device, name))
      ? [{ id: `dns-mismatch:${device.id}`, since: null, value: null }]
      : []
  })

const unplacedAddresses = (estate: Estate): Expected[] =>
  estate.devices.flatMap(({ id, addresses }) =>
    [...new Set(addresses.filter((one) => !networkOf(estate, one)).map(({ ip }) => ip))].map((ip) => ({
      ...{ id: `unplaced-addresses:${id}:${ip}`, since: null, value: null },
    })),
  )

const isLive = ({ expires_at }: { readonly expires_at: string | null }, now: string): boolean =>
  expires_at === null || expires_at > now

const toNumber = (ip: string): bigint => parseIp(ip)?.value ?? 0n

const fullPools = (estate: Estate, { now, min }: Asked): Expected[] =>
  estate.pools.flatMap(({ id, network_id, start_ip, end_ip }) => {
    const network = estate.networks.find((one) => one.id === network_id)
    const isIn = (ip: string) => toNumber(ip) >= toNumber(start_ip) && toNumber(ip) <= toNumber(end_ip)
    const used = new Set(
      estate.devices.flatMap(({ addresses }) =>
        addresses
          .filter((one) => isIn(one.ip) && (one.space_id ?? '') === (network?.space_id ?? ''))
          .map(({ ip }) => ip),
      ),
    )
    for (const one of estate.reservations) if (one.pool_id === id && isLive(one, now)) used.add(one.ip_address)
    const total = Number(toNumber(end_ip) - toNumber(start_ip)) + 1
    const value = Math.round((used.size / total) * 10_000) / 100
    return value >= min ? [{ id: `full-pools:${id}`, since: null, value }] : []
  })

const staleReservations = (estate: Estate, { now, days }: Asked): Expected[] =>
  estate.reservations
    .filter((one) => isLive(one, now) && one.created_at <= ago(now, days))
    .filter(({ ip_key }) => !estate.seen.some((seen) => seen.ip_key === ip_key && isUp(seen)))
    .map(({ id, created_at }) => ({ id: `stale-reservations:${id}`, since: created_at, value: null }))

const unlocatedDevices = ({ devices }: Estate): Expected[] =>
  devices
    .filter(({ datacenter_id, status }) => datacenter_id === null && status !== 'decommissioned')
    .map(({ id }) => ({ id: `unlocated-devices:${id}`, since: null, value: null }))

const expiringCertificates = (estate: Estate, { now, days }: Asked): Expected[] =>
  estate.seen.flatMap(({ ip, device_id, report }) => {
    if (!estate.discovered.some((one) => one.id === device_id && isUp(one))) return []
    return report.services.flatMap(({ port, details }) => {
      const end = new Date(details['valid-to'] ?? '')
      if (Number.isNaN(end.getTime()) || end.toISOString() > ago(now, -days)) return []
      const id = `expiring-certificates:${device_id}:${ip}:${port}`
      return [{ id, since: null, value: daysBetween(now, end.toISOString()) }]
    })
  })

const portsOf = (text: string): string[] => (text === '' ? [] : text.split(', '))

const newPorts = (estate: Estate, { now, days }: Asked): Expected[] =>
  estate.discovered.filter(isUp).flatMap(({ id, device }) => {
    const recent = estate.scans.filter(
      ({ status, completed_at }) => status === 'completed' && (completed_at ?? '') >= ago(now, days),
    )
    const own = estate.changes.filter(
      (one) => one.discovered_id === id && one.kind === 'changed' && recent.some((scan) => scan.id === one.scan_id),
    )
    const opened = own.flatMap(({ changes }) =>
      (JSON.parse(changes) as { field: string; before: string; after: string }[])
        .filter(({ field }) => field === 'open_ports')
        .flatMap(({ before, after }) => portsOf(after).filter((port) => !portsOf(before).includes(port))),
    )
    return opened.some((port) => device.open_ports.includes(Number(port)))
      ? [{ id: `new-ports:${id}`, since: null, value: null }]
      : []
  })

const unscannedNetworks = (estate: Estate, { now, days }: Asked): Expected[] =>
  estate.networks.flatMap(({ id, subnet, prefix }) => {
    const since = latest(completed(estate, id).map(({ completed_at }) => completed_at ?? ''))
    if (prefix < (subnet.includes(':') ? 112 : 16) || since > ago(now, days)) return []
    const value = since === '' ? null : daysBetween(since, now)
    return [{ id: `unscanned-networks:${id}`, since: since || null, value }]
  })

type Truth = { readonly names: readonly string[]; readonly hosts: readonly string[]; readonly macs: readonly string[] }

const toTruth = (names: readonly string[], mac: string): Truth => {
  const all = names.filter((name) => !/[\s*]/.test(name)).map((name) => bare(name).replace(/\.local$/, ''))
  return { names: all, hosts: all.filter((name) => !name.includes('.')), macs: identifies(mac) ? [mac] : [] }
}

const contradict = (one: Truth | undefined, other: Truth | undefined): boolean => {
  if (!one || !other) return false
  if (one.macs.length > 0 && other.macs.length > 0 && !one.macs.some((mac) => other.macs.includes(mac))) return true
  const agree = (a: Truth, b: Truth) => a.names.some((name) => b.names.includes(name) || b.hosts.includes(label(name)))
  return one.names.length > 0 && other.names.length > 0 && !agree(one, other) && !agree(other, one)
}

const documentedAt = ({ devices, reservations }: Estate, ip: string, space: string, ipKey: string, now: string) => {
  const holders = devices.flatMap((device) =>
    device.addresses
      .filter((one) => one.ip === ip && (one.space_id ?? '') === space)
      .map((address) => ({ device, address })),
  )
  const truths = holders.map(({ device: { hostname, domains, name }, address }): Truth => {
    const given = [hostname, ...domains].filter((one) => one !== '')
    const names = given.length === 0 ? [] : [...given, name].map(bare)
    const hosts = hostname !== '' && !hostname.includes('.') ? [bare(hostname)] : []
    return { names, hosts, macs: identifies(address.mac_address) ? [address.mac_address] : [] }
  })
  if (truths.length > 0)
    return {
      names: truths.flatMap(({ names }) => names),
      hosts: truths.flatMap(({ hosts }) => hosts),
      macs: truths.flatMap(({ macs }) => macs),
    }
  const reserved = reservations.find((one) => one.ip_key === ipKey && isLive(one, now))
  return reserved && { ...toTruth(reserved.hostname === '' ? [] : [reserved.hostname], reserved.mac_address ?? '') }
}

const disagreements = (estate: Estate, { now }: Asked): Expected[] => {
  const isOfUp = ({ device_id }: Estate['seen'][number]) =>
    estate.discovered.some((one) => one.id === device_id && isUp(one))
  const isSeen = (one: Estate['seen'][number]) => isUp(one) && isOfUp(one)
  const hasLease = ({ report }: Estate['seen'][number]) =>
    report.leaseExpiresAt !== undefined && report.leaseExpiresAt > now
  const byAddress = Map.groupBy(
    estate.seen.filter((one) => isSeen(one) || hasLease(one)),
    ({ ip_key }) => ip_key,
  )
  return [...byAddress.values()].flatMap((all) => {
    const [seen] = all.sort((a, b) => {
      if (isSeen(a) !== isSeen(b)) return isSeen(a) ? -1 : 1
      return a.last_seen === b.last_seen ? (a.place < b.place ? -1 : 1) : a.last_seen > b.last_seen ? -1 : 1
    })
    if (!seen) return []
    const { report, ip, ip_key, place } = seen
    const network = estate.networks.find(({ id }) => place.startsWith(`${id} `))
    const named = (source: (one: string) => boolean) =>
      report.names.filter((one) => source(one.source)).map(({ name }) => name)
    const inDns = [
      ...(isSeen(seen) ? named((source) => source === 'ptr') : []),
      ...estate.zones
        .filter(({ space_id }) => (space_id ?? '') === (network?.space_id ?? ''))
        .flatMap(({ name: zone, report: { entries } }) =>
          entries
            .filter(({ type, server }) => (type === 'A' || type === 'AAAA') && server.includes(ip))
            .map(({ name }) => (name === '@' ? zone : `${name}.${zone}`)),
        ),
    ]
    const truths = [
      documentedAt(estate, ip, network?.space_id ?? '', ip_key, now),
      isSeen(seen)
        ? toTruth(
            named((source) => source !== 'ptr' && source !== 'dhcp'),
            report.macSource === 'dhcp' ? '' : report.mac,
          )
        : undefined,
      inDns.length > 0 ? toTruth(inDns, '') : undefined,
      hasLease(seen)
        ? toTruth(
            named((source) => source === 'dhcp'),
            report.mac,
          )
        : undefined,
    ]
    const isFinding = truths.some((one, at) => truths.slice(at + 1).some((other) => contradict(one, other)))
    return isFinding ? [{ id: `disagreements:${network?.id}:${ip}`, since: null, value: null }] : []
  })
}

const MODELS: Readonly<Record<string, (estate: Estate, asked: Asked) => Expected[]>> = {
  ...{ ghosts, shadows, disagreements, 'duplicate-macs': duplicateMacs, 'dns-mismatch': dnsMismatch },
  ...{ 'unplaced-addresses': unplacedAddresses, 'full-pools': fullPools, 'stale-reservations': staleReservations },
  ...{ 'unlocated-devices': unlocatedDevices, 'expiring-certificates': expiringCertificates, 'new-ports': newPorts },
  'unscanned-networks': unscannedNetworks,
}

/** Returns the findings of each report by its name, sorted by id. */
export const expectFindings = async (db: Db<Tables>, asked: Asked): Promise<Readonly<Record<string, Expected[]>>> => {
  const estate = await readAll(db)
  const findings = Object.entries(MODELS).map(([name, model]) => [
    name,
    model(estate, asked).sort((a, b) => (a.id < b.id ? -1 : 1)),
  ])
  return Object.fromEntries(findings) as Readonly<Record<string, Expected[]>>
}
