/** The facts of a scanner about itself: the name of its machine, its networks, its privileges. */
import { hostname, networkInterfaces } from 'node:os'
import { formatCidr, parseCidr } from '../../net/cidr.ts'
import { findLocalRange } from '../../net/local.ts'
import { openLibc } from '../sys/libc.ts'
import { findPrivilege } from '../sys/privilege.ts'
import { openTargets } from '../targets.ts'
import { type ScannerFacts, WIRE_LIMITS, WIRE_PROTOCOL } from '../wire.ts'

/** Any network: privileges do not depend on it. */
const PROBE_SUBNET = '127.0.0.0/30'
const MOST_HOSTNAME = 255

/** Returns the networks of the interfaces, each once, without loopback, link-local ones and single addresses. */
export const listLinks = (interfaces = networkInterfaces()): string[] => {
  const subnets = Object.values(interfaces).flatMap((infos = []) =>
    infos.flatMap(({ cidr, internal }) => {
      const block = internal || cidr === null ? undefined : parseCidr(cidr)
      return !block || block.first === block.last || findLocalRange(block) !== undefined ? [] : [formatCidr(block)]
    }),
  )
  return [...new Set(subnets)].slice(0, WIRE_LIMITS.links)
}

export type OwnFacts = ScannerFacts & {
  /** The one command that would raise the capabilities, or empty. */
  readonly advice: string
}

export const readFacts = (version: string, slots: number): OwnFacts => {
  const { icmp, arp, neighbours, advice } = findPrivilege(openLibc(), openTargets(PROBE_SUBNET, []))
  return {
    protocol: WIRE_PROTOCOL,
    version,
    hostname: hostname().slice(0, MOST_HOSTNAME),
    // Listening needs the socket that ARP needs.
    capabilities: { icmp, arp, neighbours, listen: arp },
    links: listLinks(),
    slots,
    advice,
  }
}
