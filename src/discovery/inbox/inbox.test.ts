// The inbox: differences between discovered and documented devices, and the decisions about them.
import { describe, expect, test } from 'bun:test'
import { discoveryApp } from '../../../testing/discovery.ts'
import { alreadyExists, missing, refusal } from '../../../testing/estates/inventory.ts'
import { host, snmpFacts } from '../../../testing/servers/scripted-scanner.ts'
import { onSqlite } from '../../../testing/servers/servers.ts'
import type { FoundHost } from '../../scanner/protocol.ts'

const A = '00:1b:21:00:00:0a'
const B = '00:1b:21:00:00:0b'
const C = '00:1b:21:00:00:0c'

const named = (ip: string, mac: string, about: Partial<FoundHost> = {}): FoundHost =>
  host(ip, { mac, names: [{ name: `host-${ip.split('.').at(-1)}`, source: 'ptr' }], ...about })

const ofModel = (model: string) =>
  snmpFacts({ system: { vendor: 'Intel', system: '', version: '', model, serial: '' } })

describe.each(onSqlite())('the inbox on %s', (dialect) => {
  const d = discoveryApp(dialect)
  const items = (network_id: string, more: object = {}) => d.api.inbox.list({ network_id, ...more })
  const buckets = async (network_id: string) => (await items(network_id)).map(({ bucket, ip }) => [bucket, ip])
  const fieldsOf = async (network_id: string) => {
    const [item] = await items(network_id)
    return Object.fromEntries(
      (item?.fields ?? []).map(({ field, documented, observed }) => [field, [documented, observed]]),
    )
  }
  const document = (ip: string, fields: object = {}) =>
    d.api.devices.create({ name: 'known', addresses: [{ ip }], ...fields })

  describe('bucket of new devices', () => {
    test('holds discovered devices that are not documented', async () => {
      const { id, at } = await d.network()
      await d.scan(id, [named(at(1), A)])
      expect(await items(id)).toMatchObject([
        { bucket: 'new', ip: at(1), hostname: 'host-1', device_id: null, ignored: false },
      ])
    })

    test('loses devices that are promoted', async () => {
      const { id, at } = await d.network()
      await d.scan(id, [named(at(1), A)])
      const [item] = await items(id)
      const { addresses } = await d.api.discovery.promote({ id: item?.id ?? '', name: 'x' })
      expect(addresses).toMatchObject([{ ip: at(1), mac_address: A }])
      expect(await items(id)).toEqual([])
    })

    test('loses a device that is documented by its address, and gets it back when that is deleted', async () => {
      const { id, at } = await d.network()
      await d.scan(id, [named(at(1), A)])
      const { id: device } = await document(at(1), { hostname: 'host-1' })
      expect(await items(id)).toEqual([])
      await d.api.devices.delete({ id: device })
      expect(await buckets(id)).toEqual([['new', at(1)]])
    })

    test('loses a device that comes to its network because a deletion takes the other network out of an address', async () => {
      const { id, at } = await d.network()
      await d.scan(id, [named(at(1), A)])
      const inner = await d.api.networks.create({ name: 'inner', subnet: `${at(0)}/30` })
      const addresses = [{ ip: at(1), network_id: inner.id }]
      const { id: device } = await d.api.devices.create({ name: 'known', hostname: 'host-1', addresses })
      expect(await buckets(id)).toEqual([['new', at(1)]])
      await d.api.networks.delete({ id: inner.id })
      expect((await d.api.devices.get({ id: device })).addresses).toMatchObject([{ ip: at(1), network_id: null }])
      expect(await items(id)).toEqual([])
    })

    test('loses a device that is down before a decision', async () => {
      const { id, at } = await d.network()
      await d.scan(id, [named(at(1), A)])
      await d.scan(id, [])
      expect(await items(id)).toEqual([])
    })

    test('creates a device from an accepted item, named by its host name', async () => {
      const { id, at } = await d.network()
      await d.scan(id, [named(at(1), A)])
      const [item] = await items(id)
      const { results } = await d.api.inbox.accept({ items: [{ id: item?.id ?? '' }] })
      const device = await d.api.devices.get({ id: results[0]?.device_id ?? '' })
      expect([device.name, device.addresses[0]?.ip]).toEqual(['host-1', at(1)])
    })
  })

  describe('bucket of changes', () => {
    test('holds differences from the documentation, field by field', async () => {
      const { id, at } = await d.network()
      await document(at(1), { hostname: 'old-name', os: 'Windows Server 2016' })
      await d.scan(id, [named(at(1), A, { snmp: ofModel('X520'), os: 'Debian 12', osConfidence: 90 })])
      expect(await fieldsOf(id)).toEqual({
        hostname: ['old-name', 'host-1'],
        make_model: ['', 'Intel X520'],
        os: ['Windows Server 2016', 'Debian 12'],
      })
    })

    test('holds no model of the vendor of a MAC alone', async () => {
      const { id, at } = await d.network()
      await document(at(1), { hostname: 'host-1' })
      await d.scan(id, [named(at(1), A, { vendor: 'Intel Corporate' })])
      expect(await items(id)).toEqual([])
    })

    test('holds no difference of spelling', async () => {
      const { id, at } = await d.network()
      await document(at(1), { hostname: 'HOST-1.example.com', os: 'Debian GNU/Linux 12', make_model: 'PowerEdge R740' })
      await d.scan(id, [named(at(1), A, { vendor: 'Dell', os: 'Linux/Unix', osConfidence: 70 })])
      expect(await fieldsOf(id)).toEqual({ os: ['Debian GNU/Linux 12', 'Linux/Unix'] })
    })

    test('holds no guess of low confidence against a documented value', async () => {
      const { id, at } = await d.network()
      await document(at(1), { hostname: 'host-1', os: 'Debian 12' })
      await d.scan(id, [named(at(1), A, { os: 'Windows', osConfidence: 50 })])
      expect(await items(id)).toEqual([])
    })

    test('writes the accepted fields only', async () => {
      const { id, at } = await d.network()
      const { id: device } = await document(at(1), { hostname: 'old-name' })
      await d.scan(id, [named(at(1), A, { snmp: ofModel('X520') })])
      const [item] = await items(id)
      await d.api.inbox.accept({ items: [{ id: item?.id ?? '', fields: ['hostname'] }] })
      expect(await d.api.devices.get({ id: device })).toMatchObject({ hostname: 'host-1', make_model: '' })
      expect(await fieldsOf(id)).toEqual({ make_model: ['', 'Intel X520'] })
    })

    test('is empty when all of it is accepted', async () => {
      const { id, at } = await d.network()
      await document(at(1), { hostname: 'old-name' })
      await d.scan(id, [named(at(1), A, { snmp: ofModel('X520') })])
      const [item] = await items(id)
      await d.api.inbox.accept({ items: [{ id: item?.id ?? '' }] })
      expect(await items(id)).toEqual([])
    })

    test('follows changes of the documented device', async () => {
      const { id, at } = await d.network()
      const { id: device } = await document(at(1), { hostname: 'host-1' })
      await d.scan(id, [named(at(1), A)])
      await d.api.devices.update({ id: device, hostname: 'something-else' })
      expect(await fieldsOf(id)).toEqual({ hostname: ['something-else', 'host-1'] })
    })

    test('moves a renumbered address with its other fields', async () => {
      const { id, at } = await d.network()
      await d.scan(id, [named(at(1), A)])
      const [item] = await items(id)
      const device = await d.api.discovery.promote({ id: item?.id ?? '', name: 'x', hostname: 'moved' })
      await d.api.devices.update({ id: device.id, addresses: [{ ip: at(1), network_id: id, label: 'eth0', port: 22 }] })
      await d.scan(id, [named(at(9), A, { names: [] })])
      expect(await fieldsOf(id)).toEqual({ addresses: [at(1), at(9)] })
      await d.api.inbox.accept({ items: [{ id: item?.id ?? '' }] })
      expect((await d.api.devices.get({ id: device.id })).addresses).toMatchObject([
        { ip: at(9), label: 'eth0', port: 22, mac_address: A },
      ])
    })

    test('holds a documented MAC that differs from the one seen, and no MAC where none is documented', async () => {
      const { id, at } = await d.network()
      const known = { label: 'mgmt', port: 22 }
      const { id: device } = await d.api.devices.create({
        name: 'known',
        hostname: 'host-1',
        addresses: [
          { ip: at(1), mac_address: B, ...known },
          { ip: at(2), mac_address: B },
        ],
      })
      await document(at(3), { hostname: 'host-3' })
      await d.scan(id, [named(at(1), A), named(at(3), C)])
      expect(await items(id)).toMatchObject([{ bucket: 'changed', ip: at(1), device_id: device }])
      expect(await fieldsOf(id)).toEqual({ mac_address: [B, A] })
      const [item] = await items(id)
      const { results } = await d.api.inbox.accept({ items: [{ id: item?.id ?? '', fields: ['mac_address'] }] })
      expect(results).toMatchObject([{ status: 'accepted', device_id: device }])
      expect((await d.api.devices.get({ id: device })).addresses).toMatchObject([
        { ip: at(1), mac_address: A, ...known },
        { ip: at(2), mac_address: A },
      ])
      expect(await items(id)).toEqual([])
    })

    test('documents the MAC of each address of a device with several', async () => {
      const { id, at } = await d.network()
      const sshHostKey = 'SHA256:one-machine-with-two-interfaces-and-one-key'
      await d.scan(id, [named(at(1), A, { sshHostKey }), named(at(2), B, { sshHostKey, names: [] })])
      const [item] = await items(id)
      const { addresses } = await d.api.discovery.promote({ id: item?.id ?? '', name: 'both', hostname: 'host-1' })
      expect([addresses.map(({ ip, mac_address }) => [ip, mac_address]), await items(id)]).toEqual([
        [
          [at(1), A],
          [at(2), B],
        ],
        [],
      ])
    })

    test('puts a device in service that is only planned', async () => {
      const { id, at } = await d.network()
      const { id: device } = await document(at(1), { hostname: 'host-1', status: 'planned' })
      await d.scan(id, [named(at(1), A)])
      const [item] = await items(id)
      await d.api.inbox.accept({ items: [{ id: item?.id ?? '' }] })
      expect((await d.api.devices.get({ id: device })).status).toBe('active')
    })
  })

  describe('bucket of missing devices', () => {
    test('holds documented devices that are no longer seen', async () => {
      const { id, at } = await d.network()
      const { id: device } = await document(at(1), { hostname: 'host-1' })
      await d.scan(id, [named(at(1), A)])
      await d.scan(id, [])
      expect(await items(id)).toMatchObject([{ bucket: 'gone', device_id: device, device_name: 'known' }])
    })

    test('sets accepted devices out of service', async () => {
      const { id, at } = await d.network()
      const { id: device } = await document(at(1), { hostname: 'host-1' })
      await d.scan(id, [named(at(1), A)])
      await d.scan(id, [])
      const [item] = await items(id)
      await d.api.inbox.accept({ items: [{ id: item?.id ?? '' }] })
      expect((await d.api.devices.get({ id: device })).status).toBe('decommissioned')
      expect(await items(id)).toEqual([])
    })
  })

  describe('bucket of conflicts', () => {
    const moved = async () => {
      const net = await d.network()
      await d.scan(net.id, [named(net.at(1), A)])
      const [first] = await items(net.id)
      const device = await d.api.discovery.promote({ id: first?.id ?? '', name: 'x' })
      await d.scan(net.id, [named(net.at(1), B)])
      return { ...net, first: first?.id ?? '', device: device.id }
    }

    test('holds the pair when an address is answered by another MAC', async () => {
      const { id, first, device } = await moved()
      const [conflict] = await items(id, { bucket: 'conflict' })
      expect(conflict?.fields[0]).toMatchObject({ field: 'mac_address', documented: A, observed: B, target_id: first })
      expect(conflict?.device_id).toBe(device)
    })

    test('holds none when the old one is somewhere else', async () => {
      const { id, at } = await d.network()
      await d.scan(id, [named(at(1), A), named(at(2), B)])
      await d.scan(id, [named(at(1), B), named(at(2), A)])
      expect(await items(id, { bucket: 'conflict' })).toEqual([])
    })

    test('makes the new one the documented device when it is accepted', async () => {
      const { id, device } = await moved()
      const [conflict] = await items(id, { bucket: 'conflict' })
      await d.api.inbox.accept({ items: [{ id: conflict?.id ?? '' }] })
      const all = await d.api.discovery.list({ network_id: id })
      expect(
        all.map(({ mac_address, promoted_to_device_id }) => [mac_address, promoted_to_device_id]).toSorted(),
      ).toEqual([
        [A, null],
        [B, device],
      ])
      expect((await d.api.devices.get({ id: device })).addresses).toMatchObject([{ mac_address: B }])
      expect(await items(id, { bucket: 'conflict' })).toEqual([])
    })
  })

  describe('proposals of connections', () => {
    /** A switch at .1 that has learned only C on its third port, and A and B behind its uplink. */
    const facts = snmpFacts({
      name: 'sw-1',
      forwarding: [
        { mac: C, port: 'Gi0/3' },
        { mac: A, port: 'Gi0/24' },
        { mac: B, port: 'Gi0/24' },
      ],
    })

    test('the inbox proposes the port of a switch that has learned only the MAC', async () => {
      const { id, at } = await d.network()
      const { id: device } = await document(at(3), { hostname: 'host-3' })
      const sw = host(at(1), { mac: '00:1b:21:00:00:01', names: [{ name: 'sw-1', source: 'snmp' }], snmp: facts })
      await d.scan(id, [sw, named(at(3), C), named(at(4), A)], 'deep')
      const [item] = await items(id, { bucket: 'changed' })
      expect(item?.fields).toMatchObject([{ field: 'switch_port', documented: '', observed: 'sw-1 Gi0/3' }])
      await d.api.inbox.accept({ items: [{ id: item?.id ?? '' }] })
      expect((await d.api.devices.get({ id: device })).addresses[0]?.switch_port).toBe('sw-1 Gi0/3')
    })

    test('proposes a relationship to a neighbor by LLDP, until there is one', async () => {
      const { id, at } = await d.network()
      const one = await document(at(1), { name: 'one', hostname: 'host-1' })
      const two = await document(at(2), { name: 'two', hostname: 'host-2' })
      const lldp = [{ localPort: 'Gi0/1', remotePort: 'eth0', remoteName: 'two', remoteChassis: B, remoteAddress: '' }]
      await d.scan(id, [named(at(1), A, { snmp: snmpFacts({ lldp }) }), named(at(2), B)], 'deep')
      const [item] = await items(id, { bucket: 'changed' })
      expect(item?.fields).toMatchObject([
        { field: 'connected_to', observed: 'two', target_id: two.id, because: 'LLDP: Gi0/1 to eth0' },
      ])
      await d.api.inbox.accept({ items: [{ id: item?.id ?? '' }] })
      expect(await d.api.relationships.list({ device_id: one.id })).toMatchObject([
        { parent_id: one.id, child_id: two.id, type: 'connected_to' },
      ])
      expect(await items(id)).toEqual([])
    })
  })

  describe('an ignored item', () => {
    const ignored = async () => {
      const net = await d.network()
      await document(net.at(1), { hostname: 'old-name' })
      await d.scan(net.id, [named(net.at(1), A)])
      const [item] = await items(net.id)
      await d.api.inbox.ignore({ ids: [item?.id ?? ''] })
      return { ...net, item: item?.id ?? '' }
    }

    test('is put aside', async () => {
      const { id, item } = await ignored()
      expect(await items(id)).toEqual([])
      expect((await items(id, { ignored: true })).map((one) => [one.id, one.ignored])).toEqual([[item, true]])
    })

    test('stays there when it is seen again', async () => {
      const { id, at } = await ignored()
      await d.scan(id, [named(at(1), A)])
      expect(await items(id)).toEqual([])
    })

    test('comes back when something else differs', async () => {
      const { id, at } = await ignored()
      await d.scan(id, [named(at(1), A, { snmp: ofModel('X520') })])
      expect(await buckets(id)).toEqual([['changed', at(1)]])
    })

    test('comes back when it is asked for', async () => {
      const { id, at, item } = await ignored()
      await d.api.inbox.restore({ ids: [item] })
      expect(await buckets(id)).toEqual([['changed', at(1)]])
    })
  })

  describe('a locked field', () => {
    const locked = async () => {
      const net = await d.network()
      const { id: device } = await document(net.at(1), { hostname: 'old-name' })
      await d.scan(net.id, [named(net.at(1), A)])
      await d.api.discoveryLocks.create({ device_id: device, field: 'hostname' })
      return { ...net, device }
    }

    test('is proposed nothing for, now and at every scan', async () => {
      const { id, at } = await locked()
      expect(await items(id)).toEqual([])
      await d.scan(id, [named(at(1), A)])
      expect(await items(id)).toEqual([])
    })

    test('is proposed something for again when it is unlocked', async () => {
      const { id, at, device } = await locked()
      expect((await d.ask(`DELETE /api/discovery/locks/${device}/hostname`)).status).toBe(204)
      expect(await buckets(id)).toEqual([['changed', at(1)]])
    })

    test('is listed, once', async () => {
      const { device } = await locked()
      expect(await d.api.discoveryLocks.list({ device_id: device })).toMatchObject([
        { device_id: device, field: 'hostname' },
      ])
      expect(await d.ask('POST /api/discovery/locks', { device_id: device, field: 'hostname' })).toMatchObject(
        alreadyExists,
      )
    })

    test.each([
      ['an unknown device', { device_id: 'nothing', field: 'os' }, refusal('device_id')],
      ['an unknown field', { device_id: 'nothing', field: 'colour' }, refusal('field')],
    ])('of %s is refused', async (_, body, refused) => {
      expect(await d.ask('POST /api/discovery/locks', body)).toMatchObject(refused)
    })

    test('that is not locked cannot be unlocked', async () => {
      const { device } = await locked()
      expect(await d.ask(`DELETE /api/discovery/locks/${device}/os`)).toMatchObject(missing)
    })
  })

  test('counts what is in it', async () => {
    const { id, at } = await d.network()
    await document(at(1), { hostname: 'old-name' })
    await document(at(2), { hostname: 'host-2' })
    await d.scan(id, [named(at(1), A), named(at(2), B), named(at(3), C), host(at(4))])
    await d.scan(id, [named(at(1), A), named(at(3), C), host(at(4))])
    const [, ...others] = await items(id, { bucket: 'new' })
    await d.api.inbox.ignore({ ids: others.map((one) => one.id) })
    expect(await d.api.inbox.summary({ network_id: id })).toEqual({
      inventory_conflicts: 0,
      new: 1,
      changed: 1,
      gone: 1,
      conflict: 0,
      ignored: 1,
    })
  })

  test('answers with the outcome of each item', async () => {
    const { id, at } = await d.network()
    await document(at(1), { hostname: 'old-name' })
    await d.scan(id, [named(at(1), A)])
    const [item] = await items(id)
    const answer = await d.api.inbox.accept({
      items: [{ id: 'nothing' }, { id: item?.id ?? '', fields: ['os'] }, { id: item?.id ?? '' }],
    })
    expect(answer.results.map(({ status, error }) => error?.code ?? status)).toEqual([
      'NOT_FOUND',
      'VALIDATION_ERROR',
      'accepted',
    ])
  })

  test('needs the rights to the written objects', async () => {
    const { id, at } = await d.network()
    await document(at(1), { hostname: 'old-name' })
    await d.scan(id, [named(at(1), A)])
    const [item] = await items(id)
    const caller = await d.app.as(['discovery:update'])
    const { results } = await caller.api.inbox.accept({ items: [{ id: item?.id ?? '' }] })
    expect(results[0]?.error?.code).toBe('FORBIDDEN')
  })

  test('is sent page by page', async () => {
    const { id, at } = await d.network()
    await d.scan(id, [host(at(1)), host(at(2)), host(at(3))])
    const page = await d.ask(`GET /api/discovery/inbox?network_id=${id}&limit=1&offset=1`)
    expect([page.total, (page.body as unknown[]).length]).toEqual(['3', 1])
  })
})
