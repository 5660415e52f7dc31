import { expect, test } from 'bun:test'
import {
  describeOutcome,
  formatBytes,
  formatCounts,
  formatInterval,
  formatRead,
  formatTook,
  sumCounts,
} from './labels.ts'

const NONE = { created: 0, updated: 0, gone: 0, kept: 0, unclear: 0, failed: 0 }

test.each([
  [0, 'by hand only'],
  [5, 'every 5 minutes'],
  [60, 'hourly'],
  [120, 'every 2 hours'],
  [90, 'every 90 minutes'],
  [1440, 'daily'],
  [10_080, 'every 7 days'],
])('an interval of %d minutes is called %s', (minutes, text) => expect(formatInterval(minutes)).toBe(text))

test('a run is called by its result once it is completed', () => {
  expect(describeOutcome({ status: 'completed', result: 'held' })).toEqual(['held', 'warn'])
  expect(describeOutcome({ status: 'failed', result: '' })).toEqual(['failed', 'bad'])
})

test('the types of a run are counted with their plurals', () => {
  expect(formatRead({ host: 1, vm: 2, network: 0 })).toBe('1 host, 2 VMs')
})

test('the counts of all resources are summed, and named as done or open', () => {
  const counts = sumCounts({ devices: { ...NONE, created: 2, failed: 1 }, ports: { ...NONE, created: 3 } })
  expect(formatCounts(counts, 'applied')).toBe('5 created, 1 refused')
  expect(formatCounts(counts, 'read')).toBe('5 new, 1 refused')
})

test('the duration of a run is known once it has ended', () => {
  const started_at = '2026-01-01T00:00:00.000Z'
  expect(formatTook({ started_at, completed_at: null })).toBe('')
  expect(formatTook({ started_at, completed_at: '2026-01-01T00:00:00.250Z' })).toBe('250 ms')
  expect(formatTook({ started_at, completed_at: '2026-01-01T00:02:15.000Z' })).toBe('2 min 15 s')
})

test('bytes are shown in the unit that fits', () => {
  expect([1, 1500, 1_500_000].map(formatBytes)).toEqual(['1 byte', '1 KiB', '1.4 MiB'])
})
