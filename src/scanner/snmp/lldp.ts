/** Reads the neighbors of an agent from LLDP-MIB, IEEE 802.1AB. */
import type { LldpNeighbour } from '../protocol.ts'
import { type Interface, type MayTell, readAliases } from './interfaces.ts'
import { nameLocalPort, PORT_KIND } from './local-port.ts'
import { formatId, formatPortId, type PortId } from './port-id.ts'
import type { Agent } from './session.ts'
import { getSuffix, groupRows, mapByIndex, toIpv4, toNumber, toText } from './values.ts'

const LOCAL_PORT = '1.0.8802.1.1.2.1.3.7.1'
const LOCAL_COLUMN = { kind: 2, id: 3, description: 4 } as const
const REMOTE = '1.0.8802.1.1.2.1.4.1.1'
const REMOTE_COLUMN = { chassisKind: 4, chassis: 5, portKind: 6, port: 7, portDescription: 8, name: 9 } as const
const REMOTE_ADDRESS = '1.0.8802.1.1.2.1.4.2.1.3'
const MAC_CHASSIS = 4
/** dot1dBasePortIfIndex, RFC 4188. */
const BRIDGE_PORT_INTERFACE = '1.3.6.1.2.1.17.1.4.1.2'

export type Told = { readonly interfaces: readonly Interface[]; readonly mayTell: MayTell }

export const readBridgePorts = async (agent: Agent): Promise<Map<number, number>> =>
  new Map(
    [...mapByIndex(await agent.walk(BRIDGE_PORT_INTERFACE), BRIDGE_PORT_INTERFACE)].map(([port, index]) => [
      port,
      toNumber(index),
    ]),
  )

const readPorts = async (agent: Agent): Promise<Map<number, PortId>> =>
  new Map(
    [...groupRows(await agent.walk(LOCAL_PORT), LOCAL_PORT)].map(([number, columns]) => [
      Number(number),
      {
        kind: toNumber(columns.get(LOCAL_COLUMN.kind)),
        id: columns.get(LOCAL_COLUMN.id),
        description: toText(columns.get(LOCAL_COLUMN.description)),
      },
    ]),
  )

/** Returns addresses by `port.number` of the neighbor. */
const readAddresses = async (agent: Agent, mayTell: MayTell): Promise<Map<string, string>> => {
  const addresses = new Map<string, string>()
  for (const { oid } of await agent.walk(REMOTE_ADDRESS)) {
    // Time mark, local port, number, kind of address, its length, the address.
    const [mark, port, number, kind, length, ...address] = getSuffix(oid, REMOTE_ADDRESS)
    const ip = kind === 1 && length === 4 ? toIpv4(address.slice(0, 4)) : undefined
    if (ip === undefined || !mayTell(ip)) continue
    addresses.set(`${mark}.${port}.${number}`, ip)
    addresses.set(`${port}.${number}`, ip)
  }
  return addresses
}

const listPortIds = (columns: ReadonlyMap<number, unknown>): PortId => ({
  kind: toNumber(columns.get(REMOTE_COLUMN.portKind)),
  id: columns.get(REMOTE_COLUMN.port),
  description: toText(columns.get(REMOTE_COLUMN.portDescription)),
})

/** Agents send a neighbor again under each of its time marks. */
const filterUnique = (all: readonly LldpNeighbour[]): LldpNeighbour[] => [
  ...new Map(all.map((one) => [JSON.stringify(one), one])).values(),
]

export const readLldp = async (agent: Agent, { interfaces, mayTell }: Told): Promise<LldpNeighbour[]> => {
  const neighbours = groupRows(await agent.walk(REMOTE), REMOTE)
  if (neighbours.size === 0) return []
  const local = {
    interfaces,
    aliases: await readAliases(agent),
    bridgePorts: await readBridgePorts(agent),
    ports: await readPorts(agent),
  }
  const addresses = await readAddresses(agent, mayTell)
  return filterUnique(
    [...neighbours].map(([key, columns]) => {
      const [, port = '', number = ''] = key.split('.')
      const remote = listPortIds(columns)
      return {
        localPort: nameLocalPort(local, Number(port)),
        remoteName: toText(columns.get(REMOTE_COLUMN.name)),
        remotePort: formatPortId(remote) || remote.description,
        remotePortDescription: remote.description,
        remotePortIsName: remote.kind === PORT_KIND.name,
        remoteChassis: formatId(
          toNumber(columns.get(REMOTE_COLUMN.chassisKind)),
          columns.get(REMOTE_COLUMN.chassis),
          MAC_CHASSIS,
        ),
        remoteAddress: addresses.get(key) ?? addresses.get(`${port}.${number}`) ?? '',
      }
    }),
  )
}
