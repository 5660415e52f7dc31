/** The catalog of formats: the fields that each uses, and the configuration of its consumer. Browser-safe. */
import type { Feed, FeedFormat, FeedFormatInfo, MediaType } from './schema.ts'

type Entry = Omit<FeedFormatInfo, 'name'> & { readonly extension: string }

const FILTER = ['tags', 'datacenter_id', 'network_id', 'space_id', 'statuses', 'address_label', 'family'] as const

const CURL = 'curl -fsS -H "Authorization: Bearer {token}" "{url}"'
const buildPullHint = (file: string, command: string) => ({
  title: 'A line of cron that keeps the file current',
  text: `* * * * * PLAT_URL={server} PLAT_TOKEN={token} plat feed pull {id} ${file} --on-change '${command}'`,
})

export const CATALOGUE: Readonly<Record<FeedFormat, Entry>> = {
  prometheus: {
    title: 'Prometheus',
    media_type: 'application/json',
    extension: 'json',
    description: 'Targets for the HTTP service discovery: one for each device, address and port.',
    fields: [...FILTER, 'port'],
    usage: [
      {
        title: 'prometheus.yml',
        text: [
          'scrape_configs:',
          '  - job_name: plat',
          '    http_sd_configs:',
          '      - url: {url}',
          '        authorization:',
          '          type: Bearer',
          '          credentials: {token}',
          '    relabel_configs:',
          '      - source_labels: [__meta_plat_device_name]',
          '        target_label: device',
        ].join('\n'),
      },
    ],
  },
  ansible: {
    title: 'Ansible',
    media_type: 'application/json',
    extension: 'json',
    description: 'An inventory with groups by tag, datacenter, network, system and state.',
    fields: [...FILTER],
    usage: [
      {
        title: 'inventory.sh, an executable file for ansible -i',
        text: `#!/bin/sh\n[ "$1" = --host ] && { echo '{}'; exit; }\nexec ${CURL}`,
      },
    ],
  },
  hosts: {
    title: 'Hosts file',
    media_type: 'text/plain',
    extension: 'txt',
    description: 'An address and its names on each line.',
    fields: [...FILTER],
    usage: [
      buildPullHint('/etc/plat.hosts', 'systemctl reload dnsmasq'),
      { title: 'dnsmasq.conf', text: 'addn-hosts=/etc/plat.hosts' },
    ],
  },
  'ssh-config': {
    title: 'OpenSSH',
    media_type: 'text/plain',
    extension: 'txt',
    description: 'A Host block for each device, with its address and user.',
    fields: [...FILTER],
    usage: [{ title: '~/.ssh/config', text: 'Include ~/.ssh/plat.conf' }, buildPullHint('~/.ssh/plat.conf', 'true')],
  },
  dnsmasq: {
    title: 'dnsmasq',
    media_type: 'text/plain',
    extension: 'conf',
    description: 'A dhcp-host line for each address with a MAC.',
    fields: [...FILTER],
    usage: [
      { title: 'dnsmasq.conf', text: 'conf-file=/etc/dnsmasq-plat.conf' },
      buildPullHint('/etc/dnsmasq-plat.conf', 'systemctl restart dnsmasq'),
    ],
  },
  'isc-dhcp': {
    title: 'ISC dhcpd',
    media_type: 'text/plain',
    extension: 'conf',
    description: 'A host declaration for each address with a MAC.',
    fields: [...FILTER],
    usage: [
      { title: 'dhcpd.conf', text: 'include "/etc/dhcp/plat.conf";' },
      buildPullHint('/etc/dhcp/plat.conf', 'systemctl restart isc-dhcp-server'),
    ],
  },
  kea: {
    title: 'Kea',
    media_type: 'application/json',
    extension: 'json',
    description: 'The reservations of a subnet: one for each MAC. IPv4, or IPv6 with that family.',
    fields: [...FILTER],
    usage: [
      { title: 'kea-dhcp4.conf, in a subnet', text: '"reservations": <?include "/etc/kea/plat.json"?>' },
      buildPullHint('/etc/kea/plat.json', 'keactrl reload -s dhcp4'),
    ],
  },
  zone: {
    title: 'DNS zone',
    media_type: 'text/plain',
    extension: 'zone',
    description: 'The master file of a DNS zone, with its SOA and name servers.',
    fields: ['zone_id'],
    usage: [
      buildPullHint('/var/lib/bind/plat.zone', 'rndc reload'),
      { title: 'named.conf', text: 'zone "example.org" { type primary; file "/var/lib/bind/plat.zone"; };' },
    ],
  },
  template: {
    title: 'Template',
    media_type: 'text/plain',
    extension: 'txt',
    description: 'Any text, by a Liquid template over devices, networks and datacenters.',
    fields: [...FILTER, 'template', 'media_type'],
    usage: [{ title: 'Anywhere', text: CURL }],
  },
}

const EXTENSIONS: Readonly<Record<MediaType, string>> = {
  'text/plain': 'txt',
  'text/csv': 'csv',
  'application/json': 'json',
  'application/yaml': 'yaml',
  'application/toml': 'toml',
  'application/xml': 'xml',
}

/** Returns the name of the file of a feed. */
export const buildFileName = ({ id, format, media_type }: Pick<Feed, 'id' | 'format' | 'media_type'>): string =>
  `${id}.${format === 'template' ? EXTENSIONS[media_type] : CATALOGUE[format].extension}`

/** Returns the `Content-Type` of a media type. Text is in UTF-8. */
export const toContentType = (type: MediaType): string => (type.startsWith('text/') ? `${type}; charset=utf-8` : type)
