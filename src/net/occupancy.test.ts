// Bitmaps of 256 addresses, against a Set of offsets.

import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { countCases } from '../../testing/cases.ts'
import { type Family, fromIpKey, getMaxValue, toIpKey } from './ip.ts'
import {
  countTaken,
  EMPTY_BLOCK,
  FULL_BLOCK,
  findFirstFree,
  getBlock,
  getNextBlock,
  getOffset,
  isTaken,
  withBits,
} from './occupancy.ts'

const offset = fc.nat(255)
const offsets = fc.array(offset, { maxLength: 300 })
const change = fc.record({ offsets: fc.array(offset, { maxLength: 40 }), taken: fc.boolean() })
const ALL = Array.from({ length: 256 }, (_, index) => index)

describe('bitmaps', () => {
  test('follow a Set through any changes', () => {
    fc.assert(
      fc.property(offsets, fc.array(change, { maxLength: 6 }), (start, changes) => {
        let bits = withBits(EMPTY_BLOCK, start, true)
        const model = new Set(start)
        for (const { offsets: changed, taken } of changes) {
          bits = withBits(bits, changed, taken)
          for (const one of changed) taken ? model.add(one) : model.delete(one)
        }
        expect(bits).toMatch(/^[0-9a-f]{64}$/)
        expect(countTaken(bits)).toBe(model.size)
        expect(ALL.filter((one) => isTaken(bits, one))).toEqual(ALL.filter((one) => model.has(one)))
      }),
    )
  })

  test('firstFree is the lowest offset not in the Set', () => {
    const dense = fc.uniqueArray(offset, { maxLength: 8 }).map((free) => ALL.filter((one) => !free.includes(one)))
    fc.assert(
      fc.property(fc.oneof(offsets, dense), offset, offset, (taken, from, to) => {
        const naive = ALL.find((one) => one >= from && one <= to && !taken.includes(one))
        expect(findFirstFree(withBits(EMPTY_BLOCK, taken, true), from, to)).toBe(naive)
      }),
      { numRuns: countCases(1000) },
    )
  })

  test('the digits read left to right from offset 0', () => {
    const inBinary = (bits: string) =>
      Array.from(bits, (digit) => Number.parseInt(digit, 16).toString(2).padStart(4, '0')).join('')
    for (const one of ALL) expect(inBinary(withBits(EMPTY_BLOCK, [one], true)).indexOf('1')).toBe(one)
  })

  test('all and none', () => {
    expect(withBits(EMPTY_BLOCK, ALL, true)).toBe(FULL_BLOCK)
    expect(withBits(FULL_BLOCK, ALL, false)).toBe(EMPTY_BLOCK)
    expect(withBits(FULL_BLOCK, [], false)).toBe(FULL_BLOCK)
    expect([countTaken(EMPTY_BLOCK), countTaken(FULL_BLOCK)]).toEqual([0, 256])
    expect(findFirstFree(FULL_BLOCK, 0, 255)).toBeUndefined()
    expect(findFirstFree(EMPTY_BLOCK, 256, 255)).toBeUndefined()
  })

  test.each([-1, 256, 1.5, Number.NaN])('offset %d is a bug', (wrong) => {
    expect(() => withBits(EMPTY_BLOCK, [wrong], true)).toThrow(RangeError)
    expect(() => isTaken(EMPTY_BLOCK, wrong)).toThrow(RangeError)
    expect(() => findFirstFree(EMPTY_BLOCK, wrong, wrong)).toThrow(RangeError)
  })

  test.each(['', '0', EMPTY_BLOCK.slice(1), `${EMPTY_BLOCK}0`, FULL_BLOCK.toUpperCase(), `${EMPTY_BLOCK.slice(1)}g`])(
    'bitmap %j is a bug',
    (wrong) => {
      expect(() => countTaken(wrong)).toThrow(RangeError)
      expect(() => withBits(wrong, [1], true)).toThrow(RangeError)
    },
  )
})

describe('blocks', () => {
  const key = fc
    .constantFrom<Family>(4, 6)
    .chain((family) =>
      fc.bigInt({ min: 0n, max: getMaxValue(family) }).map((value) => toIpKey({ family, value }, 's00ff')),
    )

  test('block and offset make up the key', () => {
    fc.assert(
      fc.property(key, (one) => {
        expect(getBlock(one) + getOffset(one).toString(16).padStart(2, '0')).toBe(one)
        expect(BigInt(getOffset(one))).toBe(fromIpKey(one).value & 255n)
      }),
    )
  })

  test('nextBlock starts right after the last address of this one', () => {
    // Half of the keys end in a long run of f, where the carry is.
    const carrying = fc
      .tuple(key, fc.nat(30))
      .map(([one, run]) => one.slice(0, Math.max(6, one.length - run)).padEnd(one.length, 'f'))
    fc.assert(
      fc.property(fc.oneof(key, carrying), (one) => {
        const last = fromIpKey(`${getBlock(one)}ff`)
        const next = getNextBlock(getBlock(one))
        if (last.value === getMaxValue(last.family)) expect(next).toBeUndefined()
        else expect(fromIpKey(`${next}00`)).toEqual({ family: last.family, value: last.value + 1n })
      }),
      { numRuns: countCases(500) },
    )
  })

  test.each([
    ['40a00ff', '40a0100'],
    ['4ffffff', undefined],
    [`6${'0'.repeat(29)}f`, `6${'0'.repeat(28)}10`],
    [`6${'f'.repeat(30)}`, undefined],
  ])('%s is followed by %p', (block, next) => {
    expect(getNextBlock(block)).toBe(next)
  })

  test.each(['', '4', '40a00f', '40a00fff', '40A00FF', '50a00ff', `6${'f'.repeat(31)}`])(
    'nextBlock throws on %j',
    (block) => {
      expect(() => getNextBlock(block)).toThrow(RangeError)
    },
  )
})
