// The rules that only devices have: addresses, tags, domains, references, filters and cascading deletes.
import { describe, expect, test } from 'bun:test'
import { fieldsOf, inventory, missing, noneFree, refusal } from '../../../testing/estates/inventory.ts'
import { engines } from '../../../testing/servers/servers.ts'
import type { Device } from './schema.ts'

describe.each(engines())('devices on %s', (dialect) => {
  const inv = inventory(dialect)
  const post = (body: Record<string, unknown>) => inv.ask('POST /api/devices', { name: 'd', ...body })
  const put = ({ id }: Device, body: Record<string, unknown>) => inv.ask(`PUT /api/devices/${id}`, body)
  const many = <T>(n: number, make: (i: number) => T): T[] => Array.from({ length: n }, (_, i) => make(i))

  describe('addresses', () => {
    const bare = {
      ...{ port: null, label: '', network_id: null, switch_port: '', mac_address: '', dns_name: '' },
      pool_id: null,
    }

    test.each([
      ['10.0.0.1', '10.0.0.1', 'ipv4'],
      ['2001:DB8:0:0:0:0:0:1', '2001:db8::1', 'ipv6'],
      ['2001:db8:0:0:1:0:0:1', '2001:db8::1:0:0:1', 'ipv6'],
      ['::FFFF:10.0.0.1', '::ffff:10.0.0.1', 'ipv6'],
      ['::', '::', 'ipv6'],
    ])('write %s as %s, of the type %s', async (ip, canonical, type) => {
      const made = await inv.api.devices.create({ name: 'd', addresses: [{ ip }] })
      expect(made.addresses).toEqual([{ ...bare, ip: canonical, type }])
      expect(await put(made, { addresses: [{ ip: canonical }] })).toMatchObject({ body: made })
    })

    test.each([
      '',
      'x',
      '10.0.0',
      '10.0.0.01',
      '10.0.0.1/32',
      '::1%eth0',
      ' 10.0.0.1',
      '10.0.0.256',
      '1::2::3',
      'x'.repeat(65),
    ])('are never %j', async (ip) => {
      expect(await post({ addresses: [{ ip: '10.0.0.1' }, { ip }] })).toMatchObject(refusal('addresses[1].ip'))
    })

    test('need an ip, and an object each', async () => {
      expect(await post({ addresses: [{ port: 22 }] })).toMatchObject(refusal('addresses[0].ip'))
      expect(await post({ addresses: ['10.0.0.1'] })).toMatchObject(refusal('addresses[0]'))
      expect(await post({ addresses: { ip: '10.0.0.1' } })).toMatchObject(refusal('addresses'))
    })

    test('have a port of 1 to 65535, or none', async () => {
      const withPort = (port: unknown) => post({ addresses: [{ ip: '10.0.0.1', port }] })
      for (const port of [1, 65535]) expect(await withPort(port)).toMatchObject({ body: { addresses: [{ port }] } })
      for (const none of [0, null])
        expect(await withPort(none)).toMatchObject({ body: { addresses: [{ port: null }] } })
      for (const bad of [-1, 65536, 1.5, '22']) expect(await withPort(bad)).toMatchObject(refusal('addresses[0].port'))
    })

    test.each([
      ['type', 64],
      ['label', 128],
      ['switch_port', 255],
      ['interface', 64],
    ])('bound %s at %d characters', async (field, most) => {
      const withField = (value: unknown) => post({ addresses: [{ ip: '10.0.0.1', [field]: value }] })
      const longest = 'x'.repeat(most)
      expect(await withField(longest)).toMatchObject({ status: 201, body: { addresses: [{ [field]: longest }] } })
      expect(await withField(`${longest}x`)).toMatchObject(refusal(`addresses[0].${field}`))
      expect(await withField(7)).toMatchObject(refusal(`addresses[0].${field}`))
    })

    test('are typed by their family when the type is empty', async () => {
      const both = [
        { ip: '10.0.0.1', type: '' },
        { ip: '::1', type: null },
      ]
      expect(await post({ addresses: both })).toMatchObject({
        body: { addresses: [{ type: 'ipv4' }, { type: 'ipv6' }] },
      })
    })

    test('are at most 1,000 of a device', async () => {
      const addresses = many(1001, (i) => ({ ip: `10.1.${i >> 8}.${i & 255}` }))
      expect(await post({ addresses: addresses.slice(0, 1000) })).toMatchObject({ status: 201 })
      expect(await post({ addresses })).toMatchObject(refusal('addresses'))
    })

    test('name a network and a pool that are there and hold them, or none', async () => {
      const { api } = inv
      const network = await api.networks.create({ name: 'n', subnet: '10.2.0.0/24' })
      const range = { start_ip: '10.2.0.10', end_ip: '10.2.0.20' }
      const pool = await api.pools.create({ network_id: network.id, name: 'p', ...range })
      const withAddress = (address: Record<string, unknown>) => post({ addresses: [{ ip: '10.9.9.9' }, address] })
      const [network_id, pool_id] = [network.id, pool.id]
      expect(await withAddress({ ip: '10.2.0.20', network_id, pool_id })).toMatchObject({ status: 201 })
      expect(await withAddress({ ip: '10.3.0.1', network_id: '', pool_id: '' })).toMatchObject({
        body: { addresses: [{}, { network_id: null, pool_id: null }] },
      })
      expect(await withAddress({ ip: '10.2.0.1', network_id: 'nope' })).toMatchObject(
        refusal('addresses[1].network_id'),
      )
      expect(await withAddress({ ip: '10.2.0.1', pool_id: 'nope' })).toMatchObject(refusal('addresses[1].pool_id'))
      expect(await withAddress({ ip: '10.2.1.1', network_id })).toMatchObject(refusal('addresses[1].ip'))
      expect(await withAddress({ ip: '2001:db8::1', network_id })).toMatchObject(refusal('addresses[1].ip'))
      expect(await withAddress({ ip: '10.2.0.21', pool_id })).toMatchObject(refusal('addresses[1].pool_id'))
      expect(fieldsOf(await withAddress({ ip: '10.2.1.1', network_id, pool_id }))).toEqual([
        'addresses[1].ip',
        'addresses[1].pool_id',
      ])
    })

    test('name them rightly in an update, too', async () => {
      const { api } = inv
      const network = await api.networks.create({ name: 'n', subnet: '10.4.0.0/24' })
      const made = await api.devices.create({ name: 'd', addresses: [{ ip: '10.4.0.1', network_id: network.id }] })
      const moved = [{ ip: '10.4.1.1', network_id: network.id }]
      expect(await put(made, { addresses: moved, datacenter_id: 'nope' })).toMatchObject(
        refusal('datacenter_id', 'addresses[0].ip'),
      )
      expect(await api.devices.get({ id: made.id })).toEqual(made)
      expect(await api.networks.utilization({ id: network.id })).toMatchObject({ used_ips: 1 })
    })

    test('out of a pool are of one device each', async () => {
      const { api } = inv
      const network = await api.networks.create({ name: 'n', subnet: '10.5.0.0/24' })
      const range = { start_ip: '10.5.0.1', end_ip: '10.5.0.9' }
      const pool = await api.pools.create({ network_id: network.id, name: 'p', ...range })
      const address = { ip: '10.5.0.1', pool_id: pool.id }
      const made = await api.devices.create({ name: 'd', addresses: [address, { ...address, port: 22 }] })
      const other = await api.devices.create({ name: 'e' })
      expect(await post({ addresses: [address] })).toMatchObject(noneFree)
      expect(await put(other, { addresses: [address] })).toMatchObject(noneFree)
      expect(await api.devices.get({ id: other.id })).toEqual(other)
      expect(await put(made, { addresses: [address] })).toMatchObject({ status: 200 })
      expect(await post({ addresses: [{ ip: '10.5.0.1' }] })).toMatchObject({ status: 201 })
    })

    test('are replaced whole by an update', async () => {
      const { api } = inv
      const made = await api.devices.create({
        name: 'd',
        addresses: [{ ip: '10.6.0.1', label: 'a' }, { ip: '10.6.0.2' }],
      })
      const after = await api.devices.update({ id: made.id, addresses: [{ ip: '10.6.0.2', label: 'b' }] })
      expect(after.addresses).toEqual([{ ...bare, ip: '10.6.0.2', type: 'ipv4', label: 'b' }])
      expect(await api.devices.search({ q: '10.6.0.1/32' })).toEqual([])
    })
  })

  test('have trimmed tags of 1 to 128 characters, once each, in their order, at most 100', async () => {
    const made = await inv.api.devices.create({ name: 'd', tags: [' b ', 'a', 'b', 'B', 'a a'] })
    expect(made.tags).toEqual(['b', 'a', 'B', 'a a'])
    expect(await put(made, { tags: ['b', 'a', 'B', 'a a', 'b'] })).toMatchObject({ body: made })
    expect(await put(made, { tags: ['a', 'b'] })).toMatchObject({ body: { tags: ['a', 'b'] } })
    expect(await post({ tags: many(100, (i) => `t${i}`) })).toMatchObject({ status: 201 })
    expect(await post({ tags: many(101, (i) => `t${i}`) })).toMatchObject(refusal('tags'))
    expect(await post({ tags: ['x'.repeat(128)] })).toMatchObject({ status: 201 })
    expect(await post({ tags: ['ok', 'x'.repeat(129), ' ', 7] })).toMatchObject(
      refusal('tags[1]', 'tags[2]', 'tags[3]'),
    )
    expect(await post({ tags: 'web' })).toMatchObject(refusal('tags'))
  })

  const longest = `${'a'.repeat(63)}.${'b'.repeat(63)}.${'c'.repeat(63)}.${'d'.repeat(61)}`

  test('have a host name of RFC 1123 labels, at most 253 characters', async () => {
    for (const hostname of ['web', 'web-1.example.com', 'WEB.Example', '1a', longest])
      expect(await post({ hostname })).toMatchObject({ status: 201, body: { hostname } })
    for (const bad of ['a_b', '-a', 'a-', 'a..b', 'a.', '*.a', 'a b', 'ü.de', `${'a'.repeat(64)}.b`, `${longest}d`])
      expect(fieldsOf(await post({ hostname: bad }))).toEqual(['hostname'])
  })

  test('have domains, which may begin with *. or _', async () => {
    const domains = ['example.com', '*.example.com', '_sip._tcp.example.com', longest]
    expect(await post({ domains })).toMatchObject({ status: 201, body: { domains } })
    for (const bad of ['', 'a..b', 'a.*.b', '*', 'a b', '-a.b', 'ü.de', `${longest}d`])
      expect(fieldsOf(await post({ domains: ['ok.com', bad] }))).toEqual(['domains[1]'])
  })

  test('are filtered by tags, datacenter, network and status, all of them at once', async () => {
    const { api } = inv
    const { id: datacenter_id } = await api.datacenters.create({ name: 'f' })
    const { id: network_id } = await api.networks.create({ name: 'f', subnet: '10.7.0.0/24' })
    const draft = (tags: string[]) => ({ tags: ['f', ...tags], addresses: [{ ip: '10.7.0.1' }] })
    await api.devices.create({ ...draft(['red', 'big one']), name: 'f1', datacenter_id })
    await api.devices.create({ ...draft(['red']), name: 'f2', status: 'planned' })
    await api.devices.create({ name: 'f3', tags: ['f', 'Red', 'a%b'], datacenter_id })
    const names = async (filter: Parameters<typeof api.devices.list>[0]) =>
      (await api.devices.list(filter)).map(({ name }) => name)
    expect(await names({ tags: ['f'] })).toEqual(['f1', 'f2', 'f3'])
    expect(await names({ tags: ['red'] })).toEqual(['f1', 'f2'])
    expect(await names({ tags: ['red', 'big one', 'red'] })).toEqual(['f1'])
    expect(await names({ tags: ['red', 'nope'] })).toEqual([])
    expect(await names({ tags: ['a%'] })).toEqual([])
    expect(await names({ datacenter_id })).toEqual(['f1', 'f3'])
    expect(await names({ network_id })).toEqual(['f1', 'f2'])
    expect(await names({ network_id, datacenter_id, tags: ['f'] })).toEqual(['f1'])
    expect(await names({ network_id, status: 'planned' })).toEqual(['f2'])
    expect(await names({ datacenter_id: 'nope' })).toEqual([])
    expect(await names({ network_id: 'nope' })).toEqual([])
    expect(await inv.ask('GET /api/devices?status=nope')).toMatchObject(refusal('status'))
  })

  test('are deleted with all their dependent objects', async () => {
    const { api, app } = inv
    const network = await api.networks.create({ name: 'n', subnet: '10.8.0.0/24' })
    const range = { start_ip: '10.8.0.1', end_ip: '10.8.0.9' }
    const pool = await api.pools.create({ network_id: network.id, name: 'p', ...range })
    const gone = await api.devices.create({
      name: 'unrepeatable',
      tags: ['t'],
      domains: ['gone.example.com'],
      addresses: [{ ip: '10.8.0.1', pool_id: pool.id }],
    })
    const stays = await api.devices.create({ name: 's', addresses: [{ ip: '10.8.0.2' }] })
    await api.relationships.create({ device_id: gone.id, child_id: stays.id, type: 'contains' })
    await api.relationships.create({ device_id: stays.id, child_id: gone.id, type: 'depends_on' })
    await api.devices.delete({ id: gone.id })

    for (const table of ['addresses', 'device_tags', 'device_domains', 'network_addresses'] as const) {
      const query = app.db.read.selectFrom(table).select('device_id').where('device_id', '=', gone.id)
      expect(await query.execute()).toEqual([])
    }
    expect(await api.relationships.all()).toEqual([])
    expect(await inv.ask(`GET /api/devices/${gone.id}/relationships`)).toMatchObject(missing)
    expect(await api.devices.search({ q: 'unrepeatable' })).toEqual([])
    expect(await api.networks.utilization({ id: network.id })).toMatchObject({ used_ips: 1 })
    expect((await api.pools.heatmap({ id: pool.id })).map(({ status }) => status).slice(0, 3)).toEqual([
      'available',
      'used',
      'available',
    ])
    expect(await api.devices.get({ id: stays.id })).toEqual(stays)
  })

  test('are sent as they are stored, byte for byte', async () => {
    const { body, etag } = await post({ name: 'Zoë "\\ \u{1f5fa}', description: 'a\nb\u2028c' })
    const { id } = body as Device
    const got = await inv.ask(`GET /api/devices/${id}`)
    expect(got).toMatchObject({ body: body as object, etag })
    const listed = await inv.api.devices.list()
    expect(listed.find((device) => device.id === id)).toEqual(body as Device)
  })

  test('lose no concurrent update', async () => {
    const made = await inv.api.devices.create({ name: 'd' })
    const changes = { os: 'o', make_model: 'm', location: 'l', username: 'u', description: 'd', hostname: 'h' }
    await Promise.all(Object.entries(changes).map(([field, value]) => put(made, { [field]: value })))
    expect(await inv.api.devices.get({ id: made.id })).toMatchObject(changes)
  })

  test('are changed by one of several updates with the same If-Match', async () => {
    const made = await inv.api.devices.create({ name: 'd' })
    const { etag } = await inv.ask(`GET /api/devices/${made.id}`)
    const answers = await Promise.all(
      many(10, (i) => inv.ask(`PUT /api/devices/${made.id}`, { os: `o${i}` }, { 'If-Match': etag ?? '' })),
    )
    const statuses = answers.map(({ status }) => status).sort()
    expect(statuses).toEqual([200, ...many(9, () => 412)])
  })
})
