/** The IP address as a field of a contract. Browser-safe. */
import { z } from 'zod'
import { canonicalIp } from '../../net/ip.ts'

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
