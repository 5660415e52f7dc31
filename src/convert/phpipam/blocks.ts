/** Reads the addresses and subnets of rows. */
import { type Cidr, toCidr } from '../../net/cidr.ts'
import { type Family, getAddressBits, getMaxValue, type Ip, parseIp } from '../../net/ip.ts'
import type { Row } from './tables.ts'

/** Reads an address, which the database keeps as a number. */
export const parseAddress = (text: string | undefined, family?: Family): Ip | undefined => {
  if (text === undefined) return undefined
  if (!/^\d{1,39}$/.test(text)) return parseIp(text)
  const value = BigInt(text)
  const own = family ?? (value <= getMaxValue(4) ? 4 : 6)
  return value <= getMaxValue(own) ? { family: own, value } : undefined
}

export const readCidr = ({ subnet, mask }: Row): Cidr | undefined => {
  const prefix = Number(mask)
  const ip = parseAddress(subnet, prefix > 32 ? 6 : undefined)
  if (!ip || mask === undefined || !/^\d{1,3}$/.test(mask) || prefix > getAddressBits(ip.family)) return undefined
  return toCidr(ip, prefix)
}
