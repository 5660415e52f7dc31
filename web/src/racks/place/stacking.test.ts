import { describe, expect, test } from 'bun:test'
import type { Device } from '../../api/contracts.ts'
import type { Elevation, Mounted } from '../geometry.ts'
import { getBottomUnit, stackUpward, toMounted } from './stacking.ts'

const device = (device_id: string, fields: Partial<Mounted> = {}): Mounted => ({
  ...{ device_id, name: device_id, status: 'active', make_model: '', position: null },
  ...{ height: 1, face: 'front', full_depth: true, slot: '1/1', power_w: null },
  ...fields,
})

const elevation = (front: readonly Mounted[] = [], rack: Partial<Elevation['rack']> = {}) =>
  // The other fields do not matter here.
  ({ rack: { height: 10, first_unit: 1, numbering: 'bottom_up', ...rack }, front, rear: [], unplaced: [] }) as never

const positions = (...args: Parameters<typeof stackUpward>) =>
  stackUpward(...args).placed.map(({ device_id, position }) => [device_id, position])

describe('selected devices', () => {
  test('are stacked upward in their order', () => {
    const devices = [device('a', { height: 2 }), device('b'), device('c')]
    expect(positions(elevation(), devices, 3)).toEqual([
      ['a', 3],
      ['b', 5],
      ['c', 6],
    ])
  })

  test('pass over the units of other devices', () => {
    const there = [device('x', { position: 2 })]
    expect(positions(elevation(there), [device('a'), device('b', { height: 2 })], 1)).toEqual([
      ['a', 1],
      ['b', 3],
    ])
  })

  test('may take the units that they have now', () => {
    const there = [device('a', { position: 1 })]
    expect(positions(elevation(there), [device('a')], 1)).toEqual([['a', 1]])
  })

  test('are stacked upward in a rack that counts from the top', () => {
    const rack = { numbering: 'top_down' as const }
    expect(getBottomUnit({ height: 10, first_unit: 1, numbering: 'top_down' } as Elevation['rack'])).toBe(10)
    expect(positions(elevation([], rack), [device('a', { height: 2 }), device('b')], 10)).toEqual([
      ['a', 9],
      ['b', 8],
    ])
  })

  test('stand at whole units behind a device of half a unit', () => {
    expect(positions(elevation(), [device('a', { height: 0.5 }), device('b')], 1)).toEqual([
      ['a', 1],
      ['b', 2],
    ])
  })

  test('are refused where the rack has no room', () => {
    const { placed, refused } = stackUpward(elevation(), [device('a'), device('b', { height: 2 })], 9)
    expect([placed, refused].map((some) => some.map(({ device_id }) => device_id))).toEqual([['a'], ['b']])
  })

  test('of height 0 go in no unit', () => {
    expect(positions(elevation(), [device('a', { height: 0 }), device('b')], 4)).toEqual([
      ['a', null],
      ['b', 4],
    ])
  })

  test('have the height of their place, else that of their type', () => {
    const types = [{ id: 't', height: 4, full_depth: false, power_w: 300 }]
    // The other fields do not matter here.
    const typed = { id: 'a', device_type_id: 't' } as Device
    const mount = {
      rack_id: 'r',
      position: 1,
      height: 2,
      face: 'rear',
      full_depth: true,
      slot: '1/2',
      power_w: 1,
    } as const
    expect(toMounted(typed, types)).toMatchObject({ height: 4, full_depth: false, power_w: 300, face: 'front' })
    expect(toMounted({ ...typed, mount }, types)).toMatchObject({
      height: 2,
      face: 'rear',
      slot: '1/2',
      position: null,
    })
  })
})
