/** The use of networks that have networks in them. */
import type { Network } from '../api/contracts.ts'

const withUse = (network: Network): Network => {
  const { utilization } = network
  if (utilization?.nested_used_ips === undefined) return network
  const { total_ips: total } = utilization
  const used = Math.min(utilization.nested_used_ips, total)
  // Two decimals, as the server has them.
  const percent = total === 0 ? 0 : Math.round((used / total) * 10_000) / 100
  return {
    ...network,
    utilization: { ...utilization, used_ips: used, available_ips: total - used, utilization: percent },
  }
}

/** Returns the networks with the used addresses of all their subnets: 10.0.0.0/8 is not empty if one of its subnets has addresses. */
export const withNestedUse = (networks: readonly Network[]): Network[] => networks.map(withUse)
