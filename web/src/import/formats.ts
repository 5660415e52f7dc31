/** The formats of files that an import reads, in groups, with their labels. */
import { FORMATS, type Format } from '../../../src/convert/formats.ts'

/** A tile of the page: a format of the server, or one of its ways. */
export type Tile = {
  /** In the URL, as `format`. */
  readonly id: Format | 'spreadsheet' | 'json'
  readonly text: string
  readonly note: string
}

export const GROUPS: readonly { readonly title: string; readonly tiles: readonly Tile[] }[] = [
  {
    title: 'Lists and other inventories',
    tiles: [
      { id: 'spreadsheet', text: 'Spreadsheet', note: 'CSV, XLSX, or pasted rows' },
      { id: 'netbox', text: 'NetBox', note: 'by its URL, a dump, dumpdata or API' },
      { id: 'phpipam', text: 'phpIPAM', note: 'a dump or JSON' },
      { id: 'rackd', text: 'rackd', note: 'the SQLite file' },
      { id: 'infoblox', text: 'Infoblox', note: 'the export as CSV' },
      { id: 'ansible', text: 'Ansible', note: 'an inventory, INI, YAML or JSON' },
      { id: 'json', text: 'JSON', note: 'rows with the names of the API' },
    ],
  },
  {
    title: 'Scans',
    tiles: [
      { id: 'nmap', text: 'nmap', note: 'XML of -oX' },
      { id: 'masscan', text: 'masscan', note: 'JSON, XML or a list' },
      { id: 'arp-scan', text: 'arp-scan', note: 'the output' },
      { id: 'ip-neigh', text: 'ip neigh', note: 'the output' },
      { id: 'arp', text: 'arp -a', note: 'the output' },
    ],
  },
  {
    title: 'DHCP',
    tiles: [
      { id: 'isc-leases', text: 'ISC dhcpd leases', note: 'dhcpd.leases' },
      { id: 'dhcpd-conf', text: 'ISC dhcpd', note: 'dhcpd.conf' },
      { id: 'kea-leases', text: 'Kea leases', note: 'memfile or JSON' },
      { id: 'kea-conf', text: 'Kea', note: 'the configuration' },
      { id: 'dnsmasq-leases', text: 'dnsmasq leases', note: 'dnsmasq.leases' },
      { id: 'dnsmasq-conf', text: 'dnsmasq', note: 'dnsmasq.conf' },
      { id: 'ms-dhcp', text: 'Windows DHCP', note: 'XML or CSV of PowerShell' },
    ],
  },
  {
    title: 'Names',
    tiles: [
      { id: 'zone', text: 'DNS zone', note: 'a zone file' },
      { id: 'hosts', text: 'Hosts file', note: '/etc/hosts' },
    ],
  },
]

const TILES = GROUPS.flatMap(({ tiles }) => tiles)

export const findTile = (id: string | undefined): Tile | undefined => {
  // Links of before and of the start page may name the formats of a spreadsheet.
  const wanted = id === 'csv' || id === 'xlsx' ? 'spreadsheet' : id
  return TILES.find((tile) => tile.id === wanted)
}

/** Returns the format that a file of a tile has; undefined if the file tells it. */
export const getFormat = ({ id }: Tile): Format | undefined => FORMATS.find((format) => format === id)

export const getFormatName = (format: string): string => findTile(format)?.text ?? (format === 'rows' ? 'JSON' : format)
