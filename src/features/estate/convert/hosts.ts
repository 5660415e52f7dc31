/** The formats that tell of machines: scans, leases, hosts files and zones. */
import { convertArpScan } from './hosts/arp-scan.ts'
import { convertDnsmasq } from './hosts/dnsmasq.ts'
import { convertHosts } from './hosts/hosts-file.ts'
import { convertIsc } from './hosts/isc.ts'
import { convertKea } from './hosts/kea.ts'
import { convertNmap } from './hosts/nmap.ts'
import { convertZone } from './hosts/zone.ts'

const ADDRESS = '(?:\\d{1,3}(?:\\.\\d{1,3}){3}|[0-9A-Fa-f:]*:[0-9A-Fa-f:.]*)'

export const HOST_CONVERTERS = {
  nmap: { convert: convertNmap, looksLike: (head: string) => /<nmaprun[\s>]/.test(head) },
  'kea-leases': { convert: convertKea, looksLike: (head: string) => /^address,(hwaddr|duid),/.test(head) },
  'isc-leases': {
    convert: convertIsc,
    looksLike: (head: string) => /^\s*(lease\s+[\d.]+\s*\{|ia-(na|ta)\s|authoring-byte-order|server-duid)/m.test(head),
  },
  'dnsmasq-leases': {
    convert: convertDnsmasq,
    looksLike: (head: string) => new RegExp(`^(duid \\S+|\\d+ \\S+ \\[?${ADDRESS}\\]? \\S+)`).test(head),
  },
  'arp-scan': {
    convert: convertArpScan,
    looksLike: (head: string) => /^(Interface: .*|\d{1,3}(\.\d{1,3}){3}\t[0-9a-f]{2}(:[0-9a-f]{2}){5})/i.test(head),
  },
  zone: {
    convert: convertZone,
    looksLike: (head: string) => /^\s*\$(ORIGIN|TTL)\s/im.test(head) || /\sIN\s+SOA\s/i.test(head),
  },
  hosts: {
    convert: convertHosts,
    looksLike: (head: string) => new RegExp(`^(\\s*(#.*)?\\n)*\\s*${ADDRESS}(%\\S+)?\\s+[A-Za-z0-9]`).test(head),
  },
} as const
