// How much goes into one transaction.
import { expect, test } from 'bun:test'
import { createPortion } from './portion.ts'

test('the first portion is small', () => {
  expect(createPortion(6).size()).toBe(20)
})

test('one that took too long is followed by smaller ones at once', () => {
  const portion = createPortion(6)
  portion.took(20, 20)
  expect(portion.size()).toBe(6)
})

test('quick ones are followed by larger ones by and by, up to a bound', () => {
  const portion = createPortion(6)
  const sizes = [1, 2, 3, 40].map((times) => {
    for (let i = 0; i < times; i++) portion.took(portion.size(), 0.01)
    return portion.size()
  })
  expect(sizes).toEqual([24, 39, 76, 250])
})

test('however slow it is, some get done', () => {
  const portion = createPortion(6)
  portion.took(1, 60_000)
  expect(portion.size()).toBe(4)
})
