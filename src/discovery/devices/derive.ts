/** Derives the discovered device, as it is sent, from the observations at its addresses. Pure. */
import { isRandomMac } from '../../net/mac.ts'
import type { Evidence, FoundName, SnmpSystem } from '../../scanner/protocol.ts'
import type { DiscoveredDetail, DiscoveredDevice, FieldChange } from '../schema.ts'
import { pickIdentity } from './identity.ts'
import type { DiscoveredRecord, Observation, Seen } from './records.ts'

/** Confidence lost by disagreement, and by each scan that does not see the device. */
const DISAGREEMENT = 20
export const DECAY = 10

const MAX_SERVICES = 200
const MAX_PORTS = 1000

/** Addresses that are up come first, then the lowest. */
const sortAddresses = ({ addresses }: Pick<DiscoveredRecord, 'addresses'>): Seen[] =>
  [...addresses.values()].sort(
    (a, b) => Number(b.status === 'up') - Number(a.status === 'up') || (a.ip_key < b.ip_key ? -1 : 1),
  )

/** Selects the strongest evidence of each source: a second answer of the same kind proves nothing new. */
const selectBestEvidence = (seen: readonly Seen[]): Evidence[] => {
  const best = new Map<string, Evidence>()
  for (const one of seen.flatMap(({ observation }) => observation.evidence)) {
    const known = best.get(one.source)
    if (!known || known.weight < one.weight) best.set(one.source, one)
  }
  return [...best.values()].sort((a, b) => b.weight - a.weight || (a.source < b.source ? -1 : 1))
}

const getFirstLabel = (name: string): string => name.toLowerCase().split('.')[0] ?? ''

/**
 * Two host names of one address with different first labels. The name of a lease is chosen by the client, and a system name with
 * blanks is no host name: they contradict none.
 */
const detectDisagreeingNames = (seen: readonly Seen[]): readonly [FoundName, FoundName] | undefined => {
  for (const { observation } of seen) {
    const [first, ...others] = observation.names.filter(({ source, name }) => source !== 'dhcp' && !/\s/.test(name))
    const other = others.find(
      (one) => first && one.source !== first.source && getFirstLabel(one.name) !== getFirstLabel(first.name),
    )
    if (first && other) return [first, other]
  }
  return undefined
}

export type Confidence = { readonly confidence: number; readonly reasons: string[] }

/** Confidence in percent: 1 minus the product of the remaining doubts, less a penalty when sources disagree. */
export const computeConfidence = (seen: readonly Seen[], macBefore: string): Confidence => {
  const evidence = selectBestEvidence(seen)
  const doubt = evidence.reduce((left, { weight }) => left * (1 - Math.min(1, Math.max(0, weight))), 1)
  const reasons = evidence.map(({ detail, source, weight }) => `${detail || source} (${Math.round(weight * 100)} %)`)
  let confidence = Math.round(100 * (1 - doubt))
  const names = detectDisagreeingNames(seen)
  const macs = new Set(seen.map(({ observation }) => observation.mac).filter(Boolean))
  if (names) {
    const [one, other] = names
    reasons.push(`the names disagree: ${one.name} (${one.source}), ${other.name} (${other.source}) (-${DISAGREEMENT})`)
    confidence -= DISAGREEMENT
  } else if (macBefore !== '' && macs.size > 0 && !macs.has(macBefore)) {
    reasons.push(`the MAC was ${macBefore} in the scan before (-${DISAGREEMENT})`)
    confidence -= DISAGREEMENT
  }
  return { confidence: Math.max(0, confidence), reasons }
}

const pickFirst = <T>(seen: readonly Seen[], pick: (observation: Observation) => T | undefined): T | undefined => {
  for (const { observation } of seen) {
    const value = pick(observation)
    if (value !== undefined && value !== '') return value
  }
  return undefined
}

const selectBestOs = (seen: readonly Seen[]): Observation | undefined =>
  seen
    .map(({ observation }) => observation)
    .reduce<Observation | undefined>(
      (best, one) => (one.os !== '' && (!best || one.osConfidence > best.osConfidence) ? one : best),
      undefined,
    )

