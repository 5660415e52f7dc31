/** Merges a report with the earlier observation of an address: a quick scan does not discard the results of a deep one. Pure. */
import type { FoundHost, FoundService, Stage } from '../../../scanner/protocol.ts'
import type { Seen } from './records.ts'

/** The stage that the scan is in. */
type Moment = { readonly stage: Stage }

const idOf = ({ protocol, port }: FoundService): string => `${protocol}/${port}`

/** Keeps services that were not reported now, as long as their port is open. */
const servicesOf = (before: FoundHost, host: FoundHost): readonly FoundService[] => {
  const told = new Set(host.services.map(idOf))
  const open = new Set(host.openPorts.length > 0 ? host.openPorts : before.openPorts)
  const kept = before.services.filter((one) => !told.has(idOf(one)) && (one.protocol === 'udp' || open.has(one.port)))
  return [...host.services, ...kept].sort((a, b) => a.port - b.port || (a.protocol < b.protocol ? -1 : 1))
}

/** True if the reported operating system replaces the known one. The services stage always does; others need equal confidence. */
const isBetter = (before: FoundHost, host: FoundHost, { stage }: Moment): boolean =>
  host.os !== '' && (host.osConfidence >= before.osConfidence || stage === 'services')

export const mergedObservation = (
  seen: Pick<Seen, 'observation'> | undefined,
  host: FoundHost,
  moment: Moment,
): FoundHost => {
  if (!seen) return host
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
    services: servicesOf(before, host),
    os: os.os,
    osConfidence: os.osConfidence,
    osVotes: os.osVotes,
    sshHostKey: host.sshHostKey || before.sshHostKey,
    tlsCertificate: host.tlsCertificate || before.tlsCertificate,
    snmp: host.snmp ?? before.snmp,
  }
}

/** The observation after a port scan that found no open port. */
export const withoutPorts = (observation: FoundHost): FoundHost => ({
  ...observation,
  openPorts: [],
  services: observation.services.filter(({ protocol }) => protocol === 'udp'),
})
