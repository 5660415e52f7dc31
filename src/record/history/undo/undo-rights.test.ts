/** Undo by the stock roles: each may undo the changes that it may make by hand. Otherwise the refusal names the permission. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { type TestApp, type TestCaller, testApp } from '../../../../testing/app/app.ts'
import { onSqlite } from '../../../../testing/servers/servers.ts'

type Answer = { readonly code?: string; readonly error?: string; readonly summary?: string }

describe.each(onSqlite())('on %s', (dialect) => {
  let app: TestApp
  let admin: TestCaller
  let operator: TestCaller
  let viewer: TestCaller
  let names = 0
  beforeAll(async () => {
    app = await testApp({ dialect, env: { DISCOVERY_ALLOWED_SUBNETS: '10.0.0.0/8' } })
    admin = await app.as('admin')
    operator = await app.as('operator')
    viewer = await app.as('viewer')
  })
  afterAll(() => app.close())

  /** A network with a pool, a device, a rule and a lock. */
  const site = async () => {
    const n = ++names
    const base = `10.${n}.0`
    const { api } = admin
    const { id: datacenter } = await api.datacenters.create({ name: `dc${n}` })
    const { id: network } = await api.networks.create({ name: `n${n}`, subnet: `${base}.0/24` })
    const { id: pool } = await api.pools.create({
      ...{ network_id: network, name: 'p', start_ip: `${base}.10`, end_ip: `${base}.20` },
    })
    const { id: device } = await api.devices.create({ name: `d${n}` })
    const { id: other } = await api.devices.create({ name: `e${n}` })
    const { id: reservation } = await api.reservations.create({ pool_id: pool, ip_address: `${base}.11` })
    const { id: rule } = await api.discoveryRules.create({ network_id: network, enabled: false })
    return { datacenter, network, pool, device, other, reservation, rule, ip: `${base}.12` }
  }
  type Site = Awaited<ReturnType<typeof site>>
  type Do = (api: TestCaller['api'], site: Site) => Promise<unknown>
  const lock = ({ device }: Site) => ({ device_id: device, field: 'os' as const })

  /** Each with the permission that an operator lacks for its undo, and that a viewer lacks. */
  const changes: readonly (readonly [string, Do, operator: string | undefined, viewer: string])[] = [
    ['created a device', (api) => api.devices.create({ name: 'new' }), 'devices:delete', 'devices:delete'],
    ['changed a device', (api, { device: id }) => api.devices.update({ id, os: 'x' }), undefined, 'devices:update'],
    ['deleted a device', (api, { device: id }) => api.devices.delete({ id }), undefined, 'devices:create'],
    [
      'created a datacenter',
      (api) => api.datacenters.create({ name: 'new' }),
      'datacenters:delete',
      'datacenters:delete',
    ],
    [
      'changed a datacenter',
      (api, { datacenter: id }) => api.datacenters.update({ id, location: 'x' }),
      'datacenters:update',
      'datacenters:update',
    ],
    [
      'deleted a datacenter',
      (api, { datacenter: id }) => api.datacenters.delete({ id }),
      'datacenters:create',
      'datacenters:create',
    ],
    [
      'changed a network',
      (api, { network: id }) => api.networks.update({ id, vlan_id: 7 }),
      undefined,
      'networks:update',
    ],
    ['deleted a network', (api, { network: id }) => api.networks.delete({ id }), undefined, 'networks:create'],
    ['deleted a pool', (api, { pool: id }) => api.pools.delete({ id }), undefined, 'pools:create'],
    [
      'allocated',
      (api, { pool: id }) => api.reservations.allocate({ id }),
      'reservations:delete',
      'reservations:delete',
    ],
    [
      'freed a reservation',
      (api, { reservation: id }) => api.reservations.delete({ id }),
      undefined,
      'reservations:create',
    ],
    [
      'created a relationship',
      (api, { device: device_id, other: child_id }) =>
        api.relationships.create({ device_id, child_id, type: 'contains' }),
      'relationships:delete',
      'relationships:delete',
    ],
    [
      'changed a rule',
      (api, { rule: id }) => api.discoveryRules.update({ id, interval_hours: 9 }),
      undefined,
      'discovery:update',
    ],
    ['deleted a rule', (api, { rule: id }) => api.discoveryRules.delete({ id }), undefined, 'discovery:create'],
    ['locked a field', (api, given) => api.discoveryLocks.create(lock(given)), undefined, 'discovery:update'],
  ]

  const undo = async (caller: TestCaller, id: string, query = '') => {
    const response = await caller.request('POST', `/api/history/${id}/undo${query}`)
    return { status: response.status, body: (await response.json()) as Answer }
  }
  const refusal = (permission: string) => ({
    status: 403,
    body: { code: 'FORBIDDEN', error: `This needs the permission ${permission}` },
  })
  const newest = async (): Promise<string> => (await admin.api.history.list({ limit: 1 }))[0]?.id ?? ''

  describe.each(changes)('of a change that %s', (_, work, forOperator, forViewer) => {
    let id: string
    beforeAll(async () => {
      await work(admin.api, await site())
      id = await newest()
    })

    test('a viewer is refused, in a preview too', async () => {
      expect(await undo(viewer, id)).toMatchObject(refusal(forViewer))
      expect(await undo(viewer, id, '?dry_run=true')).toMatchObject(refusal(forViewer))
      expect(await newest()).toBe(id)
    })

    test('an operator may, where it may by hand', async () => {
      if (forOperator === undefined) expect((await undo(operator, id)).status).toBe(200)
      else expect(await undo(operator, id)).toMatchObject(refusal(forOperator))
    })
  })

  test('an operator undoes its own undo only as far as it may by hand', async () => {
    const { device } = await site()
    await admin.api.devices.delete({ id: device })
    expect((await undo(operator, await newest())).status).toBe(200)
    expect(await undo(operator, await newest())).toMatchObject(refusal('devices:delete'))
    expect((await undo(admin, await newest())).status).toBe(200)
  })

  test('a right that is taken away in the meantime is gone for an undo', async () => {
    const { device } = await site()
    const limited = await app.as(['devices:read', 'devices:update'])
    await limited.api.devices.update({ id: device, os: 'x' })
    const change = await newest()
    await app.db.write(async ({ db }) => {
      await db.deleteFrom('role_permissions').where('permission', '=', 'devices:update').execute()
    })
    expect(await undo(limited, change)).toMatchObject(refusal('devices:update'))
  })
})
