import { expect, test } from 'bun:test'
import { streamJson } from './json-pieces.ts'

const textOf = (value: object): string => Buffer.concat([...streamJson(value)]).toString()

test.each([
  ['an empty object', {}],
  ['an empty list', []],
  ['values that JSON lacks', { a: undefined, b: null, c: [], d: {}, e: [undefined, () => {}], f: 'ä"\ud800\u2028' }],
  ['a document', { documents: { devices: [{ name: 'a', addresses: [{ none: undefined }] }, {}] }, hosts: [[[[1]]]] }],
  ['dates', { at: new Date(0), deep: { at: [new Date(1)] } }],
  ['a long list', { rows: Array.from({ length: 20_000 }, (_, id) => ({ id, text: 'ü'.repeat(id % 50) })) }],
])('the pieces of %s are the text that JSON.stringify gives', (_, value) => {
  expect(textOf(value) === JSON.stringify(value)).toBe(true)
})

test('a long list is given in many pieces', () => {
  expect([...streamJson({ rows: Array(100_000).fill('0123456789') })].length).toBeGreaterThan(10)
})
