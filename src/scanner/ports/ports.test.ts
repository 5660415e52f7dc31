// The default ports of a scan.
import { expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { COMMON_PORTS } from './ports.ts'

test('the documentation names them', () => {
  const page = readFileSync(join(import.meta.dirname, '../../../docs/discovery.md'), 'utf8')
  const [, listed = ''] = /default\s+ports are:\n\n([\d,\s]+)\./.exec(page) ?? []
  expect(listed.split(',').map(Number)).toEqual(COMMON_PORTS.toSorted((a, b) => a - b))
})
