import { expect, test } from 'bun:test'
import { buildPaths, buildTreeKey, listBelow } from './tree.ts'

const ALL = [
  { id: 'room', name: 'Room', parent_id: 'site' },
  { id: 'site', name: 'B site', parent_id: 'region' },
  { id: 'other', name: 'A site', parent_id: 'region' },
  { id: 'region', name: 'Region' },
  { id: 'hidden', name: 'Alone', parent_id: 'unseen' },
]

test('a path has the datacenters above, the highest first', () => {
  const paths = buildPaths(ALL)
  expect(paths.get('room')?.map(({ id }) => id)).toEqual(['region', 'site'])
  expect(paths.get('region')).toEqual([])
  expect(paths.get('hidden')).toEqual([])
})

test('the order of a tree has each datacenter before the ones below it', () => {
  const paths = buildPaths(ALL)
  const sorted = ALL.toSorted((a, b) =>
    buildTreeKey(paths.get(a.id) ?? [], a) < buildTreeKey(paths.get(b.id) ?? [], b) ? -1 : 1,
  )
  expect(sorted.map(({ id }) => id)).toEqual(['hidden', 'region', 'other', 'site', 'room'])
})

test('a datacenter is among those below it, and a circle ends', () => {
  expect([...listBelow('site', ALL)]).toEqual(['site', 'room'])
  const circle = [
    { id: 'a', name: 'a', parent_id: 'b' },
    { id: 'b', name: 'b', parent_id: 'a' },
  ]
  expect([...listBelow('a', circle)]).toEqual(['a', 'b'])
  expect(buildPaths(circle).get('a')).toHaveLength(2)
})
