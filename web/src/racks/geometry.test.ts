import { describe, expect, test } from 'bun:test'
import {
  computeBox,
  computeTarget,
  computeUnitsAbove,
  type Elevation,
  findCellBeside,
  findFirstTarget,
  findObstacle,
  findSlotBeside,
  GUTTER,
  listCells,
  type Mounted,
  UNIT,
  WIDTH,
} from './geometry.ts'
import { formatPosition } from './position-text.ts'

const RACK = {
  ...{ id: 'r', name: 'A1', datacenter_id: null, location: '', description: '', max_power_w: null },
  ...{ refs: {}, managed_by: '', created_at: '', updated_at: '' },
  ...{ height: 4, first_unit: 1, numbering: 'bottom_up' as const },
}

const device = (name: string, place: Partial<Mounted>): Mounted => ({
  ...{ device_id: name, name, status: 'active', make_model: '' },
  ...{ position: 1, height: 1, face: 'front', full_depth: true, slot: '1/1', power_w: null },
  ...place,
})

const elevation = (devices: readonly Mounted[], rack = RACK): Elevation => ({
  rack,
  // No test here reads it.
  usage: {} as Elevation['usage'],
  front: devices.filter(({ face, full_depth }) => full_depth || face === 'front'),
  rear: devices.filter(({ face, full_depth }) => full_depth || face === 'rear'),
  unplaced: [],
})

const keys = (devices: readonly Mounted[], face: 'front' | 'rear' = 'front') =>
  listCells(elevation(devices), face).map(({ key }) => key)

describe('the cells of a face', () => {
  test('are its devices and its free units, from the top', () => {
    expect(keys([device('web-1', { position: 2, height: 2 })])).toEqual(['4 1/1', 'web-1', '1 1/1'])
  })

  test('of a rack that counts from the top begin with the first unit', () => {
    const cells = listCells(elevation([], { ...RACK, numbering: 'top_down' as never, first_unit: 0 }), 'front')
    expect(cells.map(({ position }) => position)).toEqual([0, 1, 2, 3])
  })

  test('have the free slots beside devices of the same width', () => {
    expect(keys([device('left', { position: 4, slot: '1/3' })])).toEqual([
      'left',
      '4 2/3',
      '4 3/3',
      '3 1/1',
      '2 1/1',
      '1 1/1',
    ])
  })

  test('the cells of the rear are mirrored, and have a device that is only on the front as free', () => {
    const devices = [device('left', { position: 4, slot: '1/2' }), device('panel', { position: 3, full_depth: false })]
    expect(keys(devices, 'rear')).toEqual(['4 2/2', 'left', '3 1/1', '2 1/1', '1 1/1'])
  })

  test('have the half of a unit that a device of half a unit leaves', () => {
    expect(keys([device('shelf', { position: 4.5, height: 0.5 })]).slice(0, 2)).toEqual(['shelf', '4 1/1'])
  })
})

test('a box is as high as its units, and a slot as wide as its part', () => {
  expect(computeBox(RACK, 'front', { position: 1, height: 2, slot: '2/2' })).toEqual({
    x: GUTTER + WIDTH / 2,
    y: 2 * UNIT,
    width: WIDTH / 2,
    height: 2 * UNIT,
  })
})

describe('keys', () => {
  const cells = listCells(elevation([device('left', { position: 3, slot: '1/2' })]), 'front')
  const at = (key: string) => {
    const found = cells.find((cell) => cell.key === key)
    if (!found) throw new Error(`no cell ${key}`)
    return found
  }
  const step = (key: string, to: 'up' | 'down' | 'left' | 'right') =>
    findCellBeside(cells, (cell) => computeBox(RACK, 'front', cell), at(key), to)?.key

  test('go to the nearest cell in their direction', () => {
    expect([step('left', 'right'), step('3 2/2', 'left'), step('left', 'down'), step('left', 'up')]).toEqual([
      '3 2/2',
      'left',
      '2 1/1',
      '4 1/1',
    ])
  })

  test('stop at the edge', () => {
    expect([step('4 1/1', 'up'), step('1 1/1', 'down'), step('left', 'left')]).toEqual([
      undefined,
      undefined,
      undefined,
    ])
  })
})

describe('a target', () => {
  const low = device('low', { position: 1, height: 2 })
  const tall = device('tall', { position: null, height: 2 })

  test('is free, or names the device in the way', () => {
    const at = (position: number) =>
      findObstacle(elevation([low]), tall, { face: 'front', slot: '1/1', position })?.name
    expect([at(1), at(2), at(3)]).toEqual(['low', 'low', undefined])
  })

  test('of a device is never in its own way', () => {
    expect(findObstacle(elevation([low]), low, { face: 'front', slot: '1/1', position: 2 })).toBeUndefined()
  })

  test('of a device in no unit begins at the first free place', () => {
    expect(findFirstTarget(elevation([low]), tall)).toEqual({ face: 'front', slot: '1/1', position: 3 })
  })

  test('under the pointer is a whole unit inside of the rack', () => {
    const under = (y: number) =>
      computeTarget(RACK, low, { face: 'front', point: { x: GUTTER + 5, y }, grabbed: 0 }).position
    expect([under(0), under(UNIT * 1.2), under(UNIT * 9)]).toEqual([3, 2, 1])
  })

  test('under the pointer of the rear has the slot that is drawn there', () => {
    const half = device('half', { slot: '1/2' })
    const at = (x: number) => computeTarget(RACK, half, { face: 'rear', point: { x, y: 0 }, grabbed: 0 }).slot
    expect([at(GUTTER + 5), at(GUTTER + WIDTH - 5)]).toEqual(['2/2', '1/2'])
  })

  test('goes to the slot beside, and not further', () => {
    expect([findSlotBeside('1/2', 1), findSlotBeside('2/2', 1), findSlotBeside('1/1', -1)]).toEqual([
      '2/2',
      undefined,
      undefined,
    ])
  })
})

test('the units above a place follow from the numbering', () => {
  const place = { position: 1, height: 2 }
  expect([
    computeUnitsAbove(RACK, place),
    computeUnitsAbove({ ...RACK, numbering: 'top_down' as never }, place),
  ]).toEqual([2, 0])
})

test.each([
  [{ position: 12, height: 2, face: 'front', slot: '1/1' }, 'U12–13, front'],
  [{ position: 12.5, height: 0.5, face: 'rear', slot: '2/3' }, 'U12.5, rear, slot 2 of 3'],
  [{ position: null, height: 1, face: 'front', slot: '1/1' }, 'in no unit'],
])('the place %j is %s', (place, text) => {
  expect(formatPosition(place)).toBe(text)
})
