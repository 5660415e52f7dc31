// CIDR blocks: text, masks, containment, counts, enclosing blocks, and free space against a naive model.

import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { countCases } from '../../testing/cases.ts'
import {
  type Cidr,
  cidrContains,
  cidrHolds,
  countUsableAddresses,
  formatCidr,
  getHostSpan,
  getNetworkAndBroadcast,
  listEnclosingCidrs,
  parseCidr,
  subtractCidrs,
  toCidr,
} from './cidr.ts'
import { type Family, formatIp, getAddressBits, getMaxValue, type Ip, parseIp } from './ip.ts'

const FAMILIES = [4, 6] as const
const ipOf = (family: Family) =>
  fc.bigInt({ min: 0n, max: getMaxValue(family) }).map((value): Ip => ({ family, value }))
const anyIp = fc.oneof(ipOf(4), ipOf(6))
const anyCidr = anyIp.chain((ip) => fc.nat(getAddressBits(ip.family)).map((prefix) => toCidr(ip, prefix)))

function cidr(text: string): Cidr {
  const parsed = parseCidr(text)
  if (parsed === undefined) throw new Error(`Not a CIDR: ${text}`)
  return parsed
}

function ip(text: string): Ip {
  const parsed = parseIp(text)
  if (parsed === undefined) throw new Error(`Not an address: ${text}`)
  return parsed
}

describe('text', () => {
  test.each([
    ['10.0.0.5/24', '10.0.0.0/24'],
    ['255.255.255.255/0', '0.0.0.0/0'],
    ['255.255.255.255/1', '128.0.0.0/1'],
    ['10.0.0.5/32', '10.0.0.5/32'],
    ['10.0.0.5/31', '10.0.0.4/31'],
    ['2001:DB8::5/64', '2001:db8::/64'],
    ['ffff::1/0', '::/0'],
    ['::5/128', '::5/128'],
    ['::5/127', '::4/127'],
    ['::ffff:10.0.0.5/120', '::ffff:10.0.0.0/120'],
    ['::ffff:10.0.0.5/96', '::ffff:0.0.0.0/96'],
    ['::ffff:10.0.0.5/95', '::fffe:0:0/95'],
  ])('%s is %s', (text, canonical) => {
    expect(formatCidr(cidr(text))).toBe(canonical)
  })

  test.each(
    [
      '',
      '/',
      '/24',
      '10.0.0.0',
      '10.0.0.0/',
      '10.0.0.0/33',
      '10.0.0.0/-1',
      '10.0.0.0/+1',
      '10.0.0.0/024',
      '10.0.0.0/00',
      '10.0.0.0/2 4',
      '10.0.0.0 /24',
      '10.0.0.0/ 24',
      ' 10.0.0.0/24',
      '10.0.0.0/24 ',
      '10.0.0.0/24\n',
      '10.0.0/24',
      '10.0.0.0/24/24',
      '10.0.0.0//24',
      '10.0.0.0/255.255.255.0',
      '10.0.0.0/2e1',
      '10.0.0.0/0x8',
      '10.0.0.0/٢٤',
      '10.0.0.0/1.5',
      '::/129',
      '::/1000',
      '::',
      '[::]/64',
      '::%1/64',
      'fe80::1/64%eth0',
      '010.0.0.0/8',
      '10.0.0.256/24',
      '12345::/16',
      '::1::/64',
      `::/${'1'.repeat(1_000_000)}`,
      `${'1'.repeat(1_000_000)}/1`,
    ].map((text) => [text.slice(0, 40), text] as const),
  )('refuses %j', (_shown, text) => {
    const startedMs = performance.now()
    expect(parseCidr(text)).toBeUndefined()
    expect(performance.now() - startedMs).toBeLessThan(500)
  })

  test('round trip', () => {
    fc.assert(fc.property(anyCidr, (block) => expect(parseCidr(formatCidr(block))).toEqual(block)))
  })
})

