/** Checks that datacenters, networks and pools exist and contain the addresses that name them. */
import { cidrHolds, cidrOfText } from '../../net/cidr.ts'
import { ipKeyOf, parseIp } from '../../net/ip.ts'
import type { FieldIssue } from '../../platform/contract/errors.ts'
import type { Ctx } from '../ctx.ts'
import { existingDatacenters } from '../datacenters/datacenters.ts'
import { subnetsOf } from '../networks/networks.ts'
import { rangesOf } from '../pools/pools.ts'
import type { Address } from './schema.ts'

type Referring = {
  readonly datacenter_id?: string | null | undefined
  readonly addresses?: readonly Address[] | undefined
}

const holds = (subnet: string, ip: string): boolean => {
  const address = parseIp(ip)
  return address !== undefined && cidrHolds(cidrOfText(subnet), address)
}

const present = (ids: readonly (string | null | undefined)[]): string[] => [
  ...new Set(ids.filter((id) => id !== null && id !== undefined)),
]

/** Returns the issues of each device, in order, with one query for all of them. */
export const referenceIssues = async (ctx: Ctx, devices: readonly Referring[]): Promise<FieldIssue[][]> => {
  const addresses = devices.flatMap((device) => device.addresses ?? [])
  const [datacenters, subnets, pools] = await Promise.all([
    existingDatacenters(ctx, present(devices.map(({ datacenter_id }) => datacenter_id))),
    subnetsOf(ctx, present(addresses.map(({ network_id }) => network_id))),
    rangesOf(ctx, present(addresses.map(({ pool_id }) => pool_id))),
  ])

  const addressIssues = ({ ip, network_id, pool_id }: Address, index: number): FieldIssue[] => {
    const issues: FieldIssue[] = []
    const at = `addresses[${index}]`
    if (network_id !== null) {
      const subnet = subnets.get(network_id)
      if (subnet === undefined)
        issues.push({ field: `${at}.network_id`, message: `there is no network with id "${network_id}"` })
      else if (!holds(subnet, ip)) issues.push({ field: `${at}.ip`, message: `is outside of its network ${subnet}` })
    }
    if (pool_id !== null) {
      const range = pools.get(pool_id)
      const key = ipKeyOf(ip)
      if (range === undefined) issues.push({ field: `${at}.pool_id`, message: `there is no pool with id "${pool_id}"` })
      else if (key < range.first || key > range.last)
        issues.push({ field: `${at}.pool_id`, message: `the range of the pool does not hold ${ip}` })
    }
    return issues
  }

  return devices.map(({ datacenter_id, addresses: own = [] }) => {
    const issues = own.flatMap(addressIssues)
    if (datacenter_id && !datacenters.has(datacenter_id))
      issues.unshift({ field: 'datacenter_id', message: `there is no datacenter with id "${datacenter_id}"` })
    return issues
  })
}
