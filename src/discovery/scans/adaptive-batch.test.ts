// The batch size of transactions.
import { expect, test } from 'bun:test'
import { createAdaptiveBatch } from './adaptive-batch.ts'

test('the first batch is small', () => {
  expect(createAdaptiveBatch(4, 256).size()).toBe(8)
})

test('one that took too long is followed by smaller ones at once', () => {
  const batch = createAdaptiveBatch(4, 256)
  for (let i = 0; i < 40; i++) batch.took(batch.size(), 0.01)
  batch.took(256, 64)
  expect(batch.size()).toBe(16)
})

test('quick ones are followed by larger ones by and by, up to a bound', () => {
  const batch = createAdaptiveBatch(4, 256)
  const sizes = [1, 2, 3, 4, 40].map((times) => {
    for (let i = 0; i < times; i++) batch.took(batch.size(), 0.01)
    return batch.size()
  })
  expect(sizes).toEqual([8, 12, 16, 64, 256])
})

test('sizes are few, because each has its own queries', () => {
  const sizes = new Set<number>()
  for (let each = 0.01; each < 2; each *= 1.01) {
    const batch = createAdaptiveBatch(4, 256)
    batch.took(1, 1000)
    for (let i = 0; i < 100; i++) batch.took(1, each)
    sizes.add(batch.size())
  }
  expect([...sizes].sort((a, b) => a - b)).toEqual([4, 8, 12, 16, 32, 48, 64, 128, 192, 256])
})

test('however slow it is, some get done', () => {
  const batch = createAdaptiveBatch(4, 256)
  batch.took(1, 60_000)
  expect(batch.size()).toBe(4)
})
