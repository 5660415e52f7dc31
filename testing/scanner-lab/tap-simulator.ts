/**
 * Simulates a slow and lossy network behind a TAP device: a delay for each host of 198.19.0.0/16, losses, and a common
 * limit on replies. Runs in the namespace of the scanner until it is killed. Uses the C library through Bun.
 */
import { dlopen } from 'bun:ffi'

export type Network = {
  /** One address in this many responds. */
  readonly aliveOf: number
  readonly leastMs: number
  readonly mostMs: number
  readonly lossPercent: number
  /** Replies a second that come through; 0: all. */
  readonly repliesPerSecond: number
}

/** Deterministic per address, so that the responding hosts are known in advance. */
export const hashAddress = (value: number): number => {
  let hash = value >>> 0
  hash = Math.imul(hash ^ (hash >>> 16), 0x7feb352d)
  hash = Math.imul(hash ^ (hash >>> 15), 0x846ca68b)
  return (hash ^ (hash >>> 16)) >>> 0
}

/** Returns the responding addresses from the first to the last. */
export const countAlive = (first: number, last: number, aliveOf: number): number => {
  let count = 0
  for (let value = first; value <= last; value++) if (hashAddress(value) % aliveOf === 0) count++
  return count
}

const ROUTER_MAC = Buffer.from('020000000001', 'hex')
const ROUTER = Buffer.from([198, 51, 100, 1])
const TAP_WITHOUT_HEADER = 0x1002
const SET_INTERFACE = 0x400454ca
const READ_WRITE_NONBLOCK = 0o4002
const MOST_FRAME = 1600
const ETHERNET_BYTES = 14
const FRAMES_AT_ONCE = 500

const checksum = (bytes: Buffer): number => {
  let sum = 0
  for (let at = 0; at < bytes.length; at += 2) sum += ((bytes[at] ?? 0) << 8) | (bytes[at + 1] ?? 0)
  while (sum > 0xffff) sum = (sum & 0xffff) + (sum >> 16)
  return ~sum & 0xffff
}

/** Returns the answer to an ARP request for the router. */
const arpReply = (frame: Buffer): Buffer | undefined => {
  if (frame.readUInt16BE(20) !== 1 || !frame.subarray(38, 42).equals(ROUTER)) return undefined
  const reply = Buffer.from(frame.subarray(0, 42))
  frame.copy(reply, 0, 6, 12)
  ROUTER_MAC.copy(reply, 6)
  reply.writeUInt16BE(2, 20)
  ROUTER_MAC.copy(reply, 22)
  ROUTER.copy(reply, 28)
  frame.copy(reply, 32, 22, 32)
  return reply
}

/** Returns the answer to an echo request. */
const echoReply = (frame: Buffer): Buffer | undefined => {
  const header = ((frame[ETHERNET_BYTES] ?? 0) & 15) * 4
  const icmp = ETHERNET_BYTES + header
  if (frame[23] !== 1 || frame[icmp] !== 8) return undefined
  const reply = Buffer.from(frame)
  frame.copy(reply, 0, 6, 12)
  frame.copy(reply, 6, 0, 6)
  frame.copy(reply, 26, 30, 34)
  frame.copy(reply, 30, 26, 30)
  reply[22] = 61
  reply.writeUInt16BE(0, 24)
  reply.writeUInt16BE(checksum(reply.subarray(ETHERNET_BYTES, icmp)), 24)
  reply[icmp] = 0
  reply.writeUInt16BE(0, icmp + 2)
  const end = ETHERNET_BYTES + frame.readUInt16BE(16)
  reply.writeUInt16BE(checksum(reply.subarray(icmp, end)), icmp + 2)
  return reply
}

const openTap = (name: string) => {
  const c = dlopen('libc.so.6', {
    open: { args: ['ptr', 'i32'], returns: 'i32' },
    ioctl: { args: ['i32', 'u64', 'ptr'], returns: 'i32' },
    read: { args: ['i32', 'ptr', 'u64'], returns: 'i32' },
    write: { args: ['i32', 'ptr', 'u64'], returns: 'i32' },
  }).symbols
  const fd = c.open(Buffer.from('/dev/net/tun\0'), READ_WRITE_NONBLOCK)
  const request = Buffer.alloc(40)
  request.write(name, 'latin1')
  request.writeUInt16LE(TAP_WITHOUT_HEADER, 16)
  if (fd < 0 || c.ioctl(fd, SET_INTERFACE, request) < 0) throw new Error(`no TAP device ${name}`)
  const inbox = Buffer.alloc(MOST_FRAME)
  return {
    read: (): Buffer | undefined => {
      const length = c.read(fd, inbox, MOST_FRAME)
      return length > 0 ? inbox.subarray(0, length) : undefined
    },
    write: (frame: Buffer): void => {
      c.write(fd, frame, frame.length)
    },
  }
}

const run = async (name: string, network: Network): Promise<never> => {
  const { aliveOf, leastMs, mostMs, lossPercent, repliesPerSecond } = network
  const tap = openTap(name)
  let [tokens, last] = [0, performance.now()]

  const delayed = (frame: Buffer): void => {
    const hash = hashAddress(frame.readUInt32BE(30))
    if (hash % aliveOf !== 0 || Math.random() * 100 < lossPercent) return
    const reply = echoReply(frame)
    if (reply === undefined) return
    if (repliesPerSecond > 0) {
      if (tokens < 1) return
      tokens--
    }
    // A constant delay per host, plus up to a fifth at random.
    const delayMs = (leastMs + ((hash >>> 8) % (mostMs - leastMs + 1))) * (1 + Math.random() / 5)
    setTimeout(() => tap.write(reply), delayMs)
  }
  for (;;) {
    const now = performance.now()
    tokens = Math.min(tokens + ((now - last) * repliesPerSecond) / 1000, repliesPerSecond / 10 + 1)
    last = now
    for (let i = 0; i < FRAMES_AT_ONCE; i++) {
      const frame = tap.read()
      if (frame === undefined) break
      const type = frame.readUInt16BE(12)
      const answer = type === 0x0806 ? arpReply(frame) : undefined
      if (answer) tap.write(answer)
      else if (type === 0x0800) delayed(frame)
    }
    await Bun.sleep(1)
  }
}

// Only the lab passes a network.
if (import.meta.main) await run('tap0', JSON.parse(process.argv[2] ?? '') as Network)
