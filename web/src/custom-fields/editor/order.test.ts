import { describe, expect, test } from 'bun:test'
import { filterByGroup, findNextPlace, listGroupNames, move, type Ordered } from './order.ts'

const field = (id: string, group: string, position: number): Ordered => ({ id, name: id, group, position })

const FIELDS = [field('a', '', 0), field('b', '', 0), field('c', '', 5), field('x', 'Asset', 0), field('y', 'Asset', 1)]

/** The fields after a move, as the server lists them. */
const after = (id: string, place: { group: string; index: number }): string => {
  const changes = new Map(move(FIELDS, id, place).map((one) => [one.id, one]))
  const all = FIELDS.map((one) => ({ ...one, ...changes.get(one.id) }))
  return listGroupNames(all)
    .map((group) => `${group}:${filterByGroup(all, group).map((one) => one.id)}`)
    .join(' ')
}

describe('a field', () => {
  test.each([
    ['c', { group: '', index: 0 }, ':c,a,b Asset:x,y'],
    ['a', { group: '', index: 2 }, ':b,c,a Asset:x,y'],
    ['a', { group: 'Asset', index: 1 }, ':b,c Asset:a,x,y'.replace('a,x,y', 'x,a,y')],
    ['y', { group: '', index: 3 }, ':a,b,c,y Asset:x'],
  ])('%s moved to %p is there', (id, place, order) => {
    expect(after(id, place)).toBe(order)
  })

  test('a moved field only changes the fields with another position', () => {
    expect(move(FIELDS, 'y', { group: 'Asset', index: 0 })).toEqual([
      { id: 'y', group: 'Asset', position: 0 },
      // Its group is not sent: another user may have changed it.
      { id: 'x', position: 1 },
    ])
    expect(move(FIELDS, 'x', { group: 'Asset', index: 0 })).toEqual([])
  })

  test.each([
    ['b', -1, { group: '', index: 0 }],
    ['b', 1, { group: '', index: 2 }],
    ['c', 1, { group: 'Asset', index: 0 }],
    ['x', -1, { group: '', index: 3 }],
    ['a', -1, undefined],
    ['y', 1, undefined],
  ] as const)('%s goes by %d to %p', (id, by, place) => {
    expect(findNextPlace(FIELDS, id, by)).toEqual(place as { group: string; index: number })
  })
})
