// The rules of a source that knows a part of each object: lists are added to, and an empty value takes nothing away.
import { describe, expect, test } from 'bun:test'
import { type Inventory, inventory } from '../../../testing/estates/inventory.ts'
import { engines } from '../../../testing/servers/servers.ts'
import { AppError } from '../../contract/errors.ts'

const SOURCE = { lists: 'add', empty: 'keep' } as const

const importRows = async ({ app, admin }: Inventory, query: string, rows: readonly object[]) => {
  const response = await app.fetch(
    new Request(`http://plat.test/api/estate/import?${query}`, {
      method: 'POST',
      headers: { Authorization: `Bearer ${admin.key}`, 'Content-Type': 'application/json' },
      body: JSON.stringify(rows),
    }),
  )
  const last = (await response.text()).trimEnd().split('\n').at(-1) ?? ''
  return (JSON.parse(last) as { result: { errors: unknown[]; updated: number; unchanged: number } }).result
}

describe.each(engines())('on %s', (dialect) => {
  const inv = inventory(dialect)
  const ips = async (id: string) => (await inv.api.devices.get({ id })).addresses.map(({ ip }) => ip)

  /** A write of rows of devices by either way. */
  const ways: readonly (readonly [string, (rows: readonly object[]) => Promise<unknown>])[] = [
    ['an apply', (devices) => inv.api.estate.apply({ ...SOURCE, devices: [...devices] })],
    ['an import', (devices) => importRows(inv, 'resource=devices', devices)],
  ]

  describe.each(ways)('%s', (way, write) => {
    const prefix = way.replace(' ', '-')
    const made = async (name: string, fields: object) =>
      inv.api.devices.create({ id: `${prefix}-${name}`, name: `${prefix}-${name}`, ...fields })

    test('adds to tags, domains and addresses, and keeps the order of what is there', async () => {
      const { id, name } = await made('adds', {
        tags: ['hand', 'prod'],
        domains: ['Hand.example', 'web.example'],
        addresses: [{ ip: '10.1.0.1', mac_address: '52:54:00:00:00:01', label: 'mgmt' }, { ip: '10.1.0.2' }],
      })
      const row = {
        name,
        tags: ['new', 'prod'],
        domains: ['web.example', 'more.example'],
        addresses: [{ ip: '10.1.0.3' }, { ip: '10.1.0.1', dns_name: 'a.example' }],
      }
      await write([row])
      expect(await inv.api.devices.get({ id })).toMatchObject({
        tags: ['hand', 'prod', 'new'],
        domains: ['Hand.example', 'web.example', 'more.example'],
        addresses: [
          { ip: '10.1.0.1', mac_address: '52:54:00:00:00:01', label: 'mgmt', dns_name: 'a.example' },
          { ip: '10.1.0.2' },
          { ip: '10.1.0.3' },
        ],
      })
    })

    test('updates the fields of an address that the row has, and matches it in any form of its text', async () => {
      const { id, name } = await made('v6', {
        addresses: [{ ip: '2001:db8::1', label: 'old', mac_address: '52:54:00:00:00:02' }],
      })
      await write([{ name, addresses: [{ ip: '2001:DB8:0::1', label: 'new', mac_address: null }] }])
      expect((await inv.api.devices.get({ id })).addresses).toMatchObject([
        { ip: '2001:db8::1', label: 'new', mac_address: '52:54:00:00:00:02' },
      ])
    })

    test('takes nothing away by null, an empty text, a blank or an empty list', async () => {
      const { id, name } = await made('empty', {
        ...{
          hostname: 'h.example',
          os: 'Debian',
          description: 'text',
          location: 'R1',
          status: 'maintenance',
          tags: ['a'],
        },
        ...{
          domains: ['d.example'],
          addresses: [{ ip: '10.2.0.1' }],
          refs: { cmdb: `${prefix}-CI1` },
          managed_by: 'ops',
        },
      })
      const before = await inv.api.devices.get({ id })
      inv.advance(1000)
      await write([
        {
          ...{ name, hostname: '', os: null, description: '  ', location: '', status: '', tags: [], domains: null },
          ...{ addresses: [], refs: { cmdb: null }, datacenter_id: null, custom: null, mount: null },
        },
      ])
      expect(await inv.api.devices.get({ id })).toEqual(before)
    })

    test('moves an address that the rows give to another device, with its pool, whatever their order', async () => {
      const [network, n] = [
        await inv.api.networks.create({ name: `${prefix}-net`, subnet: '10.3.0.0/24' }),
        prefix === 'an-apply' ? 1 : 2,
      ]
      const pool = await inv.api.pools.create({
        network_id: network.id,
        name: 'p',
        start_ip: '10.3.0.1',
        end_ip: '10.3.0.99',
      })
      const placed = { network_id: network.id, pool_id: pool.id }
      const [ip, later] = [`10.3.0.${n}`, `10.3.0.${n + 10}`]
      const a = await made('gives', {
        addresses: [
          { ip: `10.4.0.${n}` },
          { ip, ...placed, dns_name: 'moving.example', mac_address: '52:54:00:00:00:03' },
        ],
      })
      const b = await made('takes', { addresses: [{ ip: later }] })
      const c = `${prefix}-new`
      await write([
        { name: a.name, addresses: [{ ip: later }] },
        { name: b.name, addresses: [{ ip: `10.4.1.${n}` }] },
        { name: c, addresses: [{ ip }] },
      ])
      expect(await ips(a.id)).toEqual([`10.4.0.${n}`, later])
      expect(await ips(b.id)).toEqual([`10.4.1.${n}`])
      const [taken] = (await inv.api.devices.list({})).filter(({ name }) => name === c)
      expect(taken?.addresses).toMatchObject([{ ip, ...placed, dns_name: 'moving.example', mac_address: '' }])
    })

    test('an address stays with two devices if both rows have it, or if one has no row', async () => {
      const ip = prefix === 'an-apply' ? '10.5.0.1' : '10.5.0.2'
      const [a, b, c] = [
        await made('shares', { addresses: [{ ip }] }),
        await made('shares-too', { addresses: [] }),
        await made('stranger', { addresses: [{ ip }] }),
      ]
      await write([
        { name: a.name, addresses: [{ ip }] },
        { name: b.name, addresses: [{ ip }] },
      ])
      expect([await ips(a.id), await ips(b.id), await ips(c.id)]).toEqual([[ip], [ip], [ip]])
    })

    test('adds an address of another address space beside the one of the default space', async () => {
      const space = await inv.api.spaces.create({ name: `${prefix}-lab` })
      const subnet = prefix === 'an-apply' ? '10.6.0.0/24' : '10.7.0.0/24'
      const network = await inv.api.networks.create({ name: `${prefix}-lab`, subnet, space_id: space.id })
      const ip = subnet.replace('0/24', '9')
      const { id, name } = await made('spaces', { addresses: [{ ip, label: 'default' }] })
      await write([{ name, addresses: [{ ip, network_id: network.id, space_id: space.id }] }])
      await write([{ name, addresses: [{ ip, network_id: network.id, label: 'lab' }] }])
      expect((await inv.api.devices.get({ id })).addresses).toMatchObject([
        { ip, label: 'default' },
        { ip, label: 'lab', space_id: space.id },
      ])
    })

    test('names a bad address by its place in the row', async () => {
      const { name } = await made('bad', { addresses: [{ ip: '10.8.0.1' }, { ip: '10.8.0.2' }] })
      const rows = [{ name, addresses: [{ ip: '10.8.0.2' }, { ip: '10.8.0.9', port: 70_000 }] }]
      const answer =
        way === 'an apply'
          ? (await inv.ask('POST /api/estate/apply', { ...SOURCE, devices: rows })).body
          : (await importRows(inv, 'resource=devices', rows)).errors[0]
      expect(answer).toMatchObject({
        details: [{ field: way === 'an apply' ? 'devices[0].addresses[1].port' : 'addresses[1].port' }],
      })
    })
  })

  test('a custom field with several values is added to, and one that is not in the row is kept', async () => {
    await inv.api.customFields.create({ resource: 'devices', name: 'owner', type: 'text' })
    const several = { type: 'choice' as const, multiple: true, choices: ['a', 'b', 'c'] }
    await inv.api.customFields.create({ resource: 'devices', name: 'teams', ...several })
    const { id, name } = await inv.api.devices.create({ name: 'custom', custom: { owner: 'neteng', teams: ['a'] } })
    await inv.api.estate.apply({ ...SOURCE, devices: [{ name, custom: { teams: 'b;a', owner: '' } }] })
    await importRows(inv, 'resource=devices', [{ name, custom: { teams: ['c'], owner: null } }])
    expect((await inv.api.devices.get({ id })).custom).toEqual({ owner: 'neteng', teams: ['a', 'b', 'c'] })
  })

  test('a custom field with several references is added to, whether they come before or after the row', async () => {
    const several = { type: 'reference', multiple: true, reference_to: 'devices' } as const
    await inv.api.customFields.create({ resource: 'devices', name: 'peers', ...several })
    await inv.api.customFields.create({ resource: 'addresses', name: 'via', ...several })
    const [one, two] = [
      await inv.api.devices.create({ name: 'peer-1' }),
      await inv.api.devices.create({ name: 'peer-2' }),
    ]
    const { id, name } = await inv.api.devices.create({
      name: 'peered',
      custom: { peers: [one.id] },
      addresses: [{ ip: '10.9.0.1' }, { ip: '10.9.0.2', custom: { via: [one.id] } }],
    })
    const row = { name, custom: { peers: ['peer-2'] }, addresses: [{ ip: '10.9.0.2', custom: { via: 'peer-2' } }] }
    await inv.api.estate.apply({ ...SOURCE, devices: [row] })
    const after = await inv.api.devices.get({ id })
    expect(after).toMatchObject({
      custom: { peers: [one.id, two.id] },
      addresses: [{ ip: '10.9.0.1' }, { ip: '10.9.0.2', custom: { via: [one.id, two.id] } }],
    })
    expect(await inv.api.estate.apply({ ...SOURCE, devices: [row] })).toMatchObject({ changed: false })
  })

  test('lists and empty values of other resources take nothing away either', async () => {
    const network = await inv.api.networks.create({
      name: 'kept',
      subnet: '10.20.0.0/24',
      vlan_id: 7,
      description: 'text',
    })
    const range = { start_ip: '10.20.0.10', end_ip: '10.20.0.20' }
    const pool = await inv.api.pools.create({ network_id: network.id, name: 'kept', ...range, tags: ['hand'] })
    const device = await inv.api.devices.create({ name: 'ported' })
    const port = await inv.api.ports.create({
      device_id: device.id,
      name: 'eth0',
      tagged_vlan_ids: [10, 20],
      description: 'up',
    })
    const type = await inv.api.deviceTypes.create({
      manufacturer: 'M',
      model: 'T',
      ports: [{ name: 'eth0', type: '10g' }],
    })
    const rows = {
      networks: [{ name: 'kept', vlan_id: null, description: '' }],
      pools: [{ name: 'kept', network_id: network.id, ...range, tags: ['new'], description: null }],
      ports: [{ device_id: device.id, name: 'eth0', tagged_vlan_ids: [30], description: '' }],
      'device-types': [{ manufacturer: 'M', model: 'T', ports: [{ name: 'ETH0' }, { name: 'eth1' }] }],
    }
    const check = async () => {
      expect(await inv.api.networks.get({ id: network.id })).toMatchObject({ vlan_id: 7, description: 'text' })
      expect(await inv.api.pools.get({ id: pool.id })).toMatchObject({ tags: ['hand', 'new'] })
      expect(await inv.api.ports.get({ id: port.id })).toMatchObject({
        tagged_vlan_ids: [10, 20, 30],
        description: 'up',
      })
      const { ports } = await inv.api.deviceTypes.get({ id: type.id })
      expect(ports.map(({ name, type: of }) => [name.toLowerCase(), of])).toEqual([
        ['eth0', '10g'],
        ['eth1', ''],
      ])
    }
    await inv.api.estate.apply({ ...SOURCE, ...rows })
    await check()
    for (const [resource, list] of Object.entries(rows)) await importRows(inv, `resource=${resource}`, list)
    await check()
  })

  test('the notes of a relationship stay without a value in the row', async () => {
    const [a, b] = [await inv.api.devices.create({ name: 'rel-a' }), await inv.api.devices.create({ name: 'rel-b' })]
    const ids = { child_id: b.id, type: 'depends_on' } as const
    await inv.api.relationships.create({ device_id: a.id, ...ids, notes: 'by hand', managed_by: 'ops' })
    const rows = [
      { parent_id: a.id, ...ids, notes: '' },
      { parent_id: a.id, ...ids },
    ]
    expect(await importRows(inv, 'resource=relationships', rows)).toMatchObject({ updated: 0, unchanged: 2 })
    expect(await importRows(inv, 'resource=relationships&empty=clear', rows)).toMatchObject({
      updated: 1,
      unchanged: 1,
    })
  })

  test('an address that stays behind when the source moves its network to another subnet is in no network', async () => {
    const network = await inv.api.networks.create({ name: 'moved', subnet: '10.30.0.0/24' })
    const device = await inv.api.devices.create({
      name: 'moved',
      addresses: [{ ip: '10.30.0.5', network_id: network.id }],
    })
    const document = {
      networks: [{ name: 'moved', subnet: '10.31.0.0/24' }],
      devices: [{ name: 'moved', addresses: [{ ip: '10.31.0.5', network: 'moved' }] }],
    }
    await inv.api.estate.apply({ ...SOURCE, ...document })
    expect((await inv.api.devices.get({ id: device.id })).addresses).toMatchObject([
      { ip: '10.30.0.5', network_id: null },
      { ip: '10.31.0.5', network_id: network.id },
    ])
    expect(await inv.api.estate.apply({ ...SOURCE, ...document })).toMatchObject({ changed: false })
  })

  test('an address stays where it is if the device that would get it is refused', async () => {
    await inv.api.customFields.create({ resource: 'devices', name: 'serial', type: 'text', unique: true })
    await inv.api.devices.create({ name: 'serial-0', custom: { serial: 'S0' } })
    const [a, b] = [
      await inv.api.devices.create({ name: 'serial-a', addresses: [{ ip: '10.40.0.1' }] }),
      await inv.api.devices.create({ name: 'serial-b' }),
    ]
    const devices = [
      { name: a.name, os: 'Debian' },
      { name: b.name, addresses: [{ ip: '10.40.0.1' }], custom: { serial: 'S0' } },
    ]
    const { errors } = await inv.api.estate.apply({ ...SOURCE, devices, atomic: false })
    expect(errors.map(({ name }) => name).sort()).toEqual([a.name, b.name])
    expect([await ips(a.id), await ips(b.id)]).toEqual([['10.40.0.1'], []])
  })

  test('a document without the rules replaces lists, and clears what is empty', async () => {
    const { id, name } = await inv.api.devices.create({
      name: 'written',
      os: 'x',
      tags: ['a'],
      addresses: [{ ip: '10.50.0.1' }],
    })
    await inv.api.estate.apply({ devices: [{ name, os: '', tags: ['b'], addresses: [{ ip: '10.50.0.2' }] }] })
    expect(await inv.api.devices.get({ id })).toMatchObject({ os: '', tags: ['b'], addresses: [{ ip: '10.50.0.2' }] })
  })

  test('an import replaces lists and clears fields if its query says so', async () => {
    const { id, name } = await inv.api.devices.create({
      name: 'queried',
      os: 'x',
      tags: ['a'],
      addresses: [{ ip: '10.51.0.1' }],
    })
    await importRows(inv, 'resource=devices&empty=clear', [{ name, os: '', tags: ['b'] }])
    expect(await inv.api.devices.get({ id })).toMatchObject({
      os: '',
      tags: ['a', 'b'],
      addresses: [{ ip: '10.51.0.1' }],
    })
    await importRows(inv, 'resource=devices&lists=replace&empty=clear', [{ name, tags: ['c'], addresses: [] }])
    expect(await inv.api.devices.get({ id })).toMatchObject({ tags: ['c'], addresses: [] })
  })

  test('addresses that others add while a source is applied are kept', async () => {
    const { id, name } = await inv.api.devices.create({ name: 'busy' })
    const rows = (n: number) => [{ name, addresses: [{ ip: `10.60.0.${n}` }], tags: [`t${n}`] }]
    // A user has one apply at a time. The next one waits for half a second, which may be too short on a busy machine.
    const apply = async (n: number): Promise<unknown> =>
      inv.api.estate.apply({ ...SOURCE, devices: rows(n) }).catch(async (error: unknown) => {
        if (!(error instanceof AppError) || error.code !== 'RATE_LIMIT_EXCEEDED') throw error
        await Bun.sleep(50)
        return apply(n)
      })
    await Promise.all(Array.from({ length: 8 }, (_, n) => apply(n + 1)))
    expect((await ips(id)).sort()).toEqual(Array.from({ length: 8 }, (_, n) => `10.60.0.${n + 1}`))
    expect((await inv.api.devices.get({ id })).tags.length).toBe(8)
  })
})
