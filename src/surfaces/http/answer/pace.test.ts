/** The measured pace of a client, with time passed in. */
import { describe, expect, test } from 'bun:test'
import { createPace, PACE_LIMITS } from './pace.ts'

const TICK_MS = 500
const KIB = 1024

/** A client that takes `bytesPerSecond`, sampled every half second for `seconds`. */
const watched = (bytesPerSecond: number, seconds: number, from = 0) => {
  const pace = createPace(PACE_LIMITS)
  let taken = from
  for (let ms = 0; ms <= seconds * 1000; ms += TICK_MS) {
    pace.waited(TICK_MS, Math.floor(taken))
    taken += (bytesPerSecond * TICK_MS) / 1000
  }
  return pace
}

describe('the minimum pace', () => {
  test.each([
    ['nothing', 0, true],
    ['15 KiB/s', 15 * KIB, true],
    ['16 KiB/s', 16 * KIB, false],
    ['1 Mbit/s', 125_000, false],
  ])('of a client that takes %s for 10 s', (_, rate, isTooSlow) => {
    expect(watched(rate, 10).isTooSlow()).toBe(isTooSlow)
  })

  test('is not asked for before 10 s', () => {
    expect(watched(0, 9.5).isTooSlow()).toBe(false)
  })

  test('holds at any time, not only at first', () => {
    const pace = watched(125_000, 60)
    for (let i = 0; i < 20; i++) pace.waited(TICK_MS, 60 * 125_000)
    expect(pace.isTooSlow()).toBe(true)
  })

  test('is met by one burst in 10 s', () => {
    const pace = createPace(PACE_LIMITS)
    for (let i = 0; i <= 40; i++) pace.waited(TICK_MS, Math.floor(i / 19) * 200 * KIB)
    expect(pace.isTooSlow()).toBe(false)
  })

  test('begins again once the client has taken everything', () => {
    const pace = watched(0, 9.5)
    pace.caughtUp()
    for (let i = 0; i < 10; i++) pace.waited(TICK_MS, 0)
    expect(pace.isTooSlow()).toBe(false)
  })
})

describe('a client', () => {
  test('that takes nothing for a second is silent', () => {
    expect(watched(0, 1).isSilent()).toBe(true)
  })

  test('that takes nothing for half a second is not', () => {
    expect(watched(0, 0.5).isSilent()).toBe(false)
  })

  test('that takes a little is not', () => {
    expect(watched(2, 5).isSilent()).toBe(false)
  })

  test('that takes something again is silent no more', () => {
    const pace = watched(0, 5)
    pace.waited(TICK_MS, 1)
    expect(pace.isSilent()).toBe(false)
  })

  test('is seen to move also where the measured number falls: the socket has taken more than was counted', () => {
    const pace = watched(0, 5, 100_000)
    pace.waited(TICK_MS, 50_000)
    expect(pace.isSilent()).toBe(false)
  })
})
