/** Converts a hosts file (hosts(5)): an address, a host name, and aliases. */
import { parseIp } from '../../../../net/ip.ts'
import { linesOf } from '../../../../net/text-lines.ts'
import type { Converter } from '../converter.ts'
import { Findings, specialAddress } from './found.ts'
import { badLine, textOf } from './text.ts'

export const convertHosts: Converter = (bytes) => {
  const findings = new Findings('host')
  for (const { number, text } of linesOf(textOf(bytes))) {
    const [ip, hostname, ...aliases] = text.replace(/#.*/, '').trim().split(/\s+/)
    if (ip === undefined || ip === '') continue
    const bare = ip.replace(/%.*$/, '')
    if (!parseIp(bare)) throw badLine(number, `${JSON.stringify(ip.slice(0, 64))} is no IP address`)
    if (hostname === undefined) throw badLine(number, 'has an address without a name')
    const why = specialAddress(ip)
    if (why === undefined) findings.add({ ip: bare, hostname, domains: aliases })
    else findings.leave(why, text.trim())
  }
  return findings.conversion('hosts')
}
