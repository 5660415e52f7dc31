/** Evidence that a host is alive, and its weights. Pure. */
import type { Evidence } from './protocol.ts'

export type Source = Exclude<Evidence['source'], 'dhcp'>

/** Sources are independent signs: of two, one may be wrong. The worth of all is 1 - product(1 - weight). */
export const WEIGHTS: Readonly<Record<Source, number>> = {
  arp: 0.6,
  icmp: 0.5,
  'tcp-open': 0.5,
  'tcp-refused': 0.4,
  udp: 0.4,
  snmp: 0.5,
  mdns: 0.4,
  netbios: 0.4,
  ssh: 0.5,
  lldp: 0.4,
}

export const buildEvidence = (source: Source, detail: string): Evidence => ({ source, weight: WEIGHTS[source], detail })

/** For people: 0.42 ms, 12 ms. */
export const formatMs = (ms: number): string => `${ms < 10 ? ms.toFixed(2) : Math.round(ms)} ms`
