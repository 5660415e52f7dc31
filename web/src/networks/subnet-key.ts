/** The order of networks. */
import { parseCidr } from '../../../src/net/cidr.ts'
import { DEFAULT_SPACE, ipKey } from '../../../src/net/ip.ts'

/** Networks in the order of their addresses, IPv4 first, a network before its subnets. */
export const subnetKey = (subnet: string): string => {
  const cidr = parseCidr(subnet)
  if (!cidr) return subnet
  return `${ipKey({ family: cidr.family, value: cidr.first }, DEFAULT_SPACE)}/${String(cidr.prefix).padStart(3, '0')}`
}
