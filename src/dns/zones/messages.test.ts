// Messages to servers: prerequisites, the order of a CNAME, sizes, and the judgment of RRsets that were refused.
import { describe, expect, test } from 'bun:test'
import type { Rrset } from './rrset-store.ts'
import { compareWithServer } from './sync/compare-rrset.ts'
import { listChangedRrsets } from './sync/diff.ts'
import { computeDrift } from './sync/drift.ts'
import { buildUpdate, orderRrsets, splitIntoMessages } from './sync/update-message.ts'

const rrset = (given: Partial<Rrset>): Rrset => ({
  ...{ name: 'a', type: 'A', state: 'pending', message: '', source: 'device', device_ids: [], record_ids: [] },
  ...{ wanted: null, wanted_ttl: 60, published: null, published_ttl: 60, sending: null },
  ...given,
})

describe('an update', () => {
  test('of a new RRset demands that neither it nor a CNAME is there', () => {
    expect(buildUpdate(rrset({ wanted: ['192.0.2.1'] }), 'x')).toMatchObject({
      prerequisites: [
        { kind: 'absent', name: 'a.x', type: 'A' },
        { kind: 'absent', name: 'a.x', type: 'CNAME' },
      ],
      changes: [{ kind: 'add', name: 'a.x', type: 'A', ttl: 60, values: ['192.0.2.1'] }],
    })
  })

  test('of a new CNAME demands that the name is not in use', () => {
    const { prerequisites } = buildUpdate(rrset({ type: 'CNAME', wanted: ['b.x'] }), 'x')
    expect(prerequisites).toEqual([{ kind: 'unused', name: 'a.x' }])
  })

  test.each([
    ['changes', ['192.0.2.2'], 2],
    ['goes', null, 1],
  ])('of an RRset that %s demands exactly the published one', (_, wanted, count) => {
    const { prerequisites, changes } = buildUpdate(rrset({ wanted, published: ['192.0.2.1'] }), 'x')
    expect(prerequisites).toEqual([{ kind: 'equals', name: 'a.x', type: 'A', values: ['192.0.2.1'] }])
    expect(changes).toHaveLength(count)
    expect(changes[0]).toEqual({ kind: 'delete', name: 'a.x', type: 'A' })
  })

  test('of the zone itself has its name', () => {
    expect(buildUpdate(rrset({ name: '@', wanted: ['192.0.2.1'] }), 'x').changes).toMatchObject([{ name: 'x' }])
  })
})

describe('messages', () => {
  test('have at most 500 RRsets and 60,000 bytes', () => {
    const sizes = (bytes: number, count: number) =>
      splitIntoMessages(Array.from({ length: count }, () => ({ bytes }))).map(({ length }) => length)
    expect([sizes(10, 1001), sizes(20_000, 7), sizes(59_999, 2), sizes(1, 0)]).toEqual([
      [500, 500, 1],
      [3, 3, 1],
      [1, 1],
      [],
    ])
  })

  test('make room for a CNAME before it is sent', () => {
    const [a, cname, other] = [
      rrset({ published: ['192.0.2.1'] }),
      rrset({ type: 'CNAME', wanted: ['b.x'] }),
      rrset({ name: 'b', published: ['192.0.2.1'] }),
    ]
    expect(orderRrsets([a, cname, other])).toEqual([[a], [cname, other]])
    expect(orderRrsets([a, other])).toEqual([[a, other]])
  })
})

describe('an RRset that the server refused', () => {
  const there = (values: readonly string[], isExact = true) => ({ values, ttl: 60, isExact })
  const [W, S, P] = [['192.0.2.1'], ['192.0.2.2'], ['192.0.2.3']]

  test.each([
    ['has the wanted values', rrset({ wanted: W }), there(W), undefined, { state: 'published', published: W }],
    [
      'has the values that were sent',
      rrset({ wanted: W, sending: S }),
      there(S),
      undefined,
      { state: 'pending', published: S, sending: null },
    ],
    ['is gone', rrset({ wanted: W, published: P }), undefined, undefined, { state: 'pending', published: null }],
    ['is gone as it should be', rrset({ published: P }), undefined, undefined, { published: null }],
    [
      'has other values',
      rrset({ wanted: W, published: P }),
      there(['192.0.2.9']),
      undefined,
      { state: 'blocked', published: null, message: 'the server holds 192.0.2.9' },
    ],
    [
      'has other values and is no longer wanted',
      rrset({ published: P }),
      there(['192.0.2.9']),
      undefined,
      { published: null, wanted: null },
    ],
    ['has text that is cut otherwise', rrset({ wanted: W }), there(W, false), undefined, { state: 'blocked' }],
    [
      'has a CNAME in its place',
      rrset({ wanted: W }),
      undefined,
      'the server holds CNAME b',
      { state: 'blocked', message: 'the server holds CNAME b' },
    ],
  ] as const)('and %s is judged by that', (_, one, server, beside, expected) => {
    expect(compareWithServer(one, server, beside)).toMatchObject(expected)
  })

  test('and has another TTL is sent again', () => {
    expect(compareWithServer(rrset({ wanted: W, wanted_ttl: 30 }), there(W))).toMatchObject({
      state: 'pending',
      published: W,
      published_ttl: 60,
    })
  })
})

