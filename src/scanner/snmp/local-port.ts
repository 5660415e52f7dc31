/** Finds the interface of a port in LLDP-MIB (IEEE 802.1AB). Pure. */

import type { Interface } from './interfaces.ts'
import { formatPortId, type PortId } from './port-id.ts'

/** LldpPortIdSubtype. */
export const PORT_KIND = { alias: 1, component: 2, mac: 3, address: 4, name: 5, circuit: 6, local: 7 } as const

export type LocalPorts = {
  readonly interfaces: readonly Interface[]
  /** ifAlias by the index of the interface. */
  readonly aliases: ReadonlyMap<number, string>
  /** The interface index of each bridge port, BRIDGE-MIB (RFC 4188). */
  readonly bridgePorts: ReadonlyMap<number, number>
  /** lldpLocPortTable by lldpLocPortNum. */
  readonly ports: ReadonlyMap<number, PortId>
}

/** Several interfaces of one text name none of them. */
const findOnly = (
  interfaces: readonly Interface[],
  text: string,
  read: (one: Interface) => string | undefined,
): Interface | undefined => {
  if (text === '') return undefined
  const [only, ...others] = interfaces.filter((one) => read(one) === text)
  return others.length === 0 ? only : undefined
}

const findByText = ({ interfaces, aliases }: LocalPorts, port: PortId): Interface | undefined => {
  const { kind, description } = port
  const id = formatPortId(port)
  const byName = (text: string) => findOnly(interfaces, text, ({ name }) => name)
  const byDescription = (text: string) => findOnly(interfaces, text, (one) => one.description ?? one.name)
  const byAlias = (text: string) => findOnly(interfaces, text, ({ index }) => aliases.get(index))
  const byMac = (text: string) => findOnly(interfaces, text, ({ mac }) => mac)
  const byIndex = (text: string) =>
    /^\d{1,9}$/.test(text) ? interfaces.find(({ index }) => index === Number(text)) : undefined
  // IEEE 802.1AB-2016 section 8.5.5: the description is ifDescr of the interface, if it has one.
  return (
    byName(id) ??
    byDescription(id) ??
    byName(description) ??
    byDescription(description) ??
    (kind === PORT_KIND.alias ? byAlias(id) : undefined) ??
    (kind === PORT_KIND.mac ? byMac(id) : undefined) ??
    byAlias(description) ??
    (kind === PORT_KIND.local ? byIndex(id) : undefined)
  )
}

/**
 * By the text of the port: the name, the description, the alias, the MAC, the index. Then by its number, which LldpPortNumber says to be
 * that of the bridge port, and of an agent that is no bridge the index of the interface.
 */
const findLocalInterface = (local: LocalPorts, number: number): Interface | undefined => {
  const port = local.ports.get(number)
  const byText = port && findByText(local, port)
  if (byText) return byText
  const index = local.bridgePorts.get(number) ?? number
  return local.interfaces.find((one) => one.index === index)
}

/** Returns the name of the port; empty where the agent names none: a bare number is not the name of a port. */
export const nameLocalPort = (local: LocalPorts, number: number): string => {
  const found = findLocalInterface(local, number)
  if (found) return found.name
  const port = local.ports.get(number)
  return port?.kind === PORT_KIND.name ? formatPortId(port) : ''
}
