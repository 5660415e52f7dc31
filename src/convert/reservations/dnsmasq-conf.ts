/** Converts the reservations of dnsmasq: `dhcp-host` and `host-record` of its configuration. */
import { normalizeIp } from '../../net/ip.ts'
import { parseMac } from '../../net/mac.ts'
import { type Converter, createFileError } from '../converter.ts'
import { Findings } from '../hosts/found.ts'
import { readLines } from '../hosts/text.ts'

/** Words of a `dhcp-host` beside its machine: the id of a client, tags, and the time of the lease. */
const OTHERS = /^(?:id:|set:|tag:|net:|ignore$|infinite$|\d+[smhdw]?$)/i

const toIp = (word: string): string | undefined => normalizeIp(word.replace(/^\[(.*)\]$/, '$1'))
/** A type of hardware other than Ethernet may stand before the address: `06-01:02:...`. */
const toMac = (word: string): string | undefined => parseMac(word.replace(/^[0-9a-f]{2}-(?=.*:)/i, ''))

const readHost = (value: string, findings: Findings): void => {
  const words = value.split(',').map((word) => word.trim())
  const ips = words.flatMap((word) => toIp(word) ?? [])
  const macs = words.flatMap((word) => toMac(word) ?? [])
  const isPlain = (word: string) => word !== '' && !OTHERS.test(word) && toIp(word) === undefined && !toMac(word)
  const [hostname = '', ...more] = words.filter(isPlain)
  for (const word of more) findings.report.left('dhcp-host.value', 'has no place in Plat', word)
  for (const word of words)
    if (OTHERS.test(word))
      findings.report.left(`dhcp-host.${word.replace(/:.*|\d.*/, '') || 'time'}`, 'has no place in Plat', word)
  if (ips.length === 0) findings.leave('has no IP address', value)
  for (const ip of ips) {
    findings.add({ ip, hostname, ...(macs[0] !== undefined && { mac_address: macs[0] }) })
    for (const mac of macs.slice(1)) findings.add({ ip, hostname, mac_address: mac })
  }
}

const readRecord = (value: string, findings: Findings): void => {
  const words = value.split(',').map((word) => word.trim())
  const names = words.filter((word) => toIp(word) === undefined && !/^\d+$/.test(word))
  const ips = words.flatMap((word) => toIp(word) ?? [])
  if (ips.length === 0) findings.leave('has no IP address', value)
  for (const ip of ips) findings.add({ ip, hostname: names[0] ?? '', domains: names })
}

export const convertDnsmasqConf: Converter = (bytes, options) => {
  const findings = new Findings('reservation', options)
  let isKnown = false
  for (const { text } of readLines(bytes, '#')) {
    const line = text.replace(/(?:^|\s)#.*/, '').trim()
    const [, name = '', value = ''] = /^([a-z0-9-]+)\s*(?:=\s*(.*))?$/i.exec(line) ?? []
    if (line === '') continue
    if (name === 'dhcp-host' || name === 'host-record') isKnown = true
    if (name === 'dhcp-host') readHost(value, findings)
    else if (name === 'host-record') readRecord(value, findings)
    else findings.report.left(name || 'line', 'is no reservation', line)
  }
  if (!isKnown) throw createFileError('the file', 'has no dhcp-host and no host-record of dnsmasq')
  return findings.conversion('dnsmasq.conf')
}
