// The scans of the generated estate.
import { expect, test } from 'bun:test'
import { generateEstate } from './estate.ts'

test('the scans of an estate are always the same', () => {
  const [one, other] = [generateEstate({ devices: 300 }), generateEstate({ devices: 300 })]
  expect([...one.scans]).toEqual([...other.scans])
})

test.each([1, 5, 60])('an estate of %i devices has scans as well', (devices) => {
  expect([...generateEstate({ devices }).scans].length).toBeGreaterThan(0)
})
