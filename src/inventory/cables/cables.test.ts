// The rules of cables: their ends, refusals that leave nothing behind, at once, filters, the past, and imports.
import { describe, expect, test } from 'bun:test'
import { fieldsOf, inventory, missing, refusal } from '../../../testing/estates/inventory.ts'
import { onSqlite } from '../../../testing/servers/servers.ts'
import type { Cable } from './api.ts'

describe.each(onSqlite())('cables on %s', (dialect) => {
  const inv = inventory(dialect)
  const device = async (name: string) => (await inv.api.devices.create({ name })).id
  const port = async (device_id: string, name: string, more: object = {}) =>
    (await inv.api.ports.create({ device_id, name, ...more })).id
  const make = (body: object) => inv.ask('POST /api/cables', body)
  const cableIn = ({ body }: { readonly body: unknown }) => body as Cable
  const portsOf = async (device_id: string) => (await inv.api.ports.list({ device_id })).map(({ name }) => name)

  test('are created, read, changed and deleted, with all fields', async () => {
    const [sw, web] = [await device('sw-crud'), await device('web-crud')]
    const gi = await port(sw, 'Gi0/1')
    const made = await make({
      ...{ id: 'c-crud', a: { port_id: gi }, b: { device_id: web, port: ' eth0 ' }, type: 'cat6a', label: 'L-1' },
      ...{ color: 'blue', length_m: 1.5, status: 'planned', description: 'text', refs: { netbox: 'c.1' } },
      managed_by: 'git',
    })
    const eth0 = (await inv.api.ports.list({ device_id: web }))[0]
    expect(eth0).toMatchObject({ name: 'eth0', kind: 'network' })
    const stored = {
      id: 'c-crud',
      a: { device_id: sw, device: 'sw-crud', port_id: gi, port: 'Gi0/1', side: 'front' },
      b: { device_id: web, device: 'web-crud', port_id: eth0?.id, port: 'eth0', side: 'front' },
      ...{ type: 'cat6a', label: 'L-1', color: 'blue', length_m: 1.5, status: 'planned', description: 'text' },
      ...{ refs: { netbox: 'c.1' }, managed_by: 'git', created_at: inv.now(), updated_at: inv.now() },
    }
    expect({ status: made.status, text: JSON.stringify(made.body) }).toEqual({
      status: 201,
      text: JSON.stringify(stored),
    })
    expect(await inv.ask('GET /api/cables/netbox:c.1')).toMatchObject({ status: 200, body: stored })
    expect((await inv.ask('GET /api/cables?label=l-1')).body).toEqual([stored])
    inv.advance(1000)
    const same = { a: stored.a, b: { device_id: web, port: 'ETH0' } }
    const changed = await inv.ask('PUT /api/cables/c-crud', { ...same, status: null, length_m: null, color: '' })
    const after = { ...stored, status: 'connected', length_m: null, color: '', updated_at: inv.now() }
    expect(changed).toMatchObject({ status: 200, body: after })
    expect(await inv.ask('PUT /api/cables/c-crud', { a: stored.b })).toMatchObject(refusal('a'))
    expect(await inv.ask('PUT /api/cables/c-crud', { b: { device_id: web, port: 'eth1' } })).toMatchObject(refusal('b'))
    expect(await inv.ask('PUT /api/cables/c-crud', { a: { port_id: gi, side: 'rear' } })).toMatchObject(refusal('a'))
    // Cables show the present names of ports and devices.
    await inv.api.ports.update({ id: gi, name: 'Te0/1' })
    expect((await inv.api.cables.get({ id: 'c-crud' })).a.port).toBe('Te0/1')
    expect((await inv.ask('DELETE /api/cables/c-crud')).status).toBe(204)
    expect(await portsOf(web)).toEqual(['eth0'])
  })

  test('are refused with the field that is bad, and leave no port behind', async () => {
    const [sw, web] = [await device('sw-bad'), await device('web-bad')]
    const gi = await port(sw, 'Gi0/1')
    const con = await port(sw, 'con0', { kind: 'console' })
    await make({ a: { port_id: gi }, b: { device_id: web, port: 'eth0' } })
    const [a, b] = [
      { device_id: sw, port: 'new' },
      { device_id: web, port: 'new' },
    ]
    for (const [body, ...fields] of [
      [{ a }, 'b'],
      [{ a: {}, b }, 'a.port_id'],
      [{ a: { device_id: sw }, b }, 'a.port'],
      [{ a: { device_id: 'none', port: 'x' }, b }, 'a.device_id'],
      [{ a, b: { port_id: 'none' } }, 'b.port_id'],
      [{ a: { port_id: gi, device_id: web }, b }, 'a.device_id'],
      [{ a: { port_id: gi }, b }, 'a'],
      [{ a, b: { device_id: web, port: 'ETH0' } }, 'b'],
      [{ a, b: { ...a, port: 'NEW' } }, 'b'],
      [{ a: { port_id: con }, b: { device_id: sw, port: 'Gi0/1' } }, 'b'],
      [{ a: { ...a, side: 'rear' }, b }, 'a.side'],
      [{ a, b: { ...b, side: 'rear' } }, 'b.side'],
      [{ a: { ...a, side: 'top' }, b }, 'a.side'],
      [{ a: { ...a, port: 'p'.repeat(65) }, b }, 'a.port'],
    ] as const)
      expect([fields, fieldsOf(await make(body))] as unknown[]).toEqual([fields, fields])
    expect([await portsOf(sw), await portsOf(web)]).toEqual([['con0', 'Gi0/1'], ['eth0']])
    expect((await inv.api.cables.list({ device_id: web })).length).toBe(1)
    // A port that is made has the kind of the other end.
    await make({ a: { port_id: con }, b: { device_id: web, port: 'ttyS0' } })
    const made = await inv.api.ports.list({ device_id: web, kind: 'console' })
    expect(made.map(({ name }) => name)).toEqual(['ttyS0'])
    expect(await inv.ask(`PUT /api/ports/${con}`, { kind: 'network' })).toMatchObject(refusal('kind'))
  })

  test('have a side of a pass-through port each', async () => {
    const [panel, sw] = [await device('panel'), await device('sw-panel')]
    const p1 = await port(panel, '1', { pass_through: true })
    const end = (name: string) => ({ device_id: sw, port: name })
    expect((await make({ a: { port_id: p1 }, b: end('x1') })).status).toBe(201)
    expect((await make({ a: { port_id: p1, side: 'rear' }, b: end('x2') })).status).toBe(201)
    expect(await make({ a: { port_id: p1, side: 'rear' }, b: end('x3') })).toMatchObject(refusal('a'))
    expect(await inv.ask(`PUT /api/ports/${p1}`, { pass_through: false })).toMatchObject(refusal('pass_through'))
    const { body } = await inv.ask(`GET /api/devices/${panel}/ports?include=peers`)
    expect(body).toMatchObject([
      {
        peers: [
          { side: 'front', device: 'sw-panel', port: 'x1', port_side: 'front' },
          { side: 'rear', device: 'sw-panel', port: 'x2', port_side: 'front' },
        ],
      },
    ])
    expect((await inv.ask(`GET /api/devices/${panel}/ports`)).body).not.toMatchObject([{ peers: [] }])
  })

  test('of one port at once are one', async () => {
    const [sw, ...webs] = [
      await device('sw-race'),
      ...(await Promise.all([1, 2, 3, 4].map((n) => device(`race-${n}`)))),
    ]
    const gi = await port(sw, 'Gi0/1')
    const answers = await Promise.all(
      Array.from({ length: 50 }, (_, i) => {
        const ends = [{ port_id: gi }, { device_id: webs[i % 4], port: `eth${i}` }]
        return make(i % 2 === 0 ? { a: ends[0], b: ends[1] } : { a: ends[1], b: ends[0] })
      }),
    )
    const won = answers.filter(({ status }) => status === 201)
    expect(won.length).toBe(1)
    for (const [i, answer] of answers.entries())
      if (answer.status !== 201) expect(answer).toMatchObject(refusal(i % 2 === 0 ? 'a' : 'b'))
    const left = await Promise.all(webs.map(portsOf))
    expect(left.flat().length).toBe(1)
  })

  test('go with their ports and devices, and come back by an undo', async () => {
    const [sw, web] = [await device('sw-gone'), await device('web-gone')]
    const gi = await port(sw, 'Gi0/1')
    const { id } = cableIn(await make({ a: { port_id: gi }, b: { device_id: web, port: 'eth0' }, label: 'gone' }))
    const hook = await inv.api.webhooks.create({ name: 'c', url: 'http://h.invalid/', events: ['cable.deleted'] })
    const before = await inv.api.cables.get({ id })
    const deletePort = await inv.admin.request('DELETE', `/api/ports/${gi}`)
    expect(await inv.ask(`GET /api/cables/${id}`)).toMatchObject(missing)
    await inv.api.history.undo({ id: deletePort.headers.get('x-change-id') ?? '' })
    expect(await inv.api.cables.get({ id })).toEqual(before)
    const deleteDevice = await inv.admin.request('DELETE', `/api/devices/${web}`)
    expect(deleteDevice.status).toBe(204)
    expect(await inv.ask(`GET /api/cables/${id}`)).toMatchObject(missing)
    expect(await portsOf(sw)).toEqual(['Gi0/1'])
    await inv.api.history.undo({ id: deleteDevice.headers.get('x-change-id') ?? '' })
    expect(await inv.api.cables.get({ id })).toEqual(before)
    const sent = await inv.api.webhooks.deliveries({ id: hook.id })
    expect(sent.map(({ event }) => event)).toEqual(['cable.deleted', 'cable.deleted'])
  })

  test('are listed by label, with filters, as of a moment', async () => {
    const [x, y] = [await device('x-list'), await device('y-list')]
    const labels = ['b', 'A', 'c']
    for (const [i, label] of labels.entries())
      await make({
        ...{ a: { device_id: x, port: `p${i}` }, b: { device_id: y, port: `p${i}` }, label },
        status: i === 2 ? 'decommissioned' : '',
      })
    const list = async (query: string) =>
      ((await inv.ask(`GET /api/cables?${query}`)).body as Cable[]).map(({ label }) => label)
    expect(await list(`device_id=${x}`)).toEqual(['A', 'b', 'c'])
    expect(await list(`device_id=${x}&limit=1&offset=1`)).toEqual(['b'])
    expect(await list(`device_id=${y}&status=decommissioned`)).toEqual(['c'])
    expect(await list(`device_id=${y}&status=connected`)).toEqual(['A', 'b'])
    expect(await list('device_id=none')).toEqual([])
    const whole = (await inv.ask(`GET /api/cables?device_id=${x}`)).body
    const last = await inv.admin.request('PUT', `/api/devices/${x}`, { description: 'moment' })
    const as_of = last.headers.get('x-change-id') ?? ''
    inv.advance(1000)
    await inv.api.devices.update({ id: x, name: 'renamed' })
    const [first] = await inv.api.cables.list({ device_id: x })
    await inv.api.cables.update({ id: first?.id ?? '', label: 'z', length_m: 2.25 })
    await inv.api.devices.delete({ id: y })
    expect((await inv.ask(`GET /api/cables?device_id=${x}`)).body).toEqual([])
    expect((await inv.ask(`GET /api/cables?device_id=${x}&as_of=${as_of}`)).body).toEqual(whole)
    expect((await inv.ask(`GET /api/cables?device_id=${y}&status=decommissioned&as_of=${as_of}`)).total).toBe('1')
    const paths = (await inv.ask(`GET /api/devices/${x}/paths?as_of=${as_of}`)).body
    expect(paths).toMatchObject([{ port: 'p0' }, { port: 'p1' }, { port: 'p2', hops: [{ to: { device: 'y-list' } }] }])
  })

  test('cables are written in bulk by callers with the permission', async () => {
    const [x, y] = [await device('x-bulk'), await device('y-bulk')]
    const cable = (n: number) => ({ a: { device_id: x, port: `p${n}` }, b: { device_id: y, port: `p${n}` } })
    const bulk = (operations: object[], atomic = true) => inv.ask('POST /api/cables/bulk', { operations, atomic })
    const twice = [cable(1), cable(2), cable(1)].map((one) => ({ op: 'create', cable: one }))
    expect(await bulk(twice)).toMatchObject(refusal('operations[2].cable.a', 'operations[2].cable.b'))
    expect(await portsOf(x)).toEqual([])
    const some = await bulk(twice, false)
    expect(some).toMatchObject({ status: 200, body: { succeeded: 2, failed: 1 } })
    expect(await portsOf(x)).toEqual(['p1', 'p2'])
    const viewer = await inv.app.as('viewer')
    expect((await viewer.request('POST', '/api/cables', cable(3))).status).toBe(403)
    expect((await viewer.request('GET', '/api/cables')).status).toBe(200)
    const cabler = await inv.app.as(['cables:create'])
    expect((await cabler.request('POST', '/api/cables', cable(3))).status).toBe(403)
    expect(await portsOf(x)).toEqual(['p1', 'p2'])
    const operator = await inv.app.as('operator')
    expect((await operator.request('POST', '/api/cables', cable(3))).status).toBe(201)
  })

  test('mean the cable of their two ends in an import', async () => {
    const [x, y] = [await device('x-import'), await device('y-import')]
    const [a, b] = [
      { device_id: x, port: 'p1' },
      { device_id: y, port: 'p1' },
    ]
    const load = async (resource: string, some: object[]) =>
      (await inv.admin.request('POST', `/api/estate/import?resource=${resource}`, some)).text()
    expect(await load('cables', [{ a, b, label: '1' }])).toContain('"created":1,"updated":0,"unchanged":0,"failed":0')
    inv.advance(1000)
    expect(await load('cables', [{ a: b, b: a, label: '1' }])).toContain(
      '"created":0,"updated":0,"unchanged":1,"failed":0',
    )
    expect(await load('cables', [{ a, b, label: '2' }])).toContain('"created":0,"updated":1,"unchanged":0,"failed":0')
    const exported = await inv.api.cables.list({ device_id: x })
    inv.advance(1000)
    expect(await load('cables', exported)).toContain('"unchanged":1')
    expect(await load('ports', await inv.api.ports.list({ device_id: x }))).toContain('"unchanged":1')
    expect(await load('ports', [{ device_id: x, name: 'P1', type: 'sfp' }])).toContain('"updated":1')
  })
})
