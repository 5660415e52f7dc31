/** Names from patterns, and lists of numbers. */
import { describe, expect, test } from 'bun:test'
import { expandNames, formatNumbers, parseNumbers } from './range.ts'

describe('a pattern of names', () => {
  test.each([
    ['eth0', ['eth0']],
    ['Gi0/[1-3]', ['Gi0/1', 'Gi0/2', 'Gi0/3']],
    [' Gi[1-2]/0/[1,3] ', ['Gi1/0/1', 'Gi1/0/3', 'Gi2/0/1', 'Gi2/0/3']],
    ['p[08-10]', ['p08', 'p09', 'p10']],
    ['psu[a-c]', ['psua', 'psub', 'psuc']],
    ['x[1,1-2]', ['x1', 'x2']],
    ['', []],
  ])('%p means %p', (pattern, names) => expect(expandNames(pattern)).toEqual({ names }))

  test.each([
    ['Gi0/[1-]', '[1-] is no range'],
    ['Gi0/[]', '[] is no range'],
    ['Gi0/[3-1]', '[3-1] is no range'],
    ['Gi0/[a-3]', '[a-3] is no range'],
    ['Gi0/[1-3', 'A bracket has no other one'],
    ['Gi0/1]', 'A bracket has no other one'],
    ['p[1-2001]', 'more than 2000 ports'],
    ['p[1-99999999999]', 'more than 2000 ports'],
    ['p[1-50][1-50]', 'more than 2000 ports'],
    [`${'x'.repeat(64)}[1-2]`, 'at most 64 characters'],
  ])('%p is refused: %s', (pattern, problem) =>
    expect(expandNames(pattern)).toEqual({ problem: expect.stringContaining(problem) }),
  )
})

describe('a list of numbers', () => {
  test.each([
    [[], ''],
    [[7], '7'],
    [[20, 21, 22, 40], '20-22, 40'],
  ])('%p is shown as %p', (numbers, text) => {
    expect(formatNumbers(numbers)).toBe(text)
    expect(parseNumbers(text)).toEqual(numbers)
  })

  test('keeps what cannot be read', () => {
    expect(parseNumbers('20-22 x, 9-7, 1-99999999')).toEqual([20, 21, 22, 'x', '9-7', '1-99999999'])
  })
})
