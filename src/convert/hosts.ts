/** The formats that tell of machines: scans, leases, reservations, tables of neighbors, inventories, hosts files and zones. */

const ADDRESS = '(?:\\d{1,3}(?:\\.\\d{1,3}){3}|[0-9A-Fa-f:]*:[0-9A-Fa-f:.]*)'
const MAC = '[0-9A-Fa-f]{1,2}(?:[:-][0-9A-Fa-f]{1,2}){5}'

const matches =
  (...patterns: readonly RegExp[]) =>
  (head: string): boolean =>
    patterns.some((pattern) => pattern.test(head))

export const HOST_CONVERTERS = {
  masscan: {
    load: async () => (await import('./hosts/masscan.ts')).convertMasscan,
    looksLike: matches(
      /<nmaprun\s[^>]*scanner="masscan"/,
      /^#\s?masscan/i,
      /^\[?[\s,]*\{\s*"ip"\s*:\s*"[^"]+",\s*"timestamp"\s*:\s*"\d+"/,
      new RegExp(`^(open|banner) \\w+ \\d+ ${ADDRESS} \\d+`),
    ),
  },
  nmap: {
    load: async () => (await import('./hosts/nmap.ts')).convertNmap,
    looksLike: matches(/<nmaprun[\s>]/, /^# Nmap [^\n]* -oG /, /^# Nmap [\s\S]*\nHost: \S+ \([^)]*\)\t/),
  },
  'kea-leases': {
    load: async () => (await import('./hosts/kea.ts')).convertKea,
    looksLike: matches(/^address,(hwaddr|duid),/),
  },
  'isc-leases': {
    load: async () => (await import('./hosts/isc.ts')).convertIsc,
    looksLike: matches(/^[^\S\n]*(lease\s+[\d.]+\s*\{|ia-(na|ta|pd)\s|authoring-byte-order|server-duid)/m),
  },
  'dnsmasq-leases': {
    load: async () => (await import('./hosts/dnsmasq.ts')).convertDnsmasq,
    looksLike: matches(new RegExp(`^(duid \\S+|\\d+ \\S+ \\[?${ADDRESS}\\]? \\S+)`)),
  },
  'dhcpd-conf': {
    load: async () => (await import('./reservations/dhcpd-conf.ts')).convertDhcpdConf,
    looksLike: matches(/^[^\S\n]*host\s+\S+\s*\{[^{}]*(hardware\s+ethernet|fixed-address)/m),
  },
  'kea-conf': {
    load: async () => (await import('./reservations/kea-conf.ts')).convertKeaConf,
    looksLike: matches(/^\s*(?:(?:\/\/|#)[^\n]*\n\s*|\/\*[\s\S]*?\*\/\s*)*\{[\s\S]*"Dhcp[46]"\s*:/),
  },
  'dnsmasq-conf': {
    load: async () => (await import('./reservations/dnsmasq-conf.ts')).convertDnsmasqConf,
    looksLike: matches(/^[^\S\n]*(dhcp-host|host-record)\s*=/m),
  },
  'ip-neigh': {
    load: async () => (await import('./hosts/neighbors.ts')).convertIpNeigh,
    looksLike: matches(new RegExp(`^\\s*${ADDRESS} dev \\S+ `)),
  },
  arp: {
    load: async () => (await import('./hosts/neighbors.ts')).convertArp,
    looksLike: matches(
      new RegExp(`^\\s*\\S+ \\(${ADDRESS}\\) at (${MAC}|[<(]incomplete)`),
      /^\s*\S[^\n]{0,200} --- 0x[0-9a-f]+\s*\n/i,
      /^Address\s+HWtype\s/,
    ),
  },
  'arp-scan': {
    load: async () => (await import('./hosts/arp-scan.ts')).convertArpScan,
    looksLike: matches(
      /^(Interface: [^\n]*, (type|datalink type):? |\d{1,3}(\.\d{1,3}){3}\t[0-9a-f]{2}(:[0-9a-f]{2}){5})/i,
    ),
  },
  zone: {
    load: async () => (await import('./hosts/zone.ts')).convertZone,
    looksLike: matches(/^[^\S\n]*\$(ORIGIN|TTL)\s/im, /\sIN\s+SOA\s/i),
  },
  ansible: {
    load: async () => (await import('./ansible/ansible.ts')).convertAnsible,
    looksLike: matches(
      /^(?:[^\S\n]*(?:[#;][^\n]*)?\n)*\[[\w.-]+(:(vars|children))?\]\s*(#[^\n]*)?\n/,
      /^[^\S\n]*\S+\s[^\n]*\bansible_(ssh_)?host=/m,
      /^(?:(?:---)?[^\S\n]*(?:#[^\n]*)?\n)*(all|ungrouped):\s*(#[^\n]*)?\n\s+(hosts|children|vars):/,
      /^\s*\{\s*"_meta"\s*:\s*\{\s*"(hostvars|profile)"/,
    ),
  },
  hosts: {
    load: async () => (await import('./hosts/hosts-file.ts')).convertHosts,
    looksLike: matches(new RegExp(`^([^\\S\\n]*(#.*)?\\n)*[^\\S\\n]*${ADDRESS}(%\\S+)?\\s+[A-Za-z0-9]`)),
  },
} as const
