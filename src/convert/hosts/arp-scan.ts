/** Converts the output of arp-scan: address, MAC address and vendor, divided by tabs. */
import { type Converter, createFileError } from '../converter.ts'
import { Findings } from './found.ts'
import { createLineError, readLines } from './text.ts'

const HOST = /^(\d{1,3}(?:\.\d{1,3}){3})\t([0-9A-Fa-f]{2}(?::[0-9A-Fa-f]{2}){5})(?:\t(.*))?$/
const AROUND = /^(?:Interface:|Starting arp-scan|Ending arp-scan|WARNING:|\d+ packets? received)/
const DUPLICATE = /\s*\(DUP: \d+\)$/

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
    const [, ip = '', mac_address = '', about = ''] = HOST.exec(text) ?? []
    if (ip === '') throw createLineError(number, 'is no line of arp-scan: an address, a MAC address and a vendor')
    const vendor = about.replace(DUPLICATE, '').trim()
    const key = `${ip} ${mac_address.toLowerCase()}`
    if (seen.has(key)) findings.leave('is there already', text)
    else findings.add({ ip, mac_address, ...(vendor !== '' && !/^\(Unknown/i.test(vendor) && { vendor }) })
    seen.add(key)
  }
  if (seen.size === 0 && !isKnown) throw createFileError('line 1', 'is no output of arp-scan')
  return findings.conversion('arp-scan')
}
