/** Estimates a scan for a dry run; sends nothing. Pure, runs in a browser. */
import { COMMON_PORTS } from './ports/ports.ts'
import type { ScanPlan, ScanType } from './protocol.ts'
import { countTargets } from './targets.ts'

export type Estimate = {
  /** Addresses that are tried. */
  readonly hosts: number
  readonly probes: number
  readonly seconds: number
  /** For people, in the order in which they come. */
  readonly techniques: readonly string[]
}

export type EstimateOf = Pick<ScanPlan, 'subnet' | 'excludes' | 'type' | 'ports' | 'probesPerSecond'> &
  Partial<Pick<ScanPlan, 'snmp' | 'ssh'>>

/** Assumed share of living hosts: one in eight, the least in office and server networks. */
const LIVING_SHARE = 1 / 8
const TRIES: Readonly<Record<ScanType, number>> = { quick: 2, full: 2, deep: 3 }
/** Ports that `tcp-sweep.ts` tries on hosts that have not answered. */
const TELLING_PROBES = 5
/** Open ports of a host, and the questions by UDP to it. */
const SERVICES_PER_HOST = 6
/** The waits after the last probe of each stage. */
const WAIT_SECONDS: Readonly<Record<ScanType, number>> = { quick: 1.5, full: 3, deep: 6 }

const listTechniques = ({ type, snmp = [], ssh = [] }: EstimateOf): string[] => [
  'ARP or neighbor discovery on networks this server is on',
  'ping',
  'names by reverse DNS',
  ...(type === 'quick' ? [] : ['TCP connect to hosts that answer neither', 'TCP ports']),
  ...(type === 'deep'
    ? ['banners, web pages and certificates', 'SSH host keys', 'NetBIOS and multicast DNS', 'SNMP']
    : []),
  ...(type === 'deep' && snmp.length > 0 ? ['SNMP tables with stored credentials'] : []),
  ...(type === 'deep' && ssh.length > 0 ? ['SSH login with stored credentials'] : []),
]

/** @throws PlanError when the subnet is wider than a scan takes, or a text is none */
export const estimate = (plan: EstimateOf): Estimate => {
  const { subnet, excludes, type, ports, probesPerSecond } = plan
  const hosts = countTargets(subnet, excludes)
  const living = Math.ceil(hosts * LIVING_SHARE)
  const search = hosts * TRIES[type]
  const telling = type === 'quick' ? 0 : (hosts - living) * TELLING_PROBES
  const scanned = type === 'quick' ? 0 : living * (ports.length || COMMON_PORTS.length)
  const services = type === 'deep' ? living * SERVICES_PER_HOST : 0
  const probes = search + telling + scanned + services
  return {
    hosts,
    probes,
    seconds: hosts === 0 ? 0 : Math.ceil(probes / Math.max(1, probesPerSecond) + WAIT_SECONDS[type]),
    techniques: listTechniques(plan),
  }
}
