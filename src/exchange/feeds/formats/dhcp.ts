/** Reservations of addresses for DHCP servers: dnsmasq, ISC dhcpd and Kea. */

import { getFirstLabel } from '../../../inventory/devices/address-names.ts'
import { toSlug } from '../../../net/slug.ts'
import {
  createFirstHolders,
  type FeedAddress,
  type FeedDevice,
  type Format,
  getFeedNames,
  type Parts,
} from './format.ts'

const isIpv6 = ({ address }: FeedAddress): boolean => address.ip.includes(':')

/** Reports an address without MAC. */
const hasMac = ({ device }: FeedDevice, { address }: FeedAddress, { skip }: Parts): boolean => {
  const { ip, mac_address } = address
  if (mac_address === '') skip(device, `${ip} has no MAC address`)
  return mac_address !== ''
}

/** Writes a line for each address with a MAC. */
const createLineFormat = (line: (device: FeedDevice, address: FeedAddress) => string): Format =>
  async function* (parts) {
    const isFirst = createFirstHolders(parts.skip)
    yield `# ${parts.title}\n`
    for await (const devices of parts.chunks) {
      let text = ''
      for (const device of devices)
        for (const address of device.addresses)
          if (hasMac(device, address, parts) && isFirst(device.device, address.address.ip))
            text += line(device, address)
      if (text !== '') yield text
    }
  }

/** Lines of `--dhcp-hostsfile` have no keyword; these are of the configuration (dnsmasq(8)). */
export const dnsmasq = createLineFormat(({ device }, address) => {
  const { own } = getFeedNames(device, address)
  const { mac_address, ip } = address.address
  const parts = [mac_address, isIpv6(address) ? `[${ip}]` : ip, ...(own === '' ? [] : [getFirstLabel(own)])]
  return `dhcp-host=${parts.join()}\n`
})

/** Host declarations (dhcpd.conf(5)). Their names are unique, because each address is written once. */
export const iscDhcp = createLineFormat(({ device }, address) => {
  const { own } = getFeedNames(device, address)
  const { mac_address, ip } = address.address
  const name = [toSlug(device.name, '-'), ip.replace(/[.:]/g, '-')].filter((part) => part !== '').join('-')
  const label = own === '' ? '' : ` option host-name "${getFirstLabel(own)}";`
  return `host ${name} { hardware ethernet ${mac_address}; fixed-address${isIpv6(address) ? '6' : ''} ${ip};${label} }\n`
})

/** Returns the reservations of a device, of the family of the feed. Reports addresses that Kea would refuse. */
const listKeaReservations = (entry: FeedDevice, parts: Parts, taken: Set<string>) => {
  const { device, addresses } = entry
  const isWanted = (address: FeedAddress) => isIpv6(address) === (parts.feed.family === 'ipv6')
  const byMac = new Map<string, FeedAddress[]>()
  for (const address of addresses) {
    const { ip, mac_address } = address.address
    if (!isWanted(address)) parts.skip(device, `${ip} is of the other family`)
    else if (hasMac(entry, address, parts)) byMac.set(mac_address, [...(byMac.get(mac_address) ?? []), address])
  }
  return [...byMac].flatMap(([mac, all]) => {
    const isOf = parts.feed.family === 'ipv6' ? all : all.slice(0, 1)
    if (taken.has(mac)) parts.skip(device, `${mac} is the MAC address of another device, too`)
    else
      for (const { address } of all.slice(isOf.length))
        parts.skip(device, `${address.ip} is a further address of ${mac}, of which Kea takes one`)
    if (taken.has(mac)) return []
    taken.add(mac)
    return [{ mac, all: isOf }]
  })
}

export const kea: Format = async function* (parts) {
  const { chunks, feed, skip } = parts
  const isFirst = createFirstHolders(skip)
  const taken = new Set<string>()
  let opening = '[\n'
  for await (const devices of chunks) {
    let text = ''
    for (const entry of devices)
      for (const { mac, all } of listKeaReservations(entry, parts, taken)) {
        const ips = all.map(({ address }) => address.ip).filter((ip) => isFirst(entry.device, ip))
        if (ips.length === 0) continue
        const name = all.map((one) => getFeedNames(entry.device, one).own).find((own) => own !== '')
        const own = feed.family === 'ipv6' ? { 'ip-addresses': ips } : { 'ip-address': ips[0] }
        const reservation = { 'hw-address': mac, ...own, ...(name !== undefined && { hostname: name }) }
        text += opening + JSON.stringify(reservation)
        opening = ',\n'
      }
    if (text !== '') yield text
  }
  yield opening === '[\n' ? '[]\n' : '\n]\n'
}
