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
/** IP-MIB, RFC 4293: the tables of IPv4 only, which all agents have. */
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

const toText = (value: unknown, bytes = 255): string =>
  cleanText(value instanceof Uint8Array ? decode(value) : typeof value === 'string' ? value : '', bytes)
const toNumber = (value: unknown): number =>
  typeof value === 'number' ? value : typeof value === 'bigint' ? Number(value) : 0
const formatMac = (octets: Uint8Array): string =>
  (Buffer.from(octets.buffer, octets.byteOffset, octets.byteLength).toString('hex').match(/../g) ?? []).join(':')

/** Undefined for text that is no MAC, or no MAC of a device. */
const toMac = (value: unknown): string | undefined => {
  if (!(value instanceof Uint8Array) || value.length !== 6) return undefined
  const mac = formatMac(value)
  return mac === '00:00:00:00:00:00' || isMulticastMac(mac) ? undefined : mac
}

/** Returns the numbers of an object identifier below a column. */
const getSuffix = (oid: string, column: string): number[] =>
  oid
    .slice(column.length + 1)
    .split('.')
    .map(Number)
const toIpv4 = (numbers: readonly number[]): string | undefined => {
  const text = numbers.join('.')
  const value = parseIpv4(text)
  return value === undefined ? undefined : formatIpv4(value)
}
const mapByIndex = (rows: readonly Row[], column: string): Map<number, unknown> =>
  new Map(rows.map(({ oid, value }) => [getSuffix(oid, column)[0] ?? 0, value]))

/** True if an address may be reported. */
export type MayTell = (ip: string) => boolean

const readInterfaces = async (agent: Agent, mayTell: MayTell): Promise<SnmpFacts['interfaces']> => {
  const names = mapByIndex(await agent.walk(IF_NAME), IF_NAME)
  const descriptions = mapByIndex(await agent.walk(IF_DESCR), IF_DESCR)
  const macs = mapByIndex(await agent.walk(IF_MAC), IF_MAC)
  const addresses = (await agent.walk(ADDRESS_INTERFACE)).flatMap(({ oid, value }) => {
    const ip = toIpv4(getSuffix(oid, ADDRESS_INTERFACE))
    return ip !== undefined && mayTell(ip) ? [{ ip, number: toNumber(value) }] : []
  })
  return [...new Set([...names.keys(), ...descriptions.keys()])].map((index) => ({
    index,
    name: toText(names.get(index)) || toText(descriptions.get(index)),
    mac: toMac(macs.get(index)) ?? '',
    addresses: addresses.filter(({ number }) => number === index).map(({ ip }) => ip),
  }))
}

const readArp = async (agent: Agent, mayTell: MayTell): Promise<ArpEntry[]> =>
  (await agent.walk(NET_TO_MEDIA)).flatMap(({ oid, value }) => {
    // The index is the interface and the address.
    const ip = toIpv4(getSuffix(oid, NET_TO_MEDIA).slice(1))
    const mac = toMac(value)
    return ip !== undefined && mac !== undefined && mayTell(ip) ? [{ ip, mac }] : []
  })

const formatId = (kind: unknown, value: unknown, macKind: number): string => {
  const mac = toNumber(kind) === macKind ? toMac(value) : undefined
  return mac ?? toText(value)
}

/** Returns the ports of the agent by their numbers in LLDP, each as its interface is named where one fits. */
const readLocalPorts = async (agent: Agent, interfaces: SnmpFacts['interfaces']): Promise<Map<number, string>> => {
  const rows = new Map<number, Map<number, unknown>>()
  for (const { oid, value } of await agent.walk(LLDP_LOCAL_PORT)) {
    const [column = 0, number = 0] = getSuffix(oid, LLDP_LOCAL_PORT)
    const columns = rows.get(number) ?? new Map<number, unknown>()
    rows.set(number, columns.set(column, value))
  }
  const names = new Set(interfaces.map(({ name }) => name))
  const getPortName = (columns: ReadonlyMap<number, unknown>): string => {
    const id = formatId(columns.get(LLDP_PORT_COLUMN.kind), columns.get(LLDP_PORT_COLUMN.port), MAC_PORT)
    // IEEE 802.1AB-2016 section 8.5.5: the description is ifDescr of the interface.
    const description = toText(columns.get(LLDP_PORT_COLUMN.description))
    const [only, ...others] = interfaces.filter(({ mac }) => mac !== '' && mac === id)
    const ofMac = others.length === 0 ? only?.name : undefined
    return [id, description, ofMac].find((name) => name && names.has(name)) ?? (id || description)
  }
  return new Map([...rows].map(([number, columns]) => [number, getPortName(columns)]))
}

