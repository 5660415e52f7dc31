/** Reads facts of a device and of the network around it from the standard MIBs of its SNMP agent. */
import type { ArpEntry, ForwardingEntry, LldpNeighbour, SnmpFacts } from '../protocol.ts'
import { readCdp } from './cdp.ts'
import { readChassis } from './entity.ts'
import { type MayTell, readInterfaces } from './interfaces.ts'
import { readBridgePorts, readLldp, type Told } from './lldp.ts'
import type { Agent } from './session.ts'
import { identifySystem } from './systems.ts'
import { getSuffix, toIpv4, toMac, toNumber, toText } from './values.ts'

/** SNMPv2-MIB, RFC 3418. */
const SYSTEM = {
  description: '1.3.6.1.2.1.1.1.0',
  objectId: '1.3.6.1.2.1.1.2.0',
  uptime: '1.3.6.1.2.1.1.3.0',
  name: '1.3.6.1.2.1.1.5.0',
  location: '1.3.6.1.2.1.1.6.0',
}
/** IP-MIB, RFC 4293. */
const NET_TO_MEDIA = '1.3.6.1.2.1.4.22.1.2'
/** BRIDGE-MIB, RFC 4188, and Q-BRIDGE-MIB, RFC 4363. */
const FORWARDING_PORT = '1.3.6.1.2.1.17.4.3.1.2'
const VLAN_FORWARDING_PORT = '1.3.6.1.2.1.17.7.1.2.2.1.2'

const readArp = async (agent: Agent, mayTell: MayTell): Promise<ArpEntry[]> =>
  (await agent.walk(NET_TO_MEDIA)).flatMap(({ oid, value }) => {
    // The index is the interface and the address.
    const ip = toIpv4(getSuffix(oid, NET_TO_MEDIA).slice(1))
    const mac = toMac(value)
    return ip !== undefined && mac !== undefined && mayTell(ip) ? [{ ip, mac }] : []
  })

/** A neighbor that speaks both protocols is one. */
const readNeighbours = async (agent: Agent, told: Told): Promise<LldpNeighbour[]> => {
  const lldp = await readLldp(agent, told)
  const cdp = await readCdp(agent, told)
  const isKnown = (one: LldpNeighbour): boolean =>
    lldp.some(
      (other) =>
        other.localPort === one.localPort &&
        (other.remoteName === one.remoteName ||
          (one.remoteAddress !== '' && other.remoteAddress === one.remoteAddress)),
    )
  return [...lldp, ...cdp.filter((one) => !isKnown(one))]
}

const readForwarding = async (agent: Agent, names: ReadonlyMap<number, string>): Promise<ForwardingEntry[]> => {
  const plain = await agent.walk(FORWARDING_PORT)
  const rows = plain.map(({ oid, value }) => ({ octets: getSuffix(oid, FORWARDING_PORT), value }))
  if (rows.length === 0)
    for (const { oid, value } of await agent.walk(VLAN_FORWARDING_PORT))
      rows.push({ octets: getSuffix(oid, VLAN_FORWARDING_PORT).slice(1), value })
  if (rows.length === 0) return []
  const interfaces = await readBridgePorts(agent)
  return rows.flatMap(({ octets, value }) => {
    const mac = toMac(Uint8Array.from(octets))
    const port = toNumber(value)
    // Port 0 is the switch itself.
    if (mac === undefined || port === 0) return []
    return [{ mac, port: names.get(interfaces.get(port) ?? 0) ?? String(port) }]
  })
}

/** @throws when the agent stops answering before it has identified itself */
export const readFacts = async (
  agent: Agent,
  { credentialId, engineId, mayTell }: { credentialId: string; engineId: string; mayTell: MayTell },
): Promise<SnmpFacts & Required<Pick<SnmpFacts, 'system'>>> => {
  const [description, objectId, uptime, name, location] = await agent.get(Object.values(SYSTEM))
  const interfaces = await readInterfaces(agent, mayTell)
  const names = new Map(interfaces.map((one) => [one.index, one.name]))
  const identity = { description: toText(description, 1024), objectId: toText(objectId) }
  return {
    credentialId,
    engineId,
    name: toText(name),
    ...identity,
    system: identifySystem(identity, await readChassis(agent)),
    location: toText(location),
    uptimeSeconds: Math.floor(toNumber(uptime) / 100),
    interfaces,
    arp: await readArp(agent, mayTell),
    lldp: await readNeighbours(agent, { interfaces, mayTell }),
    forwarding: await readForwarding(agent, names),
  }
}
