import { expect, test } from 'bun:test'
import { Gaps } from './gaps.ts'

const rows = (...seqs: number[]) => seqs.map((seq) => ({ seq }))
const seqs = (settled: readonly { seq: number }[]) => settled.map(({ seq }) => seq)

test('with one writer nothing is waited for', () => {
  expect(seqs(new Gaps().settled(rows(5, 9), 1, undefined))).toEqual([5, 9])
})

test('numbers in a row are settled', () => {
  expect(seqs(new Gaps().settled(rows(2, 3, 4), 1, { oldest: 10n, next: 12n }))).toEqual([2, 3, 4])
})

test('a missing number stops until all that were under way have ended, and is then never to come', () => {
  const gaps = new Gaps()
  expect(seqs(gaps.settled(rows(2, 4, 5), 1, { oldest: 10n, next: 12n }))).toEqual([2])
  expect(seqs(gaps.settled(rows(4, 5), 2, { oldest: 11n, next: 15n }))).toEqual([])
  expect(seqs(gaps.settled(rows(4, 5), 2, { oldest: 12n, next: 15n }))).toEqual([4, 5])
})

test('a missing number that comes after all is in its place', () => {
  const gaps = new Gaps()
  gaps.settled(rows(3), 1, { oldest: 10n, next: 12n })
  expect(seqs(gaps.settled(rows(2, 3), 1, { oldest: 11n, next: 12n }))).toEqual([2, 3])
})

test('each missing number waits for those that were under way when it was missed', () => {
  const gaps = new Gaps()
  gaps.settled(rows(3), 1, { oldest: 10n, next: 12n })
  expect(seqs(gaps.settled(rows(3, 5), 1, { oldest: 12n, next: 20n }))).toEqual([3])
  expect(seqs(gaps.settled(rows(5), 3, { oldest: 19n, next: 25n }))).toEqual([])
  expect(seqs(gaps.settled(rows(5), 3, { oldest: 20n, next: 25n }))).toEqual([5])
})

test('with nothing under way, a missing number is never to come', () => {
  expect(seqs(new Gaps().settled(rows(7), 1, { oldest: 12n, next: 12n }))).toEqual([7])
})
