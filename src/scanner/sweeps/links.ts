/** Finds the on-link addresses of a scan, and the addresses of this machine. */
import { type NetworkInterfaceInfo, networkInterfaces } from 'node:os'
import { cidrHolds, parseCidr } from '../../net/cidr.ts'
import { parseIp } from '../../net/ip.ts'
import type { Libc } from '../sys/libc.ts'
import type { Targets } from '../targets.ts'

export type Link = {
  readonly name: string
  /** Interface index. */
  readonly number: number
  readonly address: string
  readonly mac: string
  /** First and last index of the scan on it. */
  readonly first: number
  readonly last: number
}

export type Links = {
  readonly all: readonly Link[]
  /** Undefined for addresses behind a router, or of this machine. */
  readonly of: (index: number) => Link | undefined
  /** Number of targets on a link. */
  readonly count: number
  /** Targets that are addresses of this machine, with the MAC of each. */
  readonly own: ReadonlyMap<number, string>
}

const NO_MAC = '00:00:00:00:00:00'

/**
 * Returns the number of an interface in the network namespace of this process: `if_nametoindex` (RFC 3493 section 4.1). `/sys/class/net`
 * shows the namespace in which it was mounted, which may be another one.
 *
 * @returns 0 where no interface has the name, or there is no C library to ask
 */
export const getInterfaceNumber = (c: Libc | undefined, name: string): number =>
  c === undefined ? 0 : c.if_nametoindex(Buffer.from(`${name}\0`))

const buildLink = (
  c: Libc | undefined,
  { name, info }: { readonly name: string; readonly info: NetworkInterfaceInfo },
  { family, block, size }: Targets,
): Link | undefined => {
  const network = info.cidr === null ? undefined : parseCidr(info.cidr)
  if (info.internal || network === undefined || network.family !== family) return undefined
  if (network.last < block.first || network.first > block.last || network.first === network.last) return undefined
  return {
    name,
    number: getInterfaceNumber(c, name),
    address: info.address,
    mac: info.mac,
    first: network.first < block.first ? 0 : Number(network.first - block.first),
    last: network.last > block.last ? size - 1 : Number(network.last - block.first),
  }
}

/** Reads the interfaces as they are now. */
export const findLinks = (c: Libc | undefined, targets: Targets): Links => {
  const infos = Object.entries(networkInterfaces()).flatMap(([name, list]) =>
    (list ?? []).map((info) => ({ name, info })),
  )
  const all = infos.flatMap((one) => buildLink(c, one, targets) ?? [])
  const own = new Map<number, string>()
  for (const { info } of infos) {
    const ip = parseIp(info.address)
    if (info.internal || ip === undefined || !cidrHolds(targets.block, ip)) continue
    const index = targets.indexOf(info.address)
    if (index !== undefined) own.set(index, info.mac === NO_MAC ? '' : info.mac)
  }
  const of = (index: number): Link | undefined => all.find(({ first, last }) => index >= first && index <= last)
  let count = 0
  for (let index = 0; index < targets.size && all.length > 0; index++) if (targets.has(index) && of(index)) count++
  return { all, of, count, own }
}
