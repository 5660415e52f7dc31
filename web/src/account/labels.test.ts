/** The limits of keys in words. */
import { expect, test } from 'bun:test'
import { formatLimits, listError, parseBlocks } from './labels.ts'

const CIDRS = ['10.0.0.0/8', '192.0.2.0/24', '::1/128', '::2/128']

test.each([
  [null, null, [], ''],
  [['devices:list'], null, [], 'only devices:list'],
  [null, 'ams', [], 'in a part of the estate'],
  [null, null, CIDRS.slice(0, 2), 'from 10.0.0.0/8, 192.0.2.0/24'],
  [
    ['a:list', 'b:list', 'c:list'],
    null,
    CIDRS,
    'only a:list, b:list and 1 more, from 10.0.0.0/8, 192.0.2.0/24 and 2 more',
  ],
] as const)('the limits %p, %p and %p are "%s"', (permissions, scope_id, allowed_cidrs, text) => {
  expect(
    formatLimits({ permissions: permissions && [...permissions], scope_id, allowed_cidrs: [...allowed_cidrs] }),
  ).toBe(text)
})

test('addresses are separated by commas, spaces and lines', () => {
  expect(parseBlocks(' 10.0.0.1,10.0.0.2\n::1  ')).toEqual(['10.0.0.1', '10.0.0.2', '::1'])
  expect(parseBlocks('  ')).toEqual([])
})

test('an error about an item names the item', () => {
  const errors = { name: 'is taken', 'blocks[1]': 'is no address', 'blocks[9]': 'is missing', blocksize: 'no' }
  expect(listError(errors, 'blocks', ['10.0.0.1', 'x'])).toBe('x is no address; is missing')
  expect(listError({ blocks: 'too many' }, 'blocks', [])).toBe('too many')
  expect(listError({ name: 'is taken' }, 'blocks', [])).toBeUndefined()
})
