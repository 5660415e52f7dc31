// Links that a switch reports are proposed as long as it reports them.
import { describe, expect, test } from 'bun:test'
import { discoveryApp } from '../../testing/discovery.ts'
import { host, snmpFacts } from '../../testing/servers/scripted-scanner.ts'
import { engines } from '../../testing/servers/servers.ts'
import type { FoundHost, LldpNeighbour, SnmpFacts } from '../scanner/protocol.ts'

const SWITCH = '00:1b:21:00:00:01'
const SERVER = '00:1b:21:00:00:0c'

const server = (ip: string): FoundHost => host(ip, { mac: SERVER, names: [{ name: 'host-3', source: 'ptr' }] })
const switchAt = (ip: string, about: Parameters<typeof snmpFacts>[0]): FoundHost =>
  host(ip, { mac: SWITCH, names: [{ name: 'sw-1', source: 'snmp' }], snmp: snmpFacts(about) })
const onPort = (port: string) => ({ forwarding: [{ mac: SERVER, port }] })

describe.each(engines())('a link that a switch reports on %s', (dialect) => {
  const d = discoveryApp(dialect)
  /** A documented server that a switch has learned on a port. */
  const wired = async () => {
    const network = await d.network()
    const { id, at } = network
    await d.api.devices.create({ name: 'known', hostname: 'host-3', addresses: [{ ip: at(3) }] })
    await d.scan(id, [switchAt(at(1), onPort('Gi0/3')), server(at(3))], 'deep')
    return network
  }
  const proposed = async (network_id: string) =>
    (await d.api.inbox.list({ network_id, bucket: 'changed' })).flatMap(({ fields }) =>
      fields.map(({ field, observed }) => [field, observed]),
    )
  const switchIn = async (network_id: string) => (await d.api.discovery.list({ network_id }))[0]?.id ?? ''

  test('is proposed', async () => {
    const { id } = await wired()
    expect(await proposed(id)).toEqual([['switch_port', 'sw-1 Gi0/3']])
  })

  test('follows a changed report', async () => {
    const { id, at } = await wired()
    await d.scan(id, [switchAt(at(1), onPort('Gi0/7')), server(at(3))], 'deep')
    expect(await proposed(id)).toEqual([['switch_port', 'sw-1 Gi0/7']])
  })

  test('is removed when it is no longer reported', async () => {
    const { id, at } = await wired()
    await d.scan(id, [switchAt(at(1), { forwarding: [] }), server(at(3))], 'deep')
    expect(await proposed(id)).toEqual([])
  })

  test('is removed when the switch is gone', async () => {
    const { id, at } = await wired()
    await d.scan(id, [server(at(3))])
    expect(await proposed(id)).toEqual([])
  })

  test('is proposed again when the switch is back', async () => {
    const { id, at } = await wired()
    await d.scan(id, [server(at(3))])
    await d.scan(id, [switchAt(at(1), onPort('Gi0/3')), server(at(3))], 'deep')
    expect(await proposed(id)).toEqual([['switch_port', 'sw-1 Gi0/3']])
  })

  const FORGOTTEN = [
    ['deleted', async (_: string, sw: string) => d.api.discovery.delete({ id: sw })],
    ['deleted with others', async (_: string, sw: string) => d.api.discovery.removeMany({ ids: [sw] })],
  ] as const
  test.each(FORGOTTEN)('is removed when it is %s', async (_, forget) => {
    const { id } = await wired()
    await forget(id, await switchIn(id))
    expect(await proposed(id)).toEqual([])
  })

  test('of another network is nothing when that is cleared', async () => {
    const [one, other] = [await d.network(), await d.network()]
    await d.api.devices.create({ name: 'known', hostname: 'host-3', addresses: [{ ip: one.at(3) }] })
    await d.scan(one.id, [server(one.at(3))])
    await d.scan(other.id, [switchAt(other.at(1), onPort('Gi0/3'))], 'deep')
    const before = await proposed(one.id)
    await d.api.discovery.clear({ network_id: other.id })
    expect([before.length, await proposed(one.id)]).toEqual([1, []])
  })

  test('to its neighbors is removed when it reports none', async () => {
    const { id, at } = await d.network()
    await d.api.devices.create({ name: 'one', hostname: 'sw-1', addresses: [{ ip: at(1) }] })
    await d.api.devices.create({ name: 'two', hostname: 'host-3', addresses: [{ ip: at(3) }] })
    const lldp = [{ localPort: 'Gi0/1', remotePort: 'eth0', remoteName: '', remoteChassis: SERVER, remoteAddress: '' }]
    await d.scan(id, [switchAt(at(1), { lldp }), server(at(3))], 'deep')
    const before = await proposed(id)
    await d.scan(id, [switchAt(at(1), {}), server(at(3))], 'deep')
    expect([before, await proposed(id)]).toEqual([[['connected_to', 'two']], []])
  })

  /** Two documented devices, of which the first reports the second as its neighbor. */
  const neighbours = async (remotePort: string, remotePortDescription = '') => {
    const { id, at } = await d.network()
    const one = await d.api.devices.create({ name: `one of ${id}`, hostname: 'sw-1', addresses: [{ ip: at(1) }] })
    const two = await d.api.devices.create({ name: `two of ${id}`, hostname: 'host-3', addresses: [{ ip: at(3) }] })
    const named = { localPort: 'Gi0/1', remotePort, remotePortDescription }
    const lldp = [{ ...named, remoteName: '', remoteChassis: SERVER, remoteAddress: '' }]
    const interfaces = [
      { index: 1, name: 'Gi0/1', mac: SWITCH, addresses: [] },
      { index: 2, name: 'Gi0/2', mac: '', addresses: [] },
    ]
    await d.scan(id, [switchAt(at(1), { lldp, interfaces }), server(at(3))], 'deep')
    const accept = async () => {
      const [item] = await d.api.inbox.list({ network_id: id, bucket: 'changed' })
      return d.api.inbox.accept({ items: [{ id: item?.id ?? '', fields: ['connected_to'] }] })
    }
    return { one, two, accept }
  }
  const cablesOf = async ({ id }: { readonly id: string }) =>
    (await d.api.cables.list({ device_id: id })).map(({ a, b }) => [a.device_id, a.port, b.device_id, b.port])

  test('that is accepted makes the cable between the ports that LLDP named', async () => {
    const { one, two, accept } = await neighbours('eth0')
    await accept()
    expect(await cablesOf(one)).toEqual([[one.id, 'Gi0/1', two.id, 'eth0']])
    expect((await d.api.relationships.list({ device_id: one.id })).length).toBe(1)
  })

  /** A documented switch that names a documented neighbor, which has these interfaces. */
  const told = async (
    about: Partial<LldpNeighbour>,
    { name = 'host-3', interfaces = [] }: { name?: string; interfaces?: SnmpFacts['interfaces'] } = {},
  ) => {
    const { id, at } = await d.network()
    const one = await d.api.devices.create({ name: `one of ${id}`, hostname: 'sw-1', addresses: [{ ip: at(1) }] })
    const two = await d.api.devices.create({ name: `two of ${id}`, hostname: '', addresses: [{ ip: at(3) }] })
    const none = { localPort: 'Gi0/1', remoteName: '', remotePort: 'eth0', remoteChassis: '', remoteAddress: '' }
    const there = host(at(3), { mac: SERVER, names: [{ name, source: 'snmp' }], snmp: snmpFacts({ interfaces }) })
    await d.scan(id, [switchAt(at(1), { lldp: [{ ...none, ...about }] }), there], 'deep')
    const item = (await d.api.inbox.list({ network_id: id, bucket: 'changed' })).find(({ fields }) =>
      fields.some(({ field }) => field === 'connected_to'),
    )
    const because = item?.fields.find(({ field }) => field === 'connected_to')?.because
    if (item) await d.api.inbox.accept({ items: [{ id: item.id, fields: ['connected_to'] }] })
    return { one, two, because, cables: (await cablesOf(one)).map(([, from, , to]) => [from, to]) }
  }
  const ETH = [{ index: 1, name: 'eth0', description: 'Ethernet 0', mac: SERVER, addresses: [] }]

  test('is found by the system name of the neighbor, whole or without its domain, in any case', async () => {
    expect((await told({ remoteName: 'NAME-A.example.com' }, { name: 'name-a.example.com' })).because).toBe(
      'LLDP: Gi0/1 to eth0',
    )
    expect((await told({ remoteName: 'Name-B.example.com' }, { name: 'name-b' })).because).toBe('LLDP: Gi0/1 to eth0')
    expect((await told({ remoteName: 'name-c' }, { name: 'other-c' })).because).toBeUndefined()
  })

  test('by a name that two devices have is not proposed', async () => {
    await told({}, { name: 'axis' })
    expect((await told({ remoteName: 'axis' }, { name: 'axis' })).because).toBeUndefined()
  })

  test('that CDP reports is proposed as such', async () => {
    const { because, cables } = await told(
      { protocol: 'cdp', remoteName: 'cdp-1', remotePortIsName: true },
      { name: 'cdp-1' },
    )
    expect([because, cables]).toEqual(['CDP: Gi0/1 to eth0', [['Gi0/1', 'eth0']]])
  })

  test('to a device that lists its interfaces makes the cable to the one that is meant', async () => {
    for (const about of [
      { remotePort: 'ETH0' },
      { remotePort: 'Ethernet 0' },
      { remotePort: '7', remotePortDescription: 'eth0', remotePortIsName: false },
      { remotePort: SERVER },
    ])
      expect((await told({ remoteChassis: SERVER, ...about }, { interfaces: ETH })).cables).toEqual([['Gi0/1', 'eth0']])
  })

  test.each([
    ['a local port without a name', { localPort: '' }, []],
    ['a number of its own', { remotePort: '7', remotePortIsName: false }, []],
    ['an interface that the neighbour does not have', { remotePort: 'eth7' }, ETH],
    ['no port', { remotePort: '' }, []],
  ])('by %s makes no cable', async (_, about, interfaces) => {
    const { one, two, because, cables } = await told({ remoteChassis: SERVER, ...about }, { interfaces })
    expect(because).toStartWith('LLDP: ')
    expect(cables).toEqual([])
    expect((await d.api.relationships.list({ device_id: one.id })).length).toBe(1)
    expect(await d.api.ports.list({ device_id: two.id })).toEqual([])
  })

  test('that is accepted replaces no cable', async () => {
    const { one, two, accept } = await neighbours('eth0')
    const panel = await d.api.devices.create({ name: 'panel' })
    await d.api.cables.create({ a: { device_id: one.id, port: 'Gi0/1' }, b: { device_id: panel.id, port: '1' } })
    await accept()
    expect(await cablesOf(one)).toEqual([[one.id, 'Gi0/1', panel.id, '1']])
    expect(await d.api.ports.list({ device_id: two.id })).toEqual([])
    expect((await d.api.relationships.list({ device_id: one.id })).length).toBe(1)
  })

  test('by the MAC of a port makes the cable to that port, and to no port that is named so', async () => {
    const [known, unknown] = [await neighbours(SERVER), await neighbours(SERVER)]
    await d.api.ports.create({ device_id: known.two.id, name: 'eno1', mac_address: SERVER })
    await known.accept()
    await unknown.accept()
    expect(await cablesOf(known.one)).toEqual([[known.one.id, 'Gi0/1', known.two.id, 'eno1']])
    expect(await cablesOf(unknown.one)).toEqual([])
  })

  test('by the MAC of several ports, or of none, makes the cable to the port that the description names', async () => {
    const [bonded, unknown, unnamed] = [
      await neighbours(SERVER, 'ENO2'),
      await neighbours(SERVER, 'eno2'),
      await neighbours(SERVER, 'uplink'),
    ]
    for (const { two } of [bonded, unnamed])
      for (const name of ['bond0', 'eno2']) await d.api.ports.create({ device_id: two.id, name, mac_address: SERVER })
    for (const { accept } of [bonded, unknown, unnamed]) await accept()
    expect(await cablesOf(bonded.one)).toEqual([[bonded.one.id, 'Gi0/1', bonded.two.id, 'eno2']])
    expect(await cablesOf(unknown.one)).toEqual([[unknown.one.id, 'Gi0/1', unknown.two.id, 'eno2']])
    expect(await cablesOf(unnamed.one)).toEqual([])
  })

  test('gives its ports and their MACs to the device that adopts them', async () => {
    const { one } = await neighbours('eth0')
    await d.api.ports.create({ device_id: one.id, name: 'gi0/1', type: 'sfp' })
    expect(await d.api.ports.adopt({ device_id: one.id })).toEqual({ added: 1, updated: 1 })
    const ports = await d.api.ports.list({ device_id: one.id })
    expect(ports.map(({ name, type, mac_address }) => [name, type, mac_address])).toEqual([
      ['gi0/1', 'sfp', SWITCH],
      ['Gi0/2', '', ''],
    ])
    expect(await d.api.ports.adopt({ device_id: one.id })).toEqual({ added: 0, updated: 0 })
    expect(await d.ask('POST /api/devices/none/ports/adopt', {})).toMatchObject({ status: 404 })
  })
})
