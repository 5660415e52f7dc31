/** Echo requests without privilege, by a group in `net.ipv4.ping_group_range`. Knows nothing of scans. */
import {
  AF_INET,
  AF_INET6,
  encodeInt32,
  getPointer,
  isNotSent,
  type Libc,
  MSG_DONTWAIT,
  readErrno,
  SO_RCVBUF,
  SO_SNDBUF,
  SOCK_CLOEXEC,
  SOCK_DGRAM,
  SOCK_NONBLOCK,
  SOL_SOCKET,
} from '../sys/libc.ts'
import { createIndexReader, createSocketAddress } from '../sys/socket-address.ts'
import type { Targets } from '../targets.ts'

export type IcmpSocket = {
  /** @returns false when the machine had no room for it: it never left */
  readonly send: (index: number) => boolean
  /** Gives out the replies that have come since. */
  readonly drain: () => void
  readonly close: () => void
}

/** @param ttl 0: not told */
export type OnReply = (index: number, rttMs: number, ttl: number) => void

/** ICMP (RFC 792) and ICMPv6 (RFC 4443), as Linux constants. */
const KINDS = {
  4: { domain: AF_INET, protocol: 1, level: 0, hopsOption: 12, hopsType: 2, request: 8, reply: 0 },
  6: { domain: AF_INET6, protocol: 58, level: 41, hopsOption: 51, hopsType: 52, request: 128, reply: 129 },
} as const

const SO_TIMESTAMP = 29
const BUFFER_BYTES = 4 << 20

/** Header, a number that only this socket knows, and when it was sent. */
const PACKET_BYTES = 24
const SEQUENCE_AT = 6
const NONCE_AT = 8
const SENT_AT = 16

/** Messages of one `recvmmsg`, and the sizes of their parts. */
const BATCH = 64
const MESSAGE_BYTES = 64
const IOVEC_BYTES = 16
const NAME_BYTES = 32
const CONTROL_BYTES = 128
const DATA_BYTES = 128
/** In `struct mmsghdr` of 64-bit Linux. */
const NAME_LENGTH_AT = 8
const CONTROL_LENGTH_AT = 40
const LENGTH_AT = 56

/** A number is exact for every possible time. */
const readInt64 = (buffer: Buffer, at: number): number => buffer.readInt32LE(at + 4) * 2 ** 32 + buffer.readUInt32LE(at)

/** True if such a socket may be opened here. */
export const canPing = (c: Libc, family: 4 | 6): boolean => {
  const fd = openSocket(c, family)
  if (fd < 0) return false
  c.close(fd)
  return true
}

const openSocket = (c: Libc, family: 4 | 6): number => {
  const { domain, protocol } = KINDS[family]
  return c.socket(domain, SOCK_DGRAM | SOCK_NONBLOCK | SOCK_CLOEXEC, protocol)
}

/** Creates the structures of `recvmmsg`, and their buffers. */
const createInbox = () => {
  const messages = Buffer.alloc(BATCH * MESSAGE_BYTES)
  const vectors = Buffer.alloc(BATCH * IOVEC_BYTES)
  const names = Buffer.alloc(BATCH * NAME_BYTES)
  const controls = Buffer.alloc(BATCH * CONTROL_BYTES)
  const data = Buffer.alloc(BATCH * DATA_BYTES)
  for (let i = 0; i < BATCH; i++) {
    const at = i * MESSAGE_BYTES
    vectors.writeBigUInt64LE(getPointer(data) + BigInt(i * DATA_BYTES), i * IOVEC_BYTES)
    vectors.writeBigUInt64LE(BigInt(DATA_BYTES), i * IOVEC_BYTES + 8)
    messages.writeBigUInt64LE(getPointer(names) + BigInt(i * NAME_BYTES), at)
    messages.writeBigUInt64LE(getPointer(vectors) + BigInt(i * IOVEC_BYTES), at + 16)
    messages.writeBigUInt64LE(1n, at + 24)
    messages.writeBigUInt64LE(getPointer(controls) + BigInt(i * CONTROL_BYTES), at + 32)
  }
  /** The kernel overwrites the given lengths with the used ones. */
  const arm = (count: number): void => {
    for (let i = 0; i < count; i++) {
      messages.writeUInt32LE(NAME_BYTES, i * MESSAGE_BYTES + NAME_LENGTH_AT)
      messages.writeUInt32LE(CONTROL_BYTES, i * MESSAGE_BYTES + CONTROL_LENGTH_AT)
    }
  }
  arm(BATCH)
  return { messages, vectors, names, controls, data, arm }
}

