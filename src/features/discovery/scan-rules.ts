/** What may be scanned, and how long it takes: judged before a scan is put in line. */
import { parseCidr, subtractCidrs } from '../../net/cidr.ts'
import type { Config } from '../../platform/config.ts'
import type { FieldIssue } from '../../platform/errors.ts'
import { countTargets, WIDEST_PREFIX } from '../../scanner/targets.ts'
import type { Network } from '../networks/api.ts'

export type ScanLimits = Pick<Config, 'discoveryAllowedSubnets'>

/** What of a network speaks against scanning it; undefined where nothing does. */
export const scanIssue = (
  { subnet }: Pick<Network, 'subnet'>,
  { discoveryAllowedSubnets: allowed }: ScanLimits,
): string | undefined => {
  const cidr = parseCidr(subnet)
  if (!cidr) throw new Error(`a network is stored with the subnet ${subnet}`)
  const widest = WIDEST_PREFIX[cidr.family]
  if (cidr.prefix < widest) return `${subnet} is too large for a scan: at most a /${widest} can be scanned`
  if (allowed.length > 0 && subtractCidrs(cidr, allowed).length > 0)
    return `${subnet} is not among the networks that may be scanned (DISCOVERY_ALLOWED_SUBNETS)`
  return undefined
}

/** The items of an exclude list as the scanner takes them. */
export const excludesOf = (text: string): string[] =>
  text
    .split(',')
    .map((item) => item.trim())
    .filter((item) => item !== '')

/** The lists as one, each item once. */
export const joinedExcludes = (...texts: readonly string[]): string =>
  [...new Set(texts.flatMap(excludesOf))].join(', ')

export type Counted = { readonly total: number; readonly issues: readonly FieldIssue[] }

/** How many addresses a scan tries, and what speaks against it. */
export const countFor = (network: Network, excludeIps: string, limits: ScanLimits): Counted => {
  const issue = scanIssue(network, limits)
  if (issue !== undefined) return { total: 0, issues: [{ field: 'subnet', message: issue }] }
  const total = countTargets(network.subnet, excludesOf(excludeIps))
  if (total > 0) return { total, issues: [] }
  const isEmpty = excludeIps === '' || countTargets(network.subnet, []) === 0
  return {
    total,
    issues: [
      isEmpty
        ? { field: 'subnet', message: `${network.subnet} has no address that could be scanned` }
        : { field: 'exclude_ips', message: 'leaves no address to scan' },
    ],
  }
}
