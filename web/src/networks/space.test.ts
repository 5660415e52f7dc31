import { expect, test } from 'bun:test'
import {
  computeFirstSubnet,
  computeLengths,
  computeLengthsOfBlocks,
  countSubnetsLeft,
  findFirstSubnet,
  hasSubnet,
} from './space.ts'

const free = (subnet: string, used_ips = 0) => ({ subnet, total_ips: 1, used_ips, pools: [] })

test('the remaining subnets are the free blocks that are not shorter', () => {
  const blocks = [free('10.0.0.0/24'), free('10.0.2.0/23'), free('10.0.4.0/26')]
  expect([22, 24, 26].map((length) => countSubnetsLeft(blocks, length).count)).toEqual([0, 3, 13])
  expect(countSubnetsLeft([...blocks, free('10.0.8.0/24', 1)], 24)).toEqual({ count: 3, isLeast: true })
})

test('the lengths of subnets begin behind that of the network', () => {
  expect([computeLengths('10.0.0.0/24', false), computeLengths('2001:db8::/64', true)]).toEqual([
    { min: 25, max: 32 },
    { min: 64, max: 128 },
  ])
})

test('the first subnet of a block is in it', () => {
  expect(computeFirstSubnet('10.0.0.0/22', 24)).toBe('10.0.0.0/24')
  expect([
    hasSubnet('10.0.0.0/22', '10.0.3.0/24'),
    hasSubnet('10.0.0.0/22', '10.0.4.0/24'),
    hasSubnet('10.0.0.0/22', undefined),
  ]).toEqual([...[true, false, false]])
})

test('a subnet of several blocks is the lowest that fits into one of them', () => {
  const blocks = ['10.0.1.0/24', '10.0.2.0/23', '10.0.8.0/21']
  expect(computeLengthsOfBlocks(blocks)).toEqual({ min: 21, max: 32 })
  expect([26, 24, 23, 22, 21, 20].map((length) => findFirstSubnet(blocks, length))).toEqual([
    '10.0.1.0/26',
    '10.0.1.0/24',
    '10.0.2.0/23',
    '10.0.8.0/22',
    '10.0.8.0/21',
    undefined,
  ])
})
