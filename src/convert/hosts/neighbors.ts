/** Converts tables of neighbors: `ip neigh`, and `arp -a` of Linux, BSD, macOS and Windows. */
import { parseIp } from '../../net/ip.ts'
import { type Converter, createFileError } from '../converter.ts'
import { checkSpecialAddress, Findings } from './found.ts'
import { createLineError, readLines } from './text.ts'

/** The states of `ip-neighbour(8)` without a machine that has answered. */
const UNANSWERED = new Set(['FAILED', 'INCOMPLETE', 'NONE'])
const BROADCAST = 'ff:ff:ff:ff:ff:ff'

/** Returns a MAC address with all its digits: BSD leaves out leading zeros. */
const padMac = (mac: string): string =>
  mac
    .split(/[:-]/)
    .map((part) => part.padStart(2, '0'))
    .join(':')
    .toLowerCase()

type Neighbor = { readonly ip: string; readonly mac: string | undefined; readonly name?: string }

const add = (findings: Findings, { ip, mac, name = '' }: Neighbor, text: string): void => {
  const bare = ip.replace(/%.*$/, '')
  const special = checkSpecialAddress(ip)
  if (special !== undefined) findings.leave(special, text)
  else if (mac === undefined) findings.leave('has not answered', text)
  else if (padMac(mac) === BROADCAST) findings.leave('is a broadcast address', text)
  else findings.add({ ip: bare, mac_address: padMac(mac), ...(name !== '' && name !== '?' && { hostname: name }) })
}

/** Reads `192.0.2.1 dev eth0 lladdr 52:54:00:aa:bb:cc REACHABLE`. */
export const convertIpNeigh: Converter = (bytes, options) => {
  const findings = new Findings('neighbor', options)
  let isKnown = false
  for (const { number, text } of readLines(bytes)) {
    const words = text.trim().split(/\s+/)
    const [ip = ''] = words
    if (ip === '') continue
    if (!parseIp(ip) || !words.includes('dev')) throw createLineError(number, 'is no line of ip neigh')
    isKnown = true
    const at = words.indexOf('lladdr')
    const mac = at < 0 || UNANSWERED.has(words.at(-1) ?? '') ? undefined : words[at + 1]
    add(findings, { ip, mac }, text.trim())
  }
  if (!isKnown) throw createFileError('line 1', 'is no line of ip neigh')
  return findings.conversion('ip neigh')
}

const MAC = '[0-9A-Fa-f]{1,2}(?:[:-][0-9A-Fa-f]{1,2}){5}'
/** `gw (192.0.2.1) at 0:1b:21:a:c:e [ether] on eth0`, of Linux, BSD and macOS. */
const AT = new RegExp(`^(\\S+) \\(([^)\\s]+)\\) at (?:(${MAC})|[<(]incomplete[>)])(?:\\s|$)`)
/** `192.0.2.1   00-1b-21-0a-0c-0e   dynamic`, of Windows. Its last word is in the language of the system. */
const WINDOWS = new RegExp(`^\\s*(\\d{1,3}(?:\\.\\d{1,3}){3})\\s+(${MAC})\\s+\\S+\\s*$`)
/** `192.0.2.1   ether   00:1b:21:0a:0c:0e   C   eth0`, of `arp -n` on Linux. */
const TABLE = new RegExp(`^(\\S+)\\s+(?:(\\w+)\\s+(${MAC})\\s+[A-Z!]+|\\(incomplete\\))\\s+\\S+\\s*$`)
/** The lines before the entries of an interface, in any language, and the lines around the buckets of AIX. */
const HEADER =
  /^\s*(?:bucket:\s*\d+\s|There are \d+ entries in the arp table|Address\s+HWtype\s|.*\s---\s0x[0-9a-f]+\s*$|Entries:\s*\d+)/i

export const convertArp: Converter = (bytes, options) => {
  const findings = new Findings('neighbor', options)
  let isKnown = false
  let isHeader = false
  for (const { number, text } of readLines(bytes)) {
    if (text.trim() === '') continue
    if (HEADER.test(text)) {
      isKnown = true
      isHeader = / --- /.test(text)
      continue
    }
    const [, name = '', ip = '', mac] = AT.exec(text.trim()) ?? []
    const [, windowsIp = '', windowsMac] = WINDOWS.exec(text) ?? []
    const [, tableIp = '', , tableMac] = TABLE.exec(text) ?? []
    const found = [
      { ip, mac, name },
      { ip: windowsIp, mac: windowsMac },
      { ip: tableIp, mac: tableMac },
    ].find((one) => one.ip !== '')
    // Windows names its columns below the line of the interface.
    if (!found && !isHeader) throw createLineError(number, 'is no line of arp -a')
    isHeader = false
    if (!found) continue
    isKnown = true
    // Without -n, arp writes a name in place of the address.
    if (!parseIp(found.ip.replace(/%.*$/, ''))) findings.leave('has a name in place of its address', text.trim())
    else add(findings, found, text.trim())
  }
  if (!isKnown) throw createFileError('line 1', 'is no output of arp')
  return findings.conversion('arp')
}
