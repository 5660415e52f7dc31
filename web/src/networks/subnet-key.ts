/** The order of networks. */
import { parseCidr } from '../../../src/net/cidr.ts'
import { DEFAULT_SPACE, toIpKey } from '../../../src/net/ip.ts'

/** Networks in the order of their addresses, IPv4 first, a network before its subnets. */
export const buildSubnetKey = (subnet: string): string => {
  const cidr = parseCidr(subnet)
  if (!cidr) return subnet
  return `${toIpKey({ family: cidr.family, value: cidr.first }, DEFAULT_SPACE)}/${String(cidr.prefix).padStart(3, '0')}`
}