const filterUnique = <T>(all: readonly T[], key: (one: T) => string): T[] =>
  [...new Map([...all].reverse().map((one) => [key(one), one])).values()].reverse()

const collectServices = (seen: readonly Seen[]) =>
  filterUnique(
    seen.flatMap(({ observation }) => observation.services),
    ({ protocol, port }) => `${protocol}/${port}`,
  )
    .sort((a, b) => a.port - b.port || (a.protocol < b.protocol ? -1 : 1))
    .slice(0, MAX_SERVICES)

/** @example formatModel({ vendor: 'Cisco', model: 'C9300-48P', ... }) // 'Cisco C9300-48P' */
const formatModel = (system: SnmpSystem | undefined): string => {
  if (!system?.model) return ''
  const { vendor, model } = system
  return model.toLowerCase().startsWith(vendor.toLowerCase()) ? model : `${vendor} ${model}`
}

export type Context = {
  readonly networkId: string
  readonly now: string
  readonly scanId: string
  /** The MAC that the last completed scan saw. */
  readonly macBefore: string
}

/** Returns the last scan that has seen the device; empty if none has. */
const getLastScanId = (seen: readonly Seen[], doc: DiscoveredDevice | undefined, scanId: string): string => {
  const ids = seen.map(({ last_scan_id }) => last_scan_id)
  if (scanId !== '' && ids.includes(scanId)) return scanId
  return doc?.last_scan_id || (ids.some((id) => id !== '') ? scanId || isoMax(ids) : '')
}

/** True for a device that no scan has seen, and that has a lease. */
export const isKnownByLeases = ({
  last_scan_id,
  lease_expires_at,
}: Pick<DiscoveredDevice, 'last_scan_id' | 'lease_expires_at'>): boolean =>
  last_scan_id === '' && lease_expires_at !== null

const isoMin = (texts: readonly string[]): string => texts.reduce((a, b) => (a < b ? a : b))
const isoMax = (texts: readonly string[]): string => texts.reduce((a, b) => (a > b ? a : b))

/** Builds the device of a record that has an address. */
export const buildDevice = (
  record: DiscoveredRecord,
  { networkId, now, scanId, macBefore }: Context,
): DiscoveredDevice => {
  const seen = sortAddresses(record)
  const { doc } = record
  const [first] = seen
  if (!first) throw new Error('a record without an address is nothing that could be described')
  const os = selectBestOs(seen)
  const mac = pickFirst(seen, (observation) => observation.mac) ?? ''
  const firstSeen = isoMin([...seen.map((one) => one.first_seen), ...(doc ? [doc.first_seen] : [])])
  return {
    id: record.id,
    ip: first.ip,
    mac_address: mac,
    hostname: pickFirst(seen, ({ names }) => names[0]?.name) ?? '',
    network_id: networkId,
    status: seen.some(({ status }) => status === 'up') ? 'up' : 'down',
    ...computeConfidence(
      seen.filter(({ status }) => status === 'up').length > 0 ? seen.filter(({ status }) => status === 'up') : seen,
      macBefore,
    ),
    os_guess: os?.os ?? '',
    os_confidence: os?.osConfidence ?? 0,
    vendor: pickFirst(seen, ({ snmp }) => snmp?.system?.vendor) ?? pickFirst(seen, ({ vendor }) => vendor) ?? '',
    model: pickFirst(seen, ({ snmp }) => formatModel(snmp?.system)) ?? '',
    open_ports: [...new Set(seen.flatMap(({ observation }) => observation.openPorts))]
      .sort((a, b) => a - b)
      .slice(0, MAX_PORTS),
    services: collectServices(seen).map(({ port, protocol, service, product, version }) => ({
      port,
      protocol,
      service,
      product,
      version,
    })),
    addresses: [...seen]
      .sort((a, b) => (a.ip_key < b.ip_key ? -1 : 1))
      .map(({ ip, status, first_seen, last_seen }) => ({ ip, status, first_seen, last_seen })),
    identity: pickIdentity(record.keys, first.ip),
    rtt_ms: pickFirst(seen, ({ rttMs }) => rttMs ?? undefined) ?? null,
    matched_device_id: doc?.matched_device_id ?? null,
    promoted_to_device_id: doc?.promoted_to_device_id ?? null,
    promoted_at: doc?.promoted_at ?? null,
    last_scan_id: getLastScanId(seen, doc, scanId),
    first_seen: firstSeen,
    last_seen: isoMax(seen.map((one) => one.last_seen)),
    created_at: doc?.created_at ?? now,
    updated_at: now,
    random_mac: isRandomMac(mac),
    lease_expires_at: isoMax(seen.map(({ observation }) => observation.leaseExpiresAt ?? '')) || null,
  }
}

