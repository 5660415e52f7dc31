// Addresses: text both ways, keys, order, and hostile text.

import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { countCases } from '../../testing/cases.ts'
import {
  compareIp,
  DEFAULT_SPACE,
  type Family,
  formatIp,
  fromIpKey,
  getAddressBits,
  getMaxValue,
  getSpaceKey,
  type Ip,
  normalizeIp,
  parseIp,
  replaceSpace,
  type SpaceKey,
  toIpKey,
} from './ip.ts'

const ipOf = (family: Family) =>
  fc.bigInt({ min: 0n, max: getMaxValue(family) }).map((value): Ip => ({ family, value }))
// Groups picked from few values give the zero runs that random 128-bit values never have.
const sparseIpv6 = fc
  .array(fc.constantFrom(0n, 0n, 0n, 1n, 0xab0n, 0xffffn), { minLength: 8, maxLength: 8 })
  .map((groups): Ip => ({ family: 6, value: groups.reduce<bigint>((value, group) => (value << 16n) | group, 0n) }))
const anyIp = fc.oneof(ipOf(4), ipOf(6), sparseIpv6)

/** RFC 5952 the slow way: every possible place for `::`, the best by the rule. */
function naiveIpv6(value: bigint): string {
  if (value >> 32n === 0xffffn) {
    const quad = [24n, 16n, 8n, 0n].map((shift) => ((value >> shift) & 255n).toString())
    return `::ffff:${quad.join('.')}`
  }
  const groups = [112n, 96n, 80n, 64n, 48n, 32n, 16n, 0n].map((shift) => ((value >> shift) & 0xffffn).toString(16))
  for (let size = 8; size >= 2; size--) {
    for (let start = 0; start + size <= 8; start++) {
      if (groups.slice(start, start + size).some((group) => group !== '0')) continue
      return `${groups.slice(0, start).join(':')}::${groups.slice(start + size).join(':')}`
    }
  }
  return groups.join(':')
}

describe('parseIp and formatIp', () => {
  test.each([
    ['0.0.0.0', '0.0.0.0', 4, 0n],
    ['255.255.255.255', '255.255.255.255', 4, 0xffffffffn],
    ['10.20.30.40', '10.20.30.40', 4, 0x0a141e28n],
    ['128.0.0.0', '128.0.0.0', 4, 0x80000000n],
    ['::', '::', 6, 0n],
    ['::1', '::1', 6, 1n],
    ['1::', '1::', 6, 1n << 112n],
    ['0:0:0:0:0:0:0:0', '::', 6, 0n],
    ['2001:DB8::0A', '2001:db8::a', 6, 0x20010db800000000000000000000000an],
    ['2001:0db8:0000:0000:0000:0000:0000:0001', '2001:db8::1', 6, 0x20010db8000000000000000000000001n],
    ['2001:db8:0:0:1:0:0:1', '2001:db8::1:0:0:1', 6, 0x20010db8000000000001000000000001n],
    ['2001:0:0:1:0:0:0:1', '2001:0:0:1::1', 6, 0x20010000000000010000000000000001n],
    ['2001:db8::1:1:1:1:1', '2001:db8:0:1:1:1:1:1', 6, 0x20010db8000000010001000100010001n],
    ['1:2:3:4:5:6:7::', '1:2:3:4:5:6:7:0', 6, 0x00010002000300040005000600070000n],
    ['::2:3:4:5:6:7:8', '0:2:3:4:5:6:7:8', 6, 0x00000002000300040005000600070008n],
    ['::ffff:10.0.0.1', '::ffff:10.0.0.1', 6, 0xffff0a000001n],
    ['::ffff:a00:1', '::ffff:10.0.0.1', 6, 0xffff0a000001n],
    ['0:0:0:0:0:FFFF:255.255.255.255', '::ffff:255.255.255.255', 6, 0xffffffffffffn],
    ['::10.0.0.1', '::a00:1', 6, 0x0a000001n],
    ['64:ff9b::192.0.2.33', '64:ff9b::c000:221', 6, 0x0064ff9b0000000000000000c0000221n],
    ['1:2:3:4:5:6:7.8.9.10', '1:2:3:4:5:6:708:90a', 6, 0x0001000200030004000500060708090an],
  ] as const)('%s is %s', (text, canonical, family, value) => {
    expect(parseIp(text)).toEqual({ family, value })
    expect(formatIp({ family, value })).toBe(canonical)
    expect(normalizeIp(text)).toBe(canonical)
  })

  test('a formatted address parses to itself, and its text is already canonical', () => {
    fc.assert(
      fc.property(anyIp, (ip) => {
        const text = formatIp(ip)
        expect(parseIp(text)).toEqual(ip)
        expect(normalizeIp(text)).toBe(text)
      }),
    )
  })

  test('IPv6 text follows RFC 5952', () => {
    fc.assert(
      fc.property(fc.oneof(sparseIpv6, ipOf(6)), (ip) => {
        expect(formatIp(ip)).toBe(naiveIpv6(ip.value))
      }),
      { numRuns: countCases(1000) },
    )
  })

  test('every spelling of an IPv6 address parses to the same value', () => {
    fc.assert(
      fc.property(sparseIpv6, fc.boolean(), (ip, upper) => {
        const long = ip.value
          .toString(16)
          .padStart(32, '0')
          .replace(/(.{4})(?!$)/g, '$1:')
        expect(parseIp(upper ? long.toUpperCase() : long)).toEqual(ip)
        const quad = formatIp({ family: 4, value: ip.value & 0xffffffffn })
        expect(parseIp(long.slice(0, 30) + quad)).toEqual(ip)
      }),
    )
  })
})

