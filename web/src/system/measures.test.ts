import { expect, test } from 'bun:test'
import { formatDuration, formatSize } from './measures.ts'

test.each([
  [0, '0 byte'],
  [999, '999 byte'],
  [1000, '1 kB'],
  [12_385_639, '12.4 MB'],
  [41_000_000_000, '41 GB'],
  [2_000_000_000_000_000, '2,000 TB'],
])('%d bytes are %s', (bytes, text) => {
  expect(formatSize(bytes)).toBe(text)
})

test.each([
  [0, '0 ms'],
  [999.4, '999 ms'],
  [1500, '1.5 sec'],
  [180_000, '3 min'],
  [10_800_000, '3 hr'],
])('%d ms are %s', (ms, text) => {
  expect(formatDuration(ms)).toBe(text)
})
