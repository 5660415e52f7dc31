// A client of DHCP comes and goes, so it is not in the inbox, unless it has an address that is documented.
import { describe, expect, test } from 'bun:test'
import { discoveryApp } from '../../../testing/discovery.ts'
import { host } from '../../../testing/servers/scripted-scanner.ts'
import { onSqlite } from '../../../testing/servers/servers.ts'

const VENDOR = '00:1b:21:00:00:0a'
const OTHER = '00:1b:21:00:00:0b'

describe.each(onSqlite())('a device of leases on %s', (dialect) => {
  const d = discoveryApp(dialect)
  const lease = (ip: string, mac: string) => d.api.leases.record({ text: `0 ${mac} ${ip} pc *\n` })
  const items = async (network_id: string) =>
    (await d.api.inbox.list({ network_id })).map(({ bucket, ip, fields }) => ({
      bucket,
      ip,
      fields: fields.map(({ field, documented, observed }) => [field, documented, observed]),
    }))

  test('is not in the inbox', async () => {
    const { id, at } = await d.network()
    await lease(at(5), VENDOR)
    expect([await items(id), (await d.api.inbox.summary({ network_id: id })).new]).toEqual([[], 0])
  })

  test('is new once a scan has seen it', async () => {
    const { id, at } = await d.network()
    await lease(at(5), VENDOR)
    await d.scan(id, [host(at(5), { mac: VENDOR })])
    expect((await items(id)).map(({ bucket }) => bucket)).toEqual(['new'])
  })

  test('is not new after others were split off or deleted', async () => {
    const { id, at } = await d.network()
    await lease(at(5), VENDOR)
    await lease(at(6), VENDOR)
    const both = await d.only(id)
    await d.api.discovery.split({ id: both.id, ips: [at(6)] })
    expect([(await d.api.discovery.list({ network_id: id })).length, await items(id)]).toEqual([2, []])
  })

  test('is still new if a scan had seen it before', async () => {
    const { id, at } = await d.network()
    await d.scan(id, [host(at(5), { mac: VENDOR })])
    await lease(at(5), VENDOR)
    expect((await items(id)).map(({ bucket }) => bucket)).toEqual(['new'])
  })

  test('gives its address to another one without a decision', async () => {
    const { id, at } = await d.network()
    await lease(at(5), VENDOR)
    await lease(at(5), OTHER)
    const found = await d.api.discovery.list({ network_id: id })
    expect([await items(id), found.map((one) => [one.mac_address, one.status, one.lease_expires_at === null])]).toEqual(
      [
        [],
        expect.arrayContaining([
          [OTHER, 'up', false],
          [VENDOR, 'down', true],
        ]),
      ],
    )
  })

  test('a device of leases asks for no decision when a scan sees its address with another MAC', async () => {
    const { id, at } = await d.network()
    await lease(at(5), VENDOR)
    await d.scan(id, [host(at(5), { mac: OTHER })])
    expect((await items(id)).map(({ bucket }) => bucket)).toEqual(['new'])
  })

  test('at a documented address with another MAC is a conflict', async () => {
    const { id, at } = await d.network()
    await d.api.devices.create({ name: 'printer', addresses: [{ ip: at(5) }] })
    await d.scan(id, [host(at(5), { mac: VENDOR })])
    await lease(at(5), OTHER)
    expect((await items(id)).filter(({ bucket }) => bucket === 'conflict')).toMatchObject([
      { ip: at(5), fields: expect.arrayContaining([['mac_address', VENDOR, OTHER]]) },
    ])
  })

  test('at the address of a promoted device with another MAC is a conflict', async () => {
    const { id, at } = await d.network()
    await lease(at(5), VENDOR)
    await d.api.discovery.promote({ id: (await d.only(id)).id, name: 'till' })
    await lease(at(5), OTHER)
    expect((await items(id)).map(({ bucket }) => bucket)).toContain('conflict')
  })

  test('with the MAC of the documented address is no conflict', async () => {
    const { id, at } = await d.network()
    await d.api.devices.create({ name: 'screen', hostname: 'pc', addresses: [{ ip: at(5) }] })
    await d.scan(id, [host(at(5), { mac: VENDOR })])
    await lease(at(5), VENDOR)
    expect(await items(id)).toEqual([])
  })

  test('that was planned is active', async () => {
    const { id, at } = await d.network()
    await d.api.devices.create({ name: 'next', hostname: 'pc', status: 'planned', addresses: [{ ip: at(5) }] })
    await lease(at(5), VENDOR)
    expect(await items(id)).toEqual([{ bucket: 'changed', ip: at(5), fields: [['status', 'planned', 'active']] }])
  })
})

describe.each(onSqlite())('the event of a discovered device on %s', (dialect) => {
  const d = discoveryApp(dialect)
  const found = async () =>
    (await d.app.db.read.selectFrom('events').select('event').execute()).filter(
      ({ event }) => event === 'discovery.device_found',
    ).length

  test('is sent by the first scan that sees it, and not by a lease', async () => {
    await d.api.webhooks.create({ name: 'w', url: 'http://hook.invalid/', events: ['discovery.device_found'] })
    const { id, at } = await d.network()
    await d.api.leases.record({ text: `0 ${VENDOR} ${at(5)} pc *\n` })
    const counts = [await found()]
    await d.scan(id, [host(at(5), { mac: VENDOR })])
    counts.push(await found())
    await d.scan(id, [host(at(5), { mac: VENDOR })])
    counts.push(await found())
    expect(counts).toEqual([0, 1, 1])
  })
})
