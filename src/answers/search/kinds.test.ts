// The global search over every kind of object: the value that was found and its field, notations of addresses, rights, order, the past.
import { beforeAll, describe, expect, test } from 'bun:test'
import { sql } from 'kysely'
import { ask, inventory } from '../../../testing/estates/inventory.ts'
import { engines } from '../../../testing/servers/servers.ts'
import { RESOURCES } from '../../inventory/resources.ts'
import { listIndexedColumns } from '../../resource/columns.ts'
import type { SearchResult } from './api.ts'

const MAC = '00:1b:21:ab:cd:ef'
const PORT_MAC = '02:5e:10:0a:0c:0e'
const OWNERS = [
  'network Umbra net: custom.owner netowner',
  'vlan Voice: custom.owner vlanowner',
  'rack R-77: custom.owner rackowner',
  'reservation 10.50.0.42: custom.owner resowner',
  'space Umbra: custom.owner spaceowner',
  'device sw1: custom.owner devowner',
  'port TwentyFive1/0/7: custom.owner portowner',
  'cable K-0815: custom.owner cableowner',
]

describe.each(engines())('a search of every kind on %s', (dialect) => {
  const inv = inventory(dialect)
  const search = async (q: string): Promise<SearchResult[]> => (await inv.api.search.all({ q })).results
  const find = async (q: string) =>
    (await search(q)).map(({ type, name, field, match }) => `${type} ${name}: ${field} ${match}`)
  const ids: Record<string, string> = {}
  let before = ''

  beforeAll(async () => {
    const { api } = inv
    const define = (resource: string, name: string, searchable = true) =>
      api.customFields.create({ resource, name, type: 'text', searchable } as never)
    for (const resource of ['devices', 'vlans', 'racks', 'ports', 'cables', 'spaces', 'networks', 'addresses'])
      await define(resource, 'owner')
    await define('ports', 'secret', false)
    const own = (owner: string) => ({ custom: { owner } })
    const space = await api.spaces.create({
      name: 'Umbra',
      description: 'the dark fabric',
      ...own('spaceowner'),
    } as never)
    await api.vlans.create({
      name: 'Voice',
      vlan_id: 310,
      group: 'Süd',
      description: 'telephones',
      ...own('vlanowner'),
    } as never)
    await api.vlans.create({ name: 'Wide', vlan_id: 3101 } as never)
    const rack = await api.racks.create({
      name: 'R-77',
      location: 'Room Ötztal',
      description: 'half empty',
      ...own('rackowner'),
    } as never)
    await api.deviceTypes.create({
      manufacturer: 'Acme',
      model: 'Switchling 9',
      part_number: 'PN-4711',
      ports: [],
    } as never)
    const network = await api.networks.create({
      name: 'Umbra net',
      subnet: '10.50.0.0/24',
      space_id: space.id,
      ...own('netowner'),
    } as never)
    const pool = await api.pools.create({
      network_id: network.id,
      name: 'Held',
      start_ip: '10.50.0.10',
      end_ip: '10.50.0.99',
    })
    const held = await api.reservations.create({
      ...{ pool_id: pool.id, ip_address: '10.50.0.42', hostname: 'badge-reader', mac_address: '0a0b.0c0d.0e0f' },
      ...{ purpose: 'Türöffner', notes: 'asked by facilities', ...own('resowner') },
    } as never)
    const switchling = await api.devices.create({
      ...{ name: 'sw1', ...own('devowner') },
      addresses: [{ ip: '2001:db8:1::15', interface: 'Vlan310mgmt', label: 'Oob', mac_address: MAC }],
    } as never)
    const server = await api.devices.create({ name: 'web-1', addresses: [{ ip: '10.60.0.1' }] })
    const port = await api.ports.create({
      ...{ device_id: switchling.id, name: 'TwentyFive1/0/7', mac_address: PORT_MAC, description: 'Ausgang ÖSTLICH' },
      custom: { owner: 'portowner', secret: 'hushhush' },
    } as never)
    const cable = await api.cables.create({
      ...{ a: { port_id: port.id }, b: { device_id: server.id, port: 'eth0' }, type: 'cat6a', color: 'magenta' },
      ...{ label: 'K-0815', description: 'behind the pillar', ...own('cableowner') },
    } as never)
    Object.assign(ids, {
      space: space.id,
      rack: rack.id,
      reservation: held.id,
      device: switchling.id,
      port: port.id,
      cable: cable.id,
    })
    before = (await api.history.list({ limit: 1 }))[0]?.id ?? ''
  })

  test.each([
    ['voice', ['vlan Voice: name Voice']],
    ['3101', ['vlan Wide: vlan_id 3101']],
    ['süd', ['vlan Voice: group Süd']],
    ['telephones', ['vlan Voice: description telephones']],
    ['vlanowner', ['vlan Voice: custom.owner vlanowner']],
    ['r-77', ['rack R-77: name R-77']],
    ['ÖTZTAL', ['rack R-77: location Room Ötztal']],
    ['rackowner', ['rack R-77: custom.owner rackowner']],
    ['dark fabric', ['space Umbra: description the dark fabric']],
    ['spaceowner', ['space Umbra: custom.owner spaceowner']],
    ['switchling', ['device-type Acme Switchling 9: name Acme Switchling 9']],
    ['pn-4711', ['device-type Acme Switchling 9: part_number PN-4711']],
    ['badge', ['reservation 10.50.0.42: hostname badge-reader']],
    ['türöff', ['reservation 10.50.0.42: purpose Türöffner']],
    ['facilities', ['reservation 10.50.0.42: notes asked by facilities']],
    ['resowner', ['reservation 10.50.0.42: custom.owner resowner']],
    ['twentyfive1/0', ['port TwentyFive1/0/7: name TwentyFive1/0/7']],
    ['tw', ['port TwentyFive1/0/7: name TwentyFive1/0/7']],
    ['östlich', ['port TwentyFive1/0/7: description Ausgang ÖSTLICH']],
    ['portowner', ['port TwentyFive1/0/7: custom.owner portowner']],
    ['hushhush', []],
    ['secret', []],
    ['owner', OWNERS],
    ['k-08', ['cable K-0815: label K-0815']],
    ['cat6a', ['cable K-0815: type cat6a']],
    ['magenta pillar', ['cable K-0815: color magenta']],
    ['cableowner', ['cable K-0815: custom.owner cableowner']],
    ['devowner', ['device sw1: custom.owner devowner']],
    ['netowner', ['network Umbra net: custom.owner netowner']],
    ['oob', ['device sw1: addresses.label Oob']],
    ['vlan310mgmt', ['device sw1: addresses.interface Vlan310mgmt']],
    ['sw1 oob', ['device sw1: name sw1']],
    ['%', []],
    ['"', []],
    ['k-08*', []],
  ])('the text %s is found in its field', async (q, found) => {
    expect(await find(q)).toEqual(found)
  })

  test.each([
    '00:1b:21',
    '00-1b-21-a',
    '001b.21',
    '001b21',
    '1b21ab',
    '21ab.cdef',
    'b-21-ab',
    '0x001b21',
    '001b-21ab',
    'cdef',
  ])('a part of the MAC of an address is found in the notation %s', async (q) => {
    expect(await find(q)).toEqual([`device sw1: addresses.mac_address ${MAC}`])
  })

  test.each(['02:5e:10', '02-5E-10-0', '025e.10', '025e10', '5e100a', '2:5e:10:a:c', '100a.0c0e'])(
    'a part of the MAC of a port is found in the notation %s',
    async (q) => {
      expect(await find(q)).toEqual([`port TwentyFive1/0/7: mac_address ${PORT_MAC}`])
    },
  )

  test.each([
    '02:5e:10:0a:0c:0e',
    '025e-100a-0c0e',
    '025e10-0a0c0e',
    '2:5e:10:a:c:e',
    '02 5e 10 0a 0c 0e',
    '0x025e100a0c0e',
  ])('the whole MAC of a port finds the port and its device in the notation %s', async (q) => {
    const found = await find(q)
    expect(found).toEqual([
      `device sw1: ports.mac_address ${PORT_MAC}`,
      `port TwentyFive1/0/7: mac_address ${PORT_MAC}`,
    ])
  })

  test('the MAC of a reservation is found in part and in whole', async () => {
    const found = ['reservation 10.50.0.42: mac_address 0a:0b:0c:0d:0e:0f']
    expect([await find('0a-0b-0c-0d'), await find('0A0B0C0D0E0F')]).toEqual([found, found])
  })

  test.each(['[2001:db8:1::15]', 'https://[2001:0DB8:1::0015]:8443/login', '2001:0db8:0001:0000:0000:0000:0000:0015'])(
    'an IPv6 address is found in the notation %s',
    async (q) => {
      expect(await find(q)).toEqual(['device sw1: addresses.ip 2001:db8:1::15'])
    },
  )

  test.each(['2001:0db8:0001', '0db8:0001:0000:0000', '0001:0000', '0000:0015', '0db8:1::'])(
    'a part of an IPv6 address is found unshortened as %s',
    async (q) => {
      expect(await find(q)).toEqual(['device sw1: addresses.ip 2001:db8:1::15'])
    },
  )

  test.each([
    '10.60.0.1',
    'https://10.60.0.1/',
    'http://admin@10.60.0.1:8080/x?y#z',
    '10.60.0.1:443',
    '[::ffff:10.60.0.1]:80',
  ])('an IPv4 address is found in %s', async (q) => {
    expect((await search(q)).filter(({ type }) => type === 'device')).toMatchObject(
      q.includes('ffff') ? [] : [{ name: 'web-1', match: '10.60.0.1', field: 'addresses.ip' }],
    )
  })

  test('an address finds its network, its pool and its reservation, with their space', async () => {
    const found = await search('10.50.0.42:80')
    expect(found.map(({ type, field, match, space_id }) => [type, field, match, space_id])).toEqual([
      ['network', 'subnet', '10.50.0.0/24', ids.space],
      ['pool', 'start_ip', '10.50.0.10 - 10.50.0.99', ids.space],
      ['reservation', 'ip_address', '10.50.0.42', ids.space],
    ])
    expect((await find('10.50.0.40/29')).at(-1)).toBe('reservation 10.50.0.42: ip_address 10.50.0.42')
    expect((await search('10.50.0.4')).map(({ type }) => type)).toEqual(['network'])
  })

  test('a port, a cable and a reservation tell to what they belong', async () => {
    const [port] = await search('twentyfive')
    expect(port).toMatchObject({ id: ids.port, detail: 'sw1' })
    expect((await search('k-0815'))[0]).toMatchObject({ id: ids.cable, detail: 'sw1 TwentyFive1/0/7 - web-1 eth0' })
    expect((await search('badge'))[0]).toMatchObject({ id: ids.reservation, detail: 'Held' })
  })

  test('a cable without a label has the names of its ends', async () => {
    const { api } = inv
    const { id } = await api.cables.create({
      ...{
        a: { device_id: ids.device, port: 'p8' },
        b: { device_id: ids.device, port: 'p9' },
        description: 'short loop',
      },
    } as never)
    expect((await search('short loop'))[0]).toMatchObject({ name: 'sw1 p8 - sw1 p9', match: 'short loop' })
    await api.cables.delete({ id })
    expect(await find('short loop')).toEqual([])
  })

  test('each kind is found with its own list permission, and shows no names of others', async () => {
    for (const [q, permission, type] of [
      ['voice', 'vlans:list', 'vlan'],
      ['r-77', 'racks:list', 'rack'],
      ['badge', 'reservations:list', 'reservation'],
      ['umbra', 'spaces:list', 'space'],
      ['switchling', 'device-types:list', 'device-type'],
      ['twentyfive', 'ports:list', 'port'],
      ['k-0815', 'cables:list', 'cable'],
    ] as const) {
      const may = await inv.app.as(['search:read', permission])
      const { results } = await may.api.search.all({ q })
      expect(results.map((one) => one.type)).toEqual([type])
      expect(JSON.stringify(results)).not.toMatch(/sw1|web-1|eth0|Held/)
      const not = await inv.app.as(['search:read', 'datacenters:list'])
      expect((await ask(not, `GET /api/search?q=${q}`)).body).toEqual({ results: [] })
    }
    const devices = await inv.app.as(['search:read', 'devices:list'])
    expect((await devices.api.search.all({ q: '025e100a0c0e' })).results).toEqual([])
    expect((await devices.api.search.all({ q: '025e10' })).results).toEqual([])
  })

  test('changed texts are found, and former ones are not, but in the past they are', async () => {
    const { api } = inv
    await api.ports.update({ id: ids.port ?? '', description: 'Westwärts' })
    await api.cables.update({ id: ids.cable ?? '', label: 'K-0816' })
    await api.devices.update({
      id: ids.device ?? '',
      addresses: [{ ip: '2001:db8:1::15', label: 'Inband', mac_address: MAC }],
    })
    expect([await find('östlich'), await find('k-0815'), await find('oob')]).toEqual([[], [], []])
    expect([await find('WESTWÄRTS'), await find('k-0816'), await find('inband')]).toEqual([
      ['port TwentyFive1/0/7: description Westwärts'],
      ['cable K-0816: label K-0816'],
      ['device sw1: addresses.label Inband'],
    ])
    const past = async (q: string) => {
      const { body } = await inv.ask(`GET /api/search?as_of=${before}&q=${encodeURIComponent(q)}`)
      return (body as { results: SearchResult[] }).results.map(({ type, match }) => `${type} ${match}`)
    }
    expect([await past('k-0815'), await past('oob'), await past('5e10'), await past('tw')]).toEqual([
      ['cable K-0815'],
      ['device Oob'],
      [`port ${PORT_MAC}`],
      ['port TwentyFive1/0/7'],
    ])
  })

  test('equal texts come first, then those that begin with the text, in each kind and among the kinds', async () => {
    const { api } = inv
    const device_id = ids.device ?? ''
    for (const name of ['xq12', 'axq1', 'xq1', 'xq10']) {
      await api.ports.create({ device_id, name })
      await api.racks.create({ name: `r ${name}` })
    }
    await api.vlans.create({ name: 'before xq1', vlan_id: 20 })
    const found = await search('xq1')
    expect(found.filter(({ type }) => type === 'port').map(({ name }) => name)).toEqual(['xq1', 'xq10', 'xq12', 'axq1'])
    expect([...new Set(found.map(({ type }) => type))]).toEqual(['port', 'vlan', 'rack'])
  })

  test('an object of an indexed table is found after VACUUM, which rewrites the file of SQLite', async () => {
    const { db } = inv.app
    const { id } = await inv.api.ports.create({ device_id: ids.device ?? '', name: 'gone first' })
    await inv.api.ports.create({ device_id: ids.device ?? '', name: 'stays after vacuum' })
    await inv.api.ports.delete({ id })
    await db.vacuum(['ports'])
    await inv.api.ports.create({ device_id: ids.device ?? '', name: 'made after vacuum' })
    expect((await search('after vacuum')).map(({ name }) => name)).toEqual(['made after vacuum', 'stays after vacuum'])
    expect(await search('gone first')).toEqual([])
  })

  test.each(RESOURCES.filter((facts) => 'hasSearchIndex' in facts))(
    '$name has an index of its searched fields',
    async (facts) => {
      const { db } = inv.app
      const searched = { table: facts.name, columns: listIndexedColumns(facts), custom: 'searched' } as const
      const query = sql`SELECT id FROM ${sql.table(facts.name)} WHERE ${db.sql.matchesColumns(searched, [['needle']])}`
      if (dialect === 'sqlite') {
        const { rows } = await sql<{
          name: string
        }>`SELECT name FROM ${sql.raw(`pragma_table_info('${facts.name}_search')`)}`.execute(db.read)
        expect(rows.map(({ name }) => name)).toEqual(['id', ...searched.columns, 'custom'])
        expect((await query.execute(db.read)).rows).toEqual([])
        return
      }
      const plan = await db.write(async (tx) => {
        await sql`SET LOCAL enable_seqscan = off`.execute(tx.db)
        return (await sql<Record<string, string>>`EXPLAIN ${query}`.execute(tx.db)).rows
          .flatMap(Object.values)
          .join('\n')
      })
      expect(plan).toContain(`${facts.name}_search`)
    },
  )

  test('an exact name is found among more objects than an answer has', async () => {
    const { api } = inv
    const device_id = ids.device ?? ''
    for (let i = 0; i < 60; i++) await api.ports.create({ device_id, name: `a${i}-zz9` })
    await api.ports.create({ device_id, name: 'zz9' })
    const found = await search('zz9')
    expect([found.length, found[0]?.name]).toEqual([50, 'zz9'])
  })
})
