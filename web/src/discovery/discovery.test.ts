/** The labels of discovery, and names from templates. */
import { describe, expect, test } from 'bun:test'
import { formatInterval, formatTimeUntil, listStages } from './labels.ts'
import { countSeenAgain, findReview, formatOutcome } from './scans/outcome.ts'
import type { Scan } from './shapes.ts'
import { formatSpan } from './span.ts'
import { fillTemplate, listUnknownWords } from './template.ts'

const discovered = { hostname: 'web-1', ip: '10.0.0.7', mac_address: '02:00:00:00:00:07', vendor: 'Acme' }

describe('a name of a template', () => {
  test.each([
    ['{hostname}', 'web-1'],
    ['rack-{n}', 'rack-3'],
    ['{vendor} {ip}', 'Acme 10.0.0.7'],
    ['{mac}', '02:00:00:00:00:07'],
    ['{constructor}', '{constructor}'],
    ['  plain ', 'plain'],
  ])('%s', (template, name) => expect(fillTemplate(template, discovered, 3)).toBe(name))

  test('takes the address of a device without a name', () =>
    expect(fillTemplate('{hostname}', { ...discovered, hostname: '' }, 1)).toBe('10.0.0.7'))

  test('tells the words that it does not know', () => expect(listUnknownWords('{ip}-{rack}-{}')).toEqual(['rack', '']))
})

test.each([
  [0, '0 s'],
  [59.6, '1 min 0 s'],
  [135, '2 min 15 s'],
  [3700, '1 h 1 min'],
  [90_000, '1 d 1 h'],
])('%d seconds', (seconds, text) => expect(formatSpan(seconds)).toBe(text))

test.each([
  [1, 'every hour'],
  [6, 'every 6 hours'],
  [24, 'every day'],
  [72, 'every 3 days'],
  [336, 'every 2 weeks'],
])('%d hours', (hours, text) => expect(formatInterval(hours)).toBe(text))

test.each([
  ['2026-01-01T00:00:00Z', 'now'],
  ['2026-01-01T00:00:30Z', 'now'],
  ['2026-01-01T00:20:00Z', 'in 20 min'],
  ['2026-01-01T03:00:00Z', 'in 3 h'],
  ['2026-01-05T00:00:00Z', 'in 4 d'],
])('due at %s', (at, text) => expect(formatTimeUntil(at, Date.parse('2026-01-01T00:00:00Z'))).toBe(text))

test('a quick scan has one stage and a deep one has three', () =>
  expect([listStages('quick').length, listStages('full').length, listStages('deep').length]).toEqual([1, 2, 3]))

describe('the head of a finished scan', () => {
  test.each([
    [6, 2, '6 addresses on 2 devices'],
    [1, 1, '1 address on 1 device'],
    [1616, undefined, '1,616 addresses'],
    [6, 0, '6 addresses'],
  ])('says that %p addresses on %p devices are found', (addresses, devices, text) =>
    expect(formatOutcome(addresses, devices)).toBe(text),
  )

  test.each([
    [{ new: 2, changed: 1, gone: 0, conflict: 0 }, 'new', 'Review 2 new'],
    [{ new: 0, changed: 1200, gone: 3, conflict: 0 }, 'changed', 'Review 1,200 changed'],
    [{ new: 0, changed: 0, gone: 3, conflict: 1 }, 'gone', 'Review 3 gone'],
    [{ new: 0, changed: 0, gone: 0, conflict: 1 }, 'conflict', 'Review 1 contradictory'],
  ] as const)('leads to the first bucket of %p', (counts, bucket, text) =>
    expect(findReview(counts)).toEqual({ bucket, text }),
  )

  test('leads nowhere if nothing waits', () =>
    expect(findReview({ new: 0, changed: 0, gone: 0, conflict: 0 })).toBeUndefined())
})

describe('the addresses that a later scan has seen again', () => {
  const scan = { id: 'a', found_hosts: 3, completed_at: '2026-01-01T00:00:09.000Z' } as Scan
  const address = { ip: '', first_seen: '', last_seen: '', status: 'up' } as const
  const device = (last_scan_id: string, count: number, last_seen = '2026-01-01T00:00:05.000Z') => ({
    last_scan_id,
    last_seen,
    addresses: Array.from({ length: count }, () => address),
  })

  test('are none if one device has all addresses of the scan', () =>
    expect(countSeenAgain(scan, [device('a', 3)])).toBe(0))

  test('are none if devices of the scan were deleted', () => expect(countSeenAgain(scan, [device('a', 1)])).toBe(0))

  test('are none if only an earlier scan has seen the others', () =>
    expect(countSeenAgain(scan, [device('a', 1), device('0', 2, '2025-12-31T00:00:00.000Z')])).toBe(0))

  test('are counted if there is a later scan', () =>
    expect(countSeenAgain(scan, [device('a', 1), device('b', 2, '2026-01-02T00:00:00.000Z')])).toBe(2))
})
