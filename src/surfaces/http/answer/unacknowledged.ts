/**
 * Reads how many bytes of a TCP connection its peer has not acknowledged. A socket buffer holds up to megabytes, and
 * the system reports it writable only when a third of it is free. Between two such reports, this is the only sign of a
 * client that reads slowly. Linux reports it for every connection (proc_pid_net(5), `tx_queue`); elsewhere it is
 * unknown.
 */
import { readFile } from 'node:fs/promises'
import { parseIp } from '../../../net/ip.ts'

export type Connection = {
  /** The address of the peer, as the socket reports it. */
  readonly address: string
  readonly port: number
  readonly localPort: number
}

/** Returns the unacknowledged bytes of a connection; undefined if the system does not report them. */
export type Unacknowledged = (connection: Connection) => number | undefined

const TABLES = ['/proc/self/net/tcp', '/proc/self/net/tcp6']
const MAPPED_V4 = 0xffff_0000_0000n
const UNKNOWN: Unacknowledged = () => undefined

const buildKey = (address: bigint, port: number, localPort: number): string => `${address} ${port} ${localPort}`

/**
 * Reverses the bytes of a word. The kernel prints 32-bit words in the machine's byte order. All platforms of Bun are little-endian.
 */
const toBigEndian = (word: string): string => (word.match(/../g) ?? []).reverse().join('')

/** @example parseAddress('0100007F') // 127.0.0.1 as an IPv4-mapped address */
const parseAddress = (hex: string): bigint => {
  const value = BigInt(`0x${(hex.match(/.{8}/g) ?? []).map(toBigEndian).join('')}`)
  return hex.length === 8 ? value | MAPPED_V4 : value
}

const NOTHING_QUEUED = ' 00000000:00000000 '
const LINE = /^\s*\d+: [0-9A-F]+:([0-9A-F]{4}) ([0-9A-F]+):([0-9A-F]{4}) [0-9A-F]{2} ([0-9A-F]{8}):/

/** Parses the text of a kernel table. @returns the connections to `localPort` with bytes in their queues */
export const parseTable = (text: string, localPort: number): Map<string, number> => {
  const queued = new Map<string, number>()
  const local = `:${localPort.toString(16).toUpperCase().padStart(4, '0')} `
  for (const line of text.split('\n')) {
    if (!line.includes(local) || line.includes(NOTHING_QUEUED)) continue
    const [, own = '', remote = '', port = '', bytes = ''] = LINE.exec(line) ?? []
    if (Number.parseInt(own, 16) !== localPort) continue
    queued.set(buildKey(parseAddress(remote), Number.parseInt(port, 16), localPort), Number.parseInt(bytes, 16))
  }
  return queued
}

/** Reads the system's tables once, for the connections to `localPort`. */
export const readUnacknowledged = async (localPort: number): Promise<Unacknowledged> => {
  if (process.platform !== 'linux') return UNKNOWN
  const texts = await Promise.all(TABLES.map((file) => readFile(file, 'utf8').catch(() => '')))
  if (texts.every((text) => text === '')) return UNKNOWN
  const queued = new Map(texts.flatMap((text) => [...parseTable(text, localPort)]))
  return ({ address, port }) => {
    const ip = parseIp(address.replace(/%.*$/, ''))
    return ip && (queued.get(buildKey(ip.family === 4 ? ip.value | MAPPED_V4 : ip.value, port, localPort)) ?? 0)
  }
}
