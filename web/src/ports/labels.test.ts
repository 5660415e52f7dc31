/** Ports in words. */
import { describe, expect, test } from 'bun:test'
import { collectGroups, formatSpeed, formatVlans, splitName } from './labels.ts'

test.each([
  [null, ''],
  [10, '10 Mbit/s'],
  [1000, '1 Gbit/s'],
  [2500, '2.5 Gbit/s'],
  [400_000, '400 Gbit/s'],
  [1_600_000, '1.6 Tbit/s'],
])('a speed of %p is shown as %p', (mbps, text) => expect(formatSpeed(mbps)).toBe(text))

test.each([
  [null, [], ''],
  [10, [], '10'],
  [null, [20, 21], 'tagged 20-21'],
  [10, [20, 21, 40], '10, tagged 20-21, 40'],
])('VLAN %p and tagged %p are shown as %p', (vlan_id, tagged_vlan_ids, text) =>
  expect(formatVlans({ vlan_id, tagged_vlan_ids })).toBe(text),
)

describe('names of ports', () => {
  test('are split before their last number', () => {
    expect(['Gi0/12', '7', 'mgmt', 'p2 rear'].map(splitName)).toEqual([
      { prefix: 'Gi0/', label: '12' },
      { prefix: '', label: '7' },
      { prefix: '', label: 'mgmt' },
      { prefix: '', label: 'p2 rear' },
    ])
  })

  test('are grouped by what is before it', () => {
    const ports = ['Gi0/1', 'Gi0/2', 'Te1/1', 'mgmt'].map((name) => ({ name }))
    expect(collectGroups(ports).map(({ prefix, ports: found }) => [prefix, found.map(({ name }) => name)])).toEqual([
      ['Gi0/', ['Gi0/1', 'Gi0/2']],
      ['Te1/', ['Te1/1']],
      ['', ['mgmt']],
    ])
  })
})
