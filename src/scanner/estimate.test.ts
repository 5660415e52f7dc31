import { expect, test } from 'bun:test'
import { estimate } from './estimate.ts'

const plan = { subnet: '10.0.0.0/24', excludes: [], type: 'quick', ports: [], probesPerSecond: 2000 } as const

test('a quick scan of a /24 tries 254 addresses twice', () => {
  const { hosts, probes, seconds } = estimate(plan)
  expect([hosts, probes, seconds]).toEqual([254, 508, 2])
})

test('excluded addresses take no time', () => {
  expect(estimate({ ...plan, excludes: ['10.0.0.0/24'] })).toMatchObject({ hosts: 0, probes: 0, seconds: 0 })
})

test('each type does all that the one before does, and more', () => {
  const [quick, full, deep] = (['quick', 'full', 'deep'] as const).map((type) => estimate({ ...plan, type }))
  expect(full?.techniques).toEqual(expect.arrayContaining([...(quick?.techniques ?? [])]))
  expect(deep?.techniques).toEqual(expect.arrayContaining([...(full?.techniques ?? [])]))
  expect((quick?.probes ?? 0) < (full?.probes ?? 0) && (full?.probes ?? 0) < (deep?.probes ?? 0)).toBe(true)
})

test('logins are named only when there are any', () => {
  expect(estimate({ ...plan, type: 'deep' }).techniques).not.toContain('SSH login with stored credentials')
})

test('a network that is too wide is refused', () => {
  expect(() => estimate({ ...plan, subnet: '10.0.0.0/8' })).toThrow('subnet: 10.0.0.0/8 is wider than /16')
})
