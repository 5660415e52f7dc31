/** In tests the scanner refuses every network but loopback and the networks that tests create. */
import { cidrContains, cidrHolds, parseCidr } from '../net/cidr.ts'
import { parseIp } from '../net/ip.ts'
import { PlanError, type Targets } from './targets.ts'

/** RFC 1122 loopback, RFC 2544 benchmarking, RFC 5737 and RFC 3849 documentation. */
const LAB_NETWORKS = ['127.0.0.0/8', '::1/128', '198.18.0.0/15', '198.51.100.0/24', '2001:db8::/32']

const labNetworks = LAB_NETWORKS.flatMap((text) => parseCidr(text) ?? [])

/** Set by the lab: its scanners are not tests themselves. */
export const LAB_VARIABLE = 'PLAT_SCAN_LAB_ONLY'

export const isLabOnly = (env: Readonly<Record<string, string | undefined>> = process.env): boolean =>
  env.NODE_ENV === 'test' || env[LAB_VARIABLE] === '1'

/** Returns true for an address to which tests may send. */
export const isLabAddress = (text: string): boolean => {
  const ip = parseIp(text)
  return ip !== undefined && labNetworks.some((network) => cidrHolds(network, ip))
}

/** @throws PlanError when this is a test and the block is not permitted in tests */
export const refuseOutsideLab = ({ block }: Targets, subnet: string): void => {
  if (!isLabOnly()) return
  const isLab = labNetworks.some((network) => cidrContains(network, block))
  if (!isLab) throw new PlanError(`subnet: a test may scan ${LAB_NETWORKS.join(', ')} alone, not ${subnet}`)
}
