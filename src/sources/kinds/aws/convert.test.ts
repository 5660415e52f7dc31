/** Rows of AWS: which networks and addresses they have, and which are left. */
import { describe, expect, test } from 'bun:test'
import { type Json, SnapshotError } from '../source-kind.ts'
import { convertAws } from './convert.ts'
import type { Instance, Snapshot, Subnet, Vpc } from './snapshot.ts'

const vpc = (id: string, ...blocks: string[]): Vpc => ({ id, blocks, tags: {} })
const subnet = (id: string, inVpc: string, block: string, ...ipv6_blocks: string[]): Subnet => ({
  ...{ id, vpc: inVpc, block, ipv6_blocks },
  ...{ zone: 'eu-central-1a', tags: {} },
})
const instance = (id: string, inVpc: string, ...ips: string[]): Instance => ({
  ...{
    id,
    vpc: inVpc,
    type: 't3.micro',
    state: 'running',
    zone: 'eu-central-1a',
    image: 'ami-1',
    platform: 'Linux/UNIX',
  },
  tags: {},
  interfaces: [{ name: 'eth0', mac: '02:00:00:00:00:01', addresses: ips.map((ip) => ({ ip, is_public: false })) }],
})
const region = (given: Partial<Snapshot['regions'][number]>): Snapshot['regions'][number] => ({
  ...{ region: 'eu-central-1', vpcs: [], subnets: [], instances: [] },
  ...given,
})

type Means = Pick<Parameters<typeof convertAws>[1], 'options' | 'placing'>

const convert = (regions: Snapshot['regions'], means: Partial<Means> = {}) => {
  const given = { options: {}, ref: 'aws', now: new Date(0), ...means }
  const { documents, about, report } = convertAws({ account: '1', regions }, given)
  const { spaces = [], networks = [], devices = [], ports = [] } = documents
  return { spaces, networks, devices, ports, about, left: report.left }
}
const listSubnets = (rows: readonly Record<string, unknown>[]) => rows.map((row) => row.subnet)
const getAddresses = (rows: readonly Record<string, unknown>[], at = 0) => rows[at]?.addresses

describe('networks', () => {
  test('blocks of VPCs and subnets are networks, called by their tag or their subnet', () => {
    const { networks, about } = convert([
      region({
        vpcs: [{ id: 'vpc-1', blocks: ['10.0.0.0/16', '2001:db8::/56'], tags: { Name: 'prod' } }],
        subnets: [
          subnet('subnet-1', 'vpc-1', '10.0.1.0/24', '2001:db8::/64'),
          subnet('subnet-2', 'vpc-1', '', '2001:db8:0:1::/64'),
        ],
      }),
    ])
    expect(networks.map(({ name, subnet: text, refs }) => [name, text, refs])).toEqual([
      ['prod', '10.0.0.0/16', { aws: 'vpc-1/10.0.0.0/16' }],
      ['prod', '2001:db8::/56', { aws: 'vpc-1/2001:db8::/56' }],
      ['10.0.1.0/24', '10.0.1.0/24', { aws: 'subnet-1' }],
      ['2001:db8::/64', '2001:db8::/64', { aws: 'subnet-1/2001:db8::/64' }],
      ['2001:db8:0:1::/64', '2001:db8:0:1::/64', { aws: 'subnet-2' }],
    ])
    expect(about.get('networks subnet-1')).toEqual({ type: 'network', place: 'eu-central-1/vpc-1' })
  })

  test('a subnet that is the whole VPC is left: the network exists once', () => {
    const { networks, left } = convert([
      region({ vpcs: [vpc('vpc-1', '10.0.0.0/24')], subnets: [subnet('subnet-1', 'vpc-1', '10.0.0.0/24')] }),
    ])
    expect(networks.map(({ refs }) => refs)).toEqual([{ aws: 'vpc-1/10.0.0.0/24' }])
    expect(left).toMatchObject([{ what: 'network', count: 1 }])
  })

  test('a block that is no network is left', () => {
    const { networks, left } = convert([region({ vpcs: [vpc('vpc-1', '10.0.0.0')] })])
    expect(networks).toEqual([])
    expect(left).toMatchObject([{ what: 'network', count: 1 }])
  })
})

