import { expect, test } from 'bun:test'
import { type Known, type Look, NOTHING_KNOWN, type Seen, selectPrimary, toHostState } from './primary.ts'

const seenOf = (name: string, look?: Partial<Look>): Seen => ({
  host: { name, url: `postgres://${name}/plat` },
  look: look && {
    isInRecovery: false,
    systemId: '7',
    timeline: 1,
    lsn: '0/1000',
    position: 4096,
    sinceReplayMs: undefined,
    ...look,
  },
  problem: look ? '' : 'does not answer: Connection refused',
})
const standby = (name: string, look: Partial<Look> = {}): Seen => seenOf(name, { isInRecovery: true, ...look })
const primaryIn = (seen: readonly Seen[], known: Known = NOTHING_KNOWN) => selectPrimary(seen, known)?.host.name

test('the primary is the host that is not in recovery', () => {
  expect(primaryIn([standby('db1'), seenOf('db2', {}), standby('db3')])).toBe('db2')
})

test('without one there is none', () => {
  expect(primaryIn([standby('db1'), seenOf('db2')])).toBeUndefined()
})

test('of two, the one with the higher timeline is the primary', () => {
  expect(primaryIn([seenOf('db1', {}), seenOf('db2', { timeline: 2 })])).toBe('db2')
})

test('of two with equal timelines, the first in the URL is the primary', () => {
  expect(primaryIn([seenOf('db1', { timeline: 2 }), seenOf('db2', { timeline: 2 })])).toBe('db1')
})

test('a server that does not tell its timeline can be the primary', () => {
  expect(primaryIn([seenOf('db1', { timeline: undefined, systemId: undefined })])).toBe('db1')
})

test('a host on a timeline that was left is never the primary, even if it is the only one', () => {
  const known = { systemId: '7', timeline: 2 }
  expect(primaryIn([seenOf('db1', { timeline: 1 }), seenOf('db2')], known)).toBeUndefined()
})

test('a host of another cluster is never the primary', () => {
  const known = { systemId: '7', timeline: 1 }
  expect(primaryIn([seenOf('db1', { systemId: '8', timeline: 5 }), seenOf('db2', {})], known)).toBe('db2')
  expect(primaryIn([seenOf('db1', { systemId: '8', timeline: 5 }), standby('db2')], known)).toBeUndefined()
})

test('without a known cluster, that of the first primary in the URL is in use', () => {
  expect(primaryIn([seenOf('db1', {}), seenOf('db2', { systemId: '8', timeline: 5 })])).toBe('db1')
})

const KNOWN = { systemId: '7', timeline: 2 }
const PRIMARY = seenOf('db2', { timeline: 2, position: 5000 })

test.each([
  ['the primary', PRIMARY, { role: 'primary', timeline: 2, message: '' }],
  [
    'a standby that is behind',
    standby('db1', { timeline: 2, position: 4000, sinceReplayMs: 1500.4 }),
    { role: 'standby', lagBytes: 1000, lagMs: 1500, replayedLsn: '0/1000', message: '' },
  ],
  [
    'a standby that has replayed all',
    standby('db1', { timeline: 2, position: 5000, sinceReplayMs: 99_000 }),
    { role: 'standby', lagBytes: 0, lagMs: 0, message: '' },
  ],
  [
    'a standby on another timeline',
    standby('db1', { timeline: 1 }),
    { role: 'standby', message: 'is on timeline 1, but the primary is on 2: it answers no reads' },
  ],
  ['a host that does not answer', seenOf('db1'), { role: 'away', message: 'does not answer: Connection refused' }],
  [
    'a primary that was left',
    seenOf('db1', { timeline: 1 }),
    { role: 'foreign', message: 'accepts writes on timeline 1, but db2 is the primary on timeline 2: it is not used' },
  ],
  [
    'a host of another cluster',
    standby('db1', { systemId: '8' }),
    {
      role: 'foreign',
      message: 'has the system identifier 8, but the cluster in use has 7: it is another database, and is not used',
    },
  ],
] as const)('the state of %s', (_, seen, state) => {
  expect(toHostState(seen, PRIMARY, KNOWN)).toMatchObject({ host: seen.host.name, ...state })
})

test('without a primary, a standby has no lag', () => {
  expect(toHostState(standby('db1'), undefined, KNOWN)).toEqual({
    host: 'db1',
    role: 'standby',
    systemId: '7',
    timeline: 1,
    replayedLsn: '0/1000',
    message: '',
  })
})
