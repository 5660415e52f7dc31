/** Reads the addresses and networks of requests. */
import { type Cidr, parseCidr, toCidr } from '../../../net/cidr.ts'
import { getAddressBits, type Ip, parseIp } from '../../../net/ip.ts'

export type Interface = {
  readonly ip: Ip
  /** The mask, if one is given. */
  readonly mask: number | undefined
}

/** Parses an address with or without a mask. */
export const parseInterface = (text: string): Interface | undefined => {
  const [address = '', ...masks] = text.trim().split('/')
  const ip = parseIp(address)
  if (!ip || masks.length === 0) return ip && { ip, mask: undefined }
  const cidr = parseCidr(text.trim())
  return cidr && { ip, mask: cidr.prefix }
}

/** Parses a network; an address without a mask is a network of its own. */
export const parseNetwork = (text: string): Cidr | undefined => {
  const parsed = parseInterface(text)
  return parsed && toCidr(parsed.ip, parsed.mask ?? getAddressBits(parsed.ip.family))
}

/** True for a network that is named by another address than its first. */
export const hasHostBits = (text: string, { first }: Cidr): boolean => parseInterface(text)?.ip.value !== first
