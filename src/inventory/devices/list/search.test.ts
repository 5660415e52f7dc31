// The search of devices: each word in any field and case, best matches first; blocks and addresses by value.
import { beforeAll, describe, expect, test } from 'bun:test'
import { type Inventory, inventory, refusal } from '../../../../testing/estates/inventory.ts'
import { engines } from '../../../../testing/servers/servers.ts'

const seek = async ({ api }: Inventory, q: string) => (await api.devices.search({ q })).map(({ name }) => name)

describe.each(engines())('the search of devices on %s', (dialect) => {
  const inv = inventory(dialect)
  const find = (q: string) => seek(inv, q)
  const refused = (query: string) => inv.ask(`GET /api/devices/search?${query}`)

  beforeAll(async () => {
    const { api } = inv
    await api.devices.create({
      name: 'Alpha-Router',
      hostname: 'edge-1.Example.net',
      description: 'Uplink to provider "ACME" (50% paid)',
      make_model: 'Juniper MX204',
      os: 'Junos 23.4',
      location: 'Zürich, Rack 7',
      username: 'secret-user',
      tags: ['core network', 'Größe_XL'],
      domains: ['transit.example.org', '*.wild.example.org'],
      addresses: [{ ip: '192.0.2.1', label: 'Loopback', interface: 'Lo17' }, { ip: '2001:db8:1::1' }],
    })
    await api.devices.create({
      name: 'beta',
      description: 'Ärger mit ΣΊΣΥΦΟΣ, back\\slash, o\u2019neil, 5000 paid, GrößeXXL',
      tags: ['a%b', "it's"],
      addresses: [{ ip: '192.0.2.10' }, { ip: '2001:db8:2::a' }],
    })
    await api.devices.create({ name: 'gamma', os: 'Junos', addresses: [{ ip: '198.51.100.7' }] })
  })

  test.each([
    ['name', 'pha-rou', 'Alpha-Router'],
    ['hostname', 'edge-1', 'Alpha-Router'],
    ['description', 'uplink to', 'Alpha-Router'],
    ['make_model', 'mx204', 'Alpha-Router'],
    ['os', '23.4', 'Alpha-Router'],
    ['location', 'rack 7', 'Alpha-Router'],
    ['ip', '2.0.2.10', 'beta'],
    ['IPv6', '8:1::1', 'Alpha-Router'],
    ['model, with two letters', 'x2', 'Alpha-Router'],
    ['IPv6, with two', ':2', 'beta'],
    ['tag', 'core network', 'Alpha-Router'],
    ['label of an address', 'loopback', 'Alpha-Router'],
    ['interface of an address', 'lo17', 'Alpha-Router'],
    ['domain', 'transit.example', 'Alpha-Router'],
    ['wildcard domain', '*.wild', 'Alpha-Router'],
  ])('looks at the %s', async (_, q, name) => {
    expect(await find(q)).toEqual([name])
  })

  test.each(['secret-user', 'ipv4', 'active'])('does not look elsewhere: %s', async (q) => {
    expect(await find(q)).toEqual([])
  })

  test.each([
    'ALPHA',
    'alpha',
    'EDGE-1.EXAMPLE.NET',
    'JUNIPER',
    'ZÜRICH',
    'zürich',
    'GRÖßE_xl',
    'CORE Network',
    '2001:DB8:1::1',
  ])('knows no case: %s', async (q) => {
    expect(await find(q)).toEqual(['Alpha-Router'])
  })

  test.each(['ÄRGER', 'ärger', 'Σίσυφο', 'ΣΊΣΥΦΟ'])('knows no case beyond ASCII: %s', async (q) => {
    expect(await find(q)).toEqual(['beta'])
  })

  test('wants every word, in any order and any field', async () => {
    expect(await find('acme juniper')).toEqual(['Alpha-Router'])
    expect(await find('  Rack\tALPHA \n 7 ')).toEqual(['Alpha-Router'])
    expect(await find('junos')).toEqual(['Alpha-Router', 'gamma'])
    expect(await find('junos gamma')).toEqual(['gamma'])
    expect(await find('junos junos gamma')).toEqual(['gamma'])
    expect(await find('junos nowhere')).toEqual([])
    expect(await find('192.0.2.1 core')).toEqual(['Alpha-Router'])
  })

  test('finds words of one and two characters, too', async () => {
    expect(await find('7')).toEqual(['Alpha-Router', 'gamma'])
    expect(await find('xl')).toEqual(['Alpha-Router', 'beta'])
    expect(await find('mx 7')).toEqual(['Alpha-Router'])
    expect(await find('ü')).toEqual(['Alpha-Router'])
    expect(await find('ta ärger')).toEqual(['beta'])
  })

  test.each([
    ['50%', ['Alpha-Router']],
    ['%', ['Alpha-Router', 'beta']],
    ['a%b', ['beta']],
    ['größe_x', ['Alpha-Router']],
    ['_', ['Alpha-Router']],
    ['back\\slash', ['beta']],
    ['\\', ['beta']],
    ['"acme"', ['Alpha-Router']],
    ['"', ['Alpha-Router']],
    ["it's", ['beta']],
    ["'", ['beta']],
    ['o\u2019neil', ['beta']],
    ['(50%', ['Alpha-Router']],
    ['alpha*', []],
    ['alpha OR beta', []],
    ['NEAR(alpha beta)', []],
    ['alpha-', ['Alpha-Router']],
    ['-alpha', []],
    ['name:alpha', []],
    ["' OR 1=1 --", []],
    ['\u{1f4a5}', []],
  ])('takes %j literally', async (q, names) => {
    expect(await find(q)).toEqual(names)
  })

  test.each([
    ['192.0.2.0/24', ['Alpha-Router', 'beta']],
    ['192.0.2.99/24', ['Alpha-Router', 'beta']],
    ['192.0.2.0/29', ['Alpha-Router']],
    ['192.0.2.1/32', ['Alpha-Router']],
    ['0.0.0.0/0', ['Alpha-Router', 'beta', 'gamma']],
    ['::/0', ['Alpha-Router', 'beta']],
    ['2001:DB8::/32', ['Alpha-Router', 'beta']],
    ['2001:0db8:0002::/48', ['beta']],
    [' 198.51.100.0/24 ', ['gamma']],
    ['203.0.113.0/24', []],
  ])('takes %s as a block', async (q, names) => {
    expect(await find(q)).toEqual(names)
  })

  test.each([
    ...['2001:DB8:0001:0:0::1', '2001:0db8:1:0:0:0:0:1', '2001:db8:1:0::1', '[2001:db8:1::1]'],
    ...['https://[2001:db8:1::1]/', '2001:0db8:0001', '0001:0000'],
  ])('takes %s as an address', async (q) => {
    expect(await find(q)).toEqual(['Alpha-Router'])
  })

  test('is of 1 to 256 characters that are not all blank', async () => {
    expect(await refused(`q=${'x'.repeat(256)}`)).toMatchObject({ status: 200, body: [] })
    expect(await refused(`q=${'x'.repeat(257)}`)).toMatchObject(refusal('q'))
    for (const bad of ['', 'q=', 'q=%20', 'q=%20%09%0A', 'q=a%00b'])
      expect(await refused(bad)).toMatchObject(refusal('q'))
  })

  test('finds the present texts of a device, and not the former ones', async () => {
    const { api } = inv
    const { id } = await api.devices.create({ name: 'chameleon', tags: ['green'], addresses: [{ ip: '203.0.114.1' }] })
    await api.devices.update({ id, tags: ['brown'], addresses: [{ ip: '203.0.114.2' }] })
    expect([await find('green'), await find('brown'), await find('chameleon brown')]).toEqual([
      [],
      ['chameleon'],
      ['chameleon'],
    ])
    expect([await find('203.0.114.1'), await find('203.0.114.2')]).toEqual([[], ['chameleon']])
    await api.devices.delete({ id })
    expect([await find('chameleon'), await find('203.0.114.0/24')]).toEqual([[], []])
  })
})

