/** Sends a byte to the discard port (RFC 863) of an address, which makes the kernel resolve the address. */
import {
  AF_INET,
  AF_INET6,
  isNotSent,
  type Libc,
  MSG_DONTWAIT,
  readErrno,
  SOCK_CLOEXEC,
  SOCK_DGRAM,
  SOCK_NONBLOCK,
} from '../sys/libc.ts'
import { createSocketAddress } from '../sys/socket-address.ts'
import type { Targets } from '../targets.ts'

export type Toucher = {
  /** @returns false when the machine had no room for it: it never left */
  readonly touch: (index: number) => boolean
  readonly close: () => void
}

const DISCARD_PORT = 9
// The socket has no `IP_RECVERR` and no connection, so the ICMP error of one host fails no send to another (udp(7), ip(7)).
/** A datagram that waits for its neighbor is charged to its socket; one socket stalls at 256 of them. */
const SOCKETS = 8

export const createToucher = (c: Libc, targets: Targets): Toucher => {
  const domain = targets.family === 4 ? AF_INET : AF_INET6
  const opened = Array.from({ length: SOCKETS }, () => c.socket(domain, SOCK_DGRAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0))
  const sockets = opened.filter((fd) => fd >= 0)
  const address = createSocketAddress(targets)
  const byte = Buffer.alloc(1)
  let turn = 0
  return {
    touch: (index) => {
      const fd = sockets[turn++ % Math.max(1, sockets.length)]
      if (fd === undefined) return false
      address.set(index, DISCARD_PORT)
      const sent = c.sendto(fd, byte, 1, MSG_DONTWAIT, address.bytes, address.bytes.length)
      return sent >= 0 || !isNotSent(readErrno(c))
    },
    close: () => {
      for (const fd of sockets) c.close(fd)
    },
  }
}