describe('overlapping VPCs', () => {
  const OVERLAPPING = [
    region({
      // The order of the answer does not matter.
      vpcs: [vpc('vpc-2', '10.0.0.0/8', '172.20.0.0/16'), vpc('vpc-1', '10.1.0.0/16')],
      subnets: [
        subnet('subnet-1', 'vpc-1', '10.1.1.0/24'),
        subnet('subnet-2', 'vpc-2', '10.1.1.0/24'),
        subnet('subnet-3', 'vpc-2', '172.20.1.0/24'),
      ],
      instances: [
        instance('i-1', 'vpc-1', '10.1.1.5'),
        instance('i-2', 'vpc-2', '10.1.1.5', '172.20.1.5'),
        instance('i-3', 'vpc-2', '10.1.1.6'),
      ],
    }),
  ]

  test('the overlapping networks of the later VPC and their addresses are left, and the message has both settings', () => {
    const { networks, devices, ports, left } = convert(OVERLAPPING)
    expect(listSubnets(networks)).toEqual(['10.1.0.0/16', '172.20.0.0/16', '10.1.1.0/24', '172.20.1.0/24'])
    expect(devices.map(({ addresses }) => addresses)).toMatchObject([
      [{ ip: '10.1.1.5' }],
      [{ ip: '172.20.1.5' }],
      undefined,
    ])
    expect(ports).toHaveLength(3)
    expect(left.map(({ what, count }) => [what, count])).toEqual([
      ['network', 2],
      ['vm.address', 2],
    ])
    for (const { why } of left) expect(why).toMatch(/space_per_vpc.*places/)
  })

  test('a smaller block inside an earlier VPC is left too', () => {
    const { networks } = convert([region({ vpcs: [vpc('vpc-1', '10.0.0.0/8'), vpc('vpc-2', '10.9.0.0/16')] })])
    expect(listSubnets(networks)).toEqual(['10.0.0.0/8'])
  })

  test('nothing is left with a space for each VPC', () => {
    const { spaces, networks, devices, left } = convert(OVERLAPPING, { options: { space_per_vpc: true } })
    expect(spaces).toEqual([
      { name: 'vpc-1', refs: { aws: 'vpc-1' } },
      { name: 'vpc-2', refs: { aws: 'vpc-2' } },
    ])
    expect(networks.map(({ subnet: text, space }) => [text, space])).toEqual([
      ['10.1.0.0/16', { ref: 'aws:vpc-1' }],
      ['10.0.0.0/8', { ref: 'aws:vpc-2' }],
      ['172.20.0.0/16', { ref: 'aws:vpc-2' }],
      ['10.1.1.0/24', { ref: 'aws:vpc-1' }],
      ['10.1.1.0/24', { ref: 'aws:vpc-2' }],
      ['172.20.1.0/24', { ref: 'aws:vpc-2' }],
    ])
    expect(getAddresses(devices, 2)).toMatchObject([{ ip: '10.1.1.6', space: { ref: 'aws:vpc-2' } }])
    expect(left).toEqual([])
  })

  test('nothing is left if places put the VPCs into different spaces', () => {
    const places = [{ match: '*/vpc-2', space_id: 'second' }]
    expect(convert(OVERLAPPING, { placing: { spaceId: null, places } }).left).toEqual([])
  })

  test('regions share the space of the source', () => {
    const regions = ['eu-central-1', 'us-east-1'].map((name, at) =>
      region({ region: name, vpcs: [vpc(`vpc-${at}`, '172.31.0.0/16')] }),
    )
    expect(convert(regions).left).toMatchObject([{ what: 'network', count: 1 }])
    const places = [{ match: 'us-*', space_id: 'us' }]
    expect(convert(regions, { placing: { spaceId: null, places } }).left).toEqual([])
  })
})

describe('instances', () => {
  const MACHINE: Instance = {
    ...instance('i-1', 'vpc-1'),
    tags: { Name: 'web', team: 'blue', empty: '' },
    interfaces: [
      {
        name: 'eth0',
        mac: '02:00:00:00:00:01',
        addresses: [
          { ip: '10.0.0.5', is_public: false },
          { ip: '198.51.100.7', is_public: true },
          { ip: '2001:db8::5', is_public: false },
        ],
      },
      { name: 'eth1', mac: '02:00:00:00:00:02', addresses: [] },
    ],
  }
  const OPTIONS = { tag_keys: ['team', 'empty'], space_per_vpc: true }

  test('an instance has its name, tags, ports, addresses and facts', () => {
    const { devices, ports, about } = convert([region({ instances: [MACHINE] })], { options: OPTIONS })
    const mac_address = '02:00:00:00:00:01'
    const space = { ref: 'aws:vpc-1' }
    expect(devices).toEqual([
      {
        name: 'web',
        status: 'active',
        tags: ['vm', 'team:blue', 'empty'],
        refs: { aws: 'i-1' },
        addresses: [
          { ip: '10.0.0.5', space, mac_address, interface: 'eth0' },
          { ip: '198.51.100.7', label: 'public', mac_address, interface: 'eth0' },
          { ip: '2001:db8::5', space, mac_address, interface: 'eth0' },
        ],
      },
    ])
    expect(ports.map(({ name }) => name)).toEqual(['eth0', 'eth1'])
    expect(about.get('devices i-1')).toMatchObject({
      type: 'vm',
      place: 'eu-central-1/vpc-1',
      facts: { instance_type: 't3.micro', power: 'running' },
    })
  })

  test('a stopped instance is in maintenance, and a terminated one is left', () => {
    const { devices, left } = convert([
      region({
        instances: [
          { ...MACHINE, state: 'stopped' },
          { ...MACHINE, id: 'i-2', state: 'terminated' },
        ],
      }),
    ])
    expect(devices.map(({ status, refs }) => [status, refs])).toEqual([['maintenance', { aws: 'i-1' }]])
    expect(left).toMatchObject([{ what: 'vm', count: 1, why: 'is terminated' }])
  })
})

const OTHERS: Json[] = [null, [], {}, { account: '1' }, { account: '1', regions: [{ region: 1 }] }]

test.each(OTHERS.map((one) => [JSON.stringify(one), one] as const))('the snapshot %s is refused', (_, snapshot) => {
  expect(() => convertAws(snapshot, { options: {}, ref: 'aws', now: new Date(0) })).toThrow(SnapshotError)
})

test('ten thousand VPCs with the same block are compared in a moment', () => {
  const vpcs = Array.from({ length: 10_000 }, (_, at) =>
    vpc(`vpc-${at}`, '10.0.0.0/16', `100.64.${at >> 8}.${at & 255}/32`),
  )
  const { networks, left } = convert([region({ vpcs })])
  expect([networks.length, left[0]?.count]).toEqual([10_001, 9999])
})
