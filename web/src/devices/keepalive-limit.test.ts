import { expect, test } from 'bun:test'
import { fitting } from './keepalive-limit.ts'

const ids = (count: number, length: number) => Array.from({ length: count }, (_, i) => String(i).padStart(length, 'x'))
const bytes = (all: readonly string[]) => JSON.stringify(all.map((id) => ({ op: 'delete', id }))).length

test('a few are all sent', () => expect(fitting(ids(900, 36))).toHaveLength(900))

test('never more than one call takes', () => expect(fitting(ids(5000, 4))).toHaveLength(1000))

test('never more than the browser lets through, however long the ids are', () => {
  const sent = fitting(ids(5000, 64))
  expect(bytes(sent)).toBeLessThan(65_536)
  expect(sent.length).toBeGreaterThan(600)
})
