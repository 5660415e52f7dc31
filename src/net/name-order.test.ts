// The order of names: numbers, letters of all scripts, ties, and the forms in which names are the same.
import { expect, test } from 'bun:test'
import {
  buildNameKeys,
  compareCodePoints,
  compareNames,
  sortByName,
  toNameKey,
  toNameOrder,
  toOrderPrefix,
} from './name-order.ts'

const sort = (...names: string[]): string[] => sortByName(names, (name) => name)

test('numbers in names sort by their value', () => {
  expect(sort('vm10', 'vm2', 'vm1')).toEqual(['vm1', 'vm2', 'vm10'])
  expect(sort('10.250.10.0/24', '10.250.9.0/24')).toEqual(['10.250.9.0/24', '10.250.10.0/24'])
  expect(sort('Gi1/0/10', 'Te1/0/1', 'Gi1/0/2', 'Gi10/0/1')).toEqual(['Gi1/0/2', 'Gi1/0/10', 'Gi10/0/1', 'Te1/0/1'])
  expect(sort('rack 0', 'rack 00', 'rack', 'rack 1')).toEqual(['rack', 'rack 0', 'rack 00', 'rack 1'])
})

test('numbers of any length sort by their value', () => {
  const numbers = Array.from({ length: 250 }, (_, i) => `a${'9'.repeat(i + 1)}`)
  expect(sort(...numbers.toReversed())).toEqual(numbers)
})

test('a number sorts between the characters that digits sort between', () => {
  expect(sort('a-1', 'aa', 'a10', 'a/1', 'a:1', 'a')).toEqual(['a', 'a-1', 'a/1', 'a10', 'a:1', 'aa'])
})

test('leading zeros decide only between names that are equal without them', () => {
  expect(sort('vm1', 'vm02', 'vm01', 'vm001', 'vm2')).toEqual(['vm001', 'vm01', 'vm1', 'vm02', 'vm2'])
})

test('letters with diacritics sort with their base letters', () => {
  expect(sort('zebra', 'äpfel', 'apfel', 'Äpfel 2', 'b')).toEqual(['apfel', 'äpfel', 'Äpfel 2', 'b', 'zebra'])
  expect(sort('zürich', 'Ørsted', 'Łódź', 'straße', 'strasse', 'strat', 'Œuvre')).toEqual([
    ...['Łódź', 'Œuvre', 'Ørsted', 'strasse', 'straße', 'strat', 'zürich'],
  ])
})

test('digits of every script sort by their value', () => {
  expect(sort('10', '٩', '८', '７', '𝟞', '5')).toEqual(['5', '𝟞', '７', '८', '٩', '10'])
  for (let code = 0x80; code < 0x110000; code++) {
    const text = String.fromCodePoint(code)
    if (/\p{Nd}/u.test(text)) expect(toNameOrder(toNameKey(text))).toMatch(/^(0|1[1-9])(?!\d)/)
  }
})

test('composed and decomposed letters make the same name', () => {
  expect(toNameKey('A\u0308pfel')).toBe('äpfel')
  expect(buildNameKeys('a\u0308pfel')).toEqual(buildNameKeys('Äpfel'))
  expect(compareNames('\u212bngstrom', 'A\u030angstrom')).toBe(0)
})

test('names sort by code points, as in both databases', () => {
  expect([
    compareCodePoints('\u{1f600}', '\uffee') > 0,
    compareCodePoints('a', 'ab') < 0,
    compareCodePoints('b', 'ab') > 0,
  ]).toEqual([true, true, true])
  expect(sort('\u{20000}', '\ufa0e', '一')).toEqual(['一', '\ufa0e', '\u{20000}'])
})

test('a key has at most 300 characters before the name, and ends with it', () => {
  const key = toNameKey('\ufdfa'.repeat(255))
  const order = toNameOrder(key)
  expect([...order].length).toBe(300 + 1 + 255)
  expect(order.endsWith(`\u0001${key}`)).toBe(true)
  // PostgreSQL refuses rows of an index above 2,704 bytes.
  expect(Buffer.byteLength(toNameOrder(toNameKey('\u{10ffff}'.repeat(127))))).toBeLessThan(2400)
})

test('all names that begin with a text have the beginning of its key', () => {
  for (const [text, ...names] of [
    ['vm1', 'vm1', 'vm10', 'vm1a', 'vm12.example'],
    ['vm-', 'vm-1', 'vm-a'],
    ['\u00e4p', '\u00e4pfel 1'],
    ['10', '10', '100.0.0.0/8'],
  ] as const)
    for (const name of names) expect(toNameOrder(toNameKey(name)).startsWith(toOrderPrefix(text))).toBe(true)
})

test('the order of names is total: sorting a shuffled list gives the same list', () => {
  const names = [
    'a',
    'A1',
    'a01',
    'ä1',
    'a 1',
    'a-1',
    'B',
    '',
    '1',
    '01',
    '1a',
    'é',
    'e\u0301x',
    '\u{1f600}',
    '٣',
    'ﬁ',
    'fi',
  ]
  const keys = names.map((name) => toNameOrder(toNameKey(name)))
  const inOrder = keys.toSorted(compareCodePoints)
  expect(keys.toReversed().toSorted(compareCodePoints)).toEqual(inOrder)
  expect(new Set(keys).size).toBe(names.length)
})
