/** How networks are read, written, searched and sorted. */
import { cidrHolds, parseCidr } from '../../../src/net/cidr.ts'
import { parseIp } from '../../../src/net/ip.ts'
import { contracts, type Datacenter, type Network } from '../api/contracts.ts'
import { crud } from '../resource/crud.ts'
import type { Resource } from '../resource/resource.ts'
import type { TableSpec } from '../table/engine.ts'
import { subnetKey } from './subnet-key.ts'

export const networkResource = (datacenters: readonly Datacenter[]): Resource<Network> => ({
  noun: 'network',
  fields: [
    { name: 'name', label: 'Name', isRequired: true },
    { name: 'subnet', label: 'Subnet', isMono: true, isRequired: true, hint: 'Like 10.0.0.0/24 or 2001:db8::/64' },
    { name: 'vlan_id', label: 'VLAN', kind: 'number', hint: '1 to 4094, or nothing' },
    {
      name: 'datacenter_id',
      label: 'Datacenter',
      kind: 'select',
      options: [['', 'None'], ...datacenters.map(({ id, name }) => [id, name] as const)],
    },
    { name: 'description', label: 'Description', kind: 'area' },
  ],
  nameOf: ({ name }) => name,
  ...crud(contracts.networks),
  changes: ['networks', 'network', 'pools', 'reservations', 'device'],
})

const holds = (subnet: string, value: string): boolean => {
  const [cidr, ip] = [parseCidr(subnet), parseIp(value)]
  return cidr !== undefined && (ip ? cidrHolds(cidr, ip) : subnet.startsWith(value))
}

export const networkSpec = (names: ReadonlyMap<string, string>): TableSpec<Network> => {
  const datacenter = ({ datacenter_id }: Network): string => names.get(datacenter_id ?? '') ?? ''
  return {
    id: ({ id }) => id,
    text: ({ name, subnet, vlan_id, description }) => `${name}\n${subnet}\n${vlan_id ?? ''}\n${description}`,
    sorts: {
      subnet: ({ subnet }) => subnetKey(subnet),
      name: ({ name }) => name,
      vlan: ({ vlan_id }) => vlan_id ?? 0,
      datacenter,
      utilization: ({ utilization }) => utilization?.utilization ?? 0,
    },
    fields: {
      ip: ({ subnet }, value) => holds(subnet, value),
      vlan: ({ vlan_id }, value) => String(vlan_id ?? '') === value,
      dc: (network, value) => datacenter(network).toLowerCase().startsWith(value),
    },
    facets: {
      vlan: ({ vlan_id }) => [String(vlan_id ?? '')],
      dc: (network) => [datacenter(network)],
    },
  }
}

/** A lone address finds the networks that it is in. */
export const networkFilter = (text: string): string => (parseIp(text.trim()) ? `ip:${text.trim()}` : text)
