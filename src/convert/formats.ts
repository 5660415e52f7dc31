/** The names of the formats that a conversion reads. Browser-safe. */

export const FORMATS = [
  'netbox',
  'phpipam',
  'rackd',
  'nmap',
  'arp-scan',
  'isc-leases',
  'kea-leases',
  'dnsmasq-leases',
  'zone',
  'hosts',
  'csv',
] as const
export type Format = (typeof FORMATS)[number]