/** @returns undefined when the kernel does not let this process have one */
export const openIcmpSocket = (c: Libc, targets: Targets, onReply: OnReply): IcmpSocket | undefined => {
  const kind = KINDS[targets.family]
  const fd = openSocket(c, targets.family)
  if (fd < 0) return undefined
  c.setsockopt(fd, kind.level, kind.hopsOption, encodeInt32(1), 4)
  c.setsockopt(fd, SOL_SOCKET, SO_TIMESTAMP, encodeInt32(1), 4)
  c.setsockopt(fd, SOL_SOCKET, SO_RCVBUF, encodeInt32(BUFFER_BYTES), 4)
  c.setsockopt(fd, SOL_SOCKET, SO_SNDBUF, encodeInt32(BUFFER_BYTES), 4)

  const packet = Buffer.alloc(PACKET_BYTES)
  packet[0] = kind.request
  crypto.getRandomValues(packet.subarray(NONCE_AT, NONCE_AT + 4))
  const nonce = packet.readUInt32LE(NONCE_AT)
  const address = createSocketAddress(targets)
  const inbox = createInbox()
  const indexOf = createIndexReader(targets)

  // Ancillary data of the last reply. No allocation for each reply: at full rate, garbage would be most of the memory.
  let ttl = 0
  let receivedAtMs = 0
  const readExtras = (i: number): void => {
    ttl = 0
    receivedAtMs = 0
    const { controls, messages } = inbox
    const end = Math.min(CONTROL_BYTES, messages.readUInt32LE(i * MESSAGE_BYTES + CONTROL_LENGTH_AT))
    for (let at = 0; at + 16 < end; ) {
      const begin = i * CONTROL_BYTES + at
      const length = controls.readUInt32LE(begin)
      const level = controls.readInt32LE(begin + 8)
      const type = controls.readInt32LE(begin + 12)
      if (level === kind.level && type === kind.hopsType) ttl = controls.readUInt8(begin + 16)
      if (level === SOL_SOCKET && type === SO_TIMESTAMP)
        receivedAtMs = readInt64(controls, begin + 16) * 1000 + readInt64(controls, begin + 24) / 1000
      // Entries are aligned to eight bytes; one without a length would never end.
      at += Math.max(16, (length + 7) & ~7)
    }
  }

  const read = (i: number, nowMs: number): void => {
    const { data, names, messages } = inbox
    const at = i * DATA_BYTES
    if (messages.readUInt32LE(i * MESSAGE_BYTES + LENGTH_AT) < PACKET_BYTES) return
    if (data[at] !== kind.reply || data.readUInt32LE(at + NONCE_AT) !== nonce) return
    const index = indexOf(names, i * NAME_BYTES)
    // The sequence number is the host, so an answer to any earlier pass counts, and one from another address does not.
    if (index < 0 || index >= targets.size || data.readUInt16BE(at + SEQUENCE_AT) !== (index & 0xffff)) return
    if (!targets.has(index)) return
    const sentAtMs = data.readDoubleLE(at + SENT_AT)
    readExtras(i)
    // The kernel's clock is preferred where its time is plausible: this loop looks only every other millisecond.
    const latestMs = nowMs - sentAtMs
    const exactMs = receivedAtMs === 0 ? latestMs : receivedAtMs - performance.timeOrigin - sentAtMs
    const rttMs = exactMs > 0 && exactMs < latestMs ? exactMs : latestMs
    if (rttMs >= 0 && Number.isFinite(rttMs)) onReply(index, rttMs, ttl)
  }

  const drain = (): void => {
    for (;;) {
      const count = c.recvmmsg(fd, inbox.messages, BATCH, MSG_DONTWAIT, null)
      if (count <= 0) return
      const nowMs = performance.now()
      for (let i = 0; i < count; i++) read(i, nowMs)
      inbox.arm(count)
      if (count < BATCH) return
    }
  }

  return {
    send: (index) => {
      packet.writeUInt16BE(index & 0xffff, SEQUENCE_AT)
      packet.writeDoubleLE(performance.now(), SENT_AT)
      address.set(index, 0)
      const sent = c.sendto(fd, packet, PACKET_BYTES, MSG_DONTWAIT, address.bytes, address.bytes.length)
      // Other errors are about the host ("no route"), and so as good as silence.
      return sent >= 0 || !isNotSent(readErrno(c))
    },
    drain,
    close: () => {
      c.close(fd)
    },
  }
}
