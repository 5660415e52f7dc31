import { describe, expect, test } from 'bun:test'
import { mountInput, mountText, readMount, writeMount } from '../devices/form/mount-values.ts'
import { formatNewPosition, parseNewPosition } from './new-position.ts'

const MOUNT = {
  ...{ rack_id: 'r', position: 12.5, height: 0.5, face: 'rear', full_depth: false, slot: '2/2', power_w: null },
}

describe('the place of a device in its form', () => {
  test('is sent as it was read', () => {
    expect(mountInput(mountText(MOUNT))).toEqual(MOUNT)
  })

  test('without a rack is no place', () => {
    expect(mountText(null)).toBe('')
    expect(mountInput(writeMount({ rack_id: '', position: '12' }))).toBeNull()
  })

  test('leaves what is empty to the server', () => {
    expect(mountInput(writeMount({ rack_id: 'r' }))).toEqual({
      ...{ rack_id: 'r', position: null, height: null, face: 'front', full_depth: null, slot: '1/1', power_w: null },
    })
  })

  test('sends what is no number as it is typed: no unit is another place', () => {
    expect(mountInput(writeMount({ rack_id: 'r', position: 'twelve' }))).toMatchObject({ position: 'twelve' })
  })

  test('has its parts in one order', () => {
    const { rack_id, ...rest } = readMount(mountText(MOUNT))
    expect(writeMount({ ...rest, rack_id })).toBe(mountText(MOUNT))
  })
})

describe('the place of a new device in the URL', () => {
  test.each([
    { face: 'front', position: 12, slot: '1/1' },
    { face: 'rear', position: 3.5, slot: '2/4', height: 0.5 },
  ] as const)('%j is read as it was written', (place) => {
    expect(parseNewPosition(formatNewPosition(place))).toEqual(place)
  })

  test.each(['', '1', 'top 1 1/1', 'front x 1/1', 'front 1 5/5'])('%p is none', (text) => {
    expect(parseNewPosition(text)).toBeUndefined()
  })
})
