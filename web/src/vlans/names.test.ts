import { expect, test } from 'bun:test'
import { createVlanNames, listUnnamedNumbers } from './names.ts'

const NO_PARENTS = new Map<string, string>()

const VLANS = [
  { vlan_id: 10, datacenter_id: null, name: 'Common' },
  { vlan_id: 10, datacenter_id: 'ams', name: 'Web' },
  { vlan_id: 10, datacenter_id: 'ams', name: 'Web B' },
  { vlan_id: 20, datacenter_id: 'ams', name: 'Storage' },
]

test.each([
  [10, 'ams', 'Web, Web B'],
  [10, 'ber', 'Common'],
  [10, null, 'Common'],
  [20, 'ber', ''],
  [20, null, ''],
  [null, 'ams', ''],
])('the VLANs of the number %p in the datacenter %p are called "%s"', (vlan_id, datacenter_id, names) => {
  expect(createVlanNames(VLANS, NO_PARENTS)({ vlan_id, datacenter_id })).toBe(names)
})

test('numbers without a name are counted by their datacenter', () => {
  const networks = [
    ...[10, 10, 20, 20, 30, null].map((vlan_id) => ({ vlan_id, datacenter_id: 'ber' })),
    ...[20, 20].map((vlan_id) => ({ vlan_id, datacenter_id: null })),
    { vlan_id: 20, datacenter_id: 'ams' },
  ]
  expect(listUnnamedNumbers(networks, VLANS, NO_PARENTS)).toEqual([
    { vlan_id: 20, datacenter_id: null, count: 2 },
    { vlan_id: 20, datacenter_id: 'ber', count: 2 },
    { vlan_id: 30, datacenter_id: 'ber', count: 1 },
  ])
})

test('a network has the VLANs of the nearest datacenter above that has one', () => {
  const parents = new Map([
    ['room', 'site'],
    ['site', 'ams'],
  ])
  expect(createVlanNames(VLANS, parents)({ vlan_id: 20, datacenter_id: 'room' })).toBe('Storage')
  expect(listUnnamedNumbers([{ vlan_id: 20, datacenter_id: 'room' }], VLANS, parents)).toEqual([])
})
