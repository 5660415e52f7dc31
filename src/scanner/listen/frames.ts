/** Reads who sent an Ethernet frame, and what it says of itself: ARP, DHCP requests, neighbor discovery and multicast DNS. Pure. */
import { formatIp } from '../../net/ip.ts'
import { formatIpv4 } from '../../net/ipv4-text.ts'
import type { Source } from '../evidence.ts'
import type { FoundHost, FoundName } from '../protocol.ts'
import { cleanName, decode } from '../services/clean-text.ts'

export type Heard = {
  /** Empty for a host that says only its name. */
  readonly ip: string
  /** Lower case with colons; empty when unknown. */
  readonly mac: string
  readonly macSource: FoundHost['macSource']
  readonly source: Source
  readonly detail: string
  readonly name?: FoundName
  /** It asks whether the address is free, and has it if no other host answers (RFC 4862 section 5.4). */
  readonly isTentative?: true
  /** A response of multicast DNS, not decoded yet. Valid until the next frame. */
  readonly mdns?: Buffer
}

const ETHERNET_BYTES = 14
const ARP = 0x0806
const IPV4 = 0x0800
const IPV6 = 0x86dd
const UDP = 17
const ICMPV6 = 58
const UDP_BYTES = 8
const DHCP_PORT = 67
const MDNS_PORT = 5353
/** RFC 4861 section 4 and RFC 6762 section 11: a packet with fewer hops comes from another link. */
const ALL_HOPS = 255

const formatMac = (octets: Buffer): string => (octets.toString('hex').match(/../g) ?? []).join(':')

const formatIp6 = (octets: Buffer): string => formatIp({ family: 6, value: BigInt(`0x${octets.toString('hex')}`) })

const isZero = (octets: Buffer): boolean => octets.every((octet) => octet === 0)

const ARP_BYTES = 28

/** RFC 826: each packet says who sent it. A probe (RFC 5227) has no address yet. */
const readArp = (packet: Buffer): Heard | undefined => {
  if (packet.length < ARP_BYTES || packet.readUInt32BE(0) !== 0x0001_0800 || packet.readUInt16BE(4) !== 0x0604) return
  const operation = packet.readUInt16BE(6)
  const address = packet.readUInt32BE(14)
  if (address === 0 || (operation !== 1 && operation !== 2)) return
  const detail = operation === 1 ? 'sent an ARP request' : 'sent an ARP reply'
  return { ip: formatIpv4(address), mac: formatMac(packet.subarray(8, 14)), macSource: 'arp', source: 'arp', detail }
}

const DHCP_BYTES = 240
const DHCP_COOKIE = 0x6382_5363
const DISCOVER = 1
const REQUEST = 3
const INFORM = 8

/** Reads the options of RFC 2132, each the first time. Leaves out options that are cut off. */
const readOptions = (options: Buffer): Map<number, Buffer> => {
  const found = new Map<number, Buffer>()
  for (let at = 0; at < options.length; ) {
    const code = options[at] ?? 0
    if (code === 255) break
    if (code === 0) {
      at++
      continue
    }
    const length = options[at + 1] ?? 0
    const value = options.subarray(at + 2, at + 2 + length)
    if (value.length < length) break
    if (!found.has(code)) found.set(code, value)
    at += 2 + length
  }
  return found
}

/** Returns the address that a client has, or takes of a server that offered it; 0 for none. */
const getClientAddress = (message: Buffer, type: number, options: ReadonlyMap<number, Buffer>): number => {
  const own = message.readUInt32BE(12)
  if (own !== 0 || type !== REQUEST) return type === REQUEST || type === INFORM ? own : 0
  const wanted = options.get(50)
  // Without the server that offered it, it may be an address of another network.
  return options.has(54) && wanted?.length === 4 ? wanted.readUInt32BE(0) : 0
}

/** RFC 2131: a client of this link asks a server. A relay has passed on the requests of other links. */
const readDhcp = (message: Buffer): Heard | undefined => {
  if (message.length < DHCP_BYTES || message.readUInt32BE(236) !== DHCP_COOKIE) return
  if (message[0] !== 1 || message[1] !== 1 || message[2] !== 6 || message.readUInt32BE(24) !== 0) return
  const options = readOptions(message.subarray(DHCP_BYTES))
  const type = options.get(53)?.[0] ?? 0
  if (type !== DISCOVER && type !== REQUEST && type !== INFORM) return
  const address = getClientAddress(message, type, options)
  const name = cleanName(decode(options.get(12) ?? Buffer.alloc(0)).replace(/\0.*$/s, ''))
  if (address === 0 && name === '') return
  return {
    ip: address === 0 ? '' : formatIpv4(address),
    mac: formatMac(message.subarray(28, 34)),
    macSource: 'dhcp',
    source: 'udp',
    detail: 'asked for its address by DHCP',
    ...(name !== '' && { name: { name, source: 'dhcp' } }),
  }
}

