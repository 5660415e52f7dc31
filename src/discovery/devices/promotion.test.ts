// Promotion of discovered devices to documented ones: one by one, and many at once.
import { describe, expect, test } from 'bun:test'
import { discoveryApp } from '../../../testing/discovery.ts'
import { alreadyExists, refusal } from '../../../testing/estates/inventory.ts'
import { deepHost, host, snmpFacts } from '../../../testing/servers/scripted-scanner.ts'
import { onSqlite } from '../../../testing/servers/servers.ts'

const A = '00:1b:21:00:00:0a'

describe.each(onSqlite())('discovered devices on %s', (dialect) => {
  const d = discoveryApp(dialect)

  describe('a promotion', () => {
    const found = async () => {
      const net = await d.network()
      await d.scan(net.id, [deepHost(net.at(9), A)], 'deep')
      return { ...net, device: await d.only(net.id) }
    }
    const promote = (id: string, body: object) => d.ask(`POST /api/discovery/devices/${id}/promote`, body)

    test('creates a device from the discovered fields', async () => {
      const { id, at, device } = await found()
      expect(await promote(device.id, { name: 'web-01' })).toMatchObject({
        status: 201,
        body: {
          name: 'web-01',
          hostname: 'web-01.example.com',
          os: 'Debian 12',
          make_model: '',
          addresses: [{ ip: at(9), network_id: id, type: 'ipv4' }],
        },
      })
    })

    test('takes vendor and model as the device says them by SNMP, and not the vendor of its MAC', async () => {
      const { id, at } = await d.network()
      const system = { vendor: 'Cisco', system: 'Cisco IOS', version: '15.0', model: 'WS-C2960', serial: 'FOC1' }
      await d.scan(id, [host(at(9), { mac: A, vendor: 'Intel Corporate', snmp: snmpFacts({ system }) })], 'deep')
      const device = await d.only(id)
      expect(device).toMatchObject({ vendor: 'Cisco', model: 'Cisco WS-C2960' })
      expect((await d.api.discovery.get({ id: device.id })).snmp?.system).toEqual(system)
      expect((await d.api.discovery.list({ network_id: id, q: 'ws-c2960' })).map((one) => one.id)).toContain(device.id)
      expect((await promote(device.id, { name: 'sw-9' })).body).toMatchObject({ make_model: 'Cisco WS-C2960' })
    })

    test('of a system name with blanks has it as the name, and no host name', async () => {
      const { id, at } = await d.network()
      await d.scan(id, [host(at(9), { mac: A, names: [{ name: 'Core Switch 1', source: 'snmp' }] })], 'deep')
      const device = await d.only(id)
      expect([device.hostname, device.reasons.filter((reason) => reason.includes('disagree'))]).toEqual([
        'Core Switch 1',
        [],
      ])
      const { device: created } = (await d.api.discovery.promoteMany({ ids: [device.id] })).results[0] ?? {}
      expect(created).toMatchObject({ name: 'Core Switch 1', hostname: '' })
    })

    test('prefers given values to guesses', async () => {
      const { device } = await found()
      const { id: datacenter_id } = await d.api.datacenters.create({ name: 'dc' })
      const body = { name: 'x', make_model: 'R740', os: '', datacenter_id, tags: ['new'] }
      expect((await promote(device.id, body)).body).toMatchObject({
        make_model: 'R740',
        os: '',
        datacenter_id,
        tags: ['new'],
      })
    })

    test('is recorded', async () => {
      const { id, device } = await found()
      const made = (await promote(device.id, { name: 'web-01' })).body as { id: string }
      expect(await d.only(id)).toMatchObject({
        promoted_to_device_id: made.id,
        matched_device_id: made.id,
        promoted_at: d.now(),
      })
    })

    test('a second time is a conflict', async () => {
      const { device } = await found()
      await promote(device.id, { name: 'web-01' })
      expect(await promote(device.id, { name: 'web-01' })).toMatchObject(alreadyExists)
    })

    test.each([
      ['no name', {}, refusal('name')],
      ['a blank name', { name: ' ' }, refusal('name')],
      ['an unknown datacenter', { name: 'x', datacenter_id: 'nothing' }, refusal('datacenter_id')],
    ])('with %s is refused', async (_, body, refused) => {
      const { device } = await found()
      expect(await promote(device.id, body)).toMatchObject(refused)
    })

    test('takes the required values of custom fields, of the device and of its addresses', async () => {
      const { device } = await found()
      const fields = await Promise.all(
        (['devices', 'addresses'] as const).map((resource) =>
          d.api.customFields.create({ resource, name: 'owner', type: 'text', required: true }),
        ),
      )
      expect(await promote(device.id, { name: 'x' })).toMatchObject({
        status: 400,
        body: { details: [{ field: 'custom.owner' }, { field: 'address_custom.owner' }] },
      })
      const { results } = await d.api.discovery.promoteMany({
        ids: [device.id],
        custom: { owner: 'ops' },
        address_custom: { owner: 'net' },
      })
      expect(results[0]?.device).toMatchObject({ custom: { owner: 'ops' }, addresses: [{ custom: { owner: 'net' } }] })
      await Promise.all(fields.map(({ id }) => d.api.customFields.delete({ id, force: true })))
    })

    test('needs the right to make devices', async () => {
      const { device } = await found()
      const caller = await d.app.as(['discovery:update'])
      expect((await caller.request('POST', `/api/discovery/devices/${device.id}/promote`, { name: 'x' })).status).toBe(
        403,
      )
    })

    test('counts as a device', async () => {
      const { device } = await found()
      const count = async () =>
        /^devices_total (\d+)$/m.exec(await (await d.admin.request('GET', '/metrics')).text())?.[1]
      const before = Number(await count())
      await promote(device.id, { name: 'x' })
      expect(Number(await count())).toBe(before + 1)
    })

    test('ends with the device', async () => {
      const { id, device } = await found()
      const made = (await promote(device.id, { name: 'x' })).body as { id: string }
      expect((await d.ask(`DELETE /api/devices/${made.id}`)).status).toBe(204)
      expect(await d.only(id)).toMatchObject({
        promoted_to_device_id: null,
        promoted_at: null,
        matched_device_id: null,
      })
      expect((await promote(device.id, { name: 'again' })).status).toBe(201)
    })
  })

  describe('a promotion of many', () => {
    const found = async () => {
      const net = await d.network()
      const named = host(net.at(1), { mac: A, vendor: 'Acme', names: [{ name: 'web', source: 'ptr' }] })
      await d.scan(net.id, [named, host(net.at(2))])
      return { ...net, ids: (await d.api.discovery.list({ network_id: net.id })).map(({ id }) => id) }
    }

    test.each([
      [undefined, (at: (n: number) => string) => ['web', at(2)]],
      ['rack-{n}', () => ['rack-1', 'rack-2']],
      ['{vendor} {ip} {mac}', (at: (n: number) => string) => [`Acme ${at(1)} ${A}`, at(2)]],
    ])('names each by the template %p', async (name, expected) => {
      const { ids, at } = await found()
      const { results } = await d.api.discovery.promoteMany({ ids, ...(name === undefined ? {} : { name }) })
      expect(results.map(({ device }) => device?.name)).toEqual(expected(at))
    })

    test('answers with the outcome of each', async () => {
      const { ids } = await found()
      await d.api.discovery.promote({ id: ids[0] ?? '', name: 'x' })
      const { results, succeeded, failed } = await d.api.discovery.promoteMany({ ids: [...ids, 'nothing'] })
      expect([succeeded, failed, results.map(({ status, error }) => error?.code ?? status)]).toEqual([
        1,
        2,
        ['ALREADY_EXISTS', 'promoted', 'NOT_FOUND'],
      ])
    })

    test('refuses a template that it does not know', async () => {
      const { ids } = await found()
      expect(await d.ask('POST /api/discovery/devices/promote', { ids, name: '{rack}' })).toMatchObject(refusal('name'))
    })
  })
})
