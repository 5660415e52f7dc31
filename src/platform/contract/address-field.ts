/** The addresses of hosts as fields of a contract. Browser-safe. */
import { z } from 'zod'
import { canonicalIp } from '../../net/ip.ts'
import { parseMac } from '../../net/mac.ts'
import { ruledText } from './fields.ts'
import { DNS_NAME, MAC } from './text-rules.ts'

/** An IPv4 or IPv6 address, converted to its canonical text (RFC 5952). */
export const IpAddress = z
  .string()
  .max(64)
  .meta({ exact: { anyOf: [{ format: 'ipv4' }, { format: 'ipv6' }] } })
  .transform((value, check) => {
    const canonical = canonicalIp(value)
    if (canonical !== undefined) return canonical
    check.addIssue('must be an IPv4 or IPv6 address')
    return z.NEVER
  })

/** Optional. A MAC address in any notation, converted to lower case with colons. */
export const MacAddress = ruledText(17, MAC).transform((text) => parseMac(text) ?? '')

/** Optional. A name in the DNS, converted to lower case without a last dot. */
export const DnsName = ruledText(254, DNS_NAME).transform((text) => text.toLowerCase().replace(/\.$/, ''))
