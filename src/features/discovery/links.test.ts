// What switches tell of others is proposed for as long as they tell it.
import { describe, expect, test } from 'bun:test'
import type { FoundHost } from '../../scanner/protocol.ts'
import { discoveryApp } from '../../testing/discovery.ts'
import { host, snmpFacts } from '../../testing/scripted-scanner.ts'
import { dialects } from '../../testing/servers.ts'

const SWITCH = '00:1b:21:00:00:01'
const SERVER = '00:1b:21:00:00:0c'

const server = (ip: string): FoundHost => host(ip, { mac: SERVER, names: [{ name: 'host-3', source: 'ptr' }] })
const switchAt = (ip: string, about: Parameters<typeof snmpFacts>[0]): FoundHost =>
  host(ip, { mac: SWITCH, names: [{ name: 'sw-1', source: 'snmp' }], snmp: snmpFacts(about) })
const onPort = (port: string) => ({ forwarding: [{ mac: SERVER, port }] })

describe.each([...dialects()])('a link that a switch reports on %s', (dialect) => {
  const d = discoveryApp(dialect)
  /** A documented server that a switch has learnt on a port. */
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

  test('to its neighbours is removed when it reports none', async () => {
    const { id, at } = await d.network()
    await d.api.devices.create({ name: 'one', hostname: 'sw-1', addresses: [{ ip: at(1) }] })
    await d.api.devices.create({ name: 'two', hostname: 'host-3', addresses: [{ ip: at(3) }] })
    const lldp = [{ localPort: 'Gi0/1', remotePort: 'eth0', remoteName: '', remoteChassis: SERVER, remoteAddress: '' }]
    await d.scan(id, [switchAt(at(1), { lldp }), server(at(3))], 'deep')
    const before = await proposed(id)
    await d.scan(id, [switchAt(at(1), {}), server(at(3))], 'deep')
    expect([before, await proposed(id)]).toEqual([[['connected_to', 'two']], []])
  })
})