describe('the difference', () => {
  const want = {
    name: 'a',
    type: 'A',
    ttl: 60,
    values: ['192.0.2.1'],
    source: 'device' as const,
    device_ids: ['d'],
    record_ids: [],
    conflict: '',
  }
  const stored = rrset({ state: 'published', wanted: ['192.0.2.1'], published: ['192.0.2.1'], device_ids: ['d'] })

  test('is empty for an RRset that is published as it is wanted', () => {
    expect(listChangedRrsets([stored], [want], 'managed')).toEqual([])
  })

  test('has new, changed and unwanted RRsets', () => {
    expect(listChangedRrsets([], [want], 'managed')).toMatchObject([
      { state: 'pending', wanted: ['192.0.2.1'], published: null },
    ])
    expect(listChangedRrsets([stored], [{ ...want, ttl: 30 }], 'managed')).toMatchObject([
      { state: 'pending', wanted_ttl: 30 },
    ])
    expect(listChangedRrsets([stored], [], 'managed')).toMatchObject([{ state: 'pending', wanted: null }])
    expect(listChangedRrsets([], [want], 'watched')).toMatchObject([{ state: 'watched' }])
  })

  test('keeps an RRset in conflict as it was, or absent', () => {
    const conflict = { ...want, values: [], conflict: 'x' }
    expect(listChangedRrsets([stored], [conflict], 'managed')).toMatchObject([
      { state: 'conflict', wanted: ['192.0.2.1'] },
    ])
    expect(listChangedRrsets([], [conflict], 'managed')).toMatchObject([{ state: 'conflict', wanted: null }])
  })

  test('of a server leaves names under way out', async () => {
    const server = new Map([['b A', { values: ['192.0.2.9'], ttl: 60, isExact: true }]])
    const one = {
      stored: [stored, rrset({ name: 'c', wanted: ['192.0.2.3'] })],
      waiting: new Set(['a']),
      isWatched: false,
    }
    expect((await computeDrift(one, server)).entries).toMatchObject([{ name: 'b', kind: 'foreign' }])
    const all = await computeDrift({ ...one, waiting: new Set() }, server)
    expect(all.entries).toMatchObject([{ kind: 'missing' }, { kind: 'foreign' }])
    expect(all.counts).toEqual({ missing: 1, changed: 0, blocked: 0, foreign: 1 })
  })

  test('the difference of a server counts all RRsets, and keeps 10,000 with the RRsets of Plat first', async () => {
    const rows = Array.from({ length: 20_000 }, (_, n) => `b${n} A`)
    const server = new Map(rows.map((key) => [key, { values: ['192.0.2.9'], ttl: 60, isExact: true }]))
    const published = rrset({ name: 'z', state: 'published', wanted: ['192.0.2.1'], published: ['192.0.2.1'] })
    const { counts, entries } = await computeDrift(
      { stored: [published], waiting: new Set(), isWatched: false },
      server,
    )
    expect(counts).toEqual({ missing: 1, changed: 0, blocked: 0, foreign: 20_000 })
    expect([entries.length, entries.at(-1)]).toMatchObject([10_000, { name: 'z', kind: 'missing' }])
  })

  test('of a server keeps 4 MiB of names and values', async () => {
    const long = { values: ['x'.repeat(2 ** 20 - 10)], ttl: 60, isExact: true }
    const server = new Map(Array.from({ length: 10 }, (_, n) => [`b${n} TXT`, long]))
    const { counts, entries } = await computeDrift({ stored: [], waiting: new Set(), isWatched: false }, server)
    expect([counts.foreign, entries.length]).toEqual([10, 4])
  })
})
