import { expect, test } from 'bun:test'
import { Gaps, isMissingOne } from './gaps.ts'

const rows = (...seqs: number[]) => seqs.map((seq) => ({ seq }))
const seqs = (settled: readonly { seq: number }[]) => settled.map(({ seq }) => seq)

/** Notes rows with a gap among them. */
const noted = (...seen: number[]): Gaps => {
  const gaps = new Gaps()
  gaps.note(rows(...seen))
  return gaps
}

test.each([
  [[], 3, false],
  [[4, 5], 3, false],
  [[5], 3, true],
  [[4, 6], 3, true],
])('%p after %p: a number is missing: %p', (seen, after, isMissing) => {
  expect(isMissingOne(rows(...seen), after)).toBe(isMissing)
})

test('with one writer nothing is waited for', () => {
  expect(seqs(noted(5, 9).settled(rows(5, 9), 1, undefined))).toEqual([5, 9])
})

test('consecutive numbers are settled', () => {
  expect(seqs(new Gaps().settled(rows(2, 3, 4), 1, { oldest: 10n, next: 12n }))).toEqual([2, 3, 4])
})

test('a missing number stops the reader until all open transactions have ended, and is then skipped', () => {
  const gaps = noted(2, 4)
  expect(seqs(gaps.settled(rows(2, 4, 5), 1, { oldest: 10n, next: 12n }))).toEqual([2])
  expect(seqs(gaps.settled(rows(4, 5), 2, { oldest: 11n, next: 15n }))).toEqual([])
  expect(seqs(gaps.settled(rows(4, 5), 2, { oldest: 12n, next: 15n }))).toEqual([4, 5])
})

test('a missing number that arrives later is sent in order', () => {
  const gaps = noted(3)
  expect(seqs(gaps.settled(rows(3), 1, { oldest: 10n, next: 12n }))).toEqual([])
  expect(seqs(gaps.settled(rows(2, 3), 1, { oldest: 11n, next: 12n }))).toEqual([2, 3])
})

test('a number that was not yet missing at the query may be used after it', () => {
  const gaps = noted(2, 4)
  expect(seqs(gaps.settled(rows(2, 4, 6), 1, { oldest: 12n, next: 12n }))).toEqual([2, 4])
  expect(seqs(gaps.settled(rows(6), 4, { oldest: 13n, next: 14n }))).toEqual([])
  expect(seqs(gaps.settled(rows(6), 4, { oldest: 14n, next: 20n }))).toEqual([6])
})

test('without open transactions, all missing numbers are skipped', () => {
  expect(seqs(noted(4, 7, 9).settled(rows(4, 7, 9), 1, { oldest: 12n, next: 12n }))).toEqual([4, 7, 9])
})
