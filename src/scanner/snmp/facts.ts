/** Reads facts of a device and of the network around it from the standard MIBs of its SNMP agent. */
import { formatIpv4, parseIpv4 } from '../../net/ipv4-text.ts'
import { isMulticastMac } from '../../net/mac.ts'
import type { ArpEntry, ForwardingEntry, LldpNeighbour, SnmpFacts } from '../protocol.ts'
import { cleanText, decode } from '../services/clean-text.ts'
import type { Agent, Row } from './session.ts'

/** SNMPv2-MIB, RFC 3418. */
const SYSTEM = {
  description: '1.3.6.1.2.1.1.1.0',
  objectId: '1.3.6.1.2.1.1.2.0',
  uptime: '1.3.6.1.2.1.1.3.0',
  name: '1.3.6.1.2.1.1.5.0',
  location: '1.3.6.1.2.1.1.6.0',
}
/** IF-MIB, RFC 2863. */
const IF_DESCR = '1.3.6.1.2.1.2.2.1.2'
const IF_MAC = '1.3.6.1.2.1.2.2.1.6'
const IF_NAME = '1.3.6.1.2.1.31.1.1.1.1'
/** IP-MIB, RFC 4293: the tables for IPv4 alone, which all agents have. */
const ADDRESS_INTERFACE = '1.3.6.1.2.1.4.20.1.2'
const NET_TO_MEDIA = '1.3.6.1.2.1.4.22.1.2'
/** LLDP-MIB, IEEE 802.1AB. */
const LLDP_LOCAL_PORT = '1.0.8802.1.1.2.1.3.7.1'
const LLDP_PORT_COLUMN = { kind: 2, port: 3, description: 4 } as const
const LLDP_REMOTE = '1.0.8802.1.1.2.1.4.1.1'
const LLDP_REMOTE_ADDRESS = '1.0.8802.1.1.2.1.4.2.1.3'
const LLDP_COLUMN = { chassisKind: 4, chassis: 5, portKind: 6, port: 7, portDescription: 8, name: 9 } as const
const MAC_CHASSIS = 4
const MAC_PORT = 3
/** BRIDGE-MIB, RFC 4188, and Q-BRIDGE-MIB, RFC 4363. */
const BRIDGE_PORT_INTERFACE = '1.3.6.1.2.1.17.1.4.1.2'
const FORWARDING_PORT = '1.3.6.1.2.1.17.4.3.1.2'
const VLAN_FORWARDING_PORT = '1.3.6.1.2.1.17.7.1.2.2.1.2'

const textOf = (value: unknown, bytes = 255): string =>
  cleanText(value instanceof Uint8Array ? decode(value) : typeof value === 'string' ? value : '', bytes)
const numberOf = (value: unknown): number =>
  typeof value === 'number' ? value : typeof value === 'bigint' ? Number(value) : 0
const hexMac = (octets: Uint8Array): string =>
  (Buffer.from(octets.buffer, octets.byteOffset, octets.byteLength).toString('hex').match(/../g) ?? []).join(':')

/** Undefined for text that is no MAC, or no MAC of a device. */
const macOf = (value: unknown): string | undefined => {
  if (!(value instanceof Uint8Array) || value.length !== 6) return undefined
  const mac = hexMac(value)
  return mac === '00:00:00:00:00:00' || isMulticastMac(mac) ? undefined : mac
}

/** The numbers of an object identifier below a column. */
const below = (oid: string, column: string): number[] =>
  oid
    .slice(column.length + 1)
    .split('.')
    .map(Number)
const ipv4Of = (numbers: readonly number[]): string | undefined => {
  const text = numbers.join('.')
  const value = parseIpv4(text)
  return value === undefined ? undefined : formatIpv4(value)
}
const byIndex = (rows: readonly Row[], column: string): Map<number, unknown> =>
  new Map(rows.map(({ oid, value }) => [below(oid, column)[0] ?? 0, value]))

/** True if an address may be reported. */
export type MayTell = (ip: string) => boolean

const readInterfaces = async (agent: Agent, mayTell: MayTell): Promise<SnmpFacts['interfaces']> => {
  const names = byIndex(await agent.walk(IF_NAME), IF_NAME)
  const descriptions = byIndex(await agent.walk(IF_DESCR), IF_DESCR)
  const macs = byIndex(await agent.walk(IF_MAC), IF_MAC)
  const addresses = (await agent.walk(ADDRESS_INTERFACE)).flatMap(({ oid, value }) => {
    const ip = ipv4Of(below(oid, ADDRESS_INTERFACE))
    return ip !== undefined && mayTell(ip) ? [{ ip, number: numberOf(value) }] : []
  })
  return [...new Set([...names.keys(), ...descriptions.keys()])].map((index) => ({
    index,
    name: textOf(names.get(index)) || textOf(descriptions.get(index)),
    mac: macOf(macs.get(index)) ?? '',
    addresses: addresses.filter(({ number }) => number === index).map(({ ip }) => ip),
  }))
}

const readArp = async (agent: Agent, mayTell: MayTell): Promise<ArpEntry[]> =>
  (await agent.walk(NET_TO_MEDIA)).flatMap(({ oid, value }) => {
    // The index is the interface and the address.
    const ip = ipv4Of(below(oid, NET_TO_MEDIA).slice(1))
    const mac = macOf(value)
    return ip !== undefined && mac !== undefined && mayTell(ip) ? [{ ip, mac }] : []
  })

