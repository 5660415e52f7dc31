/** Converts a hosts file (hosts(5)): an address, a host name, and aliases. */
import { parseIp } from '../../net/ip.ts'
import type { Converter } from '../converter.ts'
import { checkSpecialAddress, Findings } from './found.ts'
import { createLineError, readLines } from './text.ts'

export const convertHosts: Converter = (bytes, options) => {
  const findings = new Findings('host', options)
  for (const { number, text } of readLines(bytes, '#')) {
    const [ip, hostname, ...aliases] = text.replace(/#.*/, '').trim().split(/\s+/)
    if (ip === undefined || ip === '') continue
    const bare = ip.replace(/%.*$/, '')
    if (!parseIp(bare)) throw createLineError(number, `${JSON.stringify(ip.slice(0, 64))} is no IP address`)
    if (hostname === undefined) throw createLineError(number, 'has an address without a name')
    const why = checkSpecialAddress(ip)
    if (why === undefined) findings.add({ ip: bare, hostname, domains: aliases })
    else findings.leave(why, text.trim())
  }
  return findings.conversion('hosts')
}