describe('masks and containment', () => {
  test('cidrOf is the arithmetic block, for every prefix', () => {
    fc.assert(
      fc.property(anyIp, (address) => {
        const { family, value } = address
        for (let prefix = 0; prefix <= getAddressBits(family); prefix++) {
          const size = 2n ** BigInt(getAddressBits(family) - prefix)
          const first = value - (value % size)
          expect(toCidr(address, prefix)).toEqual({ family, prefix, first, last: first + size - 1n })
        }
      }),
      { numRuns: countCases(30) },
    )
  })

  test.each([-1, 33, 1.5, Number.NaN, Number.POSITIVE_INFINITY])('cidrOf throws on IPv4 prefix %d', (prefix) => {
    expect(() => toCidr(ip('10.0.0.1'), prefix)).toThrow(RangeError)
  })

  test.each([
    ['10.0.0.0/8', '10.1.0.0/16', true],
    ['10.0.0.0/8', '10.0.0.0/8', true],
    ['10.1.0.0/16', '10.0.0.0/8', false],
    ['10.0.0.0/8', '11.0.0.0/8', false],
    ['0.0.0.0/0', '255.255.255.255/32', true],
    ['2001:db8::/32', '2001:db8:1::/48', true],
    ['2001:db8::/32', '2001:db8::/32', true],
    ['2001:db8:1::/48', '2001:db8::/32', false],
    ['2001:db8::/32', '2001:db9::/32', false],
    ['::/0', 'ffff::/128', true],
    ['::/0', '10.0.0.0/8', false],
    ['0.0.0.0/0', '::/128', false],
    ['10.0.0.0/8', '::ffff:10.0.0.0/120', false],
  ])('%s contains %s: %p', (outer, inner, contains) => {
    expect(cidrContains(cidr(outer), cidr(inner))).toBe(contains)
  })

  test('a block contains another exactly when it holds its first and its last address', () => {
    fc.assert(
      fc.property(anyCidr, anyCidr, fc.nat(32), (outer, other, prefix) => {
        for (const inner of [other, toCidr({ family: outer.family, value: outer.last }, prefix)]) {
          const { family } = inner
          const both =
            cidrHolds(outer, { family, value: inner.first }) && cidrHolds(outer, { family, value: inner.last })
          expect(cidrContains(outer, inner)).toBe(both)
        }
      }),
    )
  })

  test.each(FAMILIES)('family %d: a block ends where it says', (family) => {
    const block = toCidr({ family, value: 1000n }, getAddressBits(family) - 3)
    expect(block.first).toBe(1000n)
    expect(cidrHolds(block, { family, value: 999n })).toBe(false)
    expect(cidrHolds(block, { family, value: 1000n })).toBe(true)
    expect(cidrHolds(block, { family, value: 1007n })).toBe(true)
    expect(cidrHolds(block, { family, value: 1008n })).toBe(false)
  })
})

describe('counts', () => {
  test.each([
    ['0.0.0.0/0', 4294967294],
    ['10.0.0.0/8', 16777214],
    ['10.0.0.0/24', 254],
    ['10.0.0.0/30', 2],
    ['10.0.0.0/31', 2],
    ['10.0.0.0/32', 1],
    ['::/0', 9007199254740991],
    ['::/64', 9007199254740991],
    ['::/75', 9007199254740991],
    ['::/76', 4503599627370496],
    ['::/120', 256],
    ['::/126', 4],
    ['::/127', 2],
    ['::/128', 1],
  ])('%s has %d usable', (text, usable) => {
    expect(countUsableAddresses(cidr(text))).toBe(usable)
  })

  test.each([
    ['10.0.0.0/24', '10.0.0.0', '10.0.0.255'],
    ['10.0.0.4/30', '10.0.0.4', '10.0.0.7'],
    ['0.0.0.0/0', '0.0.0.0', '255.255.255.255'],
  ])('%s: network %s, broadcast %s', (text, network, broadcast) => {
    expect(getNetworkAndBroadcast(cidr(text))).toEqual({ network: ip(network), broadcast: ip(broadcast) })
  })

  test.each(['10.0.0.0/31', '10.0.0.0/32', '::/0', '::/64', '::/126', '::/128'])('%s has neither', (text) => {
    expect(getNetworkAndBroadcast(cidr(text))).toBeUndefined()
  })
})

describe('enclosingCidrs', () => {
  const sparseIpv6 = fc
    .array(fc.constantFrom(0n, 0n, 0n, 1n, 0x8000n, 0xab0n, 0xffffn), { minLength: 8, maxLength: 8 })
    .map((groups): Ip => ({ family: 6, value: groups.reduce<bigint>((value, group) => (value << 16n) | group, 0n) }))
  const mapped = ipOf(4).map(({ value }): Ip => ({ family: 6, value: (0xffffn << 32n) | value }))

  test('is every prefix length, formatted one by one', () => {
    fc.assert(
      fc.property(fc.oneof(ipOf(4), ipOf(6), sparseIpv6, mapped), (address) => {
        const naive: string[] = []
        for (let prefix = getAddressBits(address.family); prefix >= 0; prefix--)
          naive.push(formatCidr(toCidr(address, prefix)))
        expect(listEnclosingCidrs(address)).toEqual(naive)
      }),
      { numRuns: countCases(300) },
    )
  })

  test.each([
    ['10.1.2.3', 33, '10.1.2.3/32', '0.0.0.0/0'],
    ['2001:db8::1', 129, '2001:db8::1/128', '::/0'],
  ])('%s: %d texts from %s to %s', (text, count, narrowest, widest) => {
    const texts = listEnclosingCidrs(ip(text))
    expect(texts).toHaveLength(count)
    expect(texts.at(0)).toBe(narrowest)
    expect(texts.at(-1)).toBe(widest)
  })
})

