// Values of custom fields: which texts and JSON values each type takes, and the keys that sort as the values do.
import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { matchesPattern } from './pattern.ts'
import { buildKeys, MAX_KEY, type Rule, validateValue } from './values.ts'

const RULE: Rule = {
  ...{ type: 'text', multiple: false, choices: [], pattern: '', minimum: null, maximum: null, reference_to: null },
}
const rule = (more: Partial<Rule>): Rule => ({ ...RULE, ...more })
const integer = rule({ type: 'integer' })
const bounded = rule({ type: 'integer', minimum: -1, maximum: 10 })
const number = rule({ type: 'number' })
const choice = rule({ type: 'choice', choices: ['Ärger', 'b c'] })
const several = rule({ ...choice, multiple: true })
const ip = rule({ type: 'ip' })
const url = rule({ type: 'url' })

describe('a value', () => {
  test.each([
    [RULE, 'x', 'x'],
    [RULE, ' two  words\n', 'two  words'],
    [RULE, ' \t\u3000', ''],
    [rule({ pattern: '[A-Z]{2}\\d+' }), ' AB12 ', 'AB12'],
    [rule({ pattern: '[A-Z]{2}\\d+' }), '  ', ''],
    [RULE, 'a'.repeat(4096), 'a'.repeat(4096)],
    [rule({ pattern: '[A-Z]{2}\\d+' }), 'AB12', 'AB12'],
    [integer, 42, 42],
    [integer, '42', 42],
    [integer, ' -7 ', -7],
    [integer, 2 ** 53 - 1, 2 ** 53 - 1],
    [bounded, -1, -1],
    [bounded, '10', 10],
    [number, 1.5, 1.5],
    [number, '1e3', 1000],
    [number, '.5', 0.5],
    [number, -0, 0],
    [rule({ type: 'boolean' }), true, true],
    [rule({ type: 'boolean' }), 'False', false],
    [rule({ type: 'boolean' }), 'yes', true],
    [rule({ type: 'boolean' }), 'x', true],
    [rule({ type: 'boolean' }), '0', false],
    [rule({ type: 'boolean' }), 'Nein', false],
    [rule({ type: 'boolean' }), 'oui', true],
    [rule({ type: 'date' }), '2024-02-29', '2024-02-29'],
    [choice, 'Ärger', 'Ärger'],
    [several, ['b c', 'Ärger', 'b c'], ['b c', 'Ärger']],
    [several, 'b c; Ärger ;', ['b c', 'Ärger']],
    [several, 'b c', ['b c']],
    [ip, '10.0.0.1', '10.0.0.1'],
    [ip, ' 2001:DB8:0:0:0:0:0:1 ', '2001:db8::1'],
    [ip, '::ffff:10.0.0.1', '::ffff:10.0.0.1'],
    [ip, ' ', ''],
    [rule({ type: 'ip', multiple: true }), '10.0.0.1; 2001:DB8::1;2001:db8:0::1', ['10.0.0.1', '2001:db8::1']],
    [rule({ type: 'ip', multiple: true }), ['FE80::0', ' ', 'fe80::'], ['fe80::']],
    [url, 'https://a.example/x?y#z', 'https://a.example/x?y#z'],
    [url, 'HTTP://A.example', 'HTTP://A.example'],
    [rule({ type: 'reference', reference_to: 'devices' }), 'id-1', 'id-1'],
  ] as const)('%# is taken', (of, given, value) => {
    expect(validateValue(of, given)).toEqual({ value: value as never })
  })

  test.each([
    [RULE, 5],
    [RULE, true],
    [RULE, ['x']],
    [RULE, 'a'.repeat(4097)],
    [RULE, 'a\u0000'],
    [RULE, '\ud800'],
    [rule({ pattern: '[A-Z]{2}\\d+' }), 'xAB12'],
    [rule({ pattern: 'a|ab' }), 'abc'],
    [integer, 1.5],
    [integer, '1.5'],
    [integer, 'many'],
    [integer, 2 ** 53],
    [integer, true],
    [integer, [1]],
    [bounded, -2],
    [bounded, 11],
    [number, Number.NaN],
    [number, Number.POSITIVE_INFINITY],
    [number, '1e999'],
    [number, '0x10'],
    [number, 'Infinity'],
    [rule({ type: 'boolean' }), 1],
    [rule({ type: 'boolean' }), 'maybe'],
    [rule({ type: 'date' }), '2023-02-29'],
    [rule({ type: 'date' }), '2023-2-1'],
    [rule({ type: 'date' }), '2023-02-01T00:00:00Z'],
    [choice, 'ärger'],
    [choice, ['Ärger']],
    [several, ['Ärger', 'other']],
    [several, ['Ärger', 5]],
    [several, 5],
    [rule({ type: 'reference', multiple: true }), Array.from({ length: 101 }, (_, i) => `${i}`)],
    [ip, '10.0.0'],
    [ip, '10.0.0.01'],
    [ip, '10.0.0.0/24'],
    [ip, 'fe80::1%eth0'],
    [ip, '[::1]'],
    [ip, 5],
    [ip, ['10.0.0.1']],
    [rule({ type: 'ip', multiple: true }), '10.0.0.1 10.0.0.2'],
    [url, 'ftp://a.example'],
    [url, 'javascript:alert(1)'],
    [url, '/path'],
    [url, 'http://'],
    [url, 'http://a b'],
    [url, `http://a.example/${'x'.repeat(2048)}`],
    [rule({ type: 'reference' }), 'x'.repeat(65)],
    [rule({ type: 'reference' }), 5],
  ] as const)('%# is refused', (of, given) => {
    expect(Object.keys(validateValue(of, given))).toEqual(['message'])
  })
})

test('the keys of numbers sort as the numbers', () => {
  fc.assert(
    fc.property(fc.double({ noNaN: true }), fc.double({ noNaN: true }), (a, b) => {
      const [[one = ''], [other = '']] = [buildKeys(number, a === 0 ? 0 : a), buildKeys(number, b === 0 ? 0 : b)]
      expect(one < other).toBe(a < b)
      expect(one === other).toBe(a === b)
    }),
  )
})

test('the keys of addresses sort as the addresses, IPv4 first', () => {
  const sorted = [
    '0.0.0.0',
    '9.9.9.9',
    '10.0.0.2',
    '10.0.0.10',
    '255.255.255.255',
    '::',
    '::a',
    '2001:db8::',
    'fe80::1',
  ]
  const keys = sorted.flatMap((address) => buildKeys(ip, address))
  expect(keys.toSorted()).toEqual(keys)
  expect(new Set(keys).size).toBe(sorted.length)
})

test('the key of a text is in lower case, bounded, and valid Unicode', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme', maxLength: 300 }), (text) => {
      const [key = ''] = buildKeys(RULE, text)
      expect(key.isWellFormed() && key.length <= MAX_KEY && text.toLowerCase().startsWith(key)).toBe(true)
    }),
  )
})

test('a pattern takes linear time', () => {
  const text = 'a'.repeat(4096)
  // The first match compiles the pattern.
  matchesPattern('(a+)+b', 'a')
  const start = performance.now()
  expect(matchesPattern('(a+)+b', text)).toBe(false)
  expect(performance.now() - start).toBeLessThan(50)
})
