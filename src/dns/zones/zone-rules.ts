/** The name, the subnet and the kind of a zone. */

import { invalidField } from '../../contract/errors.ts'
import { type Cidr, formatCidr, parseCidr, toCidr } from '../../net/cidr.ts'
import { splitLabels } from '../../net/dns/name.ts'
import { buildReverseZoneName } from '../../net/dns/reverse.ts'
import type { DnsZone } from './schema.ts'

export type ZoneNames = Pick<DnsZone, 'name' | 'subnet' | 'kind'>

/** Returns the subnet of a name under in-addr.arpa or ip6.arpa; undefined for any other name. */
export const parseReverseName = (name: string): Cidr | undefined => {
  const labels = splitLabels(name)
  const tail = labels.slice(-2).join('.')
  const own = labels.slice(0, -2).reverse()
  let text: string | undefined
  if (tail === 'ip6.arpa' && own.length > 0 && own.length <= 32) {
    const digits = own.join('').padEnd(32, '0')
    text = `${digits.match(/.{4}/g)?.join(':')}/${own.length * 4}`
  } else if (tail === 'in-addr.arpa' && own.length > 0 && own.length <= 4) {
    const [first = '', prefix] = own[3]?.split('/') ?? []
    const octets = [...own.slice(0, 3), ...(own.length === 4 ? [first] : [])]
    text = `${[...octets, '0', '0', '0'].slice(0, 4).join('.')}/${prefix ?? own.length * 8}`
  }
  const cidr = text === undefined ? undefined : parseCidr(text)
  // The name of another subnet with host bits is not the one that Plat gives.
  return cidr && buildReverseZoneName(cidr) === name ? cidr : undefined
}

const buildReverseNames = (name: string, cidr: Cidr): ZoneNames => ({ name, subnet: formatCidr(cidr), kind: 'reverse' })

/** The most zones that a message names. */
const MAX_NAMED = 4

/** Returns the message for a subnet that no single zone serves, with the zones that do. */
const describeParts = (cidr: Cidr): string => {
  const { family, prefix } = cidr
  const step = family === 4 ? 8 : 4
  const length = Math.max(step, Math.ceil(prefix / step) * step)
  const size = 1n << BigInt((family === 4 ? 32 : 128) - length)
  const count = 2 ** (length - prefix)
  const part = (i: number): string => formatCidr(toCidr({ family, value: cidr.first + BigInt(i) * size }, length))
  const parts =
    count <= MAX_NAMED
      ? Array.from({ length: count }, (_, i) => part(i)).join(', ')
      : `${part(0)}, ${part(1)} to ${part(count - 1)}`
  return `no single reverse zone serves a /${prefix}; create one for each of the ${count} subnets of /${length}: ${parts}`
}

/** @throws AppError VALIDATION_ERROR */
export const resolveZoneNames = ({ name, subnet }: { readonly name: string; readonly subnet: string }): ZoneNames => {
  if (subnet === '') {
    if (name === '') throw invalidField('name', 'is required without a subnet')
    const cidr = parseReverseName(name)
    return cidr ? buildReverseNames(name, cidr) : { name, subnet: null, kind: 'forward' }
  }
  const cidr = parseCidr(subnet)
  if (!cidr) throw invalidField('subnet', 'must be a subnet, like 192.0.2.0/24')
  const derived = buildReverseZoneName(cidr)
  if (derived === undefined) throw invalidField('subnet', describeParts(cidr))
  if (name === '' || name === derived) return buildReverseNames(derived, cidr)
  if (cidr.family === 6 || cidr.prefix <= 24) throw invalidField('name', `is ${derived} for this subnet`)
  return buildReverseNames(name, cidr)
}
