/** A JSON list is read object by object, wherever its text is cut. */
import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { createListReader } from './json-list.ts'

const read = (pieces: readonly string[]): readonly object[] => {
  const next = createListReader()
  return pieces.flatMap((piece) => next(piece))
}

test('every cut of a list gives its objects', () => {
  fc.assert(
    fc.property(
      fc.array(fc.dictionary(fc.string(), fc.jsonValue(), { noNullPrototype: true }), { maxLength: 5 }),
      fc.array(fc.nat(400), { maxLength: 8 }),
      fc.boolean(),
      (rows, cuts, isSpread) => {
        const text = JSON.stringify(rows, null, isSpread ? 2 : 0)
        const at = [0, ...cuts.filter((cut) => cut < text.length).sort((a, b) => a - b), text.length]
        const pieces = at.slice(1).map((end, i) => text.slice(at[i], end))
        expect(read(pieces)).toEqual(JSON.parse(text))
      },
    ),
  )
})

test('text that is no list is refused', () => {
  expect(() => read(['[{"a":1}', '}]'])).toThrow(SyntaxError)
  expect(() => read(['[{a}]'])).toThrow(SyntaxError)
})
