/** The names of the formats that a conversion reads. Browser-safe. */

export const FORMATS = [
  'netbox',
  'phpipam',
  'rackd',
  'masscan',
  'nmap',
  'arp-scan',
  'isc-leases',
  'kea-leases',
  'dnsmasq-leases',
  'dhcpd-conf',
  'kea-conf',
  'dnsmasq-conf',
  'ms-dhcp',
  'infoblox',
  'ip-neigh',
  'arp',
  'zone',
  'ansible',
  'hosts',
  'xlsx',
  'csv',
] as const
export type Format = (typeof FORMATS)[number]

const EXPORTS_AS_CSV: readonly RegExp[] = [
  // Infoblox.
  /^\s*(?:#[^\n]*\n\s*|version[^\n]*\n\s*)*"?header-[a-z0-9]+"?[,;\t]/i,
  // Leases of Microsoft's DHCP server, of PowerShell.
  /^(?:#TYPE[^\n]*\n)?(?=[^\n]*\bIPAddress\b)[^\n]*\b(?:ScopeId|AddressState)\b/i,
  // Leases of Kea.
  /^address,(?:hwaddr|duid),/,
]

/** Tells by its beginning whether a file ending in .csv is an export of a program with a format of its own, and no spreadsheet. */
export const isExportAsCsv = (head: string): boolean => {
  // PowerShell writes UTF-16, which has a NUL between its letters.
  const text = head.replaceAll('\0', '').replace(/^(?:\ufeff|\ufffd{2})/, '')
  return EXPORTS_AS_CSV.some((expression) => expression.test(text))
}