const idText = (kind: unknown, value: unknown, macKind: number): string => {
  const mac = numberOf(kind) === macKind ? macOf(value) : undefined
  return mac ?? textOf(value)
}

/** The ports of the agent by their numbers in LLDP, each as its interface is named where one fits. */
const readLocalPorts = async (agent: Agent, interfaces: SnmpFacts['interfaces']): Promise<Map<number, string>> => {
  const rows = new Map<number, Map<number, unknown>>()
  for (const { oid, value } of await agent.walk(LLDP_LOCAL_PORT)) {
    const [column = 0, number = 0] = below(oid, LLDP_LOCAL_PORT)
    const columns = rows.get(number) ?? new Map<number, unknown>()
    rows.set(number, columns.set(column, value))
  }
  const names = new Set(interfaces.map(({ name }) => name))
  const nameOf = (columns: ReadonlyMap<number, unknown>): string => {
    const id = idText(columns.get(LLDP_PORT_COLUMN.kind), columns.get(LLDP_PORT_COLUMN.port), MAC_PORT)
    // IEEE 802.1AB-2016 section 8.5.5: the description is ifDescr of the interface.
    const description = textOf(columns.get(LLDP_PORT_COLUMN.description))
    const [only, ...others] = interfaces.filter(({ mac }) => mac !== '' && mac === id)
    const ofMac = others.length === 0 ? only?.name : undefined
    return [id, description, ofMac].find((name) => name && names.has(name)) ?? (id || description)
  }
  return new Map([...rows].map(([number, columns]) => [number, nameOf(columns)]))
}

type Told = { readonly interfaces: SnmpFacts['interfaces']; readonly mayTell: MayTell }

const readLldp = async (agent: Agent, { interfaces, mayTell }: Told): Promise<LldpNeighbour[]> => {
  /** Time mark, local port, number: without the mark it is the same in all tables. */
  const neighbours = new Map<string, Map<number, unknown>>()
  for (const { oid, value } of await agent.walk(LLDP_REMOTE)) {
    const [column = 0, , ...key] = below(oid, LLDP_REMOTE)
    const columns = neighbours.get(key.join('.')) ?? new Map<number, unknown>()
    neighbours.set(key.join('.'), columns.set(column, value))
  }
  if (neighbours.size === 0) return []
  const ports = await readLocalPorts(agent, interfaces)
  const addresses = new Map<string, string>()
  for (const { oid } of await agent.walk(LLDP_REMOTE_ADDRESS)) {
    // Time mark, local port, number, kind of address, its length, the address.
    const [, port, number, kind, length, ...address] = below(oid, LLDP_REMOTE_ADDRESS)
    const ip = kind === 1 && length === 4 ? ipv4Of(address.slice(0, 4)) : undefined
    if (ip !== undefined && mayTell(ip)) addresses.set(`${port}.${number}`, ip)
  }
  return [...neighbours].map(([key, columns]) => {
    const localPort = Number(key.split('.')[0])
    const description = textOf(columns.get(LLDP_COLUMN.portDescription))
    return {
      localPort: ports.get(localPort) || String(localPort),
      remoteName: textOf(columns.get(LLDP_COLUMN.name)),
      remotePort: idText(columns.get(LLDP_COLUMN.portKind), columns.get(LLDP_COLUMN.port), MAC_PORT) || description,
      remotePortDescription: description,
      remoteChassis: idText(columns.get(LLDP_COLUMN.chassisKind), columns.get(LLDP_COLUMN.chassis), MAC_CHASSIS),
      remoteAddress: addresses.get(key) ?? '',
    }
  })
}

const readForwarding = async (agent: Agent, names: ReadonlyMap<number, string>): Promise<ForwardingEntry[]> => {
  const plain = await agent.walk(FORWARDING_PORT)
  const rows = plain.map(({ oid, value }) => ({ octets: below(oid, FORWARDING_PORT), value }))
  if (rows.length === 0)
    for (const { oid, value } of await agent.walk(VLAN_FORWARDING_PORT))
      rows.push({ octets: below(oid, VLAN_FORWARDING_PORT).slice(1), value })
  if (rows.length === 0) return []
  const interfaces = byIndex(await agent.walk(BRIDGE_PORT_INTERFACE), BRIDGE_PORT_INTERFACE)
  return rows.flatMap(({ octets, value }) => {
    const mac = macOf(Uint8Array.from(octets))
    const port = numberOf(value)
    // Port 0 is the switch itself.
    if (mac === undefined || port === 0) return []
    return [{ mac, port: names.get(numberOf(interfaces.get(port))) ?? String(port) }]
  })
}

/** @throws when the agent stops answering before it has identified itself */
export const readFacts = async (
  agent: Agent,
  { credentialId, engineId, mayTell }: { credentialId: string; engineId: string; mayTell: MayTell },
): Promise<SnmpFacts> => {
  const [description, objectId, uptime, name, location] = await agent.get(Object.values(SYSTEM))
  const interfaces = await readInterfaces(agent, mayTell)
  const names = new Map(interfaces.map((one) => [one.index, one.name]))
  return {
    credentialId,
    engineId,
    name: textOf(name),
    description: textOf(description, 1024),
    objectId: textOf(objectId),
    location: textOf(location),
    uptimeSeconds: Math.floor(numberOf(uptime) / 100),
    interfaces,
    arp: await readArp(agent, mayTell),
    lldp: await readLldp(agent, { interfaces, mayTell }),
    forwarding: await readForwarding(agent, names),
  }
}
