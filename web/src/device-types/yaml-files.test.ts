import { expect, test } from 'bun:test'
import { parseAllDocuments } from 'yaml'
import { joinDocuments } from './yaml-files.ts'

const read = (texts: readonly string[]): unknown[] =>
  parseAllDocuments(joinDocuments(texts)).map((document) => document.toJS())

test('files become one document each, with and without a mark and the end of the last line', () => {
  expect(read(['model: A', '---\nmodel: B\n', '\ufeffmodel: C\n'])).toEqual([
    { model: 'A' },
    { model: 'B' },
    { model: 'C' },
  ])
})

test('a file of several documents keeps them, and an empty one adds none', () => {
  expect(read(['model: A\n---\nmodel: B\n', ' \n'])).toEqual([{ model: 'A' }, { model: 'B' }])
})
