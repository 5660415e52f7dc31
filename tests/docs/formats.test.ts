/** The page of formats has a row for each format of the registry, and none beside them. */
import { expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { CONVERTERS } from '../../src/convert/converters.ts'
import { FORMATS } from '../../src/convert/formats.ts'

const page = readFileSync(join(import.meta.dir, '../../docs/formats.md'), 'utf8')
const section = page.slice(page.indexOf('## What is read'), page.indexOf('## How machines'))
const rows = [...section.matchAll(/^\| `([a-z-]+)` \|(.*)\|$/gm)].map(([, format = '', cells = '']) => ({
  format,
  cells: cells.split('|').map((cell) => cell.trim()),
}))

test('each format of the registry has a row, and each row is a format', () => {
  expect<string[]>(rows.map(({ format }) => format).toSorted()).toEqual([...FORMATS].toSorted())
  expect<string[]>(Object.keys(CONVERTERS).toSorted()).toEqual([...FORMATS].toSorted())
})

test.each(rows)('the row of $format says what is read, what is left and what was tried', ({ cells }) => {
  expect([cells.length, cells.every((cell) => cell !== '')]).toEqual([4, true])
})
