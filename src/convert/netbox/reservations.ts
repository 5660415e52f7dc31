/** Addresses on no interface become reservations. */
import { formatCidr, toCidr } from '../../net/cidr.ts'
import { isHostname } from '../../net/dns-name.ts'
import { formatIp, type Ip } from '../../net/ip.ts'
import type { EstateRow } from '../converter.ts'
import { AddressPools, buildReservationRow, checkReservation } from '../rows/reserve.ts'
import { findSmallestRanges } from '../rows/smallest-range.ts'
import { type AddressContext, listSaidFields, removeRootDot } from './addresses.ts'
import { listLines, type Mapping, markDone, toRef, toRefs, toText } from './mapping.ts'
import { type MadeNetwork, type MadePool, type Networks, type Pools, parseInterface } from './networks.ts'
import { listIn, type NetboxObject } from './read/objects.ts'
import { buildAddressKey, getSpace } from './spaces.ts'

const ADDRESS = 'ipam.ipaddress'
const USED = new Set('address dns_name description vrf status tags'.split(' '))

type Free = { readonly object: NetboxObject; readonly ip: Ip; readonly prefix: number }

/** Returns the addresses that are on no interface of the document. */
const collectFreeAddresses = (context: AddressContext): Free[] =>
  context.model.of(ADDRESS).flatMap((object) => {
    if (context.interfaces.ofAddress(object)) return []
    markDone(context, ADDRESS, object)
    const parsed = parseInterface(object.address)
    if (parsed) return [{ object, ...parsed }]
    context.report.left(ADDRESS, 'is not an address', object)
    return []
  })

/** Makes the network of an address that is in none, by its own mask. */
const makeNetwork = ({ networks }: AddressContext, { object, ip, prefix }: Free): MadeNetwork => {
  const { vrf } = object
  const cidr = toCidr(ip, prefix)
  const subnet = formatCidr(cidr)
  // No object of NetBox is its source, so its subnet stands for the number.
  const id = vrf === undefined ? subnet : `${subnet}.vrf${vrf}`
  networks.rows.push({
    name: subnet,
    subnet,
    ...(vrf === undefined ? {} : { space: getSpace(object) }),
    refs: toRefs('ipam.prefix', id),
  })
  const network = { cidr, ref: toRef('ipam.prefix', id), key: `ipam.prefix.${id}` }
  networks.add(vrf, network)
  return network
}

/** Finds the smallest pool of each address, by VRF and family. */
const createPoolFinder = (
  { byVrf }: Pools,
  addresses: readonly Free[],
): ((address: Free) => MadePool['item'] | undefined) => {
  const values = new Map<string, bigint[]>()
  const key = ({ object, ip }: Free) => `${ip.family} ${object.vrf}`
  for (const address of addresses) listIn(values, key(address)).push(address.ip.value)
  const found = new Map<string, ReadonlyMap<bigint, MadePool['item']>>()
  for (const [vrf, pools] of byVrf)
    for (const family of [4, 6] as const) {
      const name = `${family} ${vrf}`
      const own = pools.filter(({ first }) => first.family === family)
      found.set(name, findSmallestRanges(own, values.get(name) ?? []))
    }
  return (address) => found.get(key(address))?.get(address.ip.value)
}

const toRow = (mapping: Mapping, { object, ip }: Free, pool: object): EstateRow => {
  const { id, description, dns_name } = object
  const name = dns_name === undefined ? '' : removeRootDot(String(dns_name))
  const used = new Set([...USED, ...listSaidFields(mapping, object)])
  const lines = listLines(mapping, { kind: ADDRESS, object, used })
  if (name !== '' && !isHostname(name)) lines.push({ key: 'dns_name', value: name })
  return buildReservationRow({
    pool,
    ip: formatIp(ip),
    hostname: isHostname(name) ? name : '',
    purpose: toText(mapping, { kind: ADDRESS, id, field: 'description' }, description),
    notes: mapping.report.describe(ADDRESS, id, '', lines),
    custom: mapping.custom.of(ADDRESS, object),
    refs: toRefs(ADDRESS, id),
  })
}

/** Returns the reservations, and the pools and networks that are made for them. */
export const buildReservations = (context: AddressContext, pools: Pools): { rows: EstateRow[]; pools: EstateRow[] } => {
  const { report, taken } = context
  const addresses = collectFreeAddresses(context)
  const smallestPool = createPoolFinder(pools, addresses)
  const made = new AddressPools('netbox')
  const reserved = new Set<string>()
  const rows: EstateRow[] = []
  for (const address of addresses) {
    const key = buildAddressKey(address.object, formatIp(address.ip))
    const network = findNetwork(context, address)
    const cidr = network?.cidr ?? toCidr(address.ip, address.prefix)
    const why = checkReservation({ ip: address.ip, key, cidr }, { taken, reserved })
    if (why) {
      report.left(ADDRESS, why, address.object)
      continue
    }
    reserved.add(key)
    const pool = smallestPool(address) ?? made.of(network ?? makeNetwork(context, address))
    rows.push(toRow(context, address, pool))
  }
  return { rows, pools: made.rows }
}

const findNetwork = ({ networks }: { networks: Networks }, { object, ip }: Free): MadeNetwork | undefined =>
  networks.holding(object.vrf, ip)
