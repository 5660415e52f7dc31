// Rows of documents from strangers.
import { expect, test } from 'bun:test'
import { cleanRow } from './clean-row.ts'

test('control characters are dropped in texts and names, lone surrogates replaced, and tabs and line ends stay', () => {
  const row = {
    name: 'a\u0000b',
    tags: ['c\u009b', 'd\ne\tf', 'i\ud800'],
    refs: { 'g\u0008': '\u001bh' },
    at: 7,
    none: null,
  }
  expect(cleanRow(row, 'devices a')).toEqual({
    ...{ name: 'ab', tags: ['c', 'd\ne\tf', 'i\ufffd'], refs: { g: 'h' }, at: 7, none: null },
  } as never)
})

test('a row without control characters is the same object, also with backslashes', () => {
  for (const name of ['ä', '\\u0000', '\\b', 'C:\\u001\\fax', '"\n"']) {
    const row = { name }
    expect(cleanRow(row, 'devices a')).toEqual({ name })
  }
  const plain = { name: 'a' }
  expect(cleanRow(plain, 'devices a')).toBe(plain)
})

test('a row that is too long is refused, and named', () => {
  expect(() => cleanRow({ description: 'x'.repeat(1024 * 1024) }, 'devices a')).toThrow(
    'devices a: is longer than 1048576 characters',
  )
})
