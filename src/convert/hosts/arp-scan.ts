/** Converts the output of arp-scan: address, MAC address and vendor, divided by tabs. */
import { parseIp } from '../../net/ip.ts'
import { type Converter, createFileError } from '../converter.ts'
import { Findings } from './found.ts'
import { createLineError, readLines } from './text.ts'

const MAC = '[0-9A-Fa-f]{2}(?::[0-9A-Fa-f]{2}){5}'
/** With `--resolve` a name stands in place of the address. In brackets stands the sender of the frame, if it is another. */
const HOST = new RegExp(`^(\\S+)\\t(${MAC})(?: \\((${MAC})\\))?(?:\\t(.*))?$`)
const AROUND = /^(?:Interface:|Starting arp-scan|Ending arp-scan|WARNING:|\d+ packets? received)/
/** Remarks that follow the vendor: on the frame, the VLAN, the protocol, the number of the answer, padding and time. */
const REMARK =
  /(?:\s+\((?:802\.2 LLC\/SNAP|802\.1Q VLAN=\d+|ARP Proto=0x[0-9a-f]+|DUP: \d+)\)|\t(?:Padding|RTT)=[^\t]*)$/

/** Divides the vendor from the remarks. */
const splitAbout = (about: string): { vendor: string; remarks: string[] } => {
  const remarks: string[] = []
  let vendor = about
  for (let match = REMARK.exec(vendor); match; match = REMARK.exec(vendor)) {
    remarks.unshift(match[0].trim().replace(/^\((.*)\)$/, '$1'))
    vendor = vendor.slice(0, match.index)
  }
  return { vendor: vendor.trim(), remarks }
}

export const convertArpScan: Converter = (bytes, options) => {
  const findings = new Findings('host', options)
  const seen = new Set<string>()
  let isKnown = false
  for (const { number, text } of readLines(bytes)) {
    if (AROUND.test(text)) {
      isKnown = true
      continue
    }
    if (text.trim() === '') continue
    const [, ip = '', mac_address = '', sender, about = ''] = HOST.exec(text) ?? []
    if (ip === '') throw createLineError(number, 'is no line of arp-scan: an address, a MAC address and a vendor')
    const { vendor, remarks } = splitAbout(about)
    const key = `${ip} ${mac_address.toLowerCase()}`
    if (!parseIp(ip)) findings.leave('has a name in place of its address', text)
    else if (seen.has(key)) findings.leave('is there already', text)
    else findings.add({ ip, mac_address, ...(vendor !== '' && !/^\(Unknown/i.test(vendor) && { vendor }) })
    seen.add(key)
    // A proxy answers for others.
    if (sender !== undefined) findings.report.left('host.sender', 'is another MAC address', { ip, value: sender })
    for (const value of remarks)
      if (!value.startsWith('DUP')) findings.report.left('host.remark', 'has no place in Plat', { ip, value })
  }
  if (seen.size === 0 && !isKnown) throw createFileError('line 1', 'is no output of arp-scan')
  return findings.conversion('arp-scan')
}
