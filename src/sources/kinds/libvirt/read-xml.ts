/** Reads the XML of libvirt: capabilities of a host, domains and networks. */
import { parseIp } from '../../../net/ip.ts'
import { findElement, getXmlText, listChildren, readXmlTree, type XmlNode } from '../../../net/xml/xml-tree.ts'
import { cleanSerial } from '../serial.ts'
import type { Snapshot, SnapshotDomain, SnapshotNetwork } from './snapshot.ts'

const toNumber = (text: string | undefined): number | undefined =>
  text && /^\d+$/.test(text) ? Number(text) : undefined

/** Returns the amount of an element in KiB, which `dumpxml` writes; undefined for another unit. */
const readKib = (node: XmlNode | undefined): number | undefined =>
  (node?.attributes.unit ?? 'KiB') === 'KiB' ? toNumber(node?.text) : undefined

/** @example readOs('http://debian.org/debian/12') // 'debian 12' */
const readOs = (id: string): string => (/^https?:\/\/[^/]+\/(.+)$/.exec(id)?.[1] ?? '').replaceAll('/', ' ')

const defined = <T>(name: string, value: T | undefined) => (value === undefined ? {} : { [name]: value })

export const readCapabilities = (text: string): Omit<Snapshot['host'], 'name' | 'make_model' | 'serial'> => {
  const host = findElement(readXmlTree(text), 'host')
  const cpu = findElement(host, 'cpu')
  const cells = listChildren(findElement(host, 'topology', 'cells'), 'cell')
  const memories = cells.flatMap((cell) => readKib(findElement(cell, 'memory')) ?? [])
  const cpus = cells.flatMap((cell) => toNumber(findElement(cell, 'cpus')?.attributes.num) ?? [])
  const sum = (numbers: readonly number[]) => (numbers.length > 0 ? numbers.reduce((a, b) => a + b, 0) : undefined)
  return {
    uuid: getXmlText(host, 'uuid'),
    arch: getXmlText(cpu, 'arch'),
    cpu_model: getXmlText(cpu, 'model'),
    ...defined('cpus', sum(cpus)),
    ...defined('memory_kib', sum(memories)),
  }
}

/** Reads the entries of the element `system`. */
export const readSystem = (text: string): Pick<Snapshot['host'], 'make_model' | 'serial'> => {
  const entries = listChildren(findElement(readXmlTree(text), 'system'), 'entry')
  const find = (name: string) => entries.find(({ attributes }) => attributes.name === name)?.text ?? ''
  return {
    make_model: [find('manufacturer'), find('product')].filter((part) => part !== '').join(' '),
    serial: cleanSerial(find('serial')),
  }
}

/** Returns the VLAN of a card with one untagged VLAN. */
const readVlan = (nic: XmlNode): number | undefined => {
  const vlan = findElement(nic, 'vlan')
  const tags = listChildren(vlan, 'tag')
  return tags.length === 1 && vlan?.attributes.trunk !== 'yes' ? toNumber(tags[0]?.attributes.id) : undefined
}

export const readDomain = (text: string): Omit<SnapshotDomain, 'is_running' | 'addresses'> => {
  const domain = readXmlTree(text)
  return {
    uuid: getXmlText(domain, 'uuid'),
    name: getXmlText(domain, 'name'),
    ...defined('cpus', toNumber(getXmlText(domain, 'vcpu'))),
    ...defined('memory_kib', readKib(findElement(domain, 'memory'))),
    os: readOs(findElement(domain, 'metadata', 'libosinfo', 'os')?.attributes.id ?? ''),
    nics: listChildren(findElement(domain, 'devices'), 'interface').map((nic) => {
      const source = findElement(nic, 'source')?.attributes ?? {}
      return {
        mac: findElement(nic, 'mac')?.attributes.address ?? '',
        source: source.network ?? source.bridge ?? source.dev ?? '',
        ...defined('vlan', readVlan(nic)),
      }
    }),
  }
}

/** @example countBits('255.255.255.0') // 24 */
const countBits = (netmask: string): string => {
  const value = parseIp(netmask)?.value ?? 0n
  return String(value.toString(2).replace(/0+$/, '').length)
}

export const readNetwork = (text: string): SnapshotNetwork => {
  const network = readXmlTree(text)
  const forward = findElement(network, 'forward')
  return {
    uuid: getXmlText(network, 'uuid'),
    name: getXmlText(network, 'name'),
    mode: forward ? (forward.attributes.mode ?? 'nat') : '',
    subnets: listChildren(network, 'ip').flatMap(({ attributes: { address, prefix, netmask } }) =>
      address && (prefix || netmask) ? [`${address}/${prefix ?? countBits(netmask ?? '')}`] : [],
    ),
  }
}
