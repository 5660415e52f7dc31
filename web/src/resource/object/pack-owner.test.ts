import { expect, test } from 'bun:test'
import { describeOwner, findPack, findSourceId } from './pack-owner.ts'

test('an owner that is an installed pack has its name', () => {
  expect(['pack/circuits@1', 'pack/circuits', 'terraform', ''].map(findPack)).toEqual([
    'circuits',
    ...[undefined, undefined, undefined],
  ])
})

test('an owner that is a source has its id', () => {
  expect(['source:pve', 'source:a:b', 'source:', 'terraform'].map(findSourceId)).toEqual([
    ...['pve', 'a:b', undefined, undefined],
  ])
})

test('changes stay beside a source', () => {
  expect(describeOwner('source:pve')).toBe('Made by a source; your changes stay.')
})

test('changes stay beside a pack, and are put back by any other owner', () => {
  expect(describeOwner('pack/nat@12')).toBe('From the pack nat; your changes stay.')
  expect(describeOwner('terraform')).toBe('Managed by terraform: changes made here are put back by its next apply.')
})
