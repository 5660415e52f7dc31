// Hosts that were heard: taken in as a quick scan that saw each of them, on both databases.
import { describe, expect, test } from 'bun:test'
import { discoveryApp } from '../../../testing/discovery.ts'
import { deepHost, host } from '../../../testing/servers/scripted-scanner.ts'
import { engines } from '../../../testing/servers/servers.ts'
import type { FoundHost } from '../../scanner/protocol.ts'

const TIMEOUT_MS = 60_000
const MAC = '00:1b:21:00:00:07'

describe.each(engines())('sightings on %s', (dialect) => {
  const d = discoveryApp(dialect)

  const listenTo = async (more: { readonly exclude_ips?: string } = {}) => {
    const network = await d.network()
    const rule = await d.api.discoveryRules.create({ network_id: network.id, listen: true, ...more })
    await d.listener.find(network.id)
    return { ...network, rule }
  }
  const heard = (ip: string, about: Partial<FoundHost> = {}): FoundHost => {
    const evidence = [{ source: 'arp', weight: 0.6, detail: 'sent an ARP request' }] as const
    return host(ip, { mac: MAC, rttMs: null, evidence, ...about })
  }
  /** Returns what was told of a discovered device. */
  const listTold = async (id: string): Promise<string[]> => {
    const rows = await d.app.db.read.selectFrom('events').select(['event', 'resource_id']).orderBy('seq').execute()
    return rows.flatMap(({ event, resource_id }) =>
      resource_id === id ? [event.replace('discovery.device_', '')] : [],
    )
  }
  const gone = (networkId: string, ...others: FoundHost[]) => d.scan(networkId, others)

  test(
    'a host that is heard is a discovered device, new in the inbox, and found once',
    async () => {
      const net = await listenTo()
      await d.listener.hear(net.id, [heard(net.at(7))])
      const device = await d.only(net.id)
      expect(device).toMatchObject({ ip: net.at(7), mac_address: MAC, status: 'up', last_scan_id: '', confidence: 60 })
      const inbox = await d.api.inbox.list({ network_id: net.id })
      expect(inbox.map(({ bucket, ip }) => [bucket, ip])).toEqual([['new', net.at(7)]])
      await d.listener.hear(net.id, [heard(net.at(7))])
      await d.scan(net.id, [host(net.at(7), { mac: MAC })])
      expect(await listTold(device.id)).toEqual(['found'])
    },
    TIMEOUT_MS,
  )

  test(
    'a sighting keeps what a deep scan has found, and says nothing of other hosts',
    async () => {
      const net = await listenTo()
      await d.scan(net.id, [deepHost(net.at(7), MAC), host(net.at(8))], 'deep')
      const before = await d.api.discovery.list({ network_id: net.id })
      d.advance(60_000)
      await d.listener.hear(net.id, [heard(net.at(7), { names: [{ name: 'web-01', source: 'mdns' }] })])
      const after = await d.api.discovery.list({ network_id: net.id })
      const [seen, other] = before
      if (!seen || !other) throw new Error('the scan has found two')
      expect(after).toEqual([
        { ...seen, last_seen: d.now(), updated_at: d.now(), addresses: expect.any(Array<object>) },
        other,
      ])
      const { names } = await d.api.discovery.get({ id: seen.id })
      expect(names.map(({ name }) => name)).toEqual(['web-01.example.com', 'web-01'])
    },
    TIMEOUT_MS,
  )

  test(
    'a device that a scan misses is gone, and back as soon as it is heard',
    async () => {
      const net = await listenTo()
      await d.scan(net.id, [host(net.at(7), { mac: MAC }), host(net.at(8))])
      await gone(net.id, host(net.at(8)))
      const [device] = await d.api.discovery.list({ network_id: net.id })
      if (!device) throw new Error('a missed device stays')
      expect(device.status).toBe('down')
      await d.listener.hear(net.id, [heard(net.at(7))])
      await d.listener.hear(net.id, [heard(net.at(7))])
      expect((await d.api.discovery.get({ id: device.id })).status).toBe('up')
      await gone(net.id, host(net.at(8)))
      await gone(net.id, host(net.at(8)))
      await d.scan(net.id, [host(net.at(7), { mac: MAC }), host(net.at(8))])
      expect(await listTold(device.id)).toEqual(['found', 'gone', 'returned', 'gone', 'returned'])
    },
    TIMEOUT_MS,
  )

  test(
    'a scan does not mark as gone whom it missed and who was heard since it began',
    async () => {
      const net = await listenTo()
      await d.scan(net.id, [host(net.at(7), { mac: MAC }), host(net.at(8))])
      d.advance(1000)
      const { id, scan } = await d.begin(net.id)
      d.advance(1000)
      await d.listener.hear(net.id, [heard(net.at(7))])
      await scan.found([host(net.at(9))], { share: 1 })
      scan.end('done')
      await d.ended(id)
      const devices = await d.api.discovery.list({ network_id: net.id })
      expect(devices.map(({ ip, status }) => [ip, status])).toEqual([
        [net.at(7), 'up'],
        [net.at(8), 'down'],
        [net.at(9), 'up'],
      ])
      expect(await listTold(devices[0]?.id ?? '')).toEqual(['found'])
    },
    TIMEOUT_MS,
  )

  test(
    'a second address that was heard since the scan began stays with its device',
    async () => {
      const net = await listenTo()
      await d.scan(net.id, [host(net.at(7), { mac: MAC }), host(net.at(8), { mac: MAC })])
      d.advance(1000)
      const { id, scan } = await d.begin(net.id)
      d.advance(1000)
      await d.listener.hear(net.id, [heard(net.at(8))])
      await scan.found([host(net.at(7), { mac: MAC })], { share: 1 })
      scan.end('done')
      await d.ended(id)
      const { addresses } = await d.only(net.id)
      expect(addresses.map(({ ip }) => ip)).toEqual([net.at(7), net.at(8)])
    },
    TIMEOUT_MS,
  )

  test(
    'hosts outside the network, excluded ones, and its own first and last address are dropped',
    async () => {
      const net = await listenTo({ exclude_ips: '127.0.0.0/8' })
      await d.listener.hear(net.id, [heard(net.at(7))])
      await d.api.discoveryRules.update({ id: net.rule.id, exclude_ips: `${net.at(8)}-${net.at(9)}` })
      await d.listener.hear(net.id, [
        ...[net.at(0), net.at(8), net.at(9), net.at(255), '127.255.0.7', '10.0.0.1', '::1', 'x', ''].map((ip) =>
          heard(ip),
        ),
        heard(net.at(10), { mac: '00:1b:21:00:00:10' }),
      ])
      expect((await d.only(net.id)).ip).toBe(net.at(10))
    },
    TIMEOUT_MS,
  )

  test(
    'sightings of a network are dropped when its rule is disabled or does not listen',
    async () => {
      const net = await listenTo()
      const other = await listenTo()
      for (const change of [{ enabled: false }, { enabled: true, listen: false }]) {
        await d.api.discoveryRules.update({ id: net.rule.id, ...change })
        await d.listener.find(other.id)
        await d.listener.hear(net.id, [heard(net.at(7))])
      }
      await d.listener.hear('unknown', [heard(net.at(7))])
      expect(await d.api.discovery.list({ network_id: net.id })).toEqual([])
      await d.api.discoveryRules.update({ id: net.rule.id, listen: true })
      await d.listener.hear(net.id, [heard(net.at(7))])
      expect((await d.only(net.id)).status).toBe('up')
    },
    TIMEOUT_MS,
  )

  test(
    'a device that only leases told of is found when it is heard, and not back because of a lease',
    async () => {
      const net = await listenTo()
      const lease = async () => {
        d.advance(1000)
        const ends = Math.floor(Date.parse(d.now()) / 1000) + 3600
        await d.api.leases.record({ format: 'dnsmasq', text: `${ends} ${MAC} ${net.at(7)} host *\n` })
      }
      await lease()
      const device = await d.only(net.id)
      expect(await listTold(device.id)).toEqual([])
      await d.listener.hear(net.id, [heard(net.at(7))])
      await gone(net.id, host(net.at(8)))
      await lease()
      await gone(net.id, host(net.at(8)))
      await d.listener.hear(net.id, [heard(net.at(7))])
      expect(await listTold(device.id)).toEqual(['found', 'gone', 'returned'])
    },
    TIMEOUT_MS,
  )
})
