/** ARP requests (RFC 826) past the kernel's own table, for networks that are larger than it. Needs CAP_NET_RAW. */
import { isMulticastMac } from '../../net/mac.ts'
import {
  AF_PACKET,
  encodeInt32,
  isNotSent,
  type Libc,
  MSG_DONTWAIT,
  readErrno,
  SOCK_CLOEXEC,
  SOCK_DGRAM,
  SOCK_NONBLOCK,
  SOL_SOCKET,
} from '../sys/libc.ts'
import type { Targets } from '../targets.ts'
import type { Link } from './links.ts'

export type ArpSocket = {
  /** @returns false when the machine had no room for it: it never left */
  readonly send: (index: number) => boolean
  readonly drain: () => void
  readonly close: () => void
}

const ETH_P_ARP = 0x0806
const ETH_P_IP = 0x0800
const ETHERNET = 1
const REQUEST = 1
const REPLY = 2
const ADDRESS_BYTES = 20
const MAC_AT = 12
const PACKET_BYTES = 28
const SENDER_MAC_AT = 8
const SENDER_AT = 14
const TARGET_AT = 24
/** Exceeds the system limit; a process that may open this socket usually may do that too. */
const SO_RCVBUFFORCE = 33
const BUFFER_BYTES = 8 << 20

const toOctets = (mac: string): Buffer => Buffer.from(mac.replaceAll(':', ''), 'hex')

/** `htons`: the protocol of a packet socket goes in the order of the network. */
const toNetworkOrder = (protocol: number): number => ((protocol & 0xff) << 8) | (protocol >> 8)

const openSocket = (c: Libc): number =>
  c.socket(AF_PACKET, SOCK_DGRAM | SOCK_NONBLOCK | SOCK_CLOEXEC, toNetworkOrder(ETH_P_ARP))

/** True if such a socket may be opened here. */
export const canSendArp = (c: Libc): boolean => {
  const fd = openSocket(c)
  if (fd < 0) return false
  c.close(fd)
  return true
}

/** `struct sockaddr_ll` of an interface. */
const linkAddress = (link: Link, mac: Buffer): Buffer => {
  const address = Buffer.alloc(ADDRESS_BYTES)
  address.writeUInt16LE(AF_PACKET, 0)
  address.writeUInt16BE(ETH_P_ARP, 2)
  address.writeInt32LE(link.number, 4)
  address[11] = mac.length
  mac.copy(address, MAC_AT)
  return address
}

const requestFrom = (link: Link): Buffer => {
  const packet = Buffer.alloc(PACKET_BYTES)
  packet.writeUInt16BE(ETHERNET, 0)
  packet.writeUInt16BE(ETH_P_IP, 2)
  packet[4] = 6
  packet[5] = 4
  packet.writeUInt16BE(REQUEST, 6)
  toOctets(link.mac).copy(packet, SENDER_MAC_AT)
  for (const [i, octet] of link.address.split('.').entries()) packet[SENDER_AT + i] = Number(octet)
  return packet
}

export type ArpReply = { readonly index: number; readonly mac: string }

/** @returns undefined when the kernel does not let this process have one */
export const openArpSocket = (
  c: Libc,
  { targets, link, onReply }: { targets: Targets; link: Link; onReply: (reply: ArpReply) => void },
): ArpSocket | undefined => {
  const fd = openSocket(c)
  if (fd < 0) return undefined
  const everybody = linkAddress(link, Buffer.alloc(6, 0xff))
  c.bind(fd, linkAddress(link, Buffer.alloc(6)), ADDRESS_BYTES)
  c.setsockopt(fd, SOL_SOCKET, SO_RCVBUFFORCE, encodeInt32(BUFFER_BYTES), 4)
  const packet = requestFrom(link)
  const first = Number(targets.block.first)
  const inbox = Buffer.alloc(128)

  const read = (): void => {
    const index = inbox.readUInt32BE(SENDER_AT) - first
    if (index < link.first || index > link.last || !targets.has(index)) return
    const mac = (inbox.toString('hex', SENDER_MAC_AT, SENDER_MAC_AT + 6).match(/../g) ?? []).join(':')
    if (!isMulticastMac(mac)) onReply({ index, mac })
  }

  return {
    send: (index) => {
      packet.writeUInt32BE(first + index, TARGET_AT)
      const sent = c.sendto(fd, packet, PACKET_BYTES, MSG_DONTWAIT, everybody, ADDRESS_BYTES)
      return sent >= 0 || !isNotSent(readErrno(c))
    },
    drain: () => {
      for (;;) {
        const length = c.recv(fd, inbox, inbox.length, MSG_DONTWAIT)
        if (length < 0) return
        if (length >= PACKET_BYTES && inbox.readUInt16BE(6) === REPLY) read()
      }
    },
    close: () => {
      c.close(fd)
    },
  }
}
