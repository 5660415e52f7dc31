/** Every signature reads its own example, and no other takes it away. */
import { expect, test } from 'bun:test'
import { identify } from './identify.ts'
import { SIGNATURES } from './signatures.ts'

test.each(SIGNATURES.map((signature, at) => ({ at, example: signature.example.slice(0, 60), signature })))(
  'signature $at reads $example',
  ({ signature }) => {
    const { service, example, reads } = signature
    expect(identify({ [signature.in]: example })).toEqual({ service, ...reads })
  },
)

test('there are enough of them', () => expect(SIGNATURES.length).toBeGreaterThanOrEqual(60))