describe('text that is no address', () => {
  const bad = [
    '',
    ' ',
    '.',
    '...',
    '1',
    '1.2.3',
    '1.2.3.',
    '.1.2.3',
    '1.2.3.4.',
    '1.2.3.4.5',
    '1..2.3',
    '1.2.3..4',
    '01.2.3.4',
    '1.2.3.00',
    '1.2.3.256',
    '1.2.3.999',
    '1.2.3.-4',
    '1.2.3.+4',
    '1.2.3.4 ',
    ' 1.2.3.4',
    '1.2.3.4\n',
    '1. 2.3.4',
    '0x1.2.3.4',
    '1e1.2.3.4',
    '1.2.3.4/32',
    '1.2.3.a',
    '4294967295',
    '١.٢.٣.٤',
    '１.2.3.4',
    '1。2。3。4',
    '1.2.3.4\u0000',
    ':',
    ':::',
    '1:::2',
    '::1::',
    '1::2::3',
    ':1',
    '1:',
    ':1::',
    '::1:',
    '1:2:3:4:5:6:7',
    '1:2:3:4:5:6:7:8:9',
    '1:2:3:4:5:6:7:8::',
    '::1:2:3:4:5:6:7:8',
    '1:2:3:4::5:6:7:8',
    '1:2:3:4:5:6:7:',
    ':2:3:4:5:6:7:8',
    '12345::',
    '::12345',
    '00001::',
    'g::',
    '::g',
    '::1%eth0',
    'fe80::1%1',
    '[::1]',
    '::1 ',
    ' ::1',
    ':: 1',
    '::1/128',
    '::1.2.3',
    '::1.2.3.4.5',
    '::01.2.3.4',
    '::1.2.3.256',
    '1.2.3.4::',
    '::1.2.3.4:5',
    '::1.2.3.4::',
    '1:2:3:4:5:6:7:1.2.3.4',
    '1:2:3:4:5:1.2.3.4',
    '::-1',
    '::１',
    '0x::1',
    '1:2:3:4:5:6:7:8:',
    '::1\u0000',
    '::.',
    '::1.',
    '::.1.2.3',
  ]

  test.each(bad)('%j', (text) => {
    expect(parseIp(text)).toBeUndefined()
    expect(normalizeIp(text)).toBeUndefined()
  })

  test.each(['1', '1.', ':', '0:', '::', ' ', 'f', '%', '\u0661'])('a million times %j, answered at once', (piece) => {
    const text = piece.repeat(1_000_000)
    const startedMs = performance.now()
    for (let run = 0; run < 100; run++) expect(parseIp(text)).toBeUndefined()
    expect(performance.now() - startedMs).toBeLessThan(500)
  })

  test('whatever is accepted has a canonical text that means the same', () => {
    const text = fc.string({
      unit: fc.constantFrom(':', ':', '.', '0', '1', '25', 'f', 'abcd', '::', '/', ' ', '-'),
      maxLength: 20,
    })
    fc.assert(
      fc.property(text, (candidate) => {
        const ip = parseIp(candidate)
        if (ip !== undefined) expect(parseIp(formatIp(ip))).toEqual(ip)
      }),
      { numRuns: countCases(2000) },
    )
  })
})

const anySpace = fc
  .option(fc.integer({ min: 1, max: 0xffff }), { nil: undefined })
  .map((number): SpaceKey => (number === undefined ? DEFAULT_SPACE : `s${number.toString(16).padStart(4, '0')}`))

describe('keys and order', () => {
  test.each([
    [4, '400000000', '4ffffffff'],
    [6, `6${'0'.repeat(32)}`, `6${'f'.repeat(32)}`],
  ] as const)('family %d: keys of the lowest and highest address', (family, lowest, highest) => {
    expect<string>(toIpKey({ family, value: 0n }, DEFAULT_SPACE)).toBe(lowest)
    expect<string>(toIpKey({ family, value: getMaxValue(family) }, DEFAULT_SPACE)).toBe(highest)
    expect(getMaxValue(family)).toBe(2n ** BigInt(getAddressBits(family)) - 1n)
  })

  test('a key gives its address back', () => {
    fc.assert(
      fc.property(anyIp, anySpace, (ip, space) => {
        const key = toIpKey(ip, space)
        expect([fromIpKey(key), getSpaceKey(key)]).toEqual([ip, space])
        expect(replaceSpace(key, DEFAULT_SPACE)).toBe(toIpKey(ip, DEFAULT_SPACE))
        expect(replaceSpace(toIpKey(ip, DEFAULT_SPACE), space)).toBe(key)
      }),
    )
  })

  test('the order of keys is the order of addresses', () => {
    fc.assert(
      fc.property(anyIp, anyIp, anySpace, (a, b, space) => {
        const [ofA, ofB] = [toIpKey(a, space), toIpKey(b, space)]
        const byKey = ofA < ofB ? -1 : ofA > ofB ? 1 : 0
        expect(Math.sign(compareIp(a, b))).toBe(byKey)
        const naive = a.family - b.family || (a.value < b.value ? -1 : a.value > b.value ? 1 : 0)
        expect(byKey).toBe(Math.sign(naive))
      }),
    )
  })

  test.each([
    '',
    '4',
    '40a00000',
    '40a0000011',
    '40A000001',
    '50a000001',
    `6${'0'.repeat(31)}`,
    '40a00000g',
    '40a000001\n',
    '10.0.0.1',
  ])('ipFromKey throws on %j', (key) => {
    expect(() => fromIpKey(key)).toThrow(RangeError)
  })
})