describe.each(engines())('the search text of a device on %s', (dialect) => {
  const inv = inventory(dialect)

  test('a text that an older version has written is written again, and nothing else', async () => {
    const { api, app } = inv
    const addresses = [{ ip: '192.0.2.77', label: 'Uplink', interface: 'xe-0/0/7' }]
    const device = await api.devices.create({ name: 'older', addresses })
    const last = await api.history.list({ limit: 1 })
    await app.db.write(async ({ db, searchTextChanged }) => {
      searchTextChanged('devices', {})
      await db.updateTable('devices').set({ search_text: 'older\n192.0.2.77' }).where('id', '=', device.id).execute()
    })
    expect([await seek(inv, 'uplink'), await seek(inv, '192.0.2.77')]).toEqual([[], ['older']])
    await app.plat.runJob('devices.search-texts')
    expect([await seek(inv, 'uplink'), await seek(inv, 'xe-0/0'), await seek(inv, 'older')]).toEqual(
      Array(3).fill(['older']),
    )
    expect(await api.devices.get({ id: device.id })).toEqual(device)
    expect(await api.history.list({ limit: 1 })).toEqual(last)
    await app.plat.runJob('devices.search-texts')
  })
})

describe.each(engines())('the ranking of found devices on %s', (dialect) => {
  const inv = inventory(dialect)

  test('puts the exact name, host name or address first, then names and host names that begin with it, then the rest', async () => {
    const { api } = inv
    await api.devices.create({ name: 'a', description: 'like Web' })
    await api.devices.create({ name: 'b', tags: ['web'] })
    await api.devices.create({ name: 'c-WEB' })
    await api.devices.create({ name: 'WEB-2' })
    await api.devices.create({ name: 'd', hostname: 'Web-host' })
    await api.devices.create({ name: 'web-10' })
    await api.devices.create({ name: 'x', hostname: 'wEb' })
    await api.devices.create({ name: 'Web' })
    expect(await seek(inv, ' WEB ')).toEqual(['Web', 'x', 'WEB-2', 'web-10', 'd', 'a', 'b', 'c-WEB'])
  })

  test('ranks addresses as it ranks names', async () => {
    const { api } = inv
    await api.devices.create({ name: 'a', description: 'beside 10.1.1.1' })
    await api.devices.create({ name: 'b', addresses: [{ ip: '110.1.1.1' }] })
    await api.devices.create({ name: 'c', addresses: [{ ip: '10.1.1.10' }] })
    await api.devices.create({ name: 'd', addresses: [{ ip: '172.16.0.1' }, { ip: '10.1.1.1' }] })
    expect(await seek(inv, '10.1.1.1')).toEqual(['d', 'c', 'a', 'b'])
    expect(await seek(inv, '10.1.1')).toEqual(['d', 'c', 'a', 'b'])
  })

  test('knows an exact address in whatever form it is asked for', async () => {
    const { api } = inv
    await api.devices.create({ name: 'a', description: 'beside 2001:DB8:0::9' })
    await api.devices.create({ name: 'b', addresses: [{ ip: '2001:db8::9' }] })
    expect(await seek(inv, '2001:DB8:0::9')).toEqual(['b', 'a'])
  })

  test('takes % and _ literally', async () => {
    const { api } = inv
    await api.devices.create({ name: 'zq_1', description: 'a' })
    await api.devices.create({ name: 'zqx1', description: 'mentions zq_1 and zq_' })
    expect(await seek(inv, 'zq_')).toEqual(['zq_1', 'zqx1'])
    expect(await seek(inv, 'zq%')).toEqual([])
  })

  test('holds over the pages', async () => {
    const page = async (offset: number) => {
      const { body, total } = await inv.ask(`GET /api/devices/search?q=web&limit=3&offset=${offset}`)
      return [total, (body as { name: string }[]).map(({ name }) => name)]
    }
    expect([await page(0), await page(3), await page(6)]).toEqual([
      ['8', ['Web', 'x', 'WEB-2']],
      ['8', ['web-10', 'd', 'a']],
      ['8', ['b', 'c-WEB']],
    ])
  })
})
