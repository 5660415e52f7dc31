/** Reads the addresses and subnets of rows. */
import { type Cidr, cidrOf } from '../../../../net/cidr.ts'
import { bitsOf, type Family, type Ip, maxValue, parseIp } from '../../../../net/ip.ts'
import type { Row } from './tables.ts'

/** Reads an address, which the database keeps as a number. */
export const addressOf = (text: string | undefined, family?: Family): Ip | undefined => {
  if (text === undefined) return undefined
  if (!/^\d{1,39}$/.test(text)) return parseIp(text)
  const value = BigInt(text)
  const own = family ?? (value <= maxValue(4) ? 4 : 6)
  return value <= maxValue(own) ? { family: own, value } : undefined
}

export const cidrOfRow = ({ subnet, mask }: Row): Cidr | undefined => {
  const prefix = Number(mask)
  const ip = addressOf(subnet, prefix > 32 ? 6 : undefined)
  if (!ip || mask === undefined || !/^\d{1,3}$/.test(mask) || prefix > bitsOf(ip.family)) return undefined
  return cidrOf(ip, prefix)
}
