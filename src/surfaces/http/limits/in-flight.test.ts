/** Requests in progress. */
import { afterEach, expect, test } from 'bun:test'
import { createInFlight, type InFlight } from './in-flight.ts'

let inFlight: InFlight
afterEach(() => inFlight.stop())

test('an answer in time is passed on', async () => {
  inFlight = createInFlight(60_000)
  expect(await inFlight.run(Promise.resolve('answer'))).toBe('answer')
})

test('an error in time is passed on', async () => {
  inFlight = createInFlight(60_000)
  await expect(inFlight.run(Promise.reject(new Error('broken')))).rejects.toThrow('broken')
})

test('work that never ends is answered with an error', async () => {
  inFlight = createInFlight(1)
  await expect(inFlight.run(new Promise(() => {}))).rejects.toMatchObject({ code: 'UNAVAILABLE', status: 503 })
})

test('long work has no limit', async () => {
  inFlight = createInFlight(1)
  const { promise, resolve } = Promise.withResolvers<string>()
  const long = inFlight.run(promise, { isLong: true })
  await expect(inFlight.run(new Promise(() => {}))).rejects.toMatchObject({ code: 'UNAVAILABLE' })
  resolve('done')
  expect(await long).toBe('done')
})

test('requests under way are counted until they end', async () => {
  inFlight = createInFlight(60_000)
  const { promise, resolve } = Promise.withResolvers<void>()
  const running = inFlight.run(promise)
  expect(inFlight.size()).toBe(1)
  resolve()
  await running
  await Promise.resolve()
  expect(inFlight.size()).toBe(0)
})
