/** Reads the leases of dnsmasq: time, MAC address, address, name and client id, and for IPv6 the same after `duid`. */
import { parseIp } from '../ip.ts'
import { parseMac } from '../mac.ts'
import { splitLines } from '../text-lines.ts'
import { formatNoAddress, type Lease, type LeaseEntry } from './lease.ts'

/** A lease of dnsmasq: four words or more, the first of them a time, the third an address. */
export const DNSMASQ_LINE = /^\s*\d+\s+\S+\s+(?:\d+\.\d+\.\d+\.\d+|[0-9a-f]*:[0-9a-f:.]*)\s+\S/i

const parseLease = ([expiry = '', hardware = '', ip = '', name = '']: readonly string[]): Lease => {
  // A type of hardware other than Ethernet stands before the address: `06-01:02:...`.
  const mac = parseMac(hardware) ?? hardware.replace(/^[0-9a-f]{2}-/i, '')
  return {
    ip,
    // For IPv6 the field is the id of the association (IAID).
    ...(mac !== '*' && !ip.includes(':') && { mac_address: mac }),
    ...(name !== '*' && { hostname: name }),
    ...(expiry !== '0' && { endsMs: Number(expiry) * 1000 }),
  }
}

export function* parseDnsmasqLeases(text: string): Generator<LeaseEntry> {
  for (const { number: line, text: whole } of splitLines(text)) {
    const words = whole.trim().split(/\s+/)
    const [first = '', , ip = ''] = words
    if (first === '') continue
    if (first === 'duid' && words.length === 2) yield { line }
    else if (!/^\d+$/.test(first) || words.length < 4) yield { line, error: 'is no lease of dnsmasq' }
    else if (!parseIp(ip)) yield { line, error: formatNoAddress(ip) }
    else yield { line, lease: parseLease(words) }
  }
}
