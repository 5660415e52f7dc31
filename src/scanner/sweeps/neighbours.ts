/** The neighbor table of the kernel (ARP for IPv4, RFC 4861 for IPv6), read over netlink. Needs no privilege. */
import {
  AF_INET,
  AF_INET6,
  AF_NETLINK,
  encodeInt32,
  type Libc,
  MSG_DONTWAIT,
  SO_RCVBUF,
  SOCK_CLOEXEC,
  SOCK_RAW,
  SOL_SOCKET,
} from '../sys/libc.ts'
import type { Targets } from '../targets.ts'

export type Neighbour = {
  readonly index: number
  readonly mac: string
  /** It was heard of within this time; undefined: it is yet to answer, or did not. */
  readonly heardMsAgo: number | undefined
  /** It is known from earlier, and the kernel is about to ask whether it is still there. */
  readonly isDoubtful: boolean
}

export type NeighbourTable = {
  /** Entries of any kind, of all networks: the kernel holds about a thousand. */
  readonly entries: number
  /** Entries without an answer so far. */
  readonly unresolved: number
  readonly neighbours: readonly Neighbour[]
}

const NETLINK_ROUTE = 0
const RTM_NEWNEIGH = 28
const RTM_GETNEIGH = 30
const NLMSG_ERROR = 2
const NLMSG_DONE = 3
const REQUEST_DUMP = 0x301
const HEADER_BYTES = 16
const BODY_BYTES = 12
const NDA_DST = 1
const NDA_LLADDR = 2
const NDA_CACHEINFO = 3

const INCOMPLETE = 0x01
const REACHABLE = 0x02
/** Stale, delayed, being asked. */
const KNOWN = 0x04 | 0x08 | 0x10
/** The kernel tells times in these, whatever its own clock ticks in. */
const TICK_MS = 10
const BUFFER_BYTES = 64 * 1024
const ETHERNET_BYTES = 6

const request = (family: 4 | 6): Buffer => {
  const message = Buffer.alloc(HEADER_BYTES + BODY_BYTES)
  message.writeUInt32LE(message.length, 0)
  message.writeUInt16LE(RTM_GETNEIGH, 4)
  message.writeUInt16LE(REQUEST_DUMP, 6)
  message[HEADER_BYTES] = family === 4 ? AF_INET : AF_INET6
  return message
}

type Attributes = { address?: Buffer; mac?: Buffer; confirmedTicks?: number }

const parseAttributes = (message: Buffer): Attributes => {
  const found: Attributes = {}
  for (let at = BODY_BYTES; at + 4 <= message.length; ) {
    const length = message.readUInt16LE(at)
    if (length < 4) break
    const value = message.subarray(at + 4, at + length)
    const type = message.readUInt16LE(at + 2) & 0x3fff
    if (type === NDA_DST) found.address = value
    else if (type === NDA_LLADDR) found.mac = value
    else if (type === NDA_CACHEINFO && value.length >= 4) found.confirmedTicks = value.readUInt32LE(0)
    at += (length + 3) & ~3
  }
  return found
}

const formatMac = (octets: Buffer): string => (octets.toString('hex').match(/../g) ?? []).join(':')

const toIndex = (address: Buffer, { family, block }: Targets): number => {
  const value = BigInt(`0x${address.toString('hex')}`)
  const isOfFamily = address.length === (family === 4 ? 4 : 16)
  return isOfFamily && value >= block.first && value <= block.last ? Number(value - block.first) : -1
}

const parseNeighbour = (message: Buffer, targets: Targets): Neighbour | undefined => {
  const state = message.readUInt16LE(8)
  const isKnown = (state & KNOWN) !== 0
  // Most entries of a sweep are of unused addresses.
  if (!isKnown && (state & REACHABLE) === 0) return undefined
  const { address, mac, confirmedTicks } = parseAttributes(message)
  if (address === undefined || mac === undefined || mac.length !== ETHERNET_BYTES) return undefined
  const index = toIndex(address, targets)
  if (index < 0 || !targets.has(index)) return undefined
  const heardMsAgo = confirmedTicks === undefined ? undefined : confirmedTicks * TICK_MS
  return { index, mac: formatMac(mac), heardMsAgo, isDoubtful: isKnown }
}

/** @returns undefined where the table cannot be read */
export const readNeighbours = (c: Libc, targets: Targets): NeighbourTable | undefined => {
  const fd = c.socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_ROUTE)
  if (fd < 0) return undefined
  c.setsockopt(fd, SOL_SOCKET, SO_RCVBUF, encodeInt32(1 << 20), 4)
  try {
    const message = request(targets.family)
    // To the kernel itself: `struct sockaddr_nl` of zeros but the family.
    const kernel = Buffer.alloc(12)
    kernel.writeUInt16LE(AF_NETLINK, 0)
    if (c.sendto(fd, message, message.length, 0, kernel, kernel.length) < 0) return undefined
    return collect(c, fd, targets)
  } finally {
    c.close(fd)
  }
}

const collect = (c: Libc, fd: number, targets: Targets): NeighbourTable | undefined => {
  const neighbours: Neighbour[] = []
  let [entries, unresolved] = [0, 0]
  const buffer = Buffer.alloc(BUFFER_BYTES)
  for (;;) {
    // The kernel makes the next part when one is read, so there is never anything to wait for.
    const length = c.recv(fd, buffer, BUFFER_BYTES, MSG_DONTWAIT)
    if (length < HEADER_BYTES) return undefined
    for (let at = 0; at + HEADER_BYTES <= length; ) {
      const size = buffer.readUInt32LE(at)
      const type = buffer.readUInt16LE(at + 4)
      if (type === NLMSG_DONE) return { entries, unresolved, neighbours }
      if (type === NLMSG_ERROR || size < HEADER_BYTES) return undefined
      if (type === RTM_NEWNEIGH && size >= HEADER_BYTES + BODY_BYTES) {
        const body = buffer.subarray(at + HEADER_BYTES, at + size)
        entries++
        if ((body.readUInt16LE(8) & INCOMPLETE) !== 0) unresolved++
        const neighbour = parseNeighbour(body, targets)
        if (neighbour) neighbours.push(neighbour)
      }
      at += (size + 3) & ~3
    }
  }
}
