/** Addresses on no interface become reservations. */
import { cidrOf, formatCidr } from '../../../../net/cidr.ts'
import { isHostname } from '../../../../net/dns-name.ts'
import { formatIp, type Ip } from '../../../../net/ip.ts'
import type { EstateRow } from '../converter.ts'
import { AddressPools, reservationProblem, reservationRow } from '../reserve.ts'
import { smallestRanges } from '../smallest-range.ts'
import { type AddressContext, withoutRoot } from './addresses.ts'
import { linesOf, type Mapping, markDone, refsOf, refTo, textOf } from './mapping.ts'
import { type MadeNetwork, type MadePool, type Networks, type Pools, parseInterface } from './networks.ts'
import { listIn, type NetboxObject } from './objects.ts'
import { keyIn, spaceOf } from './spaces.ts'

const ADDRESS = 'ipam.ipaddress'
const USED = new Set(['address', 'dns_name', 'description', 'vrf'])

type Free = { readonly object: NetboxObject; readonly ip: Ip; readonly prefix: number }

/** Returns the addresses that are on no interface of the document. */
const freeAddresses = (context: AddressContext): Free[] =>
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
  const cidr = cidrOf(ip, prefix)
  const subnet = formatCidr(cidr)
  // No object of NetBox is its source, so its subnet stands for the number.
  const id = vrf === undefined ? subnet : `${subnet}.vrf${vrf}`
  networks.rows.push({
    name: subnet,
    subnet,
    ...(vrf === undefined ? {} : { space: spaceOf(object) }),
    refs: refsOf('ipam.prefix', id),
  })
  const network = { cidr, ref: refTo('ipam.prefix', id), key: `ipam.prefix.${id}` }
  networks.add(vrf, network)
  return network
}

/** Finds the smallest pool of each address, by VRF and family. */
const poolFinder = (
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
      found.set(name, smallestRanges(own, values.get(name) ?? []))
    }
  return (address) => found.get(key(address))?.get(address.ip.value)
}

const rowOf = (mapping: Mapping, { object, ip }: Free, pool: object): EstateRow => {
  const { id, description, dns_name } = object
  const name = dns_name === undefined ? '' : withoutRoot(String(dns_name))
  const status = String(object.status ?? 'active')
  const lines = linesOf(mapping, { kind: ADDRESS, object, used: USED }).filter(
    ({ key }) => key !== 'status' || description !== undefined,
  )
  if (name !== '' && !isHostname(name)) lines.push({ key: 'dns_name', value: name })
  return reservationRow({
    pool,
    ip: formatIp(ip),
    hostname: isHostname(name) ? name : '',
    purpose: textOf(mapping, { kind: ADDRESS, id, field: 'description' }, description ?? status),
    notes: mapping.report.describe(ADDRESS, id, '', lines),
    custom: mapping.custom.of(ADDRESS, object),
    refs: refsOf(ADDRESS, id),
  })
}

/** Returns the reservations, and the pools and networks that are made for them. */
export const reservationsOf = (context: AddressContext, pools: Pools): { rows: EstateRow[]; pools: EstateRow[] } => {
  const { report, taken } = context
  const addresses = freeAddresses(context)
  const smallestPool = poolFinder(pools, addresses)
  const made = new AddressPools('netbox')
  const reserved = new Set<string>()
  const rows: EstateRow[] = []
  for (const address of addresses) {
    const key = keyIn(address.object, formatIp(address.ip))
    const network = findNetwork(context, address)
    const cidr = network?.cidr ?? cidrOf(address.ip, address.prefix)
    const why = reservationProblem({ ip: address.ip, key, cidr }, { taken, reserved })
    if (why) {
      report.left(ADDRESS, why, address.object)
      continue
    }
    reserved.add(key)
    const pool = smallestPool(address) ?? made.of(network ?? makeNetwork(context, address))
    rows.push(rowOf(context, address, pool))
  }
  return { rows, pools: made.rows }
}

const findNetwork = ({ networks }: { networks: Networks }, { object, ip }: Free): MadeNetwork | undefined =>
  networks.holding(object.vrf, ip)
