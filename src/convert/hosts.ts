/** The formats that tell of machines: scans, leases, hosts files and zones. */

const ADDRESS = '(?:\\d{1,3}(?:\\.\\d{1,3}){3}|[0-9A-Fa-f:]*:[0-9A-Fa-f:.]*)'

export const HOST_CONVERTERS = {
  nmap: {
    load: async () => (await import('./hosts/nmap.ts')).convertNmap,
    looksLike: (head: string) => /<nmaprun[\s>]/.test(head),
  },
  'kea-leases': {
    load: async () => (await import('./hosts/kea.ts')).convertKea,
    looksLike: (head: string) => /^address,(hwaddr|duid),/.test(head),
  },
  'isc-leases': {
    load: async () => (await import('./hosts/isc.ts')).convertIsc,
    looksLike: (head: string) => /^\s*(lease\s+[\d.]+\s*\{|ia-(na|ta)\s|authoring-byte-order|server-duid)/m.test(head),
  },
  'dnsmasq-leases': {
    load: async () => (await import('./hosts/dnsmasq.ts')).convertDnsmasq,
    looksLike: (head: string) => new RegExp(`^(duid \\S+|\\d+ \\S+ \\[?${ADDRESS}\\]? \\S+)`).test(head),
  },
  'arp-scan': {
    load: async () => (await import('./hosts/arp-scan.ts')).convertArpScan,
    looksLike: (head: string) => /^(Interface: .*|\d{1,3}(\.\d{1,3}){3}\t[0-9a-f]{2}(:[0-9a-f]{2}){5})/i.test(head),
  },
  zone: {
    load: async () => (await import('./hosts/zone.ts')).convertZone,
    looksLike: (head: string) => /^\s*\$(ORIGIN|TTL)\s/im.test(head) || /\sIN\s+SOA\s/i.test(head),
  },
  hosts: {
    load: async () => (await import('./hosts/hosts-file.ts')).convertHosts,
    looksLike: (head: string) => new RegExp(`^(\\s*(#.*)?\\n)*\\s*${ADDRESS}(%\\S+)?\\s+[A-Za-z0-9]`).test(head),
  },
} as const
