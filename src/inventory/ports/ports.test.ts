// The rules of ports: names and their order, parents, the interface of addresses, deletion, bulk and the past.
import { describe, expect, test } from 'bun:test'
import { alreadyExists, fieldsOf, inventory, missing, refusal } from '../../../testing/estates/inventory.ts'
import { onSqlite } from '../../../testing/servers/servers.ts'
import type { Port } from './api.ts'

describe.each(onSqlite())('ports on %s', (dialect) => {
  const inv = inventory(dialect)
  const device = async (name: string, addresses: object[] = []) =>
    (await inv.api.devices.create({ name, addresses } as never)).id
  const make = (deviceId: string, body: object) => inv.ask(`POST /api/devices/${deviceId}/ports`, body)
  const portIn = ({ body }: { readonly body: unknown }) => body as Port

  test('have one name each in any case, and the tagged VLANs once each in their order', async () => {
    const id = await device('names')
    const made = await make(id, { name: 'Gi0/1', tagged_vlan_ids: [30, 20, 30] })
    expect(made).toMatchObject({ status: 201, body: { tagged_vlan_ids: [20, 30] } })
    expect(await make(id, { name: 'gi0/1' })).toMatchObject(alreadyExists)
    const other = portIn(await make(id, { name: 'Po1' }))
    expect(await inv.ask(`PUT /api/ports/${other.id}`, { name: 'GI0/1' })).toMatchObject(alreadyExists)
  })

  test('are refused with the field that is bad', async () => {
    const [id, other] = [await device('bad'), await device('other')]
    const { id: far } = portIn(await make(other, { name: 'far' }))
    expect(await make('none', { name: 'x' })).toMatchObject(missing)
    for (const [body, field] of [
      [{ name: 'n'.repeat(65) }, 'name'],
      [{ name: 'x', parent_id: far }, 'parent_id'],
      [{ id: 'self', name: 'x', parent_id: 'self' }, 'parent_id'],
      [{ name: 'x', tagged_vlan_ids: [0] }, 'tagged_vlan_ids[0]'],
    ] as const)
      expect([field, fieldsOf(await make(id, body))]).toEqual([field, [field]])
    const { id: own } = portIn(await make(id, { name: 'own' }))
    expect(await inv.ask(`PUT /api/ports/${own}`, { device_id: other })).toMatchObject(refusal('device_id'))
    expect((await inv.ask(`PUT /api/ports/${own}`, { device_id: id })).status).toBe(200)
    expect((await inv.api.ports.list({ device_id: id })).length).toBe(1)
  })

  test('are no part of ports that are part of them', async () => {
    const id = await device('circle')
    const [a, b, c] = [
      portIn(await make(id, { name: 'a' })),
      portIn(await make(id, { name: 'b' })),
      portIn(await make(id, { name: 'c' })),
    ]
    await inv.api.ports.update({ id: b.id, parent_id: a.id })
    await inv.api.ports.update({ id: c.id, parent_id: b.id })
    expect(await inv.ask(`PUT /api/ports/${a.id}`, { parent_id: c.id })).toMatchObject(refusal('parent_id'))
    const deleted = await inv.admin.request('DELETE', `/api/ports/${b.id}`)
    expect(await inv.api.ports.get({ id: c.id })).toMatchObject({ parent_id: null })
    await inv.api.history.undo({ id: deleted.headers.get('x-change-id') ?? '' })
    expect(await inv.api.ports.get({ id: c.id })).toMatchObject({ parent_id: b.id })
  })

  test('are listed by device and name, numbers by their value, with filters', async () => {
    const id = await device('list')
    for (const name of ['Gi0/10', 'Gi0/2', 'Gi0/1', 'con0'])
      await make(id, { name, kind: name === 'con0' ? 'console' : 'network' })
    await inv.ask(`PUT /api/ports/${(await inv.api.ports.list({ device_id: id }))[1]?.id}`, {
      mac_address: '02:00:00:00:00:01',
    })
    const names = async (path: string) => ((await inv.ask(`GET ${path}`)).body as Port[]).map(({ name }) => name)
    const order = ['con0', 'Gi0/1', 'Gi0/2', 'Gi0/10']
    expect(await names(`/api/devices/${id}/ports`)).toEqual(order)
    expect(await names(`/api/devices/${id}/ports?limit=2&offset=1`)).toEqual(order.slice(1, 3))
    expect(await names(`/api/ports?device_id=${id}`)).toEqual(order)
    expect(await names(`/api/ports?device_id=${id}&kind=console`)).toEqual(['con0'])
    expect(await names(`/api/ports?device_id=${id}&kind=network`)).toEqual(order.slice(1))
    expect(await names('/api/ports?mac=0200.0000.0001')).toEqual(['Gi0/1'])
    expect(await names('/api/ports?mac=nothing')).toEqual([])
    expect(await inv.ask('GET /api/devices/none/ports')).toMatchObject(missing)
  })

  test('rename the interface in the addresses of their device, and nothing else', async () => {
    const addresses = [{ ip: '10.9.0.1', interface: 'ETH0' }, { ip: '10.9.0.2', interface: 'eth1' }, { ip: '10.9.0.3' }]
    const id = await device('rename', addresses)
    const other = await device('rename-2', [{ ip: '10.9.0.4', interface: 'eth0' }])
    const { id: port } = portIn(await make(id, { name: 'eth0' }))
    inv.advance(1000)
    await inv.api.ports.update({ id: port, name: 'lan0' })
    const after = await inv.api.devices.get({ id })
    expect(after.addresses.map((one) => one.interface)).toEqual(['lan0', 'eth1', undefined])
    expect(after.updated_at).toBe(inv.now())
    expect((await inv.api.devices.get({ id: other })).addresses[0]?.interface).toBe('eth0')
    const [entry] = await inv.api.histories.port({ id: port })
    await inv.api.history.undo({ id: entry?.change_id ?? '' })
    expect((await inv.api.devices.get({ id })).addresses[0]?.interface).toBe('ETH0')
    expect((await inv.api.ports.get({ id: port })).name).toBe('eth0')
  })

  test('are deleted with their device, and made again by its undo, with parents', async () => {
    const id = await device('whole')
    const part = portIn(await make(id, { id: 'a-part', name: 'part' }))
    const whole = portIn(await make(id, { id: 'z-whole', name: 'whole' }))
    await inv.api.ports.update({ id: part.id, parent_id: whole.id })
    const before = await inv.api.ports.list({ device_id: id })
    const deleted = await inv.admin.request('DELETE', `/api/devices/${id}`)
    expect(deleted.status).toBe(204)
    expect(await inv.ask(`GET /api/ports/${part.id}`)).toMatchObject(missing)
    await inv.api.history.undo({ id: deleted.headers.get('x-change-id') ?? '' })
    const after = await inv.api.ports.list({ device_id: id })
    expect(after.map(({ updated_at: _, ...one }) => one)).toEqual(before.map(({ updated_at: _, ...one }) => one))
  })

  test('are at most 2,000 of a device, in calls of 1,000', async () => {
    const id = await device('many')
    const bulk = (from: number, to: number) =>
      inv.ask('POST /api/ports/bulk', {
        operations: Array.from({ length: to - from }, (_, i) => ({
          op: 'create',
          port: { device_id: id, name: `p${from + i}` },
        })),
      })
    expect((await bulk(0, 1000)).status).toBe(200)
    expect((await bulk(1000, 2000)).status).toBe(200)
    expect(await bulk(2000, 2001)).toMatchObject(refusal('operations[0].port.device_id'))
    expect(await make(id, { name: 'more' })).toMatchObject(refusal('device_id'))
    expect((await inv.ask(`GET /api/devices/${id}/ports?limit=1`)).total).toBe('2000')
    expect((await inv.ask(`DELETE /api/devices/${id}`)).status).toBe(204)
  }, 60_000)

  test('of one name at once are one', async () => {
    const id = await device('race')
    const answers = await Promise.all(Array.from({ length: 20 }, () => make(id, { name: 'eth0' })))
    const statuses = answers.map(({ status }) => status)
    expect([statuses.filter((one) => one === 201).length, statuses.filter((one) => one === 409).length]).toEqual([
      1, 19,
    ])
  })

  test('find their device by the MAC, in the lookup and in searches', async () => {
    const id = await device('mac')
    await device('mac-2', [{ ip: '10.8.0.1', mac_address: '02:00:00:00:00:99' }])
    const viewer = await inv.app.as('viewer')
    const found = async (q: string, { api } = viewer) => ({
      searched: (await api.devices.search({ q })).map(({ name }) => name),
      everywhere: (await api.search.all({ q })).results.map(({ name, match }) => [name, match]),
      lookup: (await api.lookup.show({ query: q })).devices?.map(({ name }) => name),
    })
    const both = ['02:00:00:00:00:99', '0200.0000.0099'] as const
    const one = { searched: ['mac-2'], everywhere: [['mac-2', both[0]]], lookup: ['mac-2'] }
    for (const q of both) expect(await found(q)).toEqual(one)
    const { id: port } = portIn(await make(id, { name: 'eth0', mac_address: '02:00:00:00:00:99' }))
    const match = both[0]
    const two = {
      searched: ['mac', 'mac-2'],
      everywhere: [
        ['mac', match],
        ['mac-2', match],
        ['eth0', match],
      ],
    }
    for (const q of both) {
      const { lookup, ...rest } = await found(q)
      expect([rest, lookup?.toSorted()]).toEqual([two, ['mac', 'mac-2']])
      expect((await inv.ask(`GET /api/devices/search?limit=1&q=${q}`)).total).toBe('2')
    }
    const blind = await inv.app.as(['devices:list', 'devices:read', 'search:read'])
    expect(await found(match, blind)).toEqual(one)
    await inv.api.ports.delete({ id: port })
    for (const q of both) expect(await found(q)).toEqual(one)
  })
})
