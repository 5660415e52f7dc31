/** Converts the leases of dnsmasq: time, MAC address, address, name and client id, and for IPv6 the same after `duid`. */
import { parseIp } from '../../../../net/ip.ts'
import { parseMac } from '../../../../net/mac.ts'
import type { Converter } from '../converter.ts'
import { Leases } from './leases.ts'
import { badLine, linesOf, textOf } from './text.ts'

export const convertDnsmasq: Converter = (bytes, { now }) => {
  const leases = new Leases()
  for (const { number, text } of linesOf(textOf(bytes))) {
    const words = text.trim().split(/\s+/)
    if (text.trim() === '' || (words[0] === 'duid' && words.length === 2)) continue
    const [expiry = '', hardware = '', ip = '', name = ''] = words
    if (!/^\d+$/.test(expiry) || words.length < 4) throw badLine(number, 'is no lease of dnsmasq')
    if (!parseIp(ip)) throw badLine(number, `${JSON.stringify(ip.slice(0, 64))} is no IP address`)
    // A type of hardware other than Ethernet stands before the address: `06-01:02:...`.
    const mac = parseMac(hardware) ?? parseMac(hardware.replace(/^[0-9a-f]{2}-/i, ''))
    leases.add({
      ip,
      ...(mac !== undefined && !ip.includes(':') && { mac_address: mac }),
      ...(name !== '*' && { hostname: name }),
      ...(expiry !== '0' && { endsMs: Number(expiry) * 1000 }),
    })
  }
  return leases.conversion('dnsmasq', now)
}
