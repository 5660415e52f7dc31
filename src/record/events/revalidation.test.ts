// Listeners while the stores of sessions and keys are unavailable: their last check holds until they expire, and only
// for a short time.
import { expect, test } from 'bun:test'
import { until } from '../../../testing/until.ts'
import type { Held } from '../../people/sessions/credential-check.ts'
import type { Listener } from './feed.ts'
import { createRevalidation } from './revalidation.ts'

const START_MS = Date.parse('2026-01-01T00:00:00Z')
const permissions = new Set(['events:read', 'devices:read'])

const listenerOf = (credentialId: string): Listener => ({
  caller: { userId: 'ada', username: 'ada', via: 'session', credentialId, permissions },
  wanted: { types: undefined, resource: undefined },
  sentBytes: () => 0,
  send: () => true,
  drained: async () => {},
  end: () => {},
  cut: () => {},
})

const watched = async (expiresMs: number) => {
  const clock = { ms: START_MS }
  const stores = { isAway: false, asked: 0 }
  const listeners = new Set<Listener>()
  const revalidation = createRevalidation({
    check: async (credentials) => {
      stores.asked++
      if (stores.isAway) throw new Error('the store is away')
      const held: Held = { permissions, expiresMs }
      return new Map(credentials.map(({ credentialId = '' }) => [credentialId, held]))
    },
    listeners: () => [...listeners],
    dismiss: (listener) => void listeners.delete(listener),
    polled: () => {},
    now: () => new Date(clock.ms),
    scopes: async () => '',
  })
  const listener = listenerOf('one')
  listeners.add(listener)
  await revalidation.admit(listener)
  stores.isAway = true
  stores.asked = 0
  const looks = (n: number) => until(`look ${n}`, () => stores.asked >= n || undefined)
  return { clock, stores, revalidation, looks, isListening: () => listeners.has(listener) }
}

test('a listener continues for a while if its cached session has not expired', async () => {
  const { clock, looks, isListening, revalidation } = await watched(START_MS + 60_000)
  clock.ms += 9000
  await looks(2)
  expect(isListening()).toBe(true)
  revalidation.close()
})

test('a listener is closed if its cached session has expired', async () => {
  const { clock, isListening, revalidation } = await watched(START_MS + 5000)
  clock.ms += 5000
  await until('dismissal', () => !isListening() || undefined)
  expect(isListening()).toBe(false)
  revalidation.close()
})

test('a listener that could not be evaluated for long is closed', async () => {
  const { clock, isListening, revalidation } = await watched(Number.POSITIVE_INFINITY)
  clock.ms += 10_001
  await until('dismissal', () => !isListening() || undefined)
  expect(isListening()).toBe(false)
  revalidation.close()
})

test('events are held back while listeners cannot be evaluated', async () => {
  const { revalidation } = await watched(Number.POSITIVE_INFINITY)
  revalidation.request()
  await expect(revalidation.settled() ?? Promise.resolve()).rejects.toThrow('the store is away')
  revalidation.close()
})

test('a check requested during a check runs once more', async () => {
  const { stores, revalidation } = await watched(Number.POSITIVE_INFINITY)
  stores.isAway = false
  revalidation.request()
  revalidation.request()
  await revalidation.settled()
  expect(stores.asked).toBe(2)
  expect(revalidation.settled()).toBeUndefined()
  revalidation.close()
})
