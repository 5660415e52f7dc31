/** A refused undo names every obstacle, and does nothing. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { type TestApp, type TestCaller, testApp } from '../../../../testing/app/app.ts'
import { onSqlite } from '../../../../testing/servers/servers.ts'

type Refusal = {
  readonly code: string
  readonly error: string
  readonly details: readonly { readonly field: string; readonly message: string }[]
}

const ESTATE = ['datacenters', 'networks', 'pools', 'reservations', 'devices', 'relationships'] as const

describe.each(onSqlite())('on %s', (dialect) => {
  let app: TestApp
  let admin: TestCaller
  beforeAll(async () => {
    app = await testApp({ dialect, env: { AUDIT_ENABLED: 'true', DISCOVERY_ALLOWED_SUBNETS: '10.0.0.0/8' } })
    admin = await app.as('admin')
  })
  afterAll(() => app.close())

  const newest = async (): Promise<string> => (await admin.api.history.list({ limit: 1 }))[0]?.id ?? ''
  const undo = (id: string, query = '', caller = admin) => caller.request('POST', `/api/history/${id}/undo${query}`)

  /** Everything that a caller sees of the estate, as it is sent. */
  const estate = async (): Promise<string[]> =>
    Promise.all(ESTATE.map(async (one) => (await admin.request('GET', `/api/${one}`)).text()))

  /** Undoes a change that something is in the way of, and checks that nothing was done. */
  const refused = async (id: string): Promise<Refusal> => {
    const before = await estate()
    const last = await newest()
    const response = await undo(id)
    const body = (await response.json()) as Refusal
    expect([response.status, body.code]).toEqual([409, 'UNDO_CONFLICT'])
    const preview = await undo(id, '?dry_run=true')
    expect([preview.status, await preview.json()]).toEqual([409, body])
    expect(await estate()).toEqual(before)
    expect(await newest()).toBe(last)
    return body
  }

  test('a field that has another value now, with the change that set it', async () => {
    const { id } = await admin.api.devices.create({ name: 'o1' })
    await admin.api.devices.update({ id, name: 'o1-b', os: 'Debian' })
    const change = await newest()
    await admin.api.devices.update({ id, name: 'o1-c' })
    const later = await newest()
    const { error, details } = await refused(change)
    expect(error).toBe('1 obstacle is in the way of the undo')
    expect(details).toEqual([
      { field: `device ${id} name`, message: expect.stringContaining(`has another value now: change ${later} at `) },
    ])
  })

  test('a field that is as wanted already is no obstacle', async () => {
    const { id } = await admin.api.devices.create({ name: 'o2' })
    await admin.api.devices.update({ id, name: 'o2-b', os: 'Debian' })
    const change = await newest()
    await admin.api.devices.update({ id, name: 'o2' })
    const response = await undo(change)
    expect([response.status, await response.json()]).toEqual([
      200,
      expect.objectContaining({
        items: [{ kind: 'device', id, name: 'o2', change: 'update', fields: { os: { from: 'Debian', to: '' } } }],
      }),
    ])
  })

  test('an updated object that is gone, and one that is there again', async () => {
    const { id } = await admin.api.datacenters.create({ name: 'o3' })
    await admin.api.datacenters.update({ id, name: 'o3-b' })
    const updated = await newest()
    await admin.api.datacenters.delete({ id })
    const deleted = await newest()
    expect((await refused(updated)).details).toEqual([
      { field: `datacenter ${id}`, message: expect.stringContaining(`is gone: change ${deleted} at `) },
    ])
    await admin.api.datacenters.create({ id, name: 'another' })
    expect((await refused(deleted)).details).toEqual([
      { field: `datacenter ${id}`, message: expect.stringContaining('is there again, and different: change ') },
    ])
  })

  test('a created object that is different now', async () => {
    const { id } = await admin.api.devices.create({ name: 'o4' })
    const created = await newest()
    await admin.api.devices.update({ id, tags: ['x'] })
    expect((await refused(created)).details).toEqual([
      { field: `device ${id}`, message: expect.stringContaining('is different now: change ') },
    ])
  })

  test('anything outside of the change that would be touched', async () => {
    const datacenter = await admin.api.datacenters.create({ name: 'o5' })
    const createdDatacenter = await newest()
    const network = await admin.api.networks.create({ name: 'o5', subnet: '10.20.0.0/24' })
    const createdNetwork = await newest()
    const pool = await admin.api.pools.create({
      network_id: network.id,
      name: 'o5',
      start_ip: '10.20.0.10',
      end_ip: '10.20.0.20',
    })
    const device = await admin.api.devices.create({ name: 'o5', datacenter_id: datacenter.id })
    expect((await refused(createdNetwork)).details).toEqual([
      { field: `pool ${pool.id}`, message: expect.stringContaining('would be deleted along: change ') },
    ])
    expect((await refused(createdDatacenter)).details).toEqual([
      { field: `device ${device.id}`, message: expect.stringContaining('would be changed along: change ') },
    ])
  })

  test('a rule that refuses', async () => {
    const network = await admin.api.networks.create({ name: 'o6', subnet: '10.21.0.0/24' })
    const pool = await admin.api.pools.create({
      network_id: network.id,
      name: 'o6',
      start_ip: '10.21.0.10',
      end_ip: '10.21.0.20',
    })
    const reservation = await admin.api.reservations.create({ pool_id: pool.id, ip_address: '10.21.0.10' })
    await admin.api.reservations.delete({ id: reservation.id })
    const freed = await newest()
    await admin.api.devices.create({ name: 'o6', addresses: [{ ip: '10.21.0.10' }] })
    expect((await refused(freed)).details).toEqual([
      {
        field: `reservation ${reservation.id}`,
        message: '10.21.0.10 is taken by a device or another reservation',
      },
    ])
    await admin.api.pools.delete({ id: pool.id })
    const deleted = await newest()
    await admin.api.networks.delete({ id: network.id })
    expect((await refused(deleted)).details).toEqual([
      { field: `pool ${pool.id}`, message: `No network with id "${network.id}"` },
    ])
  })

  test('several obstacles are named together', async () => {
    const made = await admin.api.devices.bulk({
      operations: ['a', 'b', 'c'].map((name) => ({ op: 'create' as const, device: { name } })),
      atomic: true,
    })
    const bulk = await newest()
    const [first = '', second = ''] = made.results.map(({ device }) => device?.id ?? '')
    await admin.api.devices.update({ id: first, name: 'a2' })
    await admin.api.devices.update({ id: second, name: 'b2' })
    const { error, details } = await refused(bulk)
    expect(error).toBe('2 obstacles are in the way of the undo')
    expect(details.map(({ field }) => field).sort()).toEqual([`device ${first}`, `device ${second}`].sort())
  })

  test('a change of which all is as wanted already, and a missing one', async () => {
    const { id } = await admin.api.devices.create({ name: 'o7' })
    const created = await newest()
    await admin.api.devices.delete({ id })
    expect((await refused(created)).error).toBe('there is nothing left to undo')
    expect((await undo('01900000-0000-7000-8000-000000000000')).status).toBe(404)
  })

  test('of two undos at once, one wins', async () => {
    await admin.api.devices.create({ name: 'o8' })
    const created = await newest()
    const answers = await Promise.all([undo(created), undo(created)])
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 409])
  })

  test('the right to do each part by hand is needed, and the first that is missing is named', async () => {
    await admin.api.devices.create({ name: 'o9' })
    const created = await newest()
    const viewer = await app.as(['devices:read', 'networks:read'])
    const response = await undo(created, '', viewer)
    expect([response.status, ((await response.json()) as Refusal).error]).toEqual([
      403,
      'This needs the permission devices:delete',
    ])
    const reader = await app.as(['networks:read'])
    expect((await undo(created, '', reader)).status).toBe(404)
    const deleter = await app.as(['devices:read', 'devices:delete'])
    expect((await undo(created, '', deleter)).status).toBe(200)
  })

  test('parts of kinds that the caller may not read need their rights as well', async () => {
    const network = await admin.api.networks.create({ name: 'o10', subnet: '10.22.0.0/24' })
    await admin.api.pools.create({ network_id: network.id, name: 'p', start_ip: '10.22.0.10', end_ip: '10.22.0.20' })
    await admin.api.networks.delete({ id: network.id })
    const deleted = await newest()
    const partial = await app.as(['networks:read', 'networks:create'])
    const response = await undo(deleted, '', partial)
    expect([response.status, ((await response.json()) as Refusal).error]).toEqual([
      403,
      'This needs the permission pools:create',
    ])
    const both = await app.as(['networks:read', 'networks:create', 'pools:create'])
    expect(await (await undo(deleted, '', both)).json()).toMatchObject({ summary: 'creates 1 network' })
  })
})
