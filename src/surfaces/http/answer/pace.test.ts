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
    ['nothing', 0, 10, true],
    ['1 KiB/s', KIB, 12, true],
    ['15 KiB/s', 15 * KIB, 180, true],
    ['16 KiB/s', 16 * KIB, 180, false],
    ['1 Mbit/s', 125_000, 180, false],
  ])('of a client that takes %s for %i s', (_, rate, seconds, isTooSlow) => {
    expect(watched(rate, seconds).isTooSlow()).toBe(isTooSlow)
  })

  test('is not asked for before 10 s', () => {
    expect(watched(0, 9.5).isTooSlow()).toBe(false)
  })

  test.each([
    ['four minutes', 240, false],
    ['six minutes', 360, true],
  ])('of a client that pauses for %s, after more than that in bytes', (_, seconds, isTooSlow) => {
    const pace = watched(125_000, 60)
    for (let ms = 0; ms < seconds * 1000; ms += TICK_MS) pace.waited(TICK_MS, 60 * 125_000)
    expect(pace.isTooSlow()).toBe(isTooSlow)
  })

  test('holds for a client that was faster before while it was not measured', () => {
    const pace = watched(0, 1)
    pace.caughtUp()
    for (let ms = 0; ms < 60_000; ms += TICK_MS) pace.waited(TICK_MS, 2_000_000)
    expect(pace.isTooSlow()).toBe(false)
    for (let ms = 0; ms < 80_000; ms += TICK_MS) pace.waited(TICK_MS, 2_000_000)
    expect(pace.isTooSlow()).toBe(true)
  })

  test.each([
    [18_000, 93],
    [18_000, 384],
    [40_000, 1024],
    [40_000, 93],
  ])('of a client that takes %p bytes a second, which the system reports in steps of %p KiB', (rate, step) => {
    const pace = createPace(PACE_LIMITS)
    const buffer = 16 * step * KIB
    let isTooSlow = false
    for (let ms = 0; ms <= 600_000; ms += TICK_MS) {
      // The last piece is counted when all of it is taken.
      const reported = buffer + Math.floor((rate * ms) / 1000 / step / KIB) * step * KIB - 256 * KIB
      pace.waited(TICK_MS, reported)
      isTooSlow ||= pace.isTooSlow()
    }
    expect(isTooSlow).toBe(false)
  })

  test('of a client that takes 10 KB a second after a first megabyte', () => {
    const pace = createPace(PACE_LIMITS)
    const cutAt: number[] = []
    for (let ms = 0; ms <= 600_000; ms += TICK_MS) {
      pace.waited(TICK_MS, 1_000_000 + 10 * ms)
      if (pace.isTooSlow()) cutAt.push(ms / 1000)
    }
    // 1,163,840 bytes over the difference of 6,384 a second.
    expect(cutAt[0]).toBeWithin(181, 184)
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