type Told = { readonly interfaces: SnmpFacts['interfaces']; readonly mayTell: MayTell }

const readLldp = async (agent: Agent, { interfaces, mayTell }: Told): Promise<LldpNeighbour[]> => {
  /** Time mark, local port, number: without the mark it is the same in all tables. */
  const neighbours = new Map<string, Map<number, unknown>>()
  for (const { oid, value } of await agent.walk(LLDP_REMOTE)) {
    const [column = 0, , ...key] = getSuffix(oid, LLDP_REMOTE)
    const columns = neighbours.get(key.join('.')) ?? new Map<number, unknown>()
    neighbours.set(key.join('.'), columns.set(column, value))
  }
  if (neighbours.size === 0) return []
  const ports = await readLocalPorts(agent, interfaces)
  const addresses = new Map<string, string>()
  for (const { oid } of await agent.walk(LLDP_REMOTE_ADDRESS)) {
    // Time mark, local port, number, kind of address, its length, the address.
    const [, port, number, kind, length, ...address] = getSuffix(oid, LLDP_REMOTE_ADDRESS)
    const ip = kind === 1 && length === 4 ? toIpv4(address.slice(0, 4)) : undefined
    if (ip !== undefined && mayTell(ip)) addresses.set(`${port}.${number}`, ip)
  }
  return [...neighbours].map(([key, columns]) => {
    const localPort = Number(key.split('.')[0])
    const description = toText(columns.get(LLDP_COLUMN.portDescription))
    return {
      localPort: ports.get(localPort) || String(localPort),
      remoteName: toText(columns.get(LLDP_COLUMN.name)),
      remotePort: formatId(columns.get(LLDP_COLUMN.portKind), columns.get(LLDP_COLUMN.port), MAC_PORT) || description,
      remotePortDescription: description,
      remoteChassis: formatId(columns.get(LLDP_COLUMN.chassisKind), columns.get(LLDP_COLUMN.chassis), MAC_CHASSIS),
      remoteAddress: addresses.get(key) ?? '',
    }
  })
}

const readForwarding = async (agent: Agent, names: ReadonlyMap<number, string>): Promise<ForwardingEntry[]> => {
  const plain = await agent.walk(FORWARDING_PORT)
  const rows = plain.map(({ oid, value }) => ({ octets: getSuffix(oid, FORWARDING_PORT), value }))
  if (rows.length === 0)
    for (const { oid, value } of await agent.walk(VLAN_FORWARDING_PORT))
      rows.push({ octets: getSuffix(oid, VLAN_FORWARDING_PORT).slice(1), value })
  if (rows.length === 0) return []
  const interfaces = mapByIndex(await agent.walk(BRIDGE_PORT_INTERFACE), BRIDGE_PORT_INTERFACE)
  return rows.flatMap(({ octets, value }) => {
    const mac = toMac(Uint8Array.from(octets))
    const port = toNumber(value)
    // Port 0 is the switch itself.
    if (mac === undefined || port === 0) return []
    return [{ mac, port: names.get(toNumber(interfaces.get(port))) ?? String(port) }]
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
    name: toText(name),
    description: toText(description, 1024),
    objectId: toText(objectId),
    location: toText(location),
    uptimeSeconds: Math.floor(toNumber(uptime) / 100),
    interfaces,
    arp: await readArp(agent, mayTell),
    lldp: await readLldp(agent, { interfaces, mayTell }),
    forwarding: await readForwarding(agent, names),
  }
}
