// How much goes into one transaction.
import { expect, test } from 'bun:test'
import { createPortion } from './adaptive-batch.ts'

test('the first portion is small', () => {
  expect(createPortion(4, 256).size()).toBe(8)
})

test('one that took too long is followed by smaller ones at once', () => {
  const portion = createPortion(4, 256)
  for (let i = 0; i < 40; i++) portion.took(portion.size(), 0.01)
  portion.took(256, 64)
  expect(portion.size()).toBe(16)
})

test('quick ones are followed by larger ones by and by, up to a bound', () => {
  const portion = createPortion(4, 256)
  const sizes = [1, 2, 3, 4, 40].map((times) => {
    for (let i = 0; i < times; i++) portion.took(portion.size(), 0.01)
    return portion.size()
  })
  expect(sizes).toEqual([8, 12, 16, 64, 256])
})

test('sizes are few, because each has its own queries', () => {
  const sizes = new Set<number>()
  for (let each = 0.01; each < 2; each *= 1.01) {
    const portion = createPortion(4, 256)
    portion.took(1, 1000)
    for (let i = 0; i < 100; i++) portion.took(1, each)
    sizes.add(portion.size())
  }
  expect([...sizes].sort((a, b) => a - b)).toEqual([4, 8, 12, 16, 32, 48, 64, 128, 192, 256])
})

test('however slow it is, some get done', () => {
  const portion = createPortion(4, 256)
  portion.took(1, 60_000)
  expect(portion.size()).toBe(4)
})
