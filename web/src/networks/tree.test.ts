import { describe, expect, test } from 'bun:test'
import type { Network } from '../api/contracts.ts'
import { withNestedUse } from './known-use.ts'
import {
  buildNetworkTree,
  findAround,
  formatRange,
  formatRangeSize,
  listBlocks,
  listSpaceRows,
  listTreeRows,
  type TreeRow,
} from './tree.ts'

const network = (subnet: string): Network => ({
  id: subnet,
  name: subnet,
  subnet,
  vlan_id: null,
  datacenter_id: null,
  description: '',
  refs: {},
  managed_by: '',
  created_at: '2026-01-01T00:00:00.000Z',
  updated_at: '2026-01-01T00:00:00.000Z',
  scanner: '',
})

const textOf = (row: TreeRow): string =>
  row.kind === 'gap'
    ? `+${formatRange(row.range)}, ${formatRangeSize(row.range)}`
    : row.kind === 'space'
      ? `${row.name} ${row.children}`
      : row.network.subnet

const indented = (row: TreeRow): string => `${' '.repeat(row.level - 1)}${textOf(row)}`

const rows = (subnets: readonly string[], hasGaps = false) =>
  listTreeRows(buildNetworkTree(subnets.map(network)), { isExpanded: () => true, hasGaps }).map(indented)

describe('the tree of networks', () => {
  test('puts each network into the most specific one that contains it', () => {
    const subnets = ['10.0.1.0/24', '10.0.0.0/8', '10.0.0.0/16', '192.168.0.0/24', '10.0.0.0/24', '10.1.0.0/24']
    expect(rows(subnets)).toEqual([
      '10.0.0.0/8',
      ' 10.0.0.0/16',
      '  10.0.0.0/24',
      '  10.0.1.0/24',
      ' 10.1.0.0/24',
      '192.168.0.0/24',
    ])
  })

  test('has IPv6 after IPv4, and in networks of its own', () => {
    expect(rows(['2001:db8:1::/48', '::/0', '0.0.0.0/0', '10.0.0.0/8'])).toEqual([
      '0.0.0.0/0',
      ' 10.0.0.0/8',
      '::/0',
      ' 2001:db8:1::/48',
    ])
  })

  test('has the same subnet twice side by side', () => {
    expect(rows(['10.0.0.0/24', '10.0.0.0/24'])).toEqual(['10.0.0.0/24', '10.0.0.0/24'])
  })

  test('shows what is free between the networks of another, in its place', () => {
    expect(rows(['10.0.0.0/22', '10.0.1.0/24', '10.0.2.0/24'], true)).toEqual([
      '10.0.0.0/22',
      ' +10.0.0.0 – 10.0.0.255, 256 addresses',
      ' 10.0.1.0/24',
      ' 10.0.2.0/24',
      ' +10.0.3.0 – 10.0.3.255, 256 addresses',
    ])
  })

  test('adjacent free blocks are one row, also beside overlapping and IPv6 networks', () => {
    expect(rows(['10.10.0.0/16', '10.10.100.0/24', '10.10.100.0/24'], true)).toEqual([
      '10.10.0.0/16',
      ' +10.10.0.0 – 10.10.99.255, 25,600 addresses',
      ' 10.10.100.0/24',
      ' 10.10.100.0/24',
      ' +10.10.101.0 – 10.10.255.255, 39,680 addresses',
    ])
    expect(rows(['2001:db8::/32', '2001:db8::/33'], true).at(-1)).toBe(
      ' +2001:db8:8000:: – 2001:db8:ffff:ffff:ffff:ffff:ffff:ffff, 2^95 addresses',
    )
    expect(rows(['10.0.0.0/30', '10.0.0.0/31', '10.0.0.2/32'], true).at(-1)).toBe(' +10.0.0.3 – 10.0.0.3, 1 address')
  })

  test('the blocks of a gap cover it exactly', () => {
    const gap = listTreeRows(buildNetworkTree(['10.10.0.0/16', '10.10.100.0/24'].map(network)), {
      isExpanded: () => true,
      hasGaps: true,
    })[1]
    expect(gap?.kind === 'gap' && listBlocks(gap.range)).toEqual(['10.10.0.0/18', '10.10.64.0/19', '10.10.96.0/22'])
  })

  test('the network around a subnet is the most specific one of its address space', () => {
    const lab = { ...network('10.0.0.0/24'), id: 'lab', space_id: 'lab' }
    const all = [network('10.0.0.0/8'), network('10.0.0.0/16'), lab]
    expect(findAround(all, '10.0.0.0/25', undefined)?.id).toBe('10.0.0.0/16')
    expect(findAround(all, '10.0.0.0/16', undefined)?.id).toBe('10.0.0.0/16')
    expect(findAround(all, '10.0.0.0/25', 'lab')?.id).toBe('lab')
    expect(findAround(all, '192.168.0.0/24', undefined)).toBeUndefined()
    expect(findAround(all, '', undefined)).toBeUndefined()
  })

  test('counts used and reserved addresses in a network and in its subnets', () => {
    const inUse = (subnet: string, used_ips: number, nested_used_ips?: number): Network => ({
      ...network(subnet),
      utilization: {
        network_id: subnet,
        total_ips: 1000,
        used_ips,
        reserved_ips: 0,
        available_ips: 1000 - used_ips,
        utilization: used_ips / 10,
        ...(nested_used_ips !== undefined && { nested_used_ips, nested_reserved_ips: 20 }),
      },
    })
    const networks = withNestedUse([inUse('10.0.0.0/16', 1, 10), inUse('10.0.0.0/20', 0, 9), inUse('10.0.1.0/24', 9)])
    expect(networks.map(({ utilization }) => [utilization?.used_ips, utilization?.utilization])).toEqual([
      [10, 3],
      [9, 2.9],
      [9, 0.9],
    ])
    expect(networks.map(({ utilization }) => utilization?.available_ips)).toEqual([970, 971, 991])
  })

  test('the tree puts networks into the networks of their address space, below a row for each space', () => {
    const inLab = (subnet: string): Network => ({ ...network(subnet), id: `lab ${subnet}`, space_id: 'lab' })
    const all = [inLab('10.0.1.0/24'), network('10.0.0.0/8'), network('10.0.1.0/24'), inLab('10.0.0.0/16')]
    const spaces = [
      { id: undefined, name: 'Default space' },
      { id: 'empty', name: 'Empty' },
      { id: 'lab', name: 'Lab' },
    ]
    const shown = (isExpanded: (id: string) => boolean) =>
      listSpaceRows(buildNetworkTree(all), spaces, { isExpanded, hasGaps: false }).map(indented)
    expect(shown(() => true)).toEqual([
      ...['Default space 1', ' 10.0.0.0/8', '  10.0.1.0/24'],
      ...['Lab 1', ' 10.0.0.0/16', '  10.0.1.0/24'],
    ])
    expect(shown((id) => id === 'space lab')).toEqual(['Default space 1', 'Lab 1', ' 10.0.0.0/16'])
  })

  test('leaves out collapsed networks', () => {
    const nodes = buildNetworkTree(['10.0.0.0/16', '10.0.1.0/24'].map(network))
    const [only, ...rest] = listTreeRows(nodes, { isExpanded: () => false, hasGaps: true })
    expect([only?.kind === 'network' && only.children, only?.kind === 'network' && only.isExpanded, rest]).toEqual([
      1,
      false,
      [],
    ])
  })
})
