/** Reads the neighbors of an agent from CISCO-CDP-MIB, which other vendors have too. */
import { parseMac } from '../../net/mac.ts'
import type { LldpNeighbour } from '../protocol.ts'
import type { Told } from './lldp.ts'
import type { Agent } from './session.ts'
import { groupRows, toIpv4, toMac, toNumber, toText } from './values.ts'

/** cdpCacheTable: the index is the interface, then the number of the neighbor. */
const CACHE = '1.3.6.1.4.1.9.9.23.1.2.1.1'
const COLUMN = { addressKind: 3, address: 4, device: 6, port: 7, name: 17 } as const
const IP = 1

/** Devices identify themselves by name, `sw-1.example.com(FOC1234X5YZ)`, or by the MAC of a phone, `SEP001122334455`. */
const parseDevice = (value: unknown): { name: string; chassis: string } => {
  const octets = toMac(value)
  if (octets !== undefined) return { name: '', chassis: octets }
  const text = toText(value)
  const name = text.replace(/\([^()]*\)$/, '')
  return { name, chassis: parseMac(name.replace(/^(?:SEP|ATA)/, '')) ?? '' }
}

const parseAddress = (kind: unknown, value: unknown): string =>
  toNumber(kind) === IP && value instanceof Uint8Array && value.length === 4 ? (toIpv4([...value]) ?? '') : ''

export const readCdp = async (agent: Agent, { interfaces, mayTell }: Told): Promise<LldpNeighbour[]> => {
  const neighbours = groupRows(await agent.walk(CACHE), CACHE)
  const names = new Map(interfaces.map(({ index, name }) => [index, name]))
  return [...neighbours].flatMap(([key, columns]) => {
    const device = parseDevice(columns.get(COLUMN.device))
    const remotePort = toText(columns.get(COLUMN.port))
    if (device.name === '' && device.chassis === '') return []
    const ip = parseAddress(columns.get(COLUMN.addressKind), columns.get(COLUMN.address))
    return [
      {
        protocol: 'cdp' as const,
        localPort: names.get(Number(key.split('.')[0])) ?? '',
        remoteName: toText(columns.get(COLUMN.name)) || device.name,
        remotePort,
        remotePortDescription: '',
        remotePortIsName: true,
        remoteChassis: device.chassis,
        remoteAddress: ip !== '' && mayTell(ip) ? ip : '',
      },
    ]
  })
}
