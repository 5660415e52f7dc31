import { fullGC } from 'bun:jsc'
import { expect, test } from 'bun:test'
import { pause } from '../../runtime/pause.ts'
import { BoundedCache } from './bounded-cache.ts'

const LONG = 'x'.repeat(100_000)

/** More than there is room for. */
const overfilled = (): BoundedCache => {
  const kept = new BoundedCache()
  for (let i = 0; i < 100; i++) kept.set(`long ${i}`, { text: LONG })
  return kept
}

test('what was kept first goes first', () => {
  const kept = overfilled()
  expect([kept.get('long 0'), kept.get('long 99')?.text.length]).toEqual([undefined, LONG.length])
})

test('what is kept anew is the newest', () => {
  const kept = new BoundedCache()
  kept.set('first', { text: '1' })
  for (let i = 0; i < 75; i++) kept.set(`long ${i}`, { text: LONG })
  kept.set('first', { text: '2' })
  for (let i = 75; i < 140; i++) kept.set(`long ${i}`, { text: LONG })
  expect([kept.get('first')?.text, kept.get('long 50')]).toEqual(['2', undefined])
})

test('most of what is kept stays when something has to go', () => {
  const kept = overfilled()
  const count = Array.from({ length: 100 }, (_, i) => kept.get(`long ${i}`)).filter(Boolean).length
  expect(count).toBeGreaterThan(70)
})

test('what is replaced is let go of, also after something had to go', async () => {
  const kept = overfilled()
  const replaced: WeakRef<object>[] = []
  for (let i = 0; i < 20_000; i++) {
    const entry = { text: `text ${i}` }
    replaced.push(new WeakRef(entry))
    kept.set(`key ${i % 100}`, entry)
  }
  await pause()
  fullGC()
  // Some may still lie on the stack, for all that the collector knows.
  expect(replaced.filter((entry) => entry.deref()).length).toBeLessThan(1000)
  expect(kept.get('key 99')?.text).toBe('text 19999')
})
