/** Which address, pool and name are next. */
import { getHostSpan, parseCidr } from '../../../src/net/cidr.ts'
import { compareIp, formatIp, parseIp } from '../../../src/net/ip.ts'
import { rangeHolds } from '../../../src/net/range.ts'
import { type MappedPool, sortPoolsBySize } from './address-map.ts'

/** Returns the next of some free addresses, and the lowest behind the last one. Undefined if there is no other. @param ips ascending */
export const pickAnother = (ips: readonly string[], present: string): string | undefined => {
  const current = parseIp(present)
  const others = ips.filter((ip) => ip !== present)
  const isBehind = (ip: string) => {
    const other = parseIp(ip)
    return current !== undefined && other !== undefined && compareIp(other, current) > 0
  }
  return others.find(isBehind) ?? others[0]
}

/** Returns the smallest of the pools that hold an address: the one that the server would take. */
export const findHoldingPool = <T extends MappedPool>(pools: readonly T[], ip: string): T | undefined => {
  const address = parseIp(ip)
  const holding = sortPoolsBySize(pools).filter(({ range }) => address !== undefined && rangeHolds(range, address))
  const id = holding.at(-1)?.pool.id
  return pools.find((pool) => pool.id === id)
}

/** Returns the ends of a pool of all usable addresses of a network. */
export const computeUsableRange = (subnet: string): { readonly start_ip: string; readonly end_ip: string } => {
  const cidr = parseCidr(subnet)
  if (!cidr) return { start_ip: '', end_ip: '' }
  const { first, last } = getHostSpan(cidr)
  const format = (value: bigint) => formatIp({ family: cidr.family, value })
  return { start_ip: format(first), end_ip: format(last) }
}

/** @example pickPoolName('web', ['web', 'web 2']) // 'web 3' */
export const pickPoolName = (name: string, taken: readonly string[]): string => {
  const used = new Set(taken.map((one) => one.toLowerCase()))
  for (let number = 1; ; number++) {
    const wanted = number === 1 ? name : `${name} ${number}`
    if (!used.has(wanted.toLowerCase())) return wanted
  }
}
