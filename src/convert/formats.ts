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
