/** The fields of a network. */
import { FACTS } from '../../../src/inventory/resources.ts'
import { cidrHolds, parseCidr } from '../../../src/net/cidr.ts'
import { parseIp } from '../../../src/net/ip.ts'
import type { Network } from '../api/contracts.ts'
import { buildFields, type Names } from '../resource/facts/from-facts.ts'
import type { PlaceTest } from '../resource/tree/place-test.ts'
import { formatPercent } from '../ui/format.ts'
import { buildSubnetKey } from './subnet-key.ts'

const isSubnetMatch = (subnet: string, value: string): boolean => {
  const [cidr, ip] = [parseCidr(subnet), parseIp(value)]
  return cidr !== undefined && (ip ? cidrHolds(cidr, ip) : subnet.startsWith(value))
}

/** Returns the names of the VLANs that a network belongs to; '' for none. */
type VlanNames = (network: Pick<Network, 'vlan_id' | 'datacenter_id'>) => string

const ORDER = [
  'name',
  'subnet',
  'vlan_id',
  'datacenter_id',
  'space_id',
  'scanner',
  'utilization',
  'description',
  'custom',
]
const NUMBER_WIDTH = 70
const NAME_WIDTH = 170

const formatNumberAndName = ({ vlan_id }: Network, name: string): string =>
  [vlan_id === null ? '' : String(vlan_id), name].filter((part) => part !== '').join(' ')

/** @param names of datacenters by their ids @param vlans the names of VLANs, if there are any */
export const buildNetworkFields = (names?: Names, vlans?: VlanNames, isInPlace?: PlaceTest) =>
  buildFields<typeof FACTS.networks, Network>(
    FACTS.networks,
    {
      subnet: {
        form: { isMono: true, hint: 'Like 10.0.0.0/24 or 2001:db8::/64' },
        column: { width: 230, isEssential: true },
        sort: ({ subnet }) => buildSubnetKey(subnet),
        filter: { name: 'ip', test: ({ subnet }, value) => isSubnetMatch(subnet, value) },
      },
      vlan_id: {
        label: 'VLAN',
        isSearched: true,
        form: { hint: '1 to 4094, or nothing' },
        text: (network) => formatNumberAndName(network, vlans?.(network) ?? ''),
        column: { id: 'vlan', width: vlans ? NAME_WIDTH : NUMBER_WIDTH, isMono: true, isRight: false },
        sort: ({ vlan_id }) => vlan_id ?? 0,
        filter: {
          test: (network, value) =>
            String(network.vlan_id ?? '') === value ||
            formatNumberAndName(network, vlans?.(network) ?? '').toLowerCase() === value,
          hasFacet: true,
        },
      },
      datacenter_id: { column: { width: 130 }, filter: { name: 'dc', ...(isInPlace && { test: isInPlace }) } },
      space_id: {
        label: 'Address space',
        isSearched: false,
        form: { kind: 'select' },
        column: false,
        filter: false,
        isCompared: false,
      },
      scanner: { column: { width: 130 }, isOptional: true, isCompared: false },
      utilization: {
        text: ({ utilization }) => (utilization ? formatPercent(utilization.utilization) : ''),
        label: 'Utilization',
        isSearched: false,
        form: false,
        column: { text: 'In use', width: 210 },
        sort: ({ utilization }) => utilization?.utilization ?? 0,
        filter: false,
        isDetail: false,
      },
      created_at: { isDetail: false },
      updated_at: { column: false },
    },
    { names, order: ORDER },
  )

/** The fields without the names of datacenters. */
export const fields = buildNetworkFields()
