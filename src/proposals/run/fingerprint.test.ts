import { expect, test } from 'bun:test'
import type { PlannedItem } from '../../kernel/changes/change-record.ts'
import { hashStrictly } from '../../record/history/effects.ts'
import { buildFingerprint, createClock, hashFields } from './fingerprint.ts'

const NOW = '2026-03-01T10:00:00.000Z'
const LATER = '2026-03-01T11:30:00.000Z'
const noTimes = createClock(NOW, [])

const device = (fields: object) => JSON.stringify({ id: 'web-01', name: 'web-01', ...fields })

const update = (before: object, after: object): PlannedItem => ({
  ...{ kind: 'device', id: 'web-01', change: 'update' },
  before: device(before),
  after: device(after),
})

test('another description of the same object does not change the hash of a new system', () => {
  const first = update({ os: 'debian', description: 'old' }, { os: 'bsd', description: 'old' })
  const second = update({ os: 'debian', description: 'new' }, { os: 'bsd', description: 'new' })
  expect(hashFields(first, noTimes)).toBe(hashFields(second, noTimes))
  expect(hashStrictly(first, noTimes)).not.toBe(hashStrictly(second, noTimes))
})

test('another value before counts, and another one after', () => {
  const hashes = [
    update({ os: 'debian' }, { os: 'bsd' }),
    update({ os: 'ubuntu' }, { os: 'bsd' }),
    update({ os: 'debian' }, { os: 'plan9' }),
  ].map((item) => hashFields(item, noTimes))
  expect(new Set(hashes).size).toBe(3)
})

test('all fields of a deleted object count', () => {
  const remove = (fields: object): PlannedItem => ({
    ...{ kind: 'device', id: 'web-01', change: 'delete', before: device(fields), after: undefined },
  })
  expect(hashFields(remove({ notes: 'a' }), noTimes)).not.toBe(hashFields(remove({ notes: 'b' }), noTimes))
})

test('the order of fields does not count', () => {
  const one = update({ os: 'a', role: 'x' }, { os: 'b', role: 'y' })
  const other = update({ role: 'x', os: 'a' }, { role: 'y', os: 'b' })
  expect(hashFields(one, noTimes)).toBe(hashFields(other, noTimes))
})

const reserve = (expires_at: string): PlannedItem => ({
  ...{ kind: 'reservation', id: 'r1', change: 'create', before: undefined },
  after: JSON.stringify({ id: 'r1', ip_address: '10.0.0.5', expires_at }),
})

test('a lifetime counts as the distance from the clock of the run', () => {
  const inputs = [{ items: [{ ttl_seconds: 60 }] }]
  const [first, second] = [NOW, LATER].map((now) => {
    const expires = new Date(Date.parse(now) + 60_000).toISOString()
    return hashFields(reserve(expires), createClock(now, inputs))
  })
  expect(first).toBe(second)
})

test('a time that no lifetime explains counts as it is', () => {
  const expires = '2026-04-01T00:00:00.000Z'
  const hashes = [expires, '2026-04-02T00:00:00.000Z'].map((at) => hashFields(reserve(at), createClock(NOW, [])))
  expect(hashes[0]).not.toBe(hashes[1])
  expect(hashFields(reserve(expires), createClock(LATER, []))).toBe(hashes[0] ?? '')
})

test('the fingerprint does not depend on the order of effects, and is empty without any', () => {
  const [one, other] = [
    { kind: 'device', id: 'a', hash: 'x' },
    { kind: 'network', id: 'b', hash: 'y' },
  ] as const
  expect(buildFingerprint([one, other])).toBe(buildFingerprint([other, one]))
  expect(buildFingerprint([one, other])).toMatch(/^[\w-]{22}$/)
  expect(buildFingerprint([{ ...one, hash: 'z' }, other])).not.toBe(buildFingerprint([one, other]))
  expect(buildFingerprint([])).toBe('')
})
