/** The networks inside a network, and the network that an address belongs to. */
import { formatCidr, toCidr } from '../../../src/net/cidr.ts'
import { getAddressBits, parseIp } from '../../../src/net/ip.ts'
import type { Address, Network } from '../api/contracts.ts'
import { hasSubnet } from './space.ts'

const buildKey = (spaceId: string | null | undefined, subnet: string): string => `${spaceId ?? ''} ${subnet}`

export const filterInside = (networks: readonly Network[], outer: Network): Network[] =>
  networks.filter(
    ({ space_id, subnet }) => space_id === outer.space_id && subnet !== outer.subnet && hasSubnet(outer.subnet, subnet),
  )

/** Returns a function that finds the network of an address: the one that it names, else the most specific one. */
export const createNetworkFinder = (networks: readonly Network[]) => {
  const byId = new Map(networks.map((network) => [network.id, network]))
  const bySubnet = new Map(networks.map((network) => [buildKey(network.space_id, network.subnet), network]))
  return ({ ip, network_id, space_id }: Pick<Address, 'ip' | 'network_id' | 'space_id'>): Network | undefined => {
    if (network_id !== null) return byId.get(network_id)
    const address = parseIp(ip)
    if (!address) return undefined
    for (let prefix = getAddressBits(address.family); prefix >= 0; prefix--) {
      const network = bySubnet.get(buildKey(space_id, formatCidr(toCidr(address, prefix))))
      if (network) return network
    }
    return undefined
  }
}
