import { expect, test } from 'bun:test'
import { describeOwner, findPack } from './pack-owner.ts'

test('an owner that is an installed pack has its name', () => {
  expect(['pack/circuits@1', 'pack/circuits', 'terraform', ''].map(findPack)).toEqual([
    'circuits',
    ...[undefined, undefined, undefined],
  ])
})

test('changes stay beside a pack, and are put back by any other owner', () => {
  expect(describeOwner('pack/nat@12')).toBe('From the pack nat; your changes stay.')
  expect(describeOwner('terraform')).toBe('Managed by terraform: changes made here are put back by its next apply.')
})