describe('subtractCidrs', () => {
  // 64 addresses are few enough to check one by one; at the top of the space, where an overflow would show.
  const small = fc.constantFrom(...FAMILIES).chain((family) => {
    const bits = getAddressBits(family)
    const base = fc.constantFrom(0n, getMaxValue(family) - 127n)
    const block = fc.tuple(base, fc.bigInt({ min: 0n, max: 127n }), fc.integer({ min: bits - 6, max: bits }))
    const blocks = fc.array(
      block.map(([from, offset, prefix]) => toCidr({ family, value: from + offset }, prefix)),
      { maxLength: 12 },
    )
    return fc.tuple(
      base.map((value) => toCidr({ family, value: value + 64n }, bits - 6)),
      blocks,
    )
  })

  test('is exactly the addresses that are not used, in order, in the fewest blocks', () => {
    fc.assert(
      fc.property(small, ([outer, used]) => {
        const { family } = outer
        const free = subtractCidrs(outer, used)
        const covered: bigint[] = []
        for (const gap of free) for (let value = gap.first; value <= gap.last; value++) covered.push(value)
        const naive: bigint[] = []
        for (let value = outer.first; value <= outer.last; value++) {
          if (!used.some((block) => cidrHolds(block, { family, value }))) naive.push(value)
        }
        expect(covered).toEqual(naive)
        for (const [index, gap] of free.entries()) {
          expect(toCidr({ family, value: gap.first }, gap.prefix)).toEqual(gap)
          const next = free[index + 1]
          // Two halves of one block would not be the fewest.
          if (next?.prefix === gap.prefix)
            expect(toCidr({ family, value: gap.first }, gap.prefix - 1).last).not.toBe(next.last)
        }
      }),
      { numRuns: countCases(500) },
    )
  })

  test.each([
    ['10.0.0.0/24', ['10.0.0.0/26'], ['10.0.0.64/26', '10.0.0.128/25']],
    ['10.0.0.0/24', [], ['10.0.0.0/24']],
    ['10.0.0.0/24', ['10.0.0.0/8'], []],
    ['10.0.0.0/24', ['10.0.1.0/24', '::/0'], ['10.0.0.0/24']],
    ['10.0.0.0/30', ['10.0.0.3/32', '10.0.0.0/32', '10.0.0.0/32'], ['10.0.0.1/32', '10.0.0.2/32']],
    ['2001:db8::/32', ['2001:db8::/34'], ['2001:db8:4000::/34', '2001:db8:8000::/33']],
    ['2001:db8::/32', [], ['2001:db8::/32']],
    ['2001:db8::/32', ['2001::/16'], []],
    ['2001:db8::/32', ['2001:db9::/32', '0.0.0.0/0'], ['2001:db8::/32']],
  ])('%s without %p', (outer, used, free) => {
    expect(subtractCidrs(cidr(outer), used.map(cidr)).map(formatCidr)).toEqual(free)
  })

  test('a whole space with one address used stays small and quick', () => {
    expect(subtractCidrs(cidr('::/0'), [cidr('8000::/128')])).toHaveLength(128)
    expect(subtractCidrs(cidr('0.0.0.0/0'), [cidr('128.0.0.0/32')])).toHaveLength(32)
    const used = Array.from({ length: 20_000 }, (_, index) => toCidr({ family: 6, value: BigInt(index) << 66n }, 64))
    const startedMs = performance.now()
    expect(subtractCidrs(cidr('::/32'), used).length).toBeGreaterThan(20_000)
    expect(performance.now() - startedMs).toBeLessThan(2000)
  })

  test('formatted gaps stay inside the outer block', () => {
    fc.assert(
      fc.property(small, ([outer, used]) => {
        for (const gap of subtractCidrs(outer, used)) {
          expect(cidrContains(outer, gap)).toBe(true)
          expect(formatIp({ family: gap.family, value: gap.first })).toBe(formatCidr(gap).split('/')[0] ?? '')
        }
      }),
    )
  })
})

describe('the addresses that are given to hosts', () => {
  test.each([
    ['10.0.0.0/24', '10.0.0.1', '10.0.0.254'],
    ['10.0.0.0/30', '10.0.0.1', '10.0.0.2'],
    ['10.0.0.0/31', '10.0.0.0', '10.0.0.1'],
    ['10.0.0.0/32', '10.0.0.0', '10.0.0.0'],
    ['2001:db8::/64', '2001:db8::1', '2001:db8::ffff:ffff:ffff:ffff'],
    ['2001:db8::/126', '2001:db8::1', '2001:db8::3'],
    ['2001:db8::/127', '2001:db8::', '2001:db8::1'],
    ['2001:db8::/128', '2001:db8::', '2001:db8::'],
  ])('of %s are %s to %s', (subnet, first, last) => {
    const { family } = cidr(subnet)
    const span = getHostSpan(cidr(subnet))
    expect([span.first, span.last].map((value) => formatIp({ family, value }))).toEqual([first, last])
  })
})
