// Ranges: text, exclude lists, and set arithmetic against a naive model on small spaces.

import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { countCases } from '../../testing/cases.ts'
import { formatCidr, toCidr } from './cidr.ts'
import { formatIp, getAddressBits, getMaxValue } from './ip.ts'
import {
  computeRangeSize,
  type IpRange,
  mergeRanges,
  parseExcludes,
  parseRange,
  rangeHolds,
  splitRange,
  subtractRanges,
} from './range.ts'

const FAMILIES = [4, 6] as const

const smallRange = fc.constantFrom(...FAMILIES).chain((family) =>
  fc.tuple(fc.constantFrom(0n, getMaxValue(family) - 63n), fc.nat(63), fc.nat(63)).map(
    ([base, a, b]): IpRange => ({
      family,
      first: base + BigInt(Math.min(a, b)),
      last: base + BigInt(Math.max(a, b)),
    }),
  ),
)
const smallRanges = fc.array(smallRange, { maxLength: 10 })

function members(ranges: readonly IpRange[]): Set<string> {
  const found = new Set<string>()
  for (const { family, first, last } of ranges)
    for (let value = first; value <= last; value++) found.add(`${family} ${value}`)
  return found
}

function isSortedAndApart(ranges: readonly IpRange[]): boolean {
  return ranges.every((range, index) => {
    const next = ranges[index + 1]
    return (
      next === undefined || range.family < next.family || (range.family === next.family && range.last + 1n < next.first)
    )
  })
}

function show(range: IpRange): string {
  const { family, first, last } = range
  return `${formatIp({ family, value: first })}-${formatIp({ family, value: last })}`
}

function range(text: string): IpRange {
  const parsed = parseRange(text)
  if (parsed === undefined) throw new Error(`Not a range: ${text}`)
  return parsed
}

describe('parseRange', () => {
  test.each([
    ['10.0.0.1', '10.0.0.1-10.0.0.1', 1n],
    ['10.0.0.1-10.0.0.9', '10.0.0.1-10.0.0.9', 9n],
    ['10.0.0.1  -  10.0.0.9', '10.0.0.1-10.0.0.9', 9n],
    ['10.0.0.9-10.0.0.9', '10.0.0.9-10.0.0.9', 1n],
    ['10.0.0.5/30', '10.0.0.4-10.0.0.7', 4n],
    ['0.0.0.0/0', '0.0.0.0-255.255.255.255', 2n ** 32n],
    ['2001:DB8::1', '2001:db8::1-2001:db8::1', 1n],
    ['2001:db8::1-2001:db8::9', '2001:db8::1-2001:db8::9', 9n],
    ['2001:db8::1 - 2001:db8::9', '2001:db8::1-2001:db8::9', 9n],
    ['2001:db8::9-2001:db8::9', '2001:db8::9-2001:db8::9', 1n],
    ['2001:db8::5/126', '2001:db8::4-2001:db8::7', 4n],
    ['::/0', '::-ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff', 2n ** 128n],
  ])('%s is %s, %p addresses', (text, shown, size) => {
    expect(show(range(text))).toBe(shown)
    expect(computeRangeSize(range(text))).toBe(size)
  })

  test.each(
    [
      '',
      '-',
      ' - ',
      '10.0.0.1-',
      '-10.0.0.1',
      '10.0.0.1--10.0.0.2',
      '10.0.0.1-10.0.0.2-10.0.0.3',
      '10.0.0.9-10.0.0.1',
      '::2-::1',
      '10.0.0.1-::2',
      '::1-10.0.0.2',
      '10.0.0.1-9',
      '10.0.0.0/24-10.0.1.0/24',
      '10.0.0.1-10.0.0.2/24',
      '10.0.0.1–10.0.0.9',
      ' 10.0.0.1',
      '10.0.0.1 ',
      '10.0.0.1 10.0.0.9',
      '10.0.0.01-10.0.0.9',
      '10.0.0.*',
      '10.0.0.0-255',
      'gateway',
      '-'.repeat(1_000_000),
      `1${' '.repeat(1_000_000)}x-1`,
      `${' '.repeat(1_000_000)}-${' '.repeat(1_000_000)}`,
      `10.0.0.1-${'1'.repeat(1_000_000)}`,
    ].map((text) => [text.slice(0, 40), text] as const),
  )('refuses %j', (_shown, text) => {
    const startedMs = performance.now()
    expect(parseRange(text)).toBeUndefined()
    expect(performance.now() - startedMs).toBeLessThan(500)
  })
})

