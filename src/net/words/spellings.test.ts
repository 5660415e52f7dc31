// The spellings of words: parts of MACs and of IPv6 addresses, hosts of URLs, and which words are narrower than others.
import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { countCases } from '../../../testing/cases.ts'
import { formatIp } from '../ip.ts'
import { listSpellings, splitWords } from './spellings.ts'
import { holdsWord, isNarrowerWord } from './word.ts'

const octets = fc.uint8Array({ minLength: 6, maxLength: 6 })
const hex = (bytes: Uint8Array) => Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0'))

describe('the spellings of a word', () => {
  test('a part of a MAC in any notation is held by the MAC', () => {
    fc.assert(
      fc.property(octets, fc.nat(11), fc.nat(11), (bytes, one, other) => {
        const pairs = hex(bytes)
        const bare = pairs.join('')
        const notations = [
          ...[pairs.join(':'), pairs.join('-'), bare.replace(/.{4}(?=.)/g, '$&.'), bare.replace(/.{4}(?=.)/g, '$&-')],
          ...[bare, `${bare.slice(0, 6)}-${bare.slice(6)}`],
        ]
        for (const text of notations) {
          const [from, to] = [Math.min(one, other), Math.max(one, other) + text.length - 11]
          const part = text.slice(from, to).replace(/^[-.]|[-.]$/g, '')
          const digits = part.replace(/[^0-9a-f]/g, '')
          // Shorter and decimal parts may be anything.
          if (digits.length < 6 || (part.includes('.') && /^[\d.]+$/.test(part))) continue
          expect([part, holdsWord(pairs.join(':'), listSpellings(part))]).toEqual([part, true])
        }
      }),
      { numRuns: countCases(500) },
    )
  })

  test('a part of an unshortened IPv6 address of whole groups is held by the address', () => {
    const group = fc.oneof(fc.constant(0), fc.constant(1), fc.nat(0xffff))
    fc.assert(
      fc.property(fc.array(group, { minLength: 8, maxLength: 8 }), fc.nat(7), fc.nat(7), (groups, one, other) => {
        const value = groups.reduce((sum, part) => (sum << 16n) | BigInt(part), 0n)
        const stored = formatIp({ family: 6, value })
        // The last groups of a mapped IPv4 address are written as IPv4.
        if (stored.includes('.')) return
        const own = groups.slice(Math.min(one, other), Math.max(one, other) + 1)
        for (const digits of [4, 1]) {
          const part = own.map((each) => each.toString(16).padStart(digits, '0')).join(':')
          // Zero groups alone may be anything. Six short groups, and any with a single zero group, rather are octets.
          if (own.length < 2 || (digits === 1 && (own.length === 6 || !part.includes(':0:0:')))) continue
          if (own.some((each) => each > 0))
            expect([stored, part, holdsWord(stored, listSpellings(part))]).toEqual([stored, part, true])
        }
      }),
      { numRuns: countCases(1000) },
    )
  })

  test.each([
    ['001b.21', ['001b.21', '00:1b:21']],
    ['21ab.c', ['21ab.c', '21:ab:c']],
    ['0:1b:21:a', ['0:1b:21:a', '0:1b:21:0a']],
    ['cdef', ['cdef', 'cd:ef', 'c:de:f']],
    ['0x001b21', ['0x001b21', '00:1b:21', '0:01:b2:1']],
    ['2001:0db8:0000:0000', ['2001:0db8:0000:0000', '2001:db8:0:0', '2001:db8::']],
    ['77:0:0:5', ['77:0:0:5', '77:00:00:5', '77:00:00:05', '77::5']],
    ['0db8::0015', ['0db8::0015', 'db8::15']],
    ['[2001:db8:0::1]:443', ['[2001:db8:0::1]:443', '2001:db8::1']],
    ['https://web-1.example.com/x', ['https://web-1.example.com/x', 'web-1.example.com']],
  ])('%s has further spellings', (word, spellings) => {
    expect<readonly string[]>(listSpellings(word)).toEqual(spellings)
  })

  test.each([
    'web-1',
    'fra1-db2',
    '10.16.1',
    '1.2.3.4.5',
    '2024',
    'a',
    '-',
    ':',
    '::',
    '2001:db8:',
    'db-2',
    'web:80',
    '10.0.0.0/24',
  ])('%s has one spelling', (word) => {
    expect<readonly string[]>(listSpellings(word)).toEqual([word])
  })

  test('the spellings of any text are few, without an empty one, and take no time', () => {
    const unit = fc.constantFrom(...'0123456789abcdefxg:.-[]/%@#?'.split(''))
    const startedMs = performance.now()
    fc.assert(
      fc.property(fc.string({ unit, minLength: 1, maxLength: 256 }), (word) => {
        const spellings = listSpellings(word)
        expect(spellings.length).toBeLessThanOrEqual(8)
        expect(spellings).not.toContain('')
      }),
      { numRuns: countCases(1000) },
    )
    for (const text of ['x', 'a', '0:', '0-', '.', '[', 'a.', '0', ':', 'http://a', '%'])
      listSpellings(text.repeat(256 / text.length))
    expect(performance.now() - startedMs).toBeLessThan(5000)
  })
})

test('a text that is one MAC is one word, any other text is split', () => {
  expect(splitWords('00 1b 21 ab cd ef').map(([typed]) => typed)).toEqual(['00 1b 21 ab cd ef'])
  expect(splitWords(' web  web 10 ').map(([typed]) => typed)).toEqual(['web', '10'])
})

test('a word is narrower than another one only if each of its spellings holds one of the other', () => {
  const isNarrower = (narrow: string, wide: string) => isNarrowerWord(listSpellings(narrow), listSpellings(wide))
  expect(isNarrower('webs', 'web')).toBe(true)
  expect(isNarrower('001b21', '001')).toBe(false)
  expect(isNarrower('001b21ab', '001b21')).toBe(true)
  expect(isNarrower('00:1b:21:ab:cd:ef', '00:1b')).toBe(true)
  expect(isNarrower('001b21abcdef', '001b')).toBe(true)
})
