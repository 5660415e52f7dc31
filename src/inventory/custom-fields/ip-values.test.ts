// Custom fields of the type `ip`: notations, filters, order, lookup and search of an address, also in the past.
import { beforeAll, describe, expect, test } from 'bun:test'
import { inventory } from '../../../testing/estates/inventory.ts'
import { engines } from '../../../testing/servers/servers.ts'
import type { Lookup } from '../../answers/lookup/api.ts'

type Found = { readonly results: { type: string; name: string; field: string; match: string }[] }

describe.each(engines())('a custom field of addresses on %s', (dialect) => {
  const inv = inventory(dialect)
  const define = (resource: string, name: string, more: object = {}) =>
    inv.api.customFields.create({ resource, name, type: 'ip', ...more } as never)
  const names = async (query: string) => {
    const { body } = await inv.ask(`GET /api/racks?${query}`)
    return (body as { name: string }[]).map(({ name }) => name)
  }
  const look = async (query: string, more = ''): Promise<Lookup> =>
    (await inv.ask(`GET /api/lookup/${query}${more}`)).body as Lookup
  const find = async (q: string, more = '') => {
    const { body } = await inv.ask(`GET /api/search?q=${encodeURIComponent(q)}${more}`)
    return (body as Found).results.map((one) => `${one.type} ${one.name}: ${one.field} ${one.match}`)
  }
  const ids: Record<string, string> = {}
  let before = ''

  beforeAll(async () => {
    await define('racks', 'gateway')
    await define('racks', 'peers', { multiple: true })
    await define('devices', 'loopback', { unique: true })
    await define('addresses', 'nat')
    await define('ports', 'probe')
    const { api } = inv
    const rack = async (name: string, custom: object) => {
      ids[name] = (await api.racks.create({ name, custom } as never)).id
    }
    await rack('r six', { gateway: '2001:DB8:0:0:0:0:0:1' })
    await rack('r ten', { gateway: '10.0.0.10', peers: '192.0.2.7; 2001:DB8::7' })
    await rack('r two', { gateway: ' 10.0.0.2 ' })
    await rack('r none', {})
    const network = await api.networks.create({ name: 'lan', subnet: '198.51.100.0/24' })
    const pool = { network_id: network.id, name: 'p', start_ip: '198.51.100.10', end_ip: '198.51.100.20' }
    const { id: pool_id } = await api.pools.create(pool)
    const device = await api.devices.create({
      name: 'sw-1',
      custom: { loopback: '192.0.2.7' },
      addresses: [{ ip: '203.0.113.1' }, { ip: '203.0.113.2', custom: { nat: '192.0.2.7' } }],
    } as never)
    ids['sw-1'] = device.id
    ids.port = (
      await api.ports.create({ device_id: device.id, name: 'p1', custom: { probe: '192.0.2.7' } } as never)
    ).id
    await api.reservations.create({ pool_id, ip_address: '198.51.100.11', custom: { nat: '192.0.2.7' } } as never)
    before = (await api.history.list({ limit: 1 }))[0]?.id ?? ''
  })

  test('is stored in the form of RFC 5952', async () => {
    expect((await inv.api.racks.get({ id: ids['r six'] ?? '' })).custom).toEqual({ gateway: '2001:db8::1' })
    expect((await inv.api.racks.get({ id: ids['r ten'] ?? '' })).custom).toEqual({
      gateway: '10.0.0.10',
      peers: ['192.0.2.7', '2001:db8::7'],
    })
  })

  test('is filtered by an address in any notation, and sorted by address with IPv4 first', async () => {
    expect(await names('custom.gateway=2001:0DB8::0001')).toEqual(['r six'])
    expect(await names('custom.peers=2001:DB8:0::7')).toEqual(['r ten'])
    expect(await names('custom.gateway=')).toEqual(['r none'])
    expect(await names('sort=custom.gateway')).toEqual(['r two', 'r ten', 'r six', 'r none'])
    expect(await names('sort=-custom.gateway')).toEqual(['r six', 'r ten', 'r two', 'r none'])
    expect(await names(`sort=custom.gateway&as_of=${before}`)).toEqual(['r two', 'r ten', 'r six', 'r none'])
    expect(await inv.ask('GET /api/racks?custom.gateway=10.0.0')).toMatchObject({
      status: 400,
      body: { details: [{ field: 'custom.gateway', message: 'must be an IPv4 or IPv6 address' }] },
    })
    expect((await inv.ask('GET /api/racks?custom.gateway.min=10.0.0.1')).status).toBe(400)
  })

  test('refuses the address of another object in another notation if it is unique', async () => {
    await inv.api.devices.create({ name: 'six', custom: { loopback: '2001:db8::9' } } as never)
    const body = { name: 'same', custom: { loopback: '2001:DB8:0::0009' } }
    expect(await inv.ask('POST /api/devices', body)).toMatchObject({
      status: 409,
      body: { code: 'ALREADY_EXISTS', details: [{ field: 'custom.loopback' }] },
    })
  })

  test('is found by a lookup of the address, which stays free', async () => {
    const answer = await look('192.0.2.7')
    expect(answer).toMatchObject({ state: 'outside', known: true })
    expect(answer.objects?.map(({ resource, kind_id, name, field }) => [resource, kind_id, name, field])).toEqual([
      ['devices', null, 'sw-1', 'addresses.custom.nat'],
      ['reservations', null, '198.51.100.11', 'custom.nat'],
      ['devices', null, 'sw-1', 'custom.loopback'],
      ['ports', null, 'p1', 'custom.probe'],
      ['racks', null, 'r ten', 'custom.peers'],
    ])
    expect((await look('2001:DB8:0::7')).objects).toMatchObject([{ id: ids['r ten'], field: 'custom.peers' }])
    expect(Object.keys(await look('192.0.2.8'))).not.toContain('objects')
  })

  test('is found by a search of the address in any notation', async () => {
    expect(await find('192.0.2.7')).toEqual([
      'rack r ten: custom.peers 192.0.2.7',
      'reservation 198.51.100.11: custom.nat 192.0.2.7',
      'device sw-1: custom.loopback 192.0.2.7',
      'port p1: custom.probe 192.0.2.7',
    ])
    expect(await find('2001:0db8:0:0::7')).toEqual(['rack r ten: custom.peers 2001:db8::7'])
    expect(await find('[2001:DB8::1]:443')).toEqual(['rack r six: custom.gateway 2001:db8::1'])
  })

  test('is found only by callers who may list the object', async () => {
    const may = await inv.app.as(['search:read', 'racks:list'])
    expect((await may.api.lookup.show({ query: '192.0.2.7' })).objects).toMatchObject([{ resource: 'racks' }])
    const none = await inv.app.as(['search:read', 'vlans:list'])
    expect(await none.api.lookup.show({ query: '192.0.2.7' })).not.toHaveProperty('objects')
  })

  test('is found in the past after it has changed', async () => {
    await inv.api.racks.update({ id: ids['r ten'] ?? '', custom: { peers: null } } as never)
    await inv.api.devices.update({ id: ids['sw-1'] ?? '', custom: { loopback: '192.0.2.70' } } as never)
    expect(await find('192.0.2.7')).not.toContain('rack r ten: custom.peers 192.0.2.7')
    expect(await find('192.0.2.7', `&as_of=${before}`)).toContain('device sw-1: custom.loopback 192.0.2.7')
    const past = await look('192.0.2.7', `?as_of=${before}`)
    expect(past.objects?.map(({ name, field }) => `${name} ${field}`)).toEqual([
      'sw-1 addresses.custom.nat',
      '198.51.100.11 custom.nat',
      'sw-1 custom.loopback',
      'p1 custom.probe',
      'r ten custom.peers',
    ])
    expect((await look('192.0.2.7')).objects?.map(({ field }) => field)).not.toContain('custom.loopback')
  })

  test('is shown of at most 25 objects, and `more` names the list', async () => {
    for (let i = 0; i < 26; i++) await inv.api.racks.create({ name: `many ${i}`, custom: { gateway: '::5' } } as never)
    const { objects, more } = await look('0:0::5')
    expect([objects?.length, more]).toEqual([25, ['objects']])
  })
})
