import { expect, test } from 'bun:test'
import { createStandbyLag } from './standby-lag.ts'

const lagging = (seconds: number, flushedAt: (second: number) => number, replayedAt: (second: number) => number) => {
  const lag = createStandbyLag()
  const position = (n: number) => `0/${n.toString(16)}`
  const states = (flushed: number, replayed: number) => [
    { host: 'db2', replayedLsn: position(replayed), lagBytes: Math.max(0, flushed - replayed) },
    { host: 'away' },
  ]
  const left: boolean[] = []
  for (let second = 0; second < seconds; second++) {
    lag.sample(second * 1000, states(flushedAt(second), replayedAt(second)))
    left.push(lag.isLeft('db2'))
  }
  return left
}

test('a standby a few seconds behind is asked', () => {
  expect(
    lagging(
      60,
      (s) => 1000 + s,
      (s) => 1000 + s - 9,
    ),
  ).not.toContain(true)
})

test('a standby more than ten seconds behind is left', () => {
  const left = lagging(
    60,
    (s) => 1000 + s,
    (s) => 1000 + s - 12,
  )
  expect(left.slice(-40)).not.toContain(false)
})

test('a standby that replays nothing is left after ten seconds, and asked again when it has caught up', () => {
  const left = lagging(
    60,
    (s) => 1000 + Math.min(s, 20),
    (s) => (s < 40 ? 1010 : 1000 + Math.min(20, 10 + s - 40)),
  )
  expect([left[19], left[22], left[40], left[49], left[50]]).toEqual([false, true, true, true, false])
})

test('a standby that has all of an idle primary is asked, and after the next write as well', () => {
  expect(
    lagging(
      7200,
      (s) => (s < 7199 ? 1000 : 1001),
      () => 1000,
    ),
  ).not.toContain(true)
})

test('after a reset no standby is left', () => {
  const lag = createStandbyLag()
  for (const atMs of [0, 11_000]) lag.sample(atMs, [{ host: 'db2', replayedLsn: '0/10', lagBytes: 16 }])
  expect(lag.isLeft('db2')).toBe(true)
  lag.reset()
  expect(lag.isLeft('db2')).toBe(false)
})
