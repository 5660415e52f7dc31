import { describe, expect, test } from 'bun:test'
import { buildAddressMap, findFirstInteresting, getState } from './address-map.ts'

const map = buildAddressMap([
  { ip: '10.0.0.254', status: 'reserved' },
  { ip: '10.0.0.255', status: 'used', device_id: 'web-1' },
  { ip: '10.0.1.0', status: 'available' },
])

describe('the map of a pool', () => {
  test('begins and ends at blocks of 256', () => {
    expect(map?.blocks).toBe(2)
    expect(
      map && [getState(map, 0), getState(map, 254), getState(map, 255), getState(map, 256), getState(map, 257)],
    ).toEqual(['outside', 'reserved', 'used', 'available', 'outside'])
  })

  test('knows addresses and devices', () => {
    expect(map && [map.ipAt(256), map.shortAt(256), map.deviceIds.get(255)]).toEqual(['10.0.1.0', '0', 'web-1'])
  })

  test('begins where something is free', () => expect(map && findFirstInteresting(map)).toBe(256))

  test('is in hexadecimal for IPv6', () => {
    const six = buildAddressMap([{ ip: '2001:db8::1f', status: 'available' }])
    expect(six && [six.ipAt(31), six.shortAt(31)]).toEqual(['2001:db8::1f', '1f'])
  })

  test('is none for a pool without addresses', () => expect(buildAddressMap([])).toBeUndefined())
})
