/** Merges a report with the earlier observation of an address: a quick scan does not discard the results of a deep one. Pure. */
import type { FoundHost, FoundName, FoundService, Stage } from '../../scanner/protocol.ts'
import type { DiscoveredRecord, Observation, Seen } from './records.ts'

/** The stage that the scan is in. */
type Moment = { readonly stage: Stage; readonly now: string }

type Before = Pick<Seen, 'observation' | 'status'>

const buildServiceId = ({ protocol, port }: FoundService): string => `${protocol}/${port}`

/** Keeps services that were not reported now, as long as their port is open. */
const mergeServices = (before: FoundHost, host: FoundHost): readonly FoundService[] => {
  const told = new Set(host.services.map(buildServiceId))
  const open = new Set(host.openPorts.length > 0 ? host.openPorts : before.openPorts)
  const kept = before.services.filter(
    (one) => !told.has(buildServiceId(one)) && (one.protocol === 'udp' || open.has(one.port)),
  )
  return [...host.services, ...kept].sort((a, b) => a.port - b.port || (a.protocol < b.protocol ? -1 : 1))
}

/** True if the reported operating system replaces the known one. The services stage always does; others need equal confidence. */
const isBetter = (before: FoundHost, host: FoundHost, { stage }: Moment): boolean =>
  host.os !== '' && (host.osConfidence >= before.osConfidence || stage === 'services')

const isOfLease = ({ source }: { readonly source: string }): boolean => source === 'dhcp'
const isOfScan = (one: { readonly source: string }): boolean => !isOfLease(one)

/** True for a report of a lease. Scans report none. */
export const isLeased = ({ leaseExpiresAt }: Observation): boolean => leaseExpiresAt !== undefined

type Addressed = Pick<DiscoveredRecord, 'addresses'>

/** True for a device that was heard, and that no scan has seen there since. */
export const isHeard = ({ addresses }: Addressed): boolean =>
  [...addresses.values()].some(({ observation }) => observation.heardAt !== undefined)

/** True for a device that was heard since a moment. */
export const isHeardSince = ({ addresses }: Addressed, moment: string): boolean =>
  [...addresses.values()].some(({ observation: { heardAt } }) => heardAt !== undefined && heardAt >= moment)

/** True for a device that is up by more than a lease, which may outlast it. */
export const isSeenUp = ({ addresses }: Addressed): boolean =>
  [...addresses.values()].some(
    ({ status, observation }) =>
      status === 'up' &&
      !(isLeased(observation) && observation.evidence.length > 0 && observation.evidence.every(isOfLease)),
  )

/** Returns the known names in their order, each replaced by the name that was heard of its source, and the others behind them. */
const mergeNames = (before: readonly FoundName[], heard: readonly FoundName[]): readonly FoundName[] => {
  const bySource = new Map(heard.map((one) => [one.source, one]))
  const kept = before.map((one) => bySource.get(one.source) ?? one)
  const sources = new Set(before.map(({ source }) => source))
  return [...new Set([...kept, ...heard.filter(({ source }) => !sources.has(source))])]
}

/** Adds a sighting to an earlier observation. It says nothing of ports and services, and does not doubt other evidence. */
const withSighting = ({ observation: before, status }: Before, host: Observation): Observation => {
  // An address that is down has no evidence but its lease.
  const kept = status === 'up' ? before.evidence : before.evidence.filter(isOfLease)
  const known = new Set(kept.map(({ source }) => source))
  const mac = host.mac ? host : before
  return {
    ...before,
    mac: mac.mac,
    macSource: mac.macSource,
    vendor: mac.vendor || (mac.mac === before.mac ? before.vendor : ''),
    names: mergeNames(before.names, host.names),
    evidence: [...kept, ...host.evidence.filter(({ source }) => !known.has(source))],
    ...(host.heardAt !== undefined && { heardAt: host.heardAt }),
  }
}

/** Adds a lease to an earlier observation, of which it says nothing else. */
const withLease = ({ observation: before, status }: Before, lease: Observation): Observation => {
  const isOtherMac = lease.mac !== '' && lease.mac !== before.mac
  return {
    ...before,
    ...(isOtherMac && { mac: lease.mac, macSource: lease.macSource, vendor: '' }),
    names: lease.names.length > 0 ? [...lease.names, ...before.names.filter(isOfScan)] : before.names,
    // An address that is down has no other evidence.
    evidence: [...(status === 'up' ? before.evidence.filter(isOfScan) : []), ...lease.evidence],
    ...(lease.leaseExpiresAt !== undefined && { leaseExpiresAt: lease.leaseExpiresAt }),
  }
}

/** Returns the lease of an address that a scan has seen, with its name and its evidence while it is in force. */
const getLease = (before: Observation, host: FoundHost, { now }: Moment): Partial<Observation> => {
  const { leaseExpiresAt } = before
  const isSameMac = host.mac === '' || before.mac === '' || host.mac === before.mac
  if (leaseExpiresAt === undefined || !isSameMac) return {}
  if (leaseExpiresAt <= now) return { leaseExpiresAt }
  const names = host.names.length > 0 ? host.names : before.names.filter(isOfScan)
  return {
    leaseExpiresAt,
    names: [...before.names.filter(isOfLease), ...names],
    evidence: [...host.evidence, ...before.evidence.filter(isOfLease)],
  }
}

export const mergeObservation = (seen: Before | undefined, host: Observation, moment: Moment): Observation => {
  if (!seen) return host
  if (isLeased(host)) return withLease(seen, host)
  if (host.heardAt !== undefined) return withSighting(seen, host)
  const before = seen.observation
  const os = isBetter(before, host, moment) ? host : before
  const mac = host.mac ? host : before
  return {
    ...host,
    mac: mac.mac,
    macSource: mac.macSource,
    vendor: mac.vendor,
    rttMs: host.rttMs ?? before.rttMs,
    ttl: host.ttl ?? before.ttl,
    names: host.names.length > 0 ? host.names : before.names,
    openPorts: host.openPorts.length > 0 ? host.openPorts : before.openPorts,
    services: mergeServices(before, host),
    os: os.os,
    osConfidence: os.osConfidence,
    osVotes: os.osVotes,
    sshHostKey: host.sshHostKey || before.sshHostKey,
    tlsCertificate: host.tlsCertificate || before.tlsCertificate,
    snmp: host.snmp ?? before.snmp,
    ...getLease(before, host, moment),
  }
}

/** Returns the observation after a port scan that found no open port. */
export const withoutPorts = (observation: Observation): Observation => ({
  ...observation,
  openPorts: [],
  services: observation.services.filter(({ protocol }) => protocol === 'udp'),
})