describe('parseExcludes', () => {
  test('takes a mix, in the order written', () => {
    const { ranges, invalid } = parseExcludes('10.0.0.9, 10.0.0.1 - 10.0.0.3,2001:db8::/127 ,10.0.0.4/31')
    expect(ranges.map(show)).toEqual([
      '10.0.0.9-10.0.0.9',
      '10.0.0.1-10.0.0.3',
      '2001:db8::-2001:db8::1',
      '10.0.0.4-10.0.0.5',
    ])
    expect(invalid).toEqual([])
  })

  test.each(['', '   ', ',', ' , ,, '])('%j excludes nothing', (text) => {
    expect(parseExcludes(text)).toEqual({ ranges: [], invalid: [] })
  })

  test('gives bad items back as typed, and keeps the good ones', () => {
    const { ranges, invalid } = parseExcludes('10.0.0.1, Bad One ,10.0.0.9-10.0.0.1,::1-10.0.0.1,10.0.0.0/33; 10.0.0.2')
    expect(ranges.map(show)).toEqual(['10.0.0.1-10.0.0.1'])
    expect(invalid).toEqual(['Bad One', '10.0.0.9-10.0.0.1', '::1-10.0.0.1', '10.0.0.0/33; 10.0.0.2'])
  })

  test('a long list of one item per address is read in a moment', () => {
    const text = Array.from({ length: 50_000 }, (_, index) => formatIp({ family: 4, value: BigInt(index) })).join(',')
    const startedMs = performance.now()
    expect(parseExcludes(text).ranges).toHaveLength(50_000)
    expect(performance.now() - startedMs).toBeLessThan(2000)
  })
})

describe('set arithmetic', () => {
  test('mergeRanges keeps the addresses, sorts, and leaves nothing to join', () => {
    fc.assert(
      fc.property(smallRanges, (ranges) => {
        const merged = mergeRanges(ranges)
        expect(members(merged)).toEqual(members(ranges))
        expect(isSortedAndApart(merged)).toBe(true)
        expect(mergeRanges(merged)).toEqual(merged)
      }),
      { numRuns: countCases(500) },
    )
  })

  test('subtractRanges is set difference', () => {
    fc.assert(
      fc.property(smallRange, smallRanges, (from, minus) => {
        const left = subtractRanges(from, minus)
        expect(members(left)).toEqual(members([from]).difference(members(minus)))
        expect(isSortedAndApart(left)).toBe(true)
      }),
      { numRuns: countCases(500) },
    )
  })

  test('rangeHolds is membership', () => {
    fc.assert(
      fc.property(smallRange, smallRange, (one, { family, first: value }) => {
        expect(rangeHolds(one, { family, value })).toBe(members([one]).has(`${family} ${value}`))
      }),
    )
  })

  test('nothing given is changed', () => {
    const ranges = [range('10.0.0.5-10.0.0.9'), range('10.0.0.1-10.0.0.4')]
    const before = structuredClone(ranges)
    mergeRanges(ranges)
    subtractRanges(range('10.0.0.0/24'), ranges)
    expect(ranges).toEqual(before)
  })
})

describe('rangeToCidrs', () => {
  test('covers exactly the range with the fewest blocks', () => {
    fc.assert(
      fc.property(smallRange, (one) => {
        const { family, first, last } = one
        const blocks = splitRange(one)
        let next = first
        for (const block of blocks) {
          expect(block).toEqual(toCidr({ family, value: block.first }, block.prefix))
          expect(block.first).toBe(next)
          next = block.last + 1n
          // A parent block inside the range would have done with fewer.
          const parent = block.prefix === 0 ? undefined : toCidr({ family, value: block.first }, block.prefix - 1)
          if (parent !== undefined) expect(parent.first < first || parent.last > last).toBe(true)
        }
        expect(next).toBe(last + 1n)
      }),
      { numRuns: countCases(500) },
    )
  })

  test.each(FAMILIES)('family %d: the whole space is one block, all but its ends the most there can be', (family) => {
    const last = getMaxValue(family)
    expect(splitRange({ family, first: 0n, last }).map((block) => block.prefix)).toEqual([0])
    expect(splitRange({ family, first: 1n, last: last - 1n })).toHaveLength(2 * getAddressBits(family) - 2)
  })

  test.each([
    ['10.0.0.1-10.0.0.6', ['10.0.0.1/32', '10.0.0.2/31', '10.0.0.4/31', '10.0.0.6/32']],
    ['::1-::6', ['::1/128', '::2/127', '::4/127', '::6/128']],
  ])('%s is %p', (text, blocks) => {
    expect(splitRange(range(text)).map(formatCidr)).toEqual(blocks)
  })
})
