/** Refs, the ids of objects in other systems: kept, unique, taken in the place of ids, and creating what is not there. */
import { describe, expect, test } from 'bun:test'
import { buildTextChange } from '../../testing/estates/examples.ts'
import {
  alreadyExists,
  changedSince,
  failure,
  fieldsOf,
  forbidden,
  inventoryWithWorld,
  missing,
} from '../../testing/estates/inventory.ts'
import { KINDS, type Kind } from '../../testing/estates/kinds.ts'
import { callTool } from '../../testing/mcp.ts'
import { onSqlite } from '../../testing/servers/servers.ts'

type Row = { readonly id: string; readonly refs: Readonly<Record<string, string>>; readonly updated_at: string }

describe.each(onSqlite())('on %s', (dialect) => {
  const { inv, world } = inventoryWithWorld(dialect)
  const build = ({ resource }: Kind) => world().examples.build(resource, 'required')
  const newest = async (): Promise<string> => (await inv.api.history.list({ limit: 1 }))[0]?.id ?? ''
  const make = async (kind: Kind, refs: object): Promise<Row> => {
    const { path, body } = build(kind)
    const answer = await inv.ask(`POST ${path}`, { ...body, refs })
    expect([answer.status, answer.body]).toMatchObject([201, {}])
    return answer.body as Row
  }
  const rows = async (id: string): Promise<string[]> => {
    const found = await inv.app.db.read.selectFrom('refs').selectAll().where('object_id', '=', id).execute()
    return found.map(({ resource, source, external_id }) => `${resource} ${source} ${external_id}`).sort()
  }
  const auditOf = async (): Promise<unknown> => (await inv.ask('GET /api/audit?limit=1')).body

  describe.each([...KINDS])('a $resource', (kind) => {
    const { path, resource: noun, facts } = kind
    const change = buildTextChange(facts)

    test('has refs that are merged, found, undone and read as of a moment', async () => {
      const { id } = await make(kind, { zz: '1', [`a-${noun}`]: 'x' })
      const at = `${path}/${id}`
      expect(((await inv.ask(`GET ${at}`)).body as Row).refs).toEqual({ [`a-${noun}`]: 'x', zz: '1' })
      const before = await newest()
      const { body } = await inv.ask(`PUT ${at}`, { refs: { zz: null, netbox: `7/${noun}` } })
      expect(JSON.stringify((body as Row).refs)).toBe(`{"a-${noun}":"x","netbox":"7/${noun}"}`)
      expect(await rows(id)).toEqual([`${noun} a-${noun} x`, `${noun} netbox 7/${noun}`])
      const changed = await newest()
      const byRef = `${path}/netbox:${encodeURIComponent(`7/${noun}`)}`
      expect(await inv.ask(`GET ${byRef}`)).toEqual(await inv.ask(`GET ${at}`))
      expect(await inv.ask(`GET ${path}/zz:1`)).toMatchObject(missing)
      expect(await inv.ask(`GET ${path}/zz:1?as_of=${before}`)).toMatchObject({ body: { id, refs: { zz: '1' } } })
      expect(await inv.ask(`GET ${byRef}?as_of=${before}`)).toMatchObject(missing)
      const item = (await inv.api.history.get({ id: changed })).items?.[0]
      expect(Object.keys(item?.fields ?? {})).toEqual(['refs'])

      expect(await inv.ask(`POST /api/history/${changed}/undo`)).toMatchObject({ status: 200 })
      expect(await rows(id)).toEqual([`${noun} a-${noun} x`, `${noun} zz 1`])
      expect(((await inv.ask(`GET ${at}`)).body as Row).refs).toEqual({ [`a-${noun}`]: 'x', zz: '1' })

      expect(await inv.ask(`DELETE ${path}/zz:1`)).toMatchObject({ status: 204 })
      expect(await auditOf()).toMatchObject([{ action: 'delete', resource_id: id }])
      expect(await rows(id)).toEqual([])
      expect(await inv.ask(`GET ${path}/zz:1?as_of=${changed}`)).toMatchObject(missing)
      expect(await inv.ask(`GET ${byRef}?as_of=${changed}`)).toMatchObject({ body: { id } })
      await inv.ask(`POST /api/history/${await newest()}/undo`)
      expect(await rows(id)).toEqual([`${noun} a-${noun} x`, `${noun} zz 1`])
      await inv.ask(`PUT ${at}`, { refs: null })
      expect([await rows(id), ((await inv.ask(`GET ${at}`)).body as Row).refs]).toEqual([[], {}])
    })

    test('never has the ref of another', async () => {
      const holder = await make(kind, { taken: 'one' })
      const refused = await inv.ask(`POST ${build(kind).path}`, {
        ...build(kind).body,
        refs: { free: '1', taken: 'one' },
      })
      expect(refused).toMatchObject(alreadyExists)
      const { details } = refused.body as { details: { field: string; message: string }[] }
      expect(details.map(({ field }) => field)).toEqual(['refs.taken'])
      expect(details[0]?.message).toContain(holder.id)
      const other = await make(kind, { free: '1' })
      expect(await inv.ask(`PUT ${path}/${other.id}`, { refs: { taken: 'one' } })).toMatchObject(alreadyExists)
      expect(await rows(other.id)).toEqual([`${noun} free 1`])
      // A rename that gives a ref to another object.
      await inv.ask(`PUT ${path}/${holder.id}`, { refs: { taken: 'two' } })
      expect(await inv.ask(`PUT ${path}/${other.id}`, { refs: { taken: 'one' } })).toMatchObject({ status: 200 })
    })

    test('is made by a PUT with a ref that no object has, and changed by the next', async () => {
      const body = { ...build(kind).whole, id: 'ignored', refs: { other: noun } }
      const at = `${path}/put:${noun}`
      expect(await inv.ask(`PUT ${at}`, body, { 'If-Match': '"x"' })).toMatchObject(changedSince)
      const dry = await inv.ask(`PUT ${at}?dry_run=true`, body)
      expect(dry).toMatchObject({ status: 200, body: { refs: { other: noun, put: noun } } })
      expect(await inv.ask(`GET ${at}`)).toMatchObject(missing)
      const made = await inv.ask(`PUT ${at}`, body, { 'If-None-Match': '*' })
      expect(made).toMatchObject({ status: 201, body: { refs: { other: noun, put: noun } } })
      const { id, updated_at } = made.body as Row
      expect(id).not.toBe('ignored')
      expect(await auditOf()).toMatchObject([{ action: 'create', resource_id: id }])
      inv.advance(1000)
      expect(await inv.ask(`PUT ${at}`, body)).toMatchObject({ status: 200, body: { id, updated_at }, etag: made.etag })
      expect(await inv.ask(`PUT ${at}`, change, { 'If-None-Match': '*' })).toMatchObject(changedSince)
      expect(await inv.ask(`PUT ${at}`, change)).toMatchObject({ status: 200, body: { id, ...change } })
      expect(await auditOf()).toMatchObject([{ action: 'update', resource_id: id }])
      expect(await inv.ask(`PUT ${at}`, change, { 'If-Match': made.etag ?? '' })).toMatchObject(changedSince)
      expect(await inv.ask(`PUT ${path}/no-ref`, body)).toMatchObject(missing)
    })

    test('is made once by twenty such calls at the same time', async () => {
      const body = build(kind).whole
      const entries = async () => (await inv.ask('GET /api/audit?limit=1')).total
      const before = Number(await entries())
      const answers = await Promise.all(Array.from({ length: 20 }, () => inv.ask(`PUT ${path}/race:${noun}`, body)))
      expect(answers.map(({ status }) => status).sort()).toEqual([...Array(19).fill(200), 201])
      expect(new Set(answers.map((answer) => (answer.body as Row).id)).size).toBe(1)
      // One for each call, and none of an attempt.
      expect(Number(await entries()) - before).toBe(20)
    })

    test('is made by a caller who may create, and changed by one who may update', async () => {
      const body = build(kind).whole
      const put = async (permissions: string[], ref: string) => {
        // A cable makes the ports that its device lacks.
        const caller = await inv.app.as([...permissions, ...(noun === 'cables' ? ['ports:create'] : [])])
        return (await caller.request('PUT', `${path}/${ref}`, body)).status
      }
      const ref = `rights:${noun}`
      expect(await put([`${noun}:update`], ref)).toBe(403)
      expect(await put([`${noun}:create`], ref)).toBe(201)
      expect(await put([`${noun}:create`], ref)).toBe(403)
      expect(await put([`${noun}:update`], ref)).toBe(200)
      expect(await put([`${noun}:read`], ref)).toBe(403)
    })
  })

  test('a PUT with a ref names the fields that a create lacks, and a ref that is not that of its path', async () => {
    expect(fieldsOf(await inv.ask('PUT /api/devices/lacks:1', { os: 'x' }))).toEqual(['name'])
    expect(fieldsOf(await inv.ask('PUT /api/networks/lacks:1', { name: 'n' }))).toEqual(['subnet'])
    expect(fieldsOf(await inv.ask('PUT /api/pools/lacks:1', { name: 'p' })).sort()).toEqual([
      'end_ip',
      'network_id',
      'start_ip',
    ])
    expect(fieldsOf(await inv.ask('PUT /api/reservations/lacks:1', {}))).toEqual(['pool_id', 'ip_address'])
    const other = { name: 'x', refs: { lacks: '2' } }
    expect(fieldsOf(await inv.ask('PUT /api/devices/lacks:1', other))).toEqual(['refs.lacks'])
    expect(fieldsOf(await inv.ask('PUT /api/devices/lacks:1', { name: 'x', refs: 'no' }))).toEqual(['refs'])
    expect(await inv.ask('PUT /api/devices/lacks:1', { name: 'x', refs: null })).toMatchObject({
      status: 201,
      body: { refs: { lacks: '1' } },
    })
    expect(await inv.ask('PUT /api/devices/lacks:1', other)).toMatchObject({
      status: 200,
      body: { refs: { lacks: '2' } },
    })
  })

  test('a reservation does not move, and an expired one gives up its ref', async () => {
    const draft = {
      ip_address: world().examples.build('reservations').body.ip_address,
      refs: { dhcp: 'a' },
      expires_at: inv.inMs(60_000),
    }
    const { body } = await inv.ask(`POST /api/pools/${world().ids.pools}/reservations`, draft)
    const { id } = body as Row
    const moved = await inv.ask(`PUT /api/reservations/${id}`, {
      pool_id: 'other',
      ip_address: world().examples.build('reservations').body.ip_address,
    })
    expect(moved).toMatchObject({ status: 200, body: { pool_id: world().ids.pools, ip_address: draft.ip_address } })
    inv.advance(120_000)
    const again = { pool_id: world().ids.pools, ip_address: world().examples.build('reservations').body.ip_address }
    const put = await inv.ask('PUT /api/reservations/dhcp:a', again)
    expect([put.status, (put.body as Row).id === id]).toEqual([201, false])
  })

  test('the refs of a network and a pool go with the cascade of their parent', async () => {
    const network = await inv.api.networks.create({ name: 'gone', subnet: '10.99.0.0/24', refs: { c: 'n' } })
    const pool = { network_id: network.id, name: 'gone', start_ip: '10.99.0.1', end_ip: '10.99.0.9', refs: { c: 'p' } }
    const { id } = await inv.api.pools.create(pool)
    await inv.api.reservations.create({ pool_id: 'c:p', ip_address: '10.99.0.2', refs: { c: 'r' } })
    await inv.api.networks.delete({ id: 'c:n' })
    expect(await inv.ask(`GET /api/pools/${id}`)).toMatchObject(missing)
    expect(await inv.app.db.read.selectFrom('refs').selectAll().where('source', '=', 'c').execute()).toEqual([])
  })

  test('every place of an id takes a ref, and answers hold ids', async () => {
    const datacenter = await inv.api.datacenters.create({ name: 'R', refs: { nb: 'site.1' } })
    const network = await inv.api.networks.create({
      name: 'R',
      subnet: '10.98.0.0/24',
      datacenter_id: 'nb:site.1',
      refs: { nb: 'p.1' },
    })
    expect(network.datacenter_id).toBe(datacenter.id)
    const pool = await inv.api.pools.create({
      network_id: 'nb:p.1',
      name: 'R',
      start_ip: '10.98.0.1',
      end_ip: '10.98.0.9',
      refs: { nb: 'r.1' },
    })
    expect(pool.network_id).toBe(network.id)
    const addresses = [{ ip: '10.98.0.5', network_id: 'nb:p.1', pool_id: 'nb:r.1' }]
    const a = await inv.api.devices.create({ name: 'a', datacenter_id: 'nb:site.1', addresses, refs: { nb: 'd.1' } })
    expect(a).toMatchObject({ datacenter_id: datacenter.id, addresses: [{ network_id: network.id, pool_id: pool.id }] })
    const b = await inv.api.devices.create({ name: 'b', refs: { nb: 'd.2' } })
    await inv.api.relationships.create({ device_id: 'nb:d.1', child_id: 'nb:d.2', type: 'contains' })
    expect(await inv.api.relationships.list({ device_id: 'nb:d.2' })).toMatchObject([
      { parent_id: a.id, child_id: b.id },
    ])
    const names = async (path: string) =>
      ((await inv.ask(`GET ${path}`)).body as { name: string }[]).map(({ name }) => name)
    expect(await names('/api/devices?network_id=nb:p.1')).toEqual(['a'])
    expect(await names('/api/devices?datacenter_id=nb:site.1')).toEqual(['a'])
    expect(await names('/api/networks?datacenter_id=nb:site.1')).toEqual(['R'])
    expect(await names('/api/networks/nb:p.1/devices')).toEqual(['a'])
    expect(await names('/api/networks/nb:p.1/pools')).toEqual(['R'])
    expect(await names('/api/devices?datacenter_id=nb:none')).toEqual([])
    const other = await inv.api.datacenters.create({ name: 'R2' })
    const list = '/api/devices?datacenter_id=nb:site.1'
    const { etag } = await inv.ask(`GET ${list}`)
    const current = { 'If-None-Match': etag ?? '' }
    expect((await inv.admin.request('GET', list, undefined, current)).status).toBe(304)
    // No device changes, and the list does.
    await inv.api.datacenters.update({ id: datacenter.id, refs: { nb: null } })
    await inv.api.datacenters.update({ id: other.id, refs: { nb: 'site.1' } })
    expect(await inv.ask(`GET ${list}`, undefined, current)).toMatchObject({ status: 200, body: [] })
    const taken = await inv.api.reservations.allocate({ id: 'nb:r.1', device_id: 'nb:d.2' })
    expect(taken.ips).toHaveLength(1)
    expect(fieldsOf(await inv.ask('PUT /api/devices/nb:d.1', { datacenter_id: 'nb:none' }))).toEqual(['datacenter_id'])
    const bad = [{ ip: '10.98.0.5', network_id: 'nb:none', pool_id: 'nb:d.1' }]
    expect(fieldsOf(await inv.ask('PUT /api/devices/nb:d.1', { addresses: bad }))).toEqual([
      'addresses[0].network_id',
      'addresses[0].pool_id',
    ])
    expect(
      fieldsOf(await inv.ask('POST /api/devices/nb:d.1/relationships', { child_id: 'nb:none', type: 'contains' })),
    ).toEqual(['child_id'])
    await inv.api.relationships.delete({ device_id: 'nb:d.1', child_id: 'nb:d.2', type: 'contains' })
    expect(await inv.ask(`GET /api/devices/nb:${'x'.repeat(300)}`)).toMatchObject(missing)
    expect(await inv.ask('PUT /api/pools/nb:r.1', { network_id: 'nb:p.1', name: 'R2' })).toMatchObject({ status: 200 })
  })

  test('bulk calls and imports take refs', async () => {
    await inv.api.datacenters.create({ name: 'B', refs: { b: 'dc' } })
    const operations = [
      { op: 'create', device: { name: 'b1', datacenter_id: 'b:dc', refs: { b: '1' } } },
      { op: 'update', id: 'b:1', device: { os: 'Debian' } },
      { op: 'create', device: { name: 'b2', refs: { b: '1' } } },
      { op: 'update', id: 'b:unknown', device: { name: 'b3' } },
      { op: 'delete', id: 'b:1' },
    ]
    const { body } = await inv.ask('POST /api/devices/bulk', { atomic: false, operations })
    const { results } = body as {
      results: { status: string; error?: { code: string; details: { field: string }[] } }[]
    }
    expect(results.map(({ status, error }) => error?.code ?? status)).toEqual([
      'created',
      'updated',
      'ALREADY_EXISTS',
      'NOT_FOUND',
      'deleted',
    ])
    expect(results[2]?.error?.details[0]?.field).toBe('refs.b')
    const load = async (resource: string, loaded: readonly object[]) => {
      const answer = await inv.admin.request('POST', `/api/estate/import?resource=${resource}`, loaded)
      return JSON.parse((await answer.text()).trim().split('\n').at(-1) ?? '') as {
        result: { created: number; errors: { details: { field: string }[] }[] }
      }
    }
    const loaded = [
      { name: 'i1', datacenter_id: 'b:dc', refs: { i: '1' } },
      { name: 'i2', refs: { i: '2' } },
    ]
    expect((await load('devices', loaded)).result).toMatchObject({ created: 2 })
    const links = [{ parent_id: 'i:1', child_id: 'i:2', type: 'contains' }]
    expect((await load('relationships', links)).result).toMatchObject({ created: 1 })
    const { result } = await load('devices', [{ name: 'i3', refs: { i: '2' } }, { name: 'i4' }])
    expect(result.errors.map(({ details }) => details[0]?.field)).toEqual(['refs.i'])
  })

  test('tools take refs, and a tool makes what is not there', async () => {
    const peer = { fetch: inv.app.fetch, key: inv.admin.key }
    const made = await callTool(peer, 'device_update', { id: 'mcp:1', name: 'by-tool' })
    expect(made).toMatchObject({ isError: false, value: { name: 'by-tool', refs: { mcp: '1' } } })
    expect(await callTool(peer, 'device_get', { id: 'mcp:1' })).toMatchObject({ value: { name: 'by-tool' } })
    const plan = await callTool(peer, 'call_operation', { operation: 'devices.delete', input: { id: 'mcp:1' } })
    expect(plan).toMatchObject({ isError: false, value: { summary: 'deletes 1 device' } })
    expect(await callTool(peer, 'apply_plan', { plan_id: plan.value.plan_id })).toMatchObject({ isError: false })
    expect(await inv.ask('GET /api/devices/mcp:1')).toMatchObject(missing)
  })

  test('the right of a resource is needed by its ref as by its id', async () => {
    await make(KINDS.find(({ resource }) => resource === 'datacenters') ?? fail(), { rights: '1' })
    const caller = await inv.app.as(['networks:read'])
    expect((await caller.request('GET', '/api/datacenters/rights:1')).status).toBe(forbidden.status)
    expect(failure(403, 'FORBIDDEN')).toEqual(forbidden)
  })
})

const fail = (): never => {
  throw new Error('there are kinds')
}
