/** Validates scans before they are queued: subnet, size and settings. */
import { cidrOfText, subtractCidrs } from '../../../net/cidr.ts'
import { localRangeOf } from '../../../net/local.ts'
import type { FieldIssue } from '../../../platform/contract/errors.ts'
import type { Config } from '../../../platform/runtime/config/config.ts'
import { countTargets, WIDEST_PREFIX } from '../../../scanner/targets.ts'
import type { Network } from '../../networks/api.ts'

export type ScanLimits = Pick<Config, 'discoveryAllowedSubnets' | 'discoveryAllowLocal'>

type Subnet = Pick<Network, 'subnet'>

/** Why no scan may probe the network: it overlaps a local range. Exclude lists do not change that. Undefined where it does not. */
export const localIssue = (network: Subnet, { discoveryAllowLocal }: ScanLimits): string | undefined => {
  if (discoveryAllowLocal) return undefined
  const range = localRangeOf(cidrOfText(network.subnet))
  if (range === undefined) return undefined
  return `${network.subnet} overlaps the local range ${range}, which is scanned only with DISCOVERY_ALLOW_LOCAL=true`
}

/** Why a network cannot be scanned, by the field that the problem is about; undefined where it can. */
export const scanIssue = (network: Subnet, limits: ScanLimits): FieldIssue | undefined => {
  const { subnet } = network
  const local = localIssue(network, limits)
  if (local !== undefined) return { field: 'network_id', message: local }
  const cidr = cidrOfText(network.subnet)
  const widest = WIDEST_PREFIX[cidr.family]
  if (cidr.prefix < widest)
    return { field: 'subnet', message: `${subnet} is too large for a scan: at most a /${widest} can be scanned` }
  const { discoveryAllowedSubnets: allowed } = limits
  if (allowed.length > 0 && subtractCidrs(cidr, allowed).length > 0)
    return {
      field: 'subnet',
      message: `${subnet} is not among the networks that may be scanned (DISCOVERY_ALLOWED_SUBNETS)`,
    }
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

/** Number of addresses that a scan probes, and the reasons against it. */
export const countFor = (network: Network, excludeIps: string, limits: ScanLimits): Counted => {
  const issue = scanIssue(network, limits)
  if (issue !== undefined) return { total: 0, issues: [issue] }
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
