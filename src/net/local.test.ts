// Local ranges: which blocks overlap addresses of the machine itself or of its links, in every spelling.
import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { parseCidr, toCidr } from './cidr.ts'
import { parseIp } from './ip.ts'
import { findLocalRange } from './local.ts'
import { computeReach } from './reach.ts'

const rangeOf = (text: string): string | undefined => {
  const cidr = parseCidr(text)
  if (!cidr) throw new Error(`${text} is no CIDR`)
  return findLocalRange(cidr)
}

describe('localRangeOf', () => {
  test.each([
    ['127.0.0.0/8', '127.0.0.0/8'],
    ['127.0.0.1/32', '127.0.0.0/8'],
    ['127.255.255.0/24', '127.0.0.0/8'],
    ['126.0.0.0/7', '127.0.0.0/8'],
    ['0.0.0.0/8', '0.0.0.0/8'],
    ['0.0.0.0/32', '0.0.0.0/8'],
    ['0.0.0.0/0', '0.0.0.0/8'],
    ['169.254.169.254/32', '169.254.0.0/16'],
    ['169.254.0.0/16', '169.254.0.0/16'],
    ['169.254.0.0/15', '169.254.0.0/16'],
    ['::1/128', '::1/128'],
    ['::/128', '::/128'],
    ['::/112', '::1/128'],
    ['::/0', '::1/128'],
    ['fe80::/10', 'fe80::/10'],
    ['fe80::/112', 'fe80::/10'],
    ['febf:ffff::/112', 'fe80::/10'],
    ['::ffff:127.0.0.1/128', '127.0.0.0/8'],
    ['::ffff:127.4.0.0/112', '127.0.0.0/8'],
    ['::ffff:0.0.0.0/112', '0.0.0.0/8'],
    ['::ffff:169.254.0.0/112', '169.254.0.0/16'],
    ['::ffff:0:0/96', '0.0.0.0/8'],
    ['::ffff:126.0.0.0/103', '127.0.0.0/8'],
    ['::127.0.0.0/112', '127.0.0.0/8'],
    ['::ffff:0:127.0.0.0/112', '127.0.0.0/8'],
    ['64:ff9b::7f00:0/112', '127.0.0.0/8'],
    ['64:ff9b::a9fe:a900/120', '169.254.0.0/16'],
    ['2002:7f00:1::/112', '127.0.0.0/8'],
    ['2002:a9fe:a9fe::/112', '169.254.0.0/16'],
    ['2001:0:7f00:1::/112', '127.0.0.0/8'],
    ['2001:0:5db8:d70e::80ff:0/112', '127.0.0.0/8'],
    ['2a00::5efe:7f00:0/112', '127.0.0.0/8'],
  ])('%s overlaps %s', (text, range) => {
    expect(rangeOf(text)).toBe(range)
  })

  test.each([
    ...['10.0.0.0/8', '126.0.0.0/8', '128.0.0.0/16', '1.0.0.0/8', '169.253.0.0/16', '169.255.0.0/16', '192.168.0.0/16'],
    ...['2001:db8::/112', 'fd00::/112', 'fec0::/112', '::ffff:10.0.0.0/112', '64:ff9b::a00:0/112', '2002:a00:1::/112'],
    ...['::10.0.0.0/112', '2001:db8:7f00:1::/112'],
  ])('%s overlaps none', (text) => {
    expect(rangeOf(text)).toBeUndefined()
  })

  test('names a range for every block that holds a local address', () => {
    const local = ['0.9.8.7', '127.9.8.7', '169.254.9.8', '::1', '::', 'fe80::9', '::ffff:127.9.8.7', '64:ff9b::7f00:9']
    const addresses = local.flatMap((text) => parseIp(text) ?? [])
    fc.assert(
      fc.property(fc.constantFrom(...addresses), fc.integer({ min: 0, max: 32 }), (ip, hostBits) => {
        const bits = ip.family === 4 ? 32 : 128
        expect(findLocalRange(toCidr(ip, bits - hostBits))).toBeString()
      }),
    )
  })

  test('names one only for addresses that requests may not reach either', () => {
    const address = fc.oneof(
      fc.bigInt({ min: 0n, max: 0xffffffffn }).map((value) => ({ family: 4 as const, value })),
      fc.bigInt({ min: 0n, max: (1n << 128n) - 1n }).map((value) => ({ family: 6 as const, value })),
      fc.bigInt({ min: 0n, max: 0xffffffffn }).map((low) => ({ family: 6 as const, value: 0xffff00000000n | low })),
    )
    fc.assert(
      fc.property(address, (ip) => {
        const isLocal = findLocalRange(toCidr(ip, ip.family === 4 ? 32 : 128)) !== undefined
        expect(isLocal && computeReach(ip) !== 'blocked').toBe(false)
      }),
    )
  })
})
