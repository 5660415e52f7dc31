/** The formats of feeds that are written here; templates are rendered in a process of their own. */
import type { FeedFormat } from '../schema.ts'
import { ansible } from './ansible.ts'
import { dnsmasq, iscDhcp, kea } from './dhcp.ts'
import type { Format } from './format.ts'
import { hosts, sshConfig } from './hosts.ts'
import { prometheus } from './prometheus.ts'

export const WRITERS: Readonly<Record<Exclude<FeedFormat, 'template' | 'zone'>, Format>> = {
  prometheus,
  ansible,
  hosts,
  'ssh-config': sshConfig,
  dnsmasq,
  'isc-dhcp': iscDhcp,
  kea,
}
