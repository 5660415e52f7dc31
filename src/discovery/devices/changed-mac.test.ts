/** Another MAC at an address is another device, of whatever kind the MACs are; the record that was there stays, and is down. */
import { describe, expect, test } from 'bun:test'
import { discoveryApp } from '../../../testing/discovery.ts'
import { callTool } from '../../../testing/mcp.ts'
import { runCommand } from '../../../testing/run-command.ts'
import { host, snmpFacts } from '../../../testing/servers/scripted-scanner.ts'
import { onSqlite } from '../../../testing/servers/servers.ts'

const VENDOR = '00:1b:21:00:00:0a'
const RANDOM = 'da:a1:19:00:00:01'
const RANDOM_2 = '5e:11:22:33:44:55'
const QEMU = '52:54:00:00:00:01'
const DOCKER = '02:42:ac:11:00:02'
const VRRP_1 = '00:00:5e:00:01:01'
const VRRP_2 = '00:00:5e:00:01:02'
const DAY_MS = 86_400_000

describe.each(onSqlite())('on %s', (dialect) => {
  const d = discoveryApp(dialect, { DISCOVERY_CLEANUP_DAYS: '30', DISCOVERY_RANDOM_MAC_CLEANUP_DAYS: '5' })
  const records = async (network_id: string) =>
    (await d.api.discovery.list({ network_id })).map(({ mac_address, status }) => [mac_address, status]).toSorted()

  describe('another MAC at the same address is another record, and the first is down', () => {
    test.each([
      ['a random MAC and another', RANDOM, RANDOM_2],
      ['a random MAC and one of a vendor', RANDOM, VENDOR],
      ['one of a vendor and a random MAC', VENDOR, RANDOM],
      ['two of virtual machines', QEMU, '52:54:00:00:00:02'],
      ['two of containers', DOCKER, '02:42:ac:11:00:03'],
      ['a virtual machine and a container', QEMU, DOCKER],
      ['two of virtual routers', VRRP_1, VRRP_2],
      ['one of a virtual router and a random MAC', VRRP_1, RANDOM],
    ])('%s', async (_, before, after) => {
      const { id, at } = await d.network()
      await d.scan(id, [host(at(4), { mac: before })])
      await d.scan(id, [host(at(4), { mac: after })])
      expect(await records(id)).toEqual(
        [
          [before, 'down'],
          [after, 'up'],
        ].toSorted(),
      )
    })

    test('also when it is reported in the same scan', async () => {
      const { id, at } = await d.network()
      await d.scan(id, [host(at(4), { mac: RANDOM }), host(at(4), { mac: RANDOM_2 })])
      expect((await d.api.discovery.list({ network_id: id, status: 'up' })).map((one) => one.mac_address)).toEqual([
        RANDOM_2,
      ])
    })
  })

  describe('the same MAC at another address of the network is the same record', () => {
    test.each([
      ['a random MAC', RANDOM],
      ['that of a virtual machine', QEMU],
      ['that of a container', DOCKER],
    ])('%s', async (_, mac) => {
      const { id, at } = await d.network()
      await d.scan(id, [host(at(4), { mac })])
      const [before] = await d.api.discovery.list({ network_id: id })
      await d.scan(id, [host(at(5), { mac })])
      const all = await d.api.discovery.list({ network_id: id })
      expect(all.map((one) => [one.id, one.ip])).toEqual([[before?.id ?? '', at(5)]])
    })
  })

  test('a device that lost its address to another random MAC is itself again when it comes back', async () => {
    const { id, at } = await d.network()
    await d.scan(id, [host(at(4), { mac: RANDOM })])
    const [before] = await d.api.discovery.list({ network_id: id })
    await d.scan(id, [host(at(4), { mac: RANDOM_2 })])
    await d.scan(id, [host(at(4), { mac: RANDOM_2 }), host(at(7), { mac: RANDOM })])
    const found = (await d.api.discovery.list({ network_id: id })).find((one) => one.mac_address === RANDOM)
    expect([found?.id, found?.ip, found?.status]).toEqual([before?.id, at(7), 'up'])
  })

  test('internal interfaces that many switches number alike make no one device of two', async () => {
    const { id, at } = await d.network()
    const interfaces = [{ index: 1, name: 'em0', mac: '02:00:00:00:00:04', addresses: [] }]
    const switchAt = (n: number) =>
      host(at(n), { mac: `00:1b:21:00:01:0${n}`, snmp: snmpFacts({ interfaces, engineId: `e${n}` }) })
    await d.scan(id, [switchAt(1), switchAt(2)], 'deep')
    expect((await d.api.discovery.list({ network_id: id })).length).toBe(2)
  })

  describe('the port of a switch is proposed for the device with the MAC', () => {
    /** The device is in one network, the switch that has learned its MAC in another. */
    const proposedAcross = async (mac: string) => {
      const [near, far] = [await d.network(), await d.network()]
      await d.api.devices.create({ name: 'known', addresses: [{ ip: near.at(3) }] })
      await d.scan(near.id, [host(near.at(3), { mac })])
      const facts = snmpFacts({ forwarding: [{ mac, port: 'Gi0/3' }] })
      await d.scan(far.id, [host(far.at(1), { mac: '00:1b:21:00:00:01', snmp: facts })], 'deep')
      const items = await d.api.inbox.list({ network_id: near.id, bucket: 'changed' })
      return items.flatMap(({ fields }) => fields.map(({ field }) => field)).includes('switch_port')
    }
    test('in another network, where a hypervisor assigned it', async () =>
      expect(await proposedAcross('52:54:00:00:77:01')).toBe(true))
    test('a random MAC has its proposal only in its own network', async () =>
      expect(await proposedAcross('da:a1:19:00:77:01')).toBe(false))
  })

  describe('a random MAC', () => {
    test.each([
      [RANDOM, true],
      [QEMU, false],
      [DOCKER, false],
      [VENDOR, false],
      ['', false],
    ])('is marked: %s %p', async (mac, expected) => {
      const { id, at } = await d.network()
      await d.scan(id, [host(at(4), { mac })])
      const [found] = await d.api.discovery.list({ network_id: id })
      const one = await d.api.discovery.get({ id: found?.id ?? '' })
      expect([found?.random_mac, one.random_mac]).toEqual([expected, expected])
    })

    test('is shown by the command and by the tool', async () => {
      const { id, at } = await d.network()
      await d.scan(id, [host(at(4), { mac: RANDOM })])
      const [found] = await d.api.discovery.list({ network_id: id })
      const { code, out } = await runCommand(
        { app: d.app, key: d.admin.key },
        { argv: ['discovery', 'get', found?.id ?? ''] },
      )
      const tool = await callTool({ fetch: d.app.fetch, key: d.admin.key }, 'call_operation', {
        operation: 'discovery.get',
        input: { id: found?.id },
      })
      expect([
        code,
        /random_mac\W+(?:true|yes)/i.test(out),
        /"random_mac":\s*true/.test(JSON.stringify(tool.value)),
      ]).toEqual([0, true, true])
    })

    test('that gives its address to another one asks for no decision', async () => {
      const { id, at } = await d.network()
      await d.scan(id, [host(at(4), { mac: RANDOM })])
      await d.scan(id, [host(at(4), { mac: RANDOM_2 })])
      expect(await d.api.inbox.list({ network_id: id, bucket: 'conflict' })).toEqual([])
    })

    test('of a documented device that loses its address asks for a decision', async () => {
      const { id, at } = await d.network()
      await d.scan(id, [host(at(4), { mac: RANDOM })])
      const [before] = await d.api.discovery.list({ network_id: id })
      await d.api.discovery.promote({ id: before?.id ?? '', name: 'known' })
      await d.scan(id, [host(at(4), { mac: RANDOM_2 })])
      const items = await d.api.inbox.list({ network_id: id, bucket: 'conflict' })
      expect(items.flatMap(({ fields }) => fields.map((one) => [one.field, one.documented, one.observed]))).toEqual([
        ['mac_address', RANDOM, RANDOM_2],
      ])
    })

    test('is deleted earlier than others, unless it is documented', async () => {
      const { id, at } = await d.network()
      await d.scan(id, [
        host(at(1), { mac: VENDOR }),
        host(at(2), { mac: RANDOM }),
        host(at(3), { mac: QEMU }),
        host(at(4), { mac: RANDOM_2 }),
      ])
      const documented = (await d.api.discovery.list({ network_id: id })).find((one) => one.ip === at(4))
      await d.api.discovery.promote({ id: documented?.id ?? '', name: 'kept' })
      const left = async () => {
        await d.runJob('discovery.forget-old')
        return (await d.api.discovery.list({ network_id: id })).map(({ ip }) => ip)
      }
      d.advance(4 * DAY_MS)
      expect(await left()).toEqual([at(1), at(2), at(3), at(4)])
      d.advance(2 * DAY_MS)
      expect(await left()).toEqual([at(1), at(3), at(4)])
    })
  })
})

describe.each(onSqlite())('on %s, with a short DISCOVERY_CLEANUP_DAYS', (dialect) => {
  const d = discoveryApp(dialect, { DISCOVERY_CLEANUP_DAYS: '2', DISCOVERY_RANDOM_MAC_CLEANUP_DAYS: '5' })
  test('random MACs are not kept longer than others', async () => {
    const { id, at } = await d.network()
    await d.scan(id, [host(at(1), { mac: VENDOR }), host(at(2), { mac: RANDOM })])
    d.advance(3 * DAY_MS)
    await d.runJob('discovery.forget-old')
    expect(await d.api.discovery.list({ network_id: id })).toEqual([])
  })
})
