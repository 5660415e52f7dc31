/** The use of networks that have networks in them. */
import { computeNestedFigures } from '../../../src/inventory/used-addresses/utilization.ts'
import type { Network } from '../api/contracts.ts'

const withUse = (network: Network): Network => {
  const { utilization } = network
  if (utilization?.nested_used_ips === undefined) return network
  return { ...network, utilization: { ...utilization, ...computeNestedFigures(utilization) } }
}

/** Returns the networks with the addresses of all their subnets: 10.0.0.0/8 is not empty if one of its subnets has addresses. */
export const withNestedUse = (networks: readonly Network[]): Network[] => networks.map(withUse)
