/** Validates scans before they are queued: address space, subnet, size and settings. */

import type { Config } from '../../base/config/config.ts'
import type { FieldIssue } from '../../contract/errors.ts'
import type { Network } from '../../inventory/networks/api.ts'
import { findSpace } from '../../inventory/spaces/keys.ts'
import type { Ctx } from '../../kernel/ctx.ts'
import { cidrHolds, parseCidrOrThrow, subtractCidrs } from '../../net/cidr.ts'
import type { Ip } from '../../net/ip.ts'
import { findLocalRange } from '../../net/local.ts'
import { parseExcludes, rangeHolds } from '../../net/range.ts'
import { countTargets, WIDEST_PREFIX } from '../../scanner/targets.ts'

export type ScanLimits = Pick<Config, 'discoveryAllowedSubnets' | 'discoveryAllowLocal'>

type Subnet = Pick<Network, 'subnet'>

/**
 * Returns the name of the address space of a network if the routes of this server do not lead into it; else null. A network of a scanner needs
 * no route of this server.
 */
export const findUnreachableSpace = async (
  ctx: Ctx,
  { space_id, scanner }: Pick<Network, 'space_id' | 'scanner'>,
): Promise<string | null> => {
  if (!space_id || scanner !== '') return null
  const space = await findSpace(ctx, space_id)
  return space && !space.reachable ? space.name : null
}

/** The network of a rule, as far as it says if this server may scan it. */
export type RuleNetwork = Subnet & { readonly unreachable_space: string | null }

/** Why a rule starts no scan; undefined where it does. */
export const ruleIssue = (network: RuleNetwork, limits: ScanLimits): string | undefined =>
  network.unreachable_space === null ? localIssue(network, limits) : spaceIssue(network.unreachable_space)

const spaceIssue = (space: string): string =>
  `the address space "${space}" is not reachable from this server, which would scan the same addresses elsewhere`

/** Why no scan may probe the network: it overlaps a local range. Exclude lists do not change that. Undefined where it does not. */
export const localIssue = (network: Subnet, { discoveryAllowLocal }: ScanLimits): string | undefined => {
  if (discoveryAllowLocal) return undefined
  const range = findLocalRange(parseCidrOrThrow(network.subnet))
  if (range === undefined) return undefined
  return `${network.subnet} overlaps the local range ${range}, which is scanned only with DISCOVERY_ALLOW_LOCAL=true`
}

/** Why this server cannot scan a network, by the field that the problem is about; undefined where it can. */
export const scanIssue = async (ctx: Ctx, network: Network, limits: ScanLimits): Promise<FieldIssue | undefined> => {
  const space = await findUnreachableSpace(ctx, network)
  return space === null ? blockIssue(network, limits) : { field: 'network_id', message: spaceIssue(space) }
}

/** Like `scanIssue`, for a network of a reachable space. */
export const blockIssue = (network: Subnet, limits: ScanLimits): FieldIssue | undefined => {
  const { subnet } = network
  const local = localIssue(network, limits)
  if (local !== undefined) return { field: 'network_id', message: local }
  const cidr = parseCidrOrThrow(network.subnet)
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

/** Returns the items of an exclude list as the scanner takes them. */
export const splitExcludes = (text: string): string[] =>
  text
    .split(',')
    .map((item) => item.trim())
    .filter((item) => item !== '')

/** Returns the lists as one, each item once. */
export const joinExcludes = (...texts: readonly string[]): string =>
  [...new Set(texts.flatMap(splitExcludes))].join(', ')

/** Returns the function that is true for the addresses of a network, except for the excluded ones. */
export const buildAddressFilter = (
  { subnet }: Subnet,
  { exclude_ips }: { readonly exclude_ips: string },
): ((ip: Ip) => boolean) => {
  const block = parseCidrOrThrow(subnet)
  const { ranges } = parseExcludes(exclude_ips)
  return (ip) => cidrHolds(block, ip) && !ranges.some((range) => rangeHolds(range, ip))
}

export type Counted = { readonly total: number; readonly issues: readonly FieldIssue[] }

/** Like `countFor`, for a scan by this server. */
export const countForScan = async (
  ctx: Ctx,
  { network, excludeIps }: { readonly network: Network; readonly excludeIps: string },
  limits: ScanLimits,
): Promise<Counted> => {
  const issue = await scanIssue(ctx, network, limits)
  return issue === undefined ? countFor(network, excludeIps, limits) : { total: 0, issues: [issue] }
}

/** Number of addresses that a scan probes, and the reasons against it. */
export const countFor = (network: Network, excludeIps: string, limits: ScanLimits): Counted => {
  const issue = blockIssue(network, limits)
  if (issue !== undefined) return { total: 0, issues: [issue] }
  const total = countTargets(network.subnet, splitExcludes(excludeIps))
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