/** Adds evidence, names, services and SNMP facts. */
export const buildDetail = (
  device: DiscoveredDevice,
  addresses: readonly Seen[],
  keys: readonly string[],
): DiscoveredDetail => {
  const seen = sortAddresses({ addresses: new Map(addresses.map((one) => [one.ip_key, one])) })
  const os = selectBestOs(seen)
  const snmp = pickFirst(seen, (one) => one.snmp ?? undefined)
  return {
    ...device,
    services: collectServices(seen).map((one) => ({ ...one, details: { ...one.details } })),
    identities: [...keys].sort(),
    evidence: seen.flatMap(({ ip, observation }) => observation.evidence.map((one) => ({ ip, ...one }))),
    os_votes: (os?.osVotes ?? []).map((one) => ({ ...one })),
    names: filterUnique(
      seen.flatMap(({ observation }) => observation.names),
      ({ name, source }) => `${source} ${name}`,
    ).map((one) => ({ ...one })),
    ssh_host_key: pickFirst(seen, ({ sshHostKey }) => sshHostKey) ?? '',
    tls_certificate: pickFirst(seen, ({ tlsCertificate }) => tlsCertificate) ?? '',
    snmp: snmp
      ? {
          name: snmp.name,
          description: snmp.description,
          location: snmp.location,
          object_id: snmp.objectId,
          system: snmp.system ?? null,
          engine_id: snmp.engineId,
          uptime_seconds: snmp.uptimeSeconds,
          interfaces: snmp.interfaces.map(({ index, name, mac, addresses: ips }) => ({
            index,
            name,
            mac,
            addresses: [...ips],
          })),
          neighbours: snmp.lldp.map((one) => ({
            local_port: one.localPort,
            remote_name: one.remoteName,
            remote_port: one.remotePort,
            remote_address: one.remoteAddress,
          })),
        }
      : null,
  }
}

/** Returns the fields by which two scans are compared, as text. */
export const toComparable = (device: DiscoveredDevice): Record<string, string> => ({
  addresses: device.addresses
    .filter(({ status }) => status === 'up')
    .map(({ ip }) => ip)
    .join(', '),
  mac_address: device.mac_address,
  hostname: device.hostname,
  os_guess: device.os_guess,
  vendor: device.vendor,
  open_ports: device.open_ports.join(', '),
  services: device.services
    .filter(({ service }) => service !== '')
    .map(
      ({ port, protocol, service, product, version }) =>
        `${port}/${protocol} ${[service, product, version].filter(Boolean).join(' ')}`,
    )
    .join(', '),
})

export const listFieldChanges = (
  before: Readonly<Record<string, string>>,
  after: Readonly<Record<string, string>>,
): FieldChange[] =>
  Object.keys(after).flatMap((field) => {
    const [old, now] = [before[field] ?? '', after[field] ?? '']
    return old === now ? [] : [{ field, before: old, after: now }]
  })

/** Returns the searched texts, lower case, one a line, so that a prefix of one address does not match another. */
export const buildSearchText = (device: DiscoveredDevice): string => {
  const { addresses, ip, mac_address, hostname, os_guess, vendor, model = '', services } = device
  const told = services.flatMap(({ service, product }) => [service, product])
  const addressTexts = addresses.map((one) => one.ip)
  const lines = new Set([...addressTexts, ip, mac_address, hostname, os_guess, vendor, model, ...told])
  lines.delete('')
  return `\n${[...lines].join('\n')}\n`.toLowerCase().toWellFormed()
}
