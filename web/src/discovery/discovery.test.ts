/** The labels of discovery, and names from templates. */
import { describe, expect, test } from 'bun:test'
import { formatInterval, formatSpan, formatTimeUntil, listStages } from './labels.ts'
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
  ['2026-01-01T00:00:30Z', 'in a moment'],
  ['2026-01-01T00:20:00Z', 'in 20 min'],
  ['2026-01-01T03:00:00Z', 'in 3 h'],
  ['2026-01-05T00:00:00Z', 'in 4 d'],
])('due at %s', (at, text) => expect(formatTimeUntil(at, Date.parse('2026-01-01T00:00:00Z'))).toBe(text))

test('a quick scan has one stage and a deep one has three', () =>
  expect([listStages('quick').length, listStages('full').length, listStages('deep').length]).toEqual([1, 2, 3]))
