/** What is known of an address after a report about it: a scan that looks less closely forgets nothing. Pure. */
import type { FoundHost, FoundService, Stage } from '../../../scanner/protocol.ts'
import type { Seen } from './records.ts'

/** How closely a scan looks just now. */
type Moment = { readonly stage: Stage }

const idOf = ({ protocol, port }: FoundService): string => `${protocol}/${port}`

/** Services that nothing was said of now are what they were, as long as their port is open. */
const servicesOf = (before: FoundHost, host: FoundHost): readonly FoundService[] => {
  const told = new Set(host.services.map(idOf))
  const open = new Set(host.openPorts.length > 0 ? host.openPorts : before.openPorts)
  const kept = before.services.filter((one) => !told.has(idOf(one)) && (one.protocol === 'udp' || open.has(one.port)))
  return [...host.services, ...kept].sort((a, b) => a.port - b.port || (a.protocol < b.protocol ? -1 : 1))
}

/** A look at the services says all there is to say; anything less must know as much as what is known. */
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

/** After a scan of the ports that found none open any more. */
export const withoutPorts = (observation: FoundHost): FoundHost => ({
  ...observation,
  openPorts: [],
  services: observation.services.filter(({ protocol }) => protocol === 'udp'),
})
