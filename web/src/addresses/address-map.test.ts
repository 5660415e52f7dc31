import { describe, expect, test } from 'bun:test'
import { buildAddressMap, findFirstInteresting, getState, listPoolEdges } from './address-map.ts'

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

describe('the map of a network', () => {
  const entries = Array.from({ length: 64 }, (_, at) => ({
    ip: `10.0.0.${at}`,
    status: at < 32 ? ('available' as const) : at === 40 ? ('used' as const) : ('reserved' as const),
    ...(at >= 32 && { network_id: 'inner' }),
  }))
  const pools = [
    { id: 'wide', name: 'wide', start_ip: '10.0.0.1', end_ip: '10.0.0.30' },
    { id: 'small', name: 'small', start_ip: '10.0.0.2', end_ip: '10.0.0.3' },
    { id: 'six', name: 'six', start_ip: '2001:db8::', end_ip: '2001:db8::ff' },
  ]
  const network = buildAddressMap(entries, pools)

  test('knows the network inside to which an address belongs', () => {
    expect(network && [getState(network, 31), getState(network, 32), getState(network, 40)]).toEqual([
      'available',
      'nested',
      'used',
    ])
    expect(network && [network.networkIds.get(31), network.networkIds.get(40)]).toEqual([undefined, 'inner'])
  })

  test('knows the smallest pool of an address', () => {
    expect([0, 1, 2, 3, 4, 30, 31].map((at) => network?.findPool(at)?.id)).toEqual([
      ...[undefined, 'wide', 'small', 'small', 'wide', 'wide', undefined],
    ])
  })

  test('has the edges of each pool', () => {
    const edges = [0, 1, 2, 3, 4, 15, 16, 18, 30].map((at) => network && listPoolEdges(network, at))
    expect(edges).toEqual(['', 'trl', 'tbl', 'trb', 'tl', 'trb', 'tbl', 'tb', 'rb'])
  })
})
