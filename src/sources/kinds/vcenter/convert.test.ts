/** Rows of vCenter: names, places, parents, and machines that are left. */
import { expect, test } from 'bun:test'
import { type Json, SnapshotError } from '../source-kind.ts'
import { convertVcenter } from './convert.ts'
import type { Container, Host, Snapshot, Vm } from './snapshot.ts'

const MEANS = { options: {}, ref: 'vcenter', now: new Date(0) }

const container = (type: string, id: string, parent: string): Container => ({ id, type, name: `name of ${id}`, parent })
const host = (id: string, given: Partial<Host> = {}): Host => ({
  ...{
    id,
    uuid: `uuid-${id}`,
    name: `${id}.example.com`,
    parent: '',
    vendor: 'Dell Inc.',
    model: 'R750',
    serial: 'SN1',
  },
  ...{ product: 'VMware ESXi 8.0.3', cpu: 'Xeon', cores: '32', memory_bytes: '274877906944', state: 'connected' },
  ...{ is_running: true, has_nics: true, nics: [] },
  ...given,
})
const vm = (id: string, given: Partial<Vm> = {}): Vm => ({
  ...{ id, uuid: `uuid-${id}`, name: id, is_template: false, host: '', parent: '', os: '', hostname: '' },
  ...{ power: 'poweredOn', tools: '', cpus: '2', memory_mib: '2048', has_nics: true, nics: [], inner_interfaces: 0 },
  ...given,
})
const convert = (given: Partial<Snapshot>) => {
  const { documents, about, report } = convertVcenter(
    { product: '', containers: [], hosts: [], vms: [], ...given },
    MEANS,
  )
  const { devices = [], ports = [], relationships = [] } = documents
  return { devices, ports, relationships, about, left: report.left }
}

const TREE = [
  container('Datacenter', 'dc', 'root'),
  container('Folder', 'hosts', 'dc'),
  container('Folder', 'inner', 'hosts'),
  container('ClusterComputeResource', 'cluster', 'inner'),
  container('ComputeResource', 'single', 'hosts'),
]

test('a host has its place, its model and its serial number, and contains its machines', () => {
  const { devices, about, relationships } = convert({
    containers: TREE,
    hosts: [host('h1', { parent: 'cluster' })],
    vms: [vm('v1', { host: 'h1', hostname: 'db.example.com' })],
  })
  expect(devices).toEqual([
    {
      ...{ name: 'h1.example.com', hostname: 'h1.example.com', status: 'active', os: 'VMware ESXi 8.0.3' },
      ...{ make_model: 'Dell Inc. R750', serial: 'SN1', tags: ['hypervisor', 'cluster:name of cluster'] },
      refs: { vcenter: 'host/uuid-h1' },
    },
    {
      ...{ name: 'v1', hostname: 'db.example.com', status: 'active', tags: ['vm', 'cluster:name of cluster'] },
      refs: { vcenter: 'vm/uuid-v1' },
    },
  ])
  expect(about.get('devices host/uuid-h1')).toMatchObject({
    place: 'name of dc/name of cluster',
    facts: { cpu: '32', cpu_model: 'Xeon', memory_mib: '262144', state: 'connected' },
  })
  expect(about.get('devices vm/uuid-v1')).toMatchObject({
    place: 'name of dc/name of cluster',
    facts: { cpu: '2', memory_mib: '2048', node: 'h1.example.com', power: 'poweredOn' },
  })
  expect(relationships).toEqual([
    { parent: { ref: 'vcenter:host/uuid-h1' }, type: 'contains', child: { ref: 'vcenter:vm/uuid-v1' } },
  ])
})

test('a host of no cluster is in its data center, and a machine of no host is where its folder is', () => {
  const { about, devices } = convert({
    containers: [...TREE, container('Folder', 'vms', 'dc')],
    hosts: [host('h1', { parent: 'single' })],
    vms: [vm('v1', { parent: 'vms' })],
  })
  expect([...about.values()].map(({ place }) => place)).toEqual(['name of dc', 'name of dc'])
  expect(devices.map(({ tags }) => tags)).toEqual([['hypervisor'], ['vm']])
})

test('folders that contain each other end nowhere', () => {
  const containers = [container('Folder', 'a', 'b'), container('Folder', 'b', 'a')]
  expect(convert({ containers, hosts: [host('h1', { parent: 'a' })] }).devices).toHaveLength(1)
})

test('an address, a text and a name of loopback are no host names', () => {
  const { devices } = convert({
    hosts: [host('h1', { name: '10.0.0.2' }), host('h2', { name: 'First host' })],
    vms: [vm('v1', { hostname: 'localhost.localdomain' })],
  })
  expect(devices.map(({ name, hostname }) => [name, hostname])).toEqual([
    ['10.0.0.2', undefined],
    ['First host', undefined],
    ['v1', undefined],
  ])
})

test('templates and machines without an id are left, and copies of one id exist once', () => {
  const { devices, left } = convert({
    hosts: [host('h1', { uuid: '' })],
    vms: [vm('v1', { is_template: true }), vm('v2', { uuid: '' }), vm('v3'), vm('v4', { uuid: 'uuid-v3' })],
  })
  expect(devices.map(({ name }) => name)).toEqual(['v3'])
  expect(left.map(({ what, why }) => [what, why])).toEqual([
    ['host', 'has no UUID of its hardware'],
    ['vm', 'is a template'],
    ['vm', 'has no UUID'],
    ['vm', expect.stringContaining('twice')],
  ])
})

test('a machine with interfaces that cannot be read keeps the ports of before', () => {
  const { about } = convert({
    hosts: [host('h1', { has_nics: false })],
    vms: [vm('v1', { has_nics: false }), vm('v2')],
  })
  expect([...about.values()].map(({ isPartial }) => isPartial)).toEqual([true, true, undefined])
})

test('unknown addresses are not said, and an empty list is', () => {
  const nic = { name: 'Network adapter 1', mac: '00:50:56:aa:00:01' }
  const { devices, ports } = convert({
    vms: [
      vm('v1', { nics: [{ ...nic, addresses: null }] }),
      vm('v2', { nics: [{ ...nic, addresses: [] }] }),
      vm('v3', { nics: [{ ...nic, addresses: ['10.0.0.5'] }] }),
    ],
  })
  expect(devices.map(({ addresses }) => addresses)).toEqual([
    undefined,
    [],
    [{ ip: '10.0.0.5', mac_address: nic.mac, interface: nic.name }],
  ])
  expect(ports).toHaveLength(3)
})

const OTHERS: Json[] = [null, [], {}, { product: '', containers: [], hosts: [], vms: [{ id: 1 }] }]

test.each(OTHERS.map((one) => [JSON.stringify(one), one] as const))('the snapshot %s is refused', (_, snapshot) => {
  expect(() => convertVcenter(snapshot, MEANS)).toThrow(SnapshotError)
})
