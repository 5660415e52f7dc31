/** Reads the interfaces of an agent: IF-MIB (RFC 2863) and their addresses (RFC 4293). */
import type { SnmpFacts } from '../protocol.ts'
import type { Agent } from './session.ts'
import { getSuffix, mapByIndex, toIpv4, toMac, toNumber, toText } from './values.ts'

const IF_DESCR = '1.3.6.1.2.1.2.2.1.2'
const IF_MAC = '1.3.6.1.2.1.2.2.1.6'
const IF_NAME = '1.3.6.1.2.1.31.1.1.1.1'
const IF_ALIAS = '1.3.6.1.2.1.31.1.1.1.18'
/** The table of IPv4 only, which all agents have. */
const ADDRESS_INTERFACE = '1.3.6.1.2.1.4.20.1.2'

export type Interface = SnmpFacts['interfaces'][number]

/** True if an address may be reported. */
export type MayTell = (ip: string) => boolean

export const readInterfaces = async (agent: Agent, mayTell: MayTell): Promise<Interface[]> => {
  const names = mapByIndex(await agent.walk(IF_NAME), IF_NAME)
  const descriptions = mapByIndex(await agent.walk(IF_DESCR), IF_DESCR)
  const macs = mapByIndex(await agent.walk(IF_MAC), IF_MAC)
  const addresses = (await agent.walk(ADDRESS_INTERFACE)).flatMap(({ oid, value }) => {
    const ip = toIpv4(getSuffix(oid, ADDRESS_INTERFACE))
    return ip !== undefined && mayTell(ip) ? [{ ip, number: toNumber(value) }] : []
  })
  return [...new Set([...names.keys(), ...descriptions.keys()])].map((index) => {
    const description = toText(descriptions.get(index))
    const name = toText(names.get(index)) || description
    return {
      index,
      name,
      ...(description !== name && description !== '' && { description }),
      mac: toMac(macs.get(index)) ?? '',
      addresses: addresses.filter(({ number }) => number === index).map(({ ip }) => ip),
    }
  })
}

/** Returns ifAlias by the index of the interface. */
export const readAliases = async (agent: Agent): Promise<Map<number, string>> =>
  new Map([...mapByIndex(await agent.walk(IF_ALIAS), IF_ALIAS)].map(([index, value]) => [index, toText(value)]))
