/** Texts outside of the heap, and their numbers. */
import { expect, test } from 'bun:test'
import { TextIndex } from './text-index.ts'
import { Numbers, TextStore } from './text-store.ts'

test('a list of numbers has them in their order over several parts', () => {
  const numbers = new Numbers()
  for (let i = 0; i < 200_000; i++) numbers.push(i * 7)
  numbers.set(150_000, 2 ** 32 - 1)
  expect([numbers.length, numbers.get(0), numbers.get(65_536), numbers.get(150_000), numbers.get(199_999)]).toEqual([
    200_000,
    0,
    65_536 * 7,
    2 ** 32 - 1,
    199_999 * 7,
  ])
})

test('a store gives back each text, also one that is longer than its parts', () => {
  const texts = ['', 'ä', 'x'.repeat(1_048_575), 'y'.repeat(1_048_576), 'z'.repeat(3_000_000), 'end', '']
  const store = new TextStore()
  expect(texts.map((text) => store.add(text))).toEqual([0, 1, 2, 3, 4, 5, 6])
  expect(texts.every((text, number) => store.get(number) === text)).toBe(true)
})

test('an index finds the number of each text, and adds each once', () => {
  const store = new TextStore()
  const index = new TextIndex((number) => store.get(number))
  const add = (text: string): number => {
    const number = index.add(text)
    if (number === store.length) store.add(text)
    return number
  }
  for (let i = 0; i < 5000; i++) expect(add(`text ${i}`)).toBe(i)
  expect([add('text 0'), add('text 4999'), index.length]).toEqual([0, 4999, 5000])
  expect([index.find('text 17'), index.find('text 5000')]).toEqual([17, undefined])
})
