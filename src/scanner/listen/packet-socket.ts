/** Receives the frames of an interface by which hosts make themselves known, by an AF_PACKET socket (packet(7)). Needs CAP_NET_RAW. */
import {
  AF_PACKET,
  encodeInt32,
  getPointer,
  type Libc,
  MSG_DONTWAIT,
  SO_RCVBUF,
  SOCK_CLOEXEC,
  SOCK_NONBLOCK,
  SOCK_RAW,
  SOL_SOCKET,
} from '../sys/libc.ts'
import { encodeFilter, FILTER_STEPS } from './frame-filter.ts'

const ETH_P_ALL = 0x0003
const ADDRESS_BYTES = 20
const SO_ATTACH_FILTER = 26
const SOL_PACKET = 263
const PACKET_ADD_MEMBERSHIP = 1
const PACKET_MR_ALLMULTI = 2
const BUFFER_BYTES = 1 << 20

/** `struct sock_fprog`. */
const attachFilter = (c: Libc, fd: number): boolean => {
  const filter = encodeFilter()
  const program = Buffer.alloc(16)
  program.writeUInt16LE(FILTER_STEPS, 0)
  program.writeBigUInt64LE(getPointer(filter), 8)
  return c.setsockopt(fd, SOL_SOCKET, SO_ATTACH_FILTER, program, program.length) === 0
}

/** `struct packet_mreq`: solicitations of neighbors go to groups of their addresses. */
const joinAllGroups = (c: Libc, fd: number, number: number): void => {
  const request = Buffer.alloc(16)
  request.writeInt32LE(number, 0)
  request.writeUInt16LE(PACKET_MR_ALLMULTI, 4)
  c.setsockopt(fd, SOL_PACKET, PACKET_ADD_MEMBERSHIP, request, request.length)
}

/** `struct sockaddr_ll`. */
const buildAddress = (number: number): Buffer => {
  const address = Buffer.alloc(ADDRESS_BYTES)
  address.writeUInt16LE(AF_PACKET, 0)
  address.writeUInt16BE(ETH_P_ALL, 2)
  address.writeInt32LE(number, 4)
  return address
}

export type PacketSocket = {
  readonly fd: number
  /** @returns the length of the next frame, which is in the buffer as far as it fits; negative for none */
  readonly receive: (buffer: Buffer) => number
  readonly close: () => void
}

/** @param number of the interface @returns undefined when the kernel does not let this process have one */
export const openPacketSocket = (c: Libc, number: number): PacketSocket | undefined => {
  // Protocol 0 receives nothing until it is bound, by then with its filter.
  const fd = c.socket(AF_PACKET, SOCK_RAW | SOCK_NONBLOCK | SOCK_CLOEXEC, 0)
  if (fd < 0) return undefined
  c.setsockopt(fd, SOL_SOCKET, SO_RCVBUF, encodeInt32(BUFFER_BYTES), 4)
  if (!attachFilter(c, fd) || c.bind(fd, buildAddress(number), ADDRESS_BYTES) !== 0) {
    c.close(fd)
    return undefined
  }
  joinAllGroups(c, fd, number)
  return {
    fd,
    receive: (buffer) => c.recv(fd, buffer, buffer.length, MSG_DONTWAIT),
    close: () => {
      c.close(fd)
    },
  }
}

const POLL_BYTES = 8
const POLLIN = 1

/** Returns a function that blocks until one of the sockets has a frame, or the time is over. */
export const createWait = (c: Libc, sockets: readonly PacketSocket[]): ((ms: number) => void) => {
  const wanted = Buffer.alloc(Math.max(1, sockets.length) * POLL_BYTES)
  for (const [i, { fd }] of sockets.entries()) {
    wanted.writeInt32LE(fd, i * POLL_BYTES)
    wanted.writeInt16LE(POLLIN, i * POLL_BYTES + 4)
  }
  return (ms) => {
    c.poll(wanted, sockets.length, ms)
  }
}
