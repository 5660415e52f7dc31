// Reverse names of addresses and of subnets.

import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { parseCidrOrThrow, toCidr } from '../cidr.ts'
import { getAddressBits, getMaxValue, type Ip, parseIp } from '../ip.ts'
import { isNameWithin } from './name.ts'
import { buildReverseName, buildReverseNameInZone, buildReverseZoneName } from './reverse.ts'

const ipOf = (text: string): Ip => {
  const ip = parseIp(text)
  if (!ip) throw new Error(text)
  return ip
}
const anyIp = fc
  .constantFrom(4 as const, 6 as const)
  .chain((family) => fc.bigInt({ min: 0n, max: getMaxValue(family) }).map((value): Ip => ({ family, value })))

describe('the reverse name', () => {
  test.each([
    // RFC 1035 section 3.5 and RFC 3596 section 2.5.
    ['10.2.0.52', '52.0.2.10.in-addr.arpa'],
    ['4321:0:1:2:3:4:567:89ab', 'b.a.9.8.7.6.5.0.4.0.0.0.3.0.0.0.2.0.0.0.1.0.0.0.0.0.0.0.1.2.3.4.ip6.arpa'],
    ['0.0.0.0', '0.0.0.0.in-addr.arpa'],
    ['255.1.0.9', '9.0.1.255.in-addr.arpa'],
    // An IPv4-mapped address is one of IPv6.
    ['::ffff:10.0.0.1', `1.0.0.0.0.0.a.0.f.f.f.f.${'0.'.repeat(20)}ip6.arpa`],
  ])('of %s', (text, name) => {
    expect(buildReverseName(ipOf(text))).toBe(name)
  })

  test('of an address is in the zone of each subnet of it that has one', () => {
    fc.assert(
      fc.property(anyIp, fc.nat(128), (ip, bits) => {
        const prefix = bits % (getAddressBits(ip.family) + 1)
        const name = buildReverseZoneName(toCidr(ip, prefix))
        if (name !== undefined) expect(isNameWithin(buildReverseNameInZone({ prefix, name }, ip), name)).toBe(true)
      }),
    )
  })
})

describe('the reverse zone', () => {
  test.each([
    ['10.0.0.0/8', '10.in-addr.arpa'],
    ['172.16.0.0/16', '16.172.in-addr.arpa'],
    ['192.0.2.0/24', '2.0.192.in-addr.arpa'],
    // RFC 2317 section 4.
    ['192.0.2.0/25', '0/25.2.0.192.in-addr.arpa'],
    ['192.0.2.128/26', '128/26.2.0.192.in-addr.arpa'],
    ['192.0.2.192/26', '192/26.2.0.192.in-addr.arpa'],
    ['192.0.2.4/31', '4/31.2.0.192.in-addr.arpa'],
    ['2001:db8::/32', '8.b.d.0.1.0.0.2.ip6.arpa'],
    ['2001:db8:1:2::/64', '2.0.0.0.1.0.0.0.8.b.d.0.1.0.0.2.ip6.arpa'],
    ['2000::/4', '2.ip6.arpa'],
  ])('of %s is %s', (subnet, name) => {
    expect(buildReverseZoneName(parseCidrOrThrow(subnet))).toBe(name)
  })

  test.each(['0.0.0.0/0', '10.0.0.0/7', '10.0.0.0/9', '10.0.0.0/23', '::/0', '2001:db8::/33', '2001:db8::/127'])(
    'of %s does not exist',
    (subnet) => {
      expect(buildReverseZoneName(parseCidrOrThrow(subnet))).toBeUndefined()
    },
  )

  test('of RFC 2317 may have any name, and holds the last octet', () => {
    expect(buildReverseNameInZone({ prefix: 26, name: '0-63.2.0.192.in-addr.arpa' }, ipOf('192.0.2.5'))).toBe(
      '5.0-63.2.0.192.in-addr.arpa',
    )
  })
})
