import { describe, expect, test } from 'bun:test'
import { buildNetworkFields } from '../../networks/fields.ts'
import { buildRackFields } from '../../racks/fields.ts'
import { buildVlanFields } from '../../vlans/fields.ts'
import type { Names } from '../facts/from-facts.ts'
import { buildTableSpec } from '../fields.ts'
import { findPlaceTest, type PlaceTest } from './place-test.ts'
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

describe('the filter by datacenter', () => {
  const places = [
    { id: 'r', name: 'Region' },
    { id: 's', name: 'Site', parent_id: 'r' },
  ]

  test.each([
    ['racks', buildRackFields],
    ['VLANs', buildVlanFields],
    ['networks', (names: Names, isIn?: PlaceTest) => buildNetworkFields(names, undefined, isIn)],
  ] as const)('of %s takes those below one along', (_, build) => {
    const names = new Map(places.map(({ id, name }) => [id, name]))
    const { fields } = buildTableSpec(build(names, findPlaceTest(places)) as never)
    const isIn = (datacenter_id: string | null, value: string) => fields.dc?.({ datacenter_id } as never, value)
    expect([isIn('s', 'region'), isIn('s', 'site'), isIn('r', 'site'), isIn(null, 'region')]).toEqual([
      ...[true, true, false, false],
    ])
  })

  test('is as before without a datacenter below another', () => {
    expect(findPlaceTest([{ id: 'r', name: 'Region' }])).toBeUndefined()
  })
})
