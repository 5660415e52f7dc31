import { describe, expect, test } from 'bun:test'
import type { Network } from '../api/contracts.ts'
import { createNetworkFinder, filterInside } from './inside.ts'

const network = (id: string, subnet: string, space_id?: string): Network =>
  // The other fields are not read.
  ({ id, name: id, subnet, ...(space_id && { space_id }) }) as Network

const wide = network('wide', '10.0.0.0/16')
const near = network('near', '10.0.1.0/24')
const twin = network('twin', '10.0.0.0/16')
const branch = network('branch', '10.0.1.0/24', 'branches')
const all = [wide, near, branch, network('other', '10.1.0.0/24')]

describe('the networks inside a network', () => {
  test('lie in its subnet and in its space', () => {
    expect(filterInside(all, wide)).toEqual([near])
    expect(filterInside([...all, twin], wide)).toEqual([near])
    expect(filterInside(all, near)).toEqual([])
  })
})

describe('the network of an address', () => {
  const find = createNetworkFinder(all)
  const of = (ip: string, network_id: string | null = null, space_id?: string) =>
    find({ ip, network_id, ...(space_id && { space_id }) })?.id

  test('is the one that the address names', () => expect(of('10.0.1.9', 'wide')).toBe('wide'))
  test('is the most specific one by default', () => {
    expect([of('10.0.1.9'), of('10.0.2.9'), of('192.0.2.1')]).toEqual(['near', 'wide', undefined])
  })
  test('is in the space of the address', () => {
    expect([of('10.0.1.9', null, 'branches'), of('10.0.2.9', null, 'branches')]).toEqual(['branch', undefined])
  })
})
