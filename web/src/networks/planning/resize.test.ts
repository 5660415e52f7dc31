import { describe, expect, test } from 'bun:test'
import type { Network } from '../../api/contracts.ts'
import { createResizer, type Part } from './resize.ts'

const network = (text: string): Network => {
  const [subnet = '', space_id] = text.split(' ')
  return {
    id: text,
    name: text,
    subnet,
    vlan_id: null,
    datacenter_id: null,
    description: '',
    refs: {},
    managed_by: '',
    created_at: '2026-01-01T00:00:00.000Z',
    updated_at: '2026-01-01T00:00:00.000Z',
    scanner: '',
    ...(space_id !== undefined && { space_id }),
  }
}

const textsOf = ({ networks, free }: Part) => [
  ...networks.map((one) => `${one.network.id}${one.nested > 0 ? ` +${one.nested}` : ''}`),
  ...free.map((subnet) => `${subnet} free`),
]

/** The first network is changed. */
const resized = (all: readonly string[], subnet: string, space_id?: string) => {
  const resize = createResizer(all.map(network), all[0] ?? '')({ subnet, space_id })
  return resize && { comesIn: textsOf(resize.comesIn), goesOut: textsOf(resize.goesOut) }
}

describe('a resize of a network', () => {
  const around = [
    '10.0.0.0/8',
    '10.0.3.0/24',
    '10.0.2.0/24',
    '10.0.2.64/26',
    '10.0.2.128/25',
    '10.0.0.0/26',
    '10.1.0.0/16',
  ]

  test('to more addresses brings in the networks and free blocks of the others', () => {
    expect(resized(['10.0.0.0/24', ...around], '10.0.0.0/21')).toEqual({
      comesIn: ['10.0.2.0/24 +2', '10.0.3.0/24', '10.0.1.0/24 free', '10.0.4.0/22 free'],
      goesOut: [],
    })
  })

  test('a resize of a network to fewer addresses leaves out the networks of the rest, and a network with the new subnet', () => {
    expect(resized(['10.0.0.0/22', ...around], '10.0.2.0/24')).toEqual({
      comesIn: [],
      goesOut: [
        '10.0.0.0/26',
        '10.0.2.0/24',
        '10.0.3.0/24',
        ...['64/26', '128/25'].map((end) => `10.0.0.${end} free`),
        '10.0.1.0/24 free',
      ],
    })
  })

  test('to other addresses does both', () => {
    expect(resized(['10.0.0.0/24', ...around], '10.0.3.0/23')).toEqual({
      comesIn: ['10.0.2.0/24 +2', '10.0.3.0/24'],
      goesOut: ['10.0.0.0/26', '10.0.0.64/26 free', '10.0.0.128/25 free'],
    })
  })

  test('brings in a network that has contained it, without the networks that it has already', () => {
    expect(resized(['10.0.0.0/24', '10.0.0.0/23', '10.0.0.0/26', '10.0.1.0/26'], '10.0.0.0/22')).toEqual({
      comesIn: ['10.0.0.0/23 +1', '10.0.2.0/23 free'],
      goesOut: [],
    })
  })

  test('counts IPv6 in the same way', () => {
    const all = ['2001:db8::/48', '2001:db8::/64', '2001:db8:1::/49', '2001:db8:1:8000::/64', '::/0', '10.0.0.0/8']
    const gained = Array.from({ length: 15 }, (_, i) => `2001:db8:1:${(0x8000 + 2 ** i).toString(16)}::/${64 - i} free`)
    expect(resized(all, '2001:db8::/47')).toEqual({
      comesIn: ['2001:db8:1::/49', '2001:db8:1:8000::/64', ...gained],
      goesOut: [],
    })
    expect(resized(['2001:db8::/127', '10.0.0.0/25'], '10.0.0.0/24')).toEqual({
      comesIn: ['10.0.0.0/25', '10.0.0.128/25 free'],
      goesOut: ['2001:db8::/127 free'],
    })
  })

  test('is of one address space, that of the form for the new subnet', () => {
    const all = ['10.0.0.0/24', '10.0.0.0/26', '10.0.1.0/24 lab', '10.0.0.0/25 lab']
    expect(resized(all, '10.0.0.0/23')).toEqual({ comesIn: ['10.0.1.0/24 free'], goesOut: [] })
    expect(resized(all, '10.0.0.0/23', 'lab')).toEqual({
      comesIn: ['10.0.0.0/25 lab', '10.0.1.0/24 lab', '10.0.0.128/25 free'],
      goesOut: ['10.0.0.0/26', '10.0.0.64/26 free', '10.0.0.128/25 free'],
    })
  })

  test('is none for the same block in any notation, for a text that is no subnet, and for an unknown network', () => {
    for (const subnet of ['10.0.0.0/24', '10.0.0.7/24', '10.0.0.0', '10.0.0.0/33', ''])
      expect(resized(['10.0.0.0/24', '10.0.0.0/26'], subnet)).toBeUndefined()
    expect(createResizer([], 'gone')({ subnet: '10.0.0.0/24' })).toBeUndefined()
  })
})
