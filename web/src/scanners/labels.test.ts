import { describe, expect, test } from 'bun:test'
import { answersTo, describeLabel, formatProtocol, listChoices, listLabels } from './labels.ts'

const oslo = { name: 'oslo', tags: ['branch', 'oslo'], status: 'online' } as const
const bergen = { name: 'bergen', tags: ['branch'], status: 'offline' } as const
const gone = { name: 'gone', tags: ['attic'], status: 'revoked' } as const
const ALL = [oslo, bergen, gone]

test('a scanner answers to its name and to each of its tags, each named once', () =>
  expect(listLabels(oslo)).toEqual(['oslo', 'branch']))

test.each([
  ['oslo', true],
  ['branch', true],
  ['Oslo', false],
  ['osl', false],
  ['', false],
])('whether oslo answers to "%s" is %p', (label, answer) => expect(answersTo(oslo, label)).toBe(answer))

describe('the choices of a network', () => {
  test('are the names and tags of scanners that are not revoked, with their states', () =>
    expect(listChoices(ALL)).toEqual([
      { label: 'bergen', note: 'offline' },
      { label: 'branch', note: '1 of 2 online' },
      { label: 'oslo', note: 'online' },
    ]))

  test('count the scanners of a tag that one of them has as its name', () =>
    expect(listChoices([oslo, { ...bergen, tags: ['oslo'] }])).toContainEqual({ label: 'oslo', note: '1 of 2 online' }))
})

test.each([
  ['', 'This server scans it.'],
  ['oslo', 'Its scanner is online.'],
  ['bergen', 'Its scanner is not online: a scan waits for it.'],
  ['branch', 'One of its scanners is online.'],
  ['attic', 'No scanner has this name or tag: its scans fail until one has.'],
  ['typo', 'No scanner has this name or tag: its scans fail until one has.'],
])('the label "%s" says: %s', (label, text) => expect(describeLabel(label, ALL)).toBe(text))

test('a label of several scanners says that none of them is online', () =>
  expect(describeLabel('branch', [bergen, { ...oslo, status: 'pending' }])).toBe(
    'None of its scanners is online: a scan waits for one.',
  ))

test.each([
  [null, ''],
  [1, '1'],
  [2, '2, which this server refuses: upgrade the server'],
  [0, '0, which this server refuses: upgrade the scanner'],
])('the protocol %p is shown as "%s"', (protocol, text) => expect(formatProtocol(protocol)).toBe(text))