type Sender = { readonly ip: string; readonly mac: string; readonly hops: number }

const readMulticastDns = (message: Buffer, { ip, mac, hops }: Sender): Heard | undefined => {
  if (hops !== ALL_HOPS) return
  const isResponse = message.length >= 12 && ((message[2] ?? 0) & 0x80) !== 0
  const heard = { ip, mac, macSource: 'arp', source: 'mdns', detail: 'sent multicast DNS' } as const
  return isResponse ? { ...heard, mdns: message } : heard
}

/** @param packet from the header of UDP on */
const readUdp = (packet: Buffer, sender: Sender): Heard | undefined => {
  if (packet.length < UDP_BYTES) return
  const port = packet.readUInt16BE(2)
  const message = packet.subarray(UDP_BYTES, Math.max(UDP_BYTES, packet.readUInt16BE(4)))
  if (port === DHCP_PORT) return readDhcp(message)
  return port === MDNS_PORT ? readMulticastDns(message, sender) : undefined
}

const readIpv4 = (packet: Buffer, mac: string): Heard | undefined => {
  const header = ((packet[0] ?? 0) & 0x0f) * 4
  if (packet.length < 20 || header < 20 || packet[9] !== UDP) return
  // A later fragment begins with no header of UDP.
  if ((packet.readUInt16BE(6) & 0x1fff) !== 0) return
  const ip = formatIpv4(packet.readUInt32BE(12))
  return readUdp(packet.subarray(header, packet.readUInt16BE(2)), { ip, mac, hops: packet[8] ?? 0 })
}

const ROUTER_SOLICITATION = 133
const SOLICITATION = 135
const ADVERTISEMENT = 136
const SOURCE_OPTION = 1
const TARGET_OPTION = 2

/** Returns the MAC of an option of neighbor discovery (RFC 4861 section 4.6.1). */
const readLinkOption = (options: Buffer, wanted: number): string | undefined => {
  for (let at = 0; at + 8 <= options.length; ) {
    const length = (options[at + 1] ?? 0) * 8
    if (length === 0) return
    if (options[at] === wanted) return formatMac(options.subarray(at + 2, at + 8))
    at += length
  }
  return
}

/** RFC 4861: a solicitation names its sender, an advertisement its target. */
const readNeighbour = (message: Buffer, source: Buffer, mac: string): Heard | undefined => {
  const type = message[0]
  const known = { macSource: 'arp', source: 'arp' } as const
  if (type === ROUTER_SOLICITATION && message.length >= 8 && !isZero(source)) {
    const own = readLinkOption(message.subarray(8), SOURCE_OPTION) ?? mac
    return { ...known, ip: formatIp6(source), mac: own, detail: 'asked for a router' }
  }
  if (message.length < 24) return
  const [target, options] = [message.subarray(8, 24), message.subarray(24)]
  if (type === SOLICITATION && isZero(source))
    return { ...known, ip: formatIp6(target), mac, detail: 'asked whether its address is free', isTentative: true }
  if (type === SOLICITATION) {
    const own = readLinkOption(options, SOURCE_OPTION) ?? mac
    return { ...known, ip: formatIp6(source), mac: own, detail: 'asked for a neighbor' }
  }
  if (type !== ADVERTISEMENT) return
  const own = readLinkOption(options, TARGET_OPTION) ?? mac
  return { ...known, ip: formatIp6(target), mac: own, detail: 'advertised its address' }
}

const IPV6_BYTES = 40

const readIpv6 = (packet: Buffer, mac: string): Heard | undefined => {
  if (packet.length < IPV6_BYTES) return
  const [next, hops] = [packet[6], packet[7] ?? 0]
  const source = packet.subarray(8, 24)
  const content = packet.subarray(IPV6_BYTES, IPV6_BYTES + packet.readUInt16BE(4))
  if (next === UDP) return readUdp(content, { ip: formatIp6(source), mac, hops })
  return next === ICMPV6 && hops === ALL_HOPS ? readNeighbour(content, source, mac) : undefined
}

/** Returns undefined for a frame that tells of no host. */
export const readFrame = (frame: Buffer): Heard | undefined => {
  if (frame.length < ETHERNET_BYTES) return
  const type = frame.readUInt16BE(12)
  const content = frame.subarray(ETHERNET_BYTES)
  if (type === ARP) return readArp(content)
  const mac = formatMac(frame.subarray(6, 12))
  if (type === IPV4) return readIpv4(content, mac)
  return type === IPV6 ? readIpv6(content, mac) : undefined
}
