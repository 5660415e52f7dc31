// Discovered devices: how scans record them, how they are listed and shown, merged and split.
import { describe, expect, test } from 'bun:test'
import { discoveryApp } from '../../../testing/discovery.ts'
import { failure, refusal } from '../../../testing/estates/inventory.ts'
import { deepHost, host, snmpFacts } from '../../../testing/servers/scripted-scanner.ts'
import { onSqlite } from '../../../testing/servers/servers.ts'
import type { FoundHost } from '../../scanner/protocol.ts'

const A = '00:1b:21:00:00:0a'
const B = '00:1b:21:00:00:0b'

describe.each(onSqlite())('discovered devices on %s', (dialect) => {
  const d = discoveryApp(dialect)

  describe('one that is found', () => {
    test('is listed with all its fields', async () => {
      const { id, at } = await d.network()
      await d.scan(id, [deepHost(at(9), A)], 'deep')
      expect(await d.only(id)).toMatchObject({
        ip: at(9),
        mac_address: A,
        hostname: 'web-01.example.com',
        network_id: id,
        status: 'up',
        confidence: 80,
        os_guess: 'Debian 12',
        vendor: 'Intel Corporate',
        open_ports: [22],
        services: [{ port: 22, protocol: 'tcp', service: 'ssh', product: 'OpenSSH', version: '9.2p1' }],
        identity: { kind: 'mac', value: A },
        addresses: [{ ip: at(9), status: 'up' }],
        promoted_to_device_id: null,
        first_seen: d.now(),
        last_seen: d.now(),
      })
    })

    test('is shown with its evidence', async () => {
      const { id, at } = await d.network()
      await d.scan(id, [deepHost(at(9), A)], 'deep')
      const shown = await d.api.discovery.get({ id: (await d.only(id)).id })
      expect(shown).toMatchObject({
        identities: [`mac:${A}`, 'ssh:SHA256:k'],
        evidence: [
          { ip: at(9), source: 'arp', weight: 0.6, detail: 'arp answered' },
          { ip: at(9), source: 'icmp', weight: 0.5, detail: 'icmp answered' },
        ],
        os_votes: [{ os: 'Debian 12', weight: 60, because: 'SSH banner' }],
        names: [{ name: 'web-01.example.com', source: 'ptr' }],
        ssh_host_key: 'SHA256:k',
        snmp: null,
      })
      expect(shown.services[0]?.banner).toBe('SSH-2.0-OpenSSH_9.2p1')
    })

    test('and reported again in the same scan is one device', async () => {
      const { id, at } = await d.network()
      const { id: scanId, scan } = await d.begin(id, 'full')
      await scan.found([host(at(4))])
      await scan.found([host(at(4), { openPorts: [80] })], { stage: 'ports' })
      scan.end('done')
      await d.ended(scanId)
      expect((await d.only(id)).open_ports).toEqual([80])
    })

    test('with whatever names the network has is stored', async () => {
      const { id, at } = await d.network()
      const names = [{ name: 'a\u0000b\ud800\u202e\r\nx'.repeat(200), source: 'mdns' as const }]
      await d.scan(id, [host(at(4), { names, vendor: '\u0000', os: "' OR 1=1 --\u0000" })])
      expect((await d.only(id)).hostname).toStartWith('a b\ufffd\u202e x')
    })
  })

  describe('confidence', () => {
    const confidence = async (about: Partial<FoundHost>) => {
      const { id, at } = await d.network()
      await d.scan(id, [host(at(4), about)])
      return d.only(id)
    }
    const SOURCES = ['arp', 'icmp', 'tcp-refused', 'tcp-open'] as const
    const evidence = (...weights: number[]) =>
      weights.map((weight, i) => ({ source: SOURCES[i] ?? SOURCES[0], weight, detail: '' }))

    test.each([
      [[0.6], 60],
      [[0.6, 0.5], 80],
      [[0.6, 0.5, 0.4], 88],
      [[0.6, 0.5, 0.4, 0.5], 94],
      [[], 0],
    ])('of %p is %d', async (weights, expected) => {
      expect((await confidence({ evidence: evidence(...weights) })).confidence).toBe(expected)
    })

    test('is less where the names disagree, and says so', async () => {
      const { confidence: sure, reasons } = await confidence({
        evidence: evidence(0.6, 0.5),
        names: [
          { name: 'web-01', source: 'snmp' },
          { name: 'mail.example.com', source: 'ptr' },
        ],
      })
      expect([sure, reasons.at(-1)]).toEqual([60, 'the names disagree: web-01 (snmp), mail.example.com (ptr) (-20)'])
    })

    test('is not less where a name is only longer', async () => {
      const names = [
        { name: 'web-01', source: 'snmp' as const },
        { name: 'web-01.example.com', source: 'ptr' as const },
      ]
      expect((await confidence({ evidence: evidence(0.6, 0.5), names })).confidence).toBe(80)
    })

    test('is less where the MAC is another one than in the scan before', async () => {
      const { id, at } = await d.network()
      const sshHostKey = 'SHA256:k'
      await d.scan(id, [host(at(4), { mac: A, sshHostKey })])
      await d.scan(id, [host(at(4), { mac: B, sshHostKey })])
      expect(await d.only(id)).toMatchObject({ mac_address: B, confidence: 60 })
    })

    test('decays by 10 with every scan that does not see it', async () => {
      const { id, at } = await d.network()
      await d.scan(id, [host(at(4))])
      const seen = []
      for (let i = 0; i < 3; i++) {
        await d.scan(id, [])
        const { status, confidence: sure } = await d.only(id)
        seen.push([status, sure])
      }
      expect(seen).toEqual([
        ['down', 40],
        ['down', 30],
        ['down', 20],
      ])
    })
  })

  describe('from scan to scan', () => {
    test('one that a scan excludes is not down', async () => {
      const { id, at } = await d.network()
      await d.scan(id, [host(at(4))])
      const answer = await d.ask(`POST /api/discovery/networks/${id}/scan`, { exclude_ips: at(4) })
      ;(await d.scanner.next()).end('done')
      await d.ended((answer.body as { id: string }).id)
      expect((await d.only(id)).status).toBe('up')
    })

    test('a quick scan forgets nothing that a deep one knew', async () => {
      const { id, at } = await d.network()
      await d.scan(id, [deepHost(at(9), A)], 'deep')
      const before = await d.only(id)
      await d.scan(id, [host(at(9), { mac: A, os: 'Linux/Unix', osConfidence: 15 })])
      const { open_ports, services, os_guess, hostname } = await d.only(id)
      expect({ open_ports, services, os_guess, hostname }).toEqual({
        open_ports: before.open_ports,
        services: before.services,
        os_guess: 'Debian 12',
        hostname: 'web-01.example.com',
      })
    })

    test('a full scan forgets the ports that are closed by now', async () => {
      const { id, at } = await d.network()
      await d.scan(id, [deepHost(at(9), A)], 'deep')
      await d.scan(id, [host(at(9), { mac: A })], 'full')
      expect(await d.only(id)).toMatchObject({ open_ports: [], services: [] })
    })

    test('one that is renumbered is the same one at its new address', async () => {
      const { id, at } = await d.network()
      await d.scan(id, [host(at(4), { mac: A })])
      const before = await d.only(id)
      await d.scan(id, [host(at(14), { mac: A })])
      expect(await d.only(id)).toMatchObject({
        id: before.id,
        ip: at(14),
        addresses: [{ ip: at(14), status: 'up' }],
        first_seen: before.first_seen,
      })
    })

    test('a lease that moves makes a second record, and the first is down', async () => {
      const { id, at } = await d.network()
      await d.scan(id, [host(at(4), { mac: A })])
      await d.scan(id, [host(at(4), { mac: B })])
      const all = await d.api.discovery.list({ network_id: id })
      expect(all.map(({ mac_address, status }) => [mac_address, status]).toSorted()).toEqual([
        [A, 'down'],
        [B, 'up'],
      ])
    })

    test('two that turn out to be one are one', async () => {
      const { id, at } = await d.network()
      await d.scan(id, [host(at(4), { mac: A }), host(at(5), { mac: B })])
      const interfaces = [
        { index: 1, name: 'eth0', mac: A, addresses: [at(4)] },
        { index: 2, name: 'eth1', mac: B, addresses: [at(5)] },
      ]
      await d.scan(id, [host(at(4), { mac: A, snmp: snmpFacts({ interfaces }) }), host(at(5), { mac: B })], 'deep')
      expect((await d.only(id)).addresses.map(({ ip }) => ip)).toEqual([at(4), at(5)])
    })

    test('a router that answers for others makes as many records as addresses', async () => {
      const { id, at } = await d.network()
      const all = Array.from({ length: 20 }, (_, i) => host(at(i + 1), { mac: A }))
      await d.scan(id, all)
      await d.scan(id, all)
      const found = await d.api.discovery.list({ network_id: id })
      expect(found.map(({ status, addresses }) => [status, addresses.length])).toEqual(all.map(() => ['up', 1]))
    })
  })

  describe('the list', () => {
    test('is narrowed by network, status, promotion and words', async () => {
      const { id, at } = await d.network()
      await d.scan(id, [deepHost(at(9), A), host(at(4))], 'deep')
      await d.scan(id, [deepHost(at(9), A)], 'deep')
      const ips = async (query: string) => {
        const { body } = await d.ask(`GET /api/discovery/devices?network_id=${id}${query}`)
        return (body as { ip: string }[]).map(({ ip }) => ip)
      }
      expect([
        await ips(''),
        await ips('&status=down'),
        await ips('&q=WEB-01'),
        await ips('&q=openssh%20debian'),
        await ips('&q=%25'),
        await ips(`&q=${A}`),
        await ips('&promoted=true'),
        await ips('&promoted=false&limit=1&offset=1'),
      ]).toEqual([[at(4), at(9)], [at(4)], [at(9)], [at(9)], [], [at(9)], [], [at(9)]])
    })

    test('the list has the devices of every network for *', async () => {
      const [one, two] = [await d.network(), await d.network()]
      await d.scan(one.id, [host(one.at(1))])
      await d.scan(two.id, [host(two.at(1))])
      const ips = (await d.api.discovery.list({ network_id: '*' })).map(({ ip }) => ip)
      expect([ips.includes(one.at(1)), ips.includes(two.at(1))]).toEqual([true, true])
    })
  })

  describe('a delete', () => {
    test('of one device makes the next scan create it again', async () => {
      const { id, at } = await d.network()
      await d.scan(id, [host(at(4), { mac: A })])
      const before = await d.only(id)
      expect((await d.ask(`DELETE /api/discovery/devices/${before.id}`)).status).toBe(204)
      expect(await d.api.discovery.list({ network_id: id })).toEqual([])
      await d.scan(id, [host(at(4), { mac: A })])
      expect((await d.only(id)).id).not.toBe(before.id)
    })

    test('of all of a network needs the network', async () => {
      expect(await d.ask('DELETE /api/discovery/devices')).toMatchObject(failure(400, 'INVALID_INPUT'))
    })

    test('deleting the devices of one network keeps the devices of other networks', async () => {
      const [one, two] = [await d.network(), await d.network()]
      await d.scan(one.id, [host(one.at(1))])
      await d.scan(two.id, [host(two.at(1))])
      expect((await d.ask(`DELETE /api/discovery/devices?network_id=${one.id}`)).status).toBe(204)
      expect(await d.api.discovery.list({ network_id: one.id })).toEqual([])
      expect((await d.only(two.id)).ip).toBe(two.at(1))
    })
  })

  describe('by hand', () => {
    test('two are made one, and stay one', async () => {
      const { id, at } = await d.network()
      const hosts = [host(at(1), { mac: A }), host(at(2), { mac: B })]
      await d.scan(id, hosts)
      const [one, two] = await d.api.discovery.list({ network_id: id })
      await d.api.discovery.merge({ id: one?.id ?? '', other_ids: [two?.id ?? ''] })
      await d.scan(id, hosts)
      expect(await d.only(id)).toMatchObject({ id: one?.id, addresses: [{ ip: at(1) }, { ip: at(2) }] })
    })

    test('one is made two, and they stay two', async () => {
      const { id, at } = await d.network()
      const hosts = [host(at(1), { mac: A }), host(at(2), { mac: A })]
      await d.scan(id, hosts)
      const { id: one } = await d.only(id)
      await d.api.discovery.split({ id: one, ips: [at(2)] })
      await d.scan(id, hosts)
      const all = await d.api.discovery.list({ network_id: id })
      expect(all.map(({ ip, addresses }) => [ip, addresses.length])).toEqual([
        [at(1), 1],
        [at(2), 1],
      ])
    })

    test('invalid merges and splits are refused', async () => {
      const [net, other] = [await d.network(), await d.network()]
      await d.scan(net.id, [host(net.at(1))])
      await d.scan(other.id, [host(other.at(1))])
      const [one, two] = [await d.only(net.id), await d.only(other.id)]
      const merge = (other_ids: string[]) => d.ask(`POST /api/discovery/devices/${one.id}/merge`, { other_ids })
      const split = (ips: string[]) => d.ask(`POST /api/discovery/devices/${one.id}/split`, { ips })
      expect([
        await merge([one.id]),
        await merge(['nothing']),
        await merge([two.id]),
        await split([net.at(1)]),
        await split([net.at(2)]),
      ]).toMatchObject([
        refusal('other_ids[0]'),
        refusal('other_ids[0]'),
        refusal('other_ids[0]'),
        refusal('ips'),
        refusal('ips[0]'),
      ])
    })
  })

  test('a device that is not promoted and was not seen for long is deleted', async () => {
    const { id, at } = await d.network()
    await d.scan(id, [host(at(1)), host(at(2))])
    const [, kept] = await d.api.discovery.list({ network_id: id })
    await d.api.discovery.promote({ id: kept?.id ?? '', name: 'kept' })
    const forget = () => d.runJob('discovery.forget-old')
    d.advance(29 * 86_400_000)
    await forget()
    expect((await d.api.discovery.list({ network_id: id })).length).toBe(2)
    d.advance(2 * 86_400_000)
    await forget()
    expect((await d.api.discovery.list({ network_id: id })).map(({ id: left }) => left)).toEqual([kept?.id ?? ''])
  })
})
