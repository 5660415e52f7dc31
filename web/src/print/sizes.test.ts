import { expect, test } from 'bun:test'
import { parseSize, SIZES, splitIntoPages, toPageRule } from './sizes.ts'

test.each([
  ['40 x 20', 40, 20],
  ['40x20', 40, 20],
  [' 40 mm × 20.5 mm ', 40, 20.5],
  ['40,5*20', 40.5, 20],
  ['8 x 300', 8, 300],
])('%s is a size', (text, width, height) => {
  expect(parseSize(text)).toMatchObject({ width, height })
})

test.each(['', '40', '40 x', '7 x 20', '20 x 301', 'a x b', '40 x 20 x 10', '-40 x 20', '40 x 20 cm'])(
  '%p is no size',
  (text) => expect(parseSize(text)).toBeUndefined(),
)

test('A page has the size of a label, or of a sheet with 24', () => {
  const [small, , , sheet] = SIZES
  if (!small || !sheet) throw new Error('the sizes are there')
  expect([toPageRule(small), toPageRule(sheet)]).toEqual([
    '@page{size:62mm 29mm;margin:0}',
    '@page{size:210mm 297mm;margin:0}',
  ])
  const labels = Array.from({ length: 25 }, (_, at) => at)
  expect(splitIntoPages(labels, sheet).map((page) => page.length)).toEqual([24, 1])
  expect(splitIntoPages(labels, small)).toHaveLength(25)
  expect(splitIntoPages([], sheet)).toEqual([])
})
