/** The rows of a Docker engine: which addresses, names and states it says. */
import { describe, expect, test } from 'bun:test'
import { type Json, SnapshotError } from '../source-kind.ts'
import { convertDocker } from './convert.ts'
import { docker } from './kind.ts'

type Container = Readonly<Record<string, Json>>

const SNAPSHOT = {
  version: { Version: '24.0.7', ApiVersion: '1.43' },
  info: { Name: 'box-1', OperatingSystem: 'Debian GNU/Linux 12', NCPU: 4, MemTotal: 8 * 2 ** 30 },
  networks: [
    { Name: 'lan', Driver: 'macvlan' },
    { Name: 'vlan', Driver: 'ipvlan' },
    { Name: 'inner', Driver: 'bridge' },
  ],
}
const convert = (containers: readonly Container[], options: Record<string, unknown> = {}) =>
  convertDocker(
    { ...SNAPSHOT, containers },
    { options: docker.Options.parse(options), ref: 'docker', now: new Date(0) },
  )
const container = (more: Container = {}): Container => ({
  Id: 'f00',
  Names: ['/web'],
  Image: 'nginx',
  State: 'running',
  ...more,
})
const join = (networks: Readonly<Record<string, Json>>): Container =>
  container({ NetworkSettings: { Networks: networks } })
const getContainer = (rows: ReturnType<typeof convert>) => rows.documents.devices?.[1]

describe('the engine', () => {
  test('is a host with its name and system, which contains the containers', () => {
    const { documents, about } = convert([container()])
    expect(documents.devices?.[0]).toEqual({
      name: 'box-1',
      hostname: 'box-1',
      status: 'active',
      os: 'Debian GNU/Linux 12',
      tags: ['hypervisor'],
      refs: { docker: 'engine' },
    })
    expect(about.get('devices engine')?.facts).toEqual({ engine: '24.0.7', cpu: '4', memory_mib: '8192' })
    expect(documents.relationships).toEqual([
      { parent: { ref: 'docker:engine' }, type: 'contains', child: { ref: 'docker:container/web' } },
    ])
  })

  test('is read without its containers where the option says so, and they are counted', () => {
    const { documents, report } = convert([container(), container({ Names: ['/db'] })], { containers: false })
    expect(documents.devices).toHaveLength(1)
    expect(report.read).toEqual({ host: 1, container: 2 })
    expect(report.left).toMatchObject([{ what: 'container', count: 2 }])
  })
})

describe('a container', () => {
  test('has its own name, and not the name of a link', () => {
    expect(getContainer(convert([container({ Names: ['/other/db', '/db'] })]))?.refs).toEqual({
      docker: 'container/db',
    })
  })

  test('has addresses of macvlan and ipvlan networks only', () => {
    const rows = convert([
      join({
        lan: { IPAddress: '192.0.2.10', GlobalIPv6Address: '2001:db8::10', MacAddress: '02:42:c0:00:02:0a' },
        vlan: { IPAddress: '198.51.100.7', MacAddress: '' },
        inner: { IPAddress: '172.18.0.2', MacAddress: '02:42:ac:12:00:02' },
      }),
    ])
    expect(getContainer(rows)?.addresses).toEqual([
      { ip: '192.0.2.10', mac_address: '02:42:c0:00:02:0a' },
      { ip: '2001:db8::10', mac_address: '02:42:c0:00:02:0a' },
      { ip: '198.51.100.7' },
    ])
    expect(rows.documents.ports).toBeUndefined()
    expect(rows.about.get('devices container/web')?.macs).toEqual([])
  })

  test('says that it has none where it runs behind the host', () => {
    expect(getContainer(convert([join({ inner: { IPAddress: '172.18.0.2' } })]))?.addresses).toEqual([])
  })

  test.each(['exited', 'created', 'paused'])('says nothing of its addresses while it is %s', (State) => {
    const row = getContainer(convert([{ ...join({ lan: { IPAddress: '' } }), State }]))
    expect([row?.status, row && 'addresses' in row]).toEqual(['maintenance', false])
  })

  test.each(['com.docker.compose.project', 'io.podman.compose.project'])('has the project of %s as a tag', (label) => {
    expect(getContainer(convert([container({ Labels: { [label]: 'shop', password: 'x' } })]))?.tags).toEqual([
      'container',
      'project:shop',
    ])
  })

  test('has its ports in one order, each once', () => {
    const Ports = [
      { IP: '::', PrivatePort: 80, PublicPort: 8080, Type: 'tcp' },
      { PrivatePort: 53, Type: 'udp' },
      { IP: '0.0.0.0', PrivatePort: 80, PublicPort: 8080, Type: 'tcp' },
    ]
    expect(convert([container({ Ports })]).about.get('devices container/web')?.facts).toEqual({
      image: 'nginx',
      ports: '53/udp, 8080->80/tcp',
    })
  })

  test('with the name of another one is counted as left', () => {
    const { report, documents } = convert([container(), container()])
    expect([documents.devices?.length, report.left.map(({ what, count }) => [what, count])]).toEqual([
      2,
      [['container', 1]],
    ])
  })
})

test('a snapshot of another shape is refused', () => {
  const means = { options: {}, ref: 'docker', now: new Date(0) }
  expect(() => convertDocker({ ...SNAPSHOT, containers: 'none' }, means)).toThrow(SnapshotError)
})
