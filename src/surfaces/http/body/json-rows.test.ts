// The rows of a body split into pieces of any size, and the errors that name a row.
import { describe, expect, test } from 'bun:test'
import { AppError } from '../../../contract/errors.ts'
import { MAX_ROW_BYTES, MAX_ROW_VALUES, RowCutter } from './json-rows.ts'
import { MAX_DEPTH } from './json-scanner.ts'

const bytesOf = (text: string) => new TextEncoder().encode(text)

/** Returns the texts of the rows of a body cut into pieces of `size` bytes, or the error message. */
const cut = (body: string | Uint8Array, size = 1_000_000): string[] | string => {
  const bytes = typeof body === 'string' ? bytesOf(body) : body
  const texts: string[] = []
  const cutter = new RowCutter(({ text }) => texts.push(text))
  // One buffer for all pieces, as when a file is read.
  const buffer = new Uint8Array(size)
  try {
    for (let at = 0; at < bytes.length; at += size) {
      const piece = bytes.subarray(at, at + size)
      buffer.set(piece)
      cutter.push(buffer.subarray(0, piece.length))
    }
    cutter.end()
  } catch (error) {
    if (error instanceof AppError) return error.message
    throw error
  }
  return texts
}

const A = '{"a":"}]\\"\\\\","b":[{"c":"é,{"}]}'
const B = '{}'

describe.each([1, 2, 3, 7, 1000])('in pieces of %i bytes', (size) => {
  test.each([
    ['a list', `[${A},${B}]`, [A, B]],
    ['a list with spaces', ` \n[ ${A} ,\t${B} ]\r\n`, [A, B]],
    ['a list with a comma at its end', `[${A},]`, [A]],
    ['an empty list', '[]', []],
    ['lines', `${A}\n${B}\n`, [A, B]],
    ['lines without line breaks', `${A}${B}`, [A, B]],
    ['nothing', '', []],
    ['a byte order mark', `\ufeff[${A}]`, [A]],
  ])('%s is cut into its rows', (_, body, rows) => expect(cut(body, size)).toEqual(rows))

  test.each([
    ['a row that is no object', '[{}, 5]', 'row 2: must be a JSON object'],
    ['a line that is no object', '{}\n"x"', 'row 2: must be a JSON object'],
    ['a bracket between lines', '{}\n]\n{}', 'row 2: must be a JSON object'],
    ['a row that does not end', '{}\n{"a":"}', 'row 2: does not end'],
    ['rows without a comma', '[{} {}]', 'row 1: must be followed by a comma or the end of the list'],
    ['a list that breaks off behind a row', '[{}', 'row 1: must be followed by a comma or the end of the list'],
    ['a list that breaks off behind a comma', '[{},', 'The list does not end'],
    ['more behind the list', '[{}] {}', 'There is something behind the list'],
  ])('%s is named', (_, body, message) => expect(cut(body, size)).toBe(message))

  test('a part of a byte order mark is no row', () =>
    expect(cut(new Uint8Array([0xef, 0xbb, 0x7b, 0x7d]), size)).toBe('row 1: must be a JSON object'))
  test('a row that is not UTF-8 is named', () =>
    expect(cut(new Uint8Array([...bytesOf('{}{"'), 0xff, ...bytesOf('":1}')]), size)).toBe('row 2: is not UTF-8'))
})

const nested = (levels: number) => `{"a":${'['.repeat(levels - 1)}${']'.repeat(levels - 1)}}`
const large = (bytes: number) => `{"a":"${'x'.repeat(bytes - 8)}"}`
const many = (commas: number) => `{"a":[0${',0'.repeat(commas)}]}`

test.each([
  ['size', large(MAX_ROW_BYTES), large(MAX_ROW_BYTES + 1), 'row 2: is larger than 1048576 bytes'],
  ['depth', nested(MAX_DEPTH), nested(MAX_DEPTH + 1), 'row 2: is nested deeper than 64 levels'],
  ['number of values', many(MAX_ROW_VALUES), many(MAX_ROW_VALUES + 1), 'row 2: holds more than 20000 values'],
])('a row has a greatest %s', (_, most, more, message) => {
  expect([cut(`${B}${most}`), cut(`${B}${more}`)]).toEqual([[B, most], message])
})

test('a row that never ends is refused before all of it has come', () => {
  const cutter = new RowCutter()
  const piece = new Uint8Array(100_000).fill(0x78)
  cutter.push(bytesOf('{"a":"'))
  expect(() => {
    for (let i = 0; i < 12; i++) cutter.push(piece)
  }).toThrow('row 1: is larger than 1048576 bytes')
})

test('rows are counted without being kept', () => {
  const counter = new RowCutter()
  for (let i = 0; i < 1000; i++) counter.push(bytesOf('{}\n{"a":'.concat('1}\n')))
  counter.end()
  expect(counter.rows).toBe(2000)
})
