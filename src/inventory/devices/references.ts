/** Checks that datacenters, networks, pools and spaces exist and contain the addresses that name them, and finds the space of each. */

import type { FieldIssue } from '../../contract/errors.ts'
import type { Ctx } from '../../kernel/ctx.ts'
import { cidrHolds, parseCidrOrThrow } from '../../net/cidr.ts'
import { getSpaceKey, parseIp, parseIpKeyOrThrow } from '../../net/ip.ts'
import { filterExistingDatacenters } from '../datacenters/datacenters.ts'
import { findDeviceTypes } from '../device-types/device-types.ts'
import { findNetworkBlocks } from '../networks/networks.ts'
import { findPoolRanges } from '../pools/pools.ts'
import { withSpace } from '../spaces/fields.ts'
import { filterExistingSpaces } from '../spaces/keys.ts'
import type { GivenAddress } from './custom.ts'

type Referring = {
  readonly datacenter_id?: string | null | undefined
  readonly device_type_id?: string | null | undefined
  readonly addresses?: readonly GivenAddress[] | undefined
}

const isInSubnet = (subnet: string, ip: string): boolean => {
  const address = parseIp(ip)
  return address !== undefined && cidrHolds(parseCidrOrThrow(subnet), address)
}

const filterPresent = (ids: readonly (string | null | undefined)[]): string[] => [
  ...new Set(ids.filter((id) => id !== null && id !== undefined)),
]

/** The references of a device: the errors in them, and its addresses with their spaces. */
export type References<Of> = { readonly issues: readonly FieldIssue[]; readonly of: Of }

/** An address with invalid references is in the default space. */
type PlacedAddress = { readonly issues: FieldIssue[]; readonly address: GivenAddress }

const replaceSpace = ({ space_id: _, ...address }: GivenAddress, space_id: string | null | undefined): GivenAddress =>
  withSpace(address, space_id)

/** Checks the references of devices, with one query for all of them, and gives each address the space that it is in. */
export const checkReferences = async <Of extends Referring>(
  ctx: Ctx,
  devices: readonly Of[],
): Promise<References<Of>[]> => {
  const addresses = devices.flatMap((device) => device.addresses ?? [])
  const [datacenters, types, networks, pools, spaces] = await Promise.all([
    filterExistingDatacenters(ctx, filterPresent(devices.map(({ datacenter_id }) => datacenter_id))),
    findDeviceTypes(ctx, filterPresent(devices.map(({ device_type_id }) => device_type_id))),
    findNetworkBlocks(ctx, filterPresent(addresses.map(({ network_id }) => network_id))),
    findPoolRanges(ctx, filterPresent(addresses.map(({ pool_id }) => pool_id))),
    filterExistingSpaces(ctx, filterPresent(addresses.map(({ space_id }) => space_id))),
  ])

  const placed = (address: GivenAddress, index: number): PlacedAddress => {
    const { ip, network_id, pool_id, space_id } = address
    const issues: FieldIssue[] = []
    const at = `addresses[${index}]`
    const network = network_id === null ? undefined : networks.get(network_id)
    if (network_id !== null) {
      if (network === undefined)
        issues.push({ field: `${at}.network_id`, message: `there is no network with id "${network_id}"` })
      else if (!isInSubnet(network.subnet, ip))
        issues.push({
          field: `${at}.ip`,
          message: `is outside of its network${ctx.canListAll('networks') ? ` ${network.subnet}` : ''}`,
        })
    }
    const range = pool_id === null ? undefined : pools.get(pool_id)
    if (pool_id !== null) {
      const key = range && parseIpKeyOrThrow(ip, getSpaceKey(range.first))
      if (range === undefined || key === undefined)
        issues.push({ field: `${at}.pool_id`, message: `there is no pool with id "${pool_id}"` })
      else if (key < range.first || key > range.last)
        issues.push({ field: `${at}.pool_id`, message: `the range of the pool does not hold ${ip}` })
      else if (network && network.space_id !== range.space_id)
        issues.push({ field: `${at}.pool_id`, message: 'is a pool of another address space than the network' })
    }
    const holder = network ?? range
    if (space_id && !spaces.has(space_id))
      issues.push({ field: `${at}.space_id`, message: `there is no space with id "${space_id}"` })
    else if (space_id && holder && holder.space_id !== space_id)
      issues.push({ field: `${at}.space_id`, message: `is not the space of the ${network ? 'network' : 'pool'}` })
    const space = holder ? holder.space_id : space_id
    return { issues, address: replaceSpace(address, issues.length > 0 ? null : space) }
  }

  return devices.map((device) => {
    const all = device.addresses?.map(placed)
    const issues = (all ?? []).flatMap((one) => one.issues)
    const { datacenter_id, device_type_id } = device
    if (device_type_id && !types.has(device_type_id))
      issues.unshift({ field: 'device_type_id', message: `there is no device type with id "${device_type_id}"` })
    if (datacenter_id && !datacenters.has(datacenter_id))
      issues.unshift({ field: 'datacenter_id', message: `there is no datacenter with id "${datacenter_id}"` })
    return { issues, of: all ? { ...device, addresses: all.map(({ address }) => address) } : device }
  })
}
