// A caller with a role in one scope writes in one half of a doubled estate. The caller neither changes nor learns anything of the other
// half.
import { describe, expect, test } from 'bun:test'
import { contracts } from '../../src/app/contracts.ts'
import type { AnyOperation } from '../../src/kernel/operation.ts'
import { listFollowed } from '../../src/resource/facts.ts'
import { createExamples } from '../../testing/estates/examples.ts'
import { KINDS } from '../../testing/estates/kinds.ts'
import { type Answer, type Person, people } from '../../testing/estates/people.ts'
import { HALF_WRITES, makeInHalf, type Where, type WriteCall } from '../../testing/hostile/half-writes.ts'
import { expectNothingHidden, type Half, type Halves, halves } from '../../testing/hostile/halves.ts'
import { engines } from '../../testing/servers/servers.ts'

const INSIDE = Object.values(contracts)
  .flatMap((set) => Object.values<AnyOperation>(set))
  .filter(({ scope }) => scope === 'checkWrite')
  .map(({ name }) => name)
  // scoped-discovery.test.ts has the writes of discovery.
  .filter((name) => !/^(scans|discovery|discovery-rules|discovery-locks|conflicts)\./.test(name))

/** Writes that need the permission everywhere in effect: a scope lists its datacenters. */
const WITHOUT_CALL = ['datacenters.create', 'datacenters.delete']

/** The resources with objects in the scopes of the one object that they refer to, which an update may change. */
const PLACED = KINDS.flatMap(({ resource, facts, path, params, update }) => {
  const [field = '', ...others] = listFollowed(facts)
  const { [field]: fact } = facts.fields
  const isFixed = facts.fixed?.includes(field) === true || params.includes(field) || !(field in update.input.shape)
  if (others.length > 0 || fact?.type !== 'reference' || isFixed) return []
  return [{ resource, path, field, target: fact.to, isRequired: fact.required === true }]
})

/** Writes of many objects, which history.test.ts and estate.test.ts test. */
const ELSEWHERE = ['history.undo', 'estate.apply']

const fieldsOf = ({ body }: Answer): string[] =>
  (body as { details?: { field: string }[] }).details?.map(({ field }) => field) ?? []

test('each write that is limited has a call here', () => {
  const named = Object.keys(HALF_WRITES).map((name) => name.split(' ')[0] ?? '')
  const called = new Set([...named, ...WITHOUT_CALL, ...ELSEWHERE])
  expect(INSIDE.filter((name) => !called.has(name))).toEqual([])
})

describe.each(engines())('a scoped writer on %s', (dialect) => {
  const all = people(dialect)
  const estate = halves(all)
  let made: Promise<Halves & { readonly bea: Person; readonly cyd: Person }> | undefined
  const grant = async (role_id: string, user_id: string, scope_id?: string) =>
    expect(await all.admin.ask('POST /api/grants', { role_id, user_id, scope_id })).toMatchObject({ status: 201 })

  /** Bea may do all in the scope and sees nothing else; Cyd also reads everything. */
  const writers = () => {
    made ??= estate().then(async (built) => {
      const [bea, cyd] = [await all.person(), await all.person()]
      for (const { id } of [bea, cyd]) await grant('admin', id, built.scope)
      await grant('viewer', cyd.id)
      return { ...built, bea, cyd }
    })
    return made
  }

  const counts = new Map<string, number>()
  const numbers: Record<string, number> = {}
  const where = (n: 1 | 2, ids: Half): Where => ({
    n,
    ids,
    build: (resource) => createExamples(ids, numbers, () => `half ${n}`).build(resource),
    make: async (path, body) => {
      const { status, body: answer } = await all.admin.ask(`POST /api/${path}`, body)
      expect([path, status, answer]).toMatchObject([path, 201, expect.anything()])
      return String((answer as { id?: string }).id)
    },
    put: (path, body) => all.admin.ask(`PUT /api/${path}`, body),
    count: (kind) => {
      const next = (counts.get(`${n} ${kind}`) ?? 0) + 1
      counts.set(`${n} ${kind}`, next)
      return next
    },
  })
  const send = ({ ask }: Person, { http, body }: WriteCall, query = ''): Promise<Answer> => ask(`${http}${query}`, body)

  /** The documents of all objects, or of the objects that name one of these. */
  const documents = async (naming?: readonly string[]): Promise<string[]> => {
    const { body } = await all.admin.ask('GET /api/estate/export')
    const objects = Object.values(body as Record<string, unknown>).flatMap((one) => (Array.isArray(one) ? one : []))
    const texts = objects.map((one) => JSON.stringify(one))
    return naming ? texts.filter((text) => naming.some((id) => text.includes(id))) : texts
  }

  test.each(Object.entries(HALF_WRITES))('%s', async (name, call) => {
    const built = await writers()
    const { own, other, bea, cyd } = built
    const there = where(2, other)
    const others = Object.values(other)

    // Outside of the scope: Cyd reads it and may not change it, and Bea does not see it.
    const outside = await call(there)
    const before = await documents()
    for (const [who, statuses] of [
      [cyd, /\.bulk$/.test(name) ? [400] : [403]],
      [bea, [400, 404]],
    ] as const)
      for (const query of ['', '?dry_run=changes']) {
        const answer = await send(who, outside, query)
        expect([name, query, statuses.includes(answer.status as never), answer.body]).toMatchObject([
          name,
          query,
          true,
          { code: expect.any(String) },
        ])
        if (who === cyd) expect(JSON.stringify(answer.body)).toMatch(/outside of the part/)
      }
    expect(await documents()).toEqual(before)

    // Inside of it.
    const inside = await call(where(1, own))
    const kept = await documents()
    for (const query of ['?dry_run=true', '?dry_run=changes']) {
      const rehearsed = await send(bea, inside, query)
      expect([name, query, rehearsed.status, rehearsed.body]).toMatchObject([name, query, 200, expect.anything()])
      expectNothingHidden(built, `${name}${query}`, rehearsed)
    }
    expect(await documents()).toEqual(kept)
    const untouched = await documents(others)
    const answer = await send(bea, inside)
    expect([name, answer.status, answer.body]).toEqual([
      name,
      [200, 201, 204].find((one) => one === answer.status) ?? 200,
      answer.body,
    ])
    expectNothingHidden(built, name, answer)
    expect(await documents(others)).toEqual(untouched)
  })

  test('an object cannot be made or moved outside of the scope, and the answer names what places it', async () => {
    const { own, other, bea, cyd } = await writers()
    const { make } = where(1, own)
    const inside = { datacenter_id: own.datacenters }
    const refused: readonly (readonly [Person, WriteCall, readonly string[]])[] = [
      [bea, { http: 'POST /api/datacenters', body: { name: 'new' } }, ['name', 'parent_id']],
      [bea, { http: 'POST /api/devices', body: { name: 'new' } }, ['datacenter_id', 'tags', 'addresses']],
      [bea, { http: 'POST /api/networks', body: { name: 'new', subnet: '10.1.9.0/24' } }, ['datacenter_id', 'subnet']],
      [
        cyd,
        {
          http: `POST /api/networks/${other.networks}/pools`,
          body: { name: 'new', start_ip: '10.2.0.200', end_ip: '10.2.0.201' },
        },
        ['start_ip', 'tags'],
      ],
      [
        cyd,
        { http: `POST /api/pools/${other.pools}/reservations`, body: { ip_address: '10.2.0.90', purpose: 'x' } },
        ['ip_address'],
      ],
      [cyd, { http: `POST /api/devices/${other.devices}/ports`, body: { name: 'new' } }, ['device_id']],
      [
        cyd,
        { http: `POST /api/devices/${own.devices}/relationships`, body: { child_id: other.child, type: 'contains' } },
        ['device_id', 'child_id'],
      ],
      [
        cyd,
        {
          http: 'POST /api/cables',
          body: { a: { device_id: own.devices, port: 'x' }, b: { device_id: other.devices, port: 'x' } },
        },
        ['device_id'],
      ],
      [
        bea,
        {
          http: `PUT /api/devices/${await make('devices', { name: 'moving', ...inside })}`,
          body: { datacenter_id: null },
        },
        ['datacenter_id', 'tags', 'addresses'],
      ],
      [
        cyd,
        {
          http: `PUT /api/networks/${await make('networks', { name: 'moving', subnet: '10.1.90.0/24', ...inside })}`,
          body: { datacenter_id: other.datacenters },
        },
        ['datacenter_id', 'subnet'],
      ],
      [
        cyd,
        { http: `PUT /api/devices/nb:brand-new`, body: { name: 'new', datacenter_id: other.datacenters } },
        ['datacenter_id', 'tags', 'addresses'],
      ],
      [cyd, { http: `POST /api/pools/${own.pools}/allocate`, body: { device_id: other.devices } }, ['device_id']],
    ]
    const before = await documents()
    for (const [who, call, fields] of refused) {
      const answer = await send(who, call)
      expect([call.http, answer.status, fieldsOf(answer)]).toEqual([call.http, 403, [...fields]])
    }
    expect(await documents()).toEqual(before)
  })

  test.each(PLACED)('an object of $resource cannot be made without $field or moved by it', async (placed) => {
    const { own, other, bea, cyd } = await writers()
    const { resource, path, field, target, isRequired } = placed
    const there = where(2, other).build(resource)
    const mine = where(1, own).build(resource)
    const at = `${path}/${await makeInHalf(where(1, own), resource)}`
    const refused: readonly (readonly [Person, WriteCall])[] = [
      [cyd, { http: `POST ${there.path}`, body: there.body }],
      [cyd, { http: `PUT ${at}`, body: { [field]: other[target] } }],
      ...(isRequired
        ? []
        : ([
            [bea, { http: `POST ${mine.path}`, body: { ...mine.body, [field]: null } }],
            [bea, { http: `PUT ${at}`, body: { [field]: null } }],
          ] as const)),
    ]
    const before = await documents()
    for (const [who, call] of refused) {
      const answer = await send(who, call)
      expect([call.http, answer.status, fieldsOf(answer)]).toEqual([call.http, 403, [field]])
    }
    const unknown = await send(bea, { http: `PUT ${at}`, body: { [field]: other[target] } })
    expect([unknown.status, fieldsOf(unknown)]).toEqual([400, [field]])
    expect(await documents()).toEqual(before)
  })

  test('a reference that is stored stays, and one that is hidden is unknown', async () => {
    const { own, other, bea } = await writers()
    const address = { ip: '10.2.0.77', pool_id: other.pools, network_id: other.networks }
    const body = { name: 'both', datacenter_id: own.datacenters, addresses: [address], refs: { nb: 'both' } }
    const id = await where(1, own).make('devices', body)
    const stored = await bea.ask(`GET /api/devices/${id}`)
    expect(stored).toMatchObject({ status: 200, body: { addresses: [address] } })
    const { addresses } = stored.body as { addresses: object[] }
    const put = (more: object) => bea.ask(`PUT /api/devices/${id}`, more)
    expect(await put({ name: 'both of them', addresses })).toMatchObject({ status: 200 })
    expect(await put({ addresses: [{ ip: '10.2.0.78', pool_id: other.pools }] })).toMatchObject({ status: 200 })
    const hidden = await put({ mount: { rack_id: other.racks, position: 1 } })
    expect([hidden.status, fieldsOf(hidden)]).toEqual([400, ['mount.rack_id']])
    const byRef = await put({ datacenter_id: 'nb:omega-1' })
    const unknown = await put({ datacenter_id: 'nb:nobody-1' })
    expect(JSON.stringify(byRef.body).replaceAll('omega', 'nobody')).toBe(JSON.stringify(unknown.body))
    expect(await bea.ask('PUT /api/devices/nb:both', { os: 'x' })).toMatchObject({ status: 200, body: { id } })
  })

  test('what is taken by a hidden object is taken, in words that do not name it', async () => {
    const built = await writers()
    const { own, other, bea } = built
    const draft = { name: 'new', datacenter_id: own.datacenters }
    const taken: readonly WriteCall[] = [
      { http: 'POST /api/devices', body: { ...draft, id: other.devices } },
      { http: 'POST /api/devices', body: { ...draft, refs: { nb: 'omega-1' } } },
      { http: 'PUT /api/devices/nb:omega-1', body: draft },
      { http: `POST /api/pools/${own.pools}/reservations`, body: { ip_address: '10.1.0.60', purpose: 'x' } },
      {
        http: 'POST /api/cables',
        body: { a: { device_id: own.devices, port: 'alpha-up' }, b: { device_id: own.child, port: 'x' } },
      },
      { http: `PUT /api/networks/${own.networks}`, body: { subnet: '10.1.0.0/26' } },
      { http: `PUT /api/pools/${own.pools}`, body: { end_ip: '10.1.0.40' } },
    ]
    const before = await documents()
    for (const call of taken) {
      const answer = await send(bea, call)
      expect([call, answer.status === 400 ? 409 : answer.status]).toEqual([call, 409])
      const sent = [other.devices ?? '', 'omega-1']
      const text = sent.reduce((rest, one) => rest.replaceAll(one, ''), JSON.stringify(answer.body))
      expectNothingHidden(built, call.http, text)
      expect(text).not.toContain('guest')
    }
    expect(await documents()).toEqual(before)
  })

  test('each item of a bulk call is judged by itself', async () => {
    const { own, other, bea } = await writers()
    const operations = [
      { op: 'create', device: { name: 'inside', datacenter_id: own.datacenters } },
      { op: 'create', device: { name: 'outside' } },
      { op: 'update', id: other.devices, device: { name: 'hidden' } },
      { op: 'create', device: { name: 'unknown', datacenter_id: other.datacenters } },
    ]
    const atomic = await bea.ask('POST /api/devices/bulk', { operations })
    expect([atomic.status, fieldsOf(atomic)]).toEqual([
      400,
      [
        ...['datacenter_id', 'tags', 'addresses'].map((field) => `operations[1].device.${field}`),
        'operations[2]',
        'operations[3].device.datacenter_id',
      ],
    ])
    const { status, body } = await bea.ask('POST /api/devices/bulk', { operations, atomic: false })
    const { results } = body as { results: { status: string; error?: { code: string } }[] }
    expect([status, results.map((one) => one.error?.code ?? one.status)]).toEqual([
      200,
      ['created', 'FORBIDDEN', 'NOT_FOUND', 'VALIDATION_ERROR'],
    ])
    expect((await bea.ask('GET /api/devices?limit=1')).headers.get('x-total-count')).not.toBeNull()
    expect(await bea.ask(`GET /api/devices/${other.devices}`)).toMatchObject({ status: 404 })
  })

  test('hidden objects are not found before the state and the If-Match are judged', async () => {
    const { own, other, bea, cyd } = await writers()
    const wrong = { 'if-match': '"nothing"' }
    expect(await bea.ask(`PUT /api/devices/${other.devices}`, { name: 'x' }, wrong)).toMatchObject({ status: 404 })
    expect(await cyd.ask(`PUT /api/devices/${other.devices}`, { name: 'x' }, wrong)).toMatchObject({ status: 403 })
    expect(await bea.ask(`PUT /api/devices/${own.devices}`, { name: 'x' }, wrong)).toMatchObject({ status: 412 })
    expect(await cyd.ask('PUT /api/devices/nothing', { name: 'x' })).toMatchObject({ status: 404 })
  })

  test('an action on all of a device type applies to the devices in the scope', async () => {
    const { own, other, bea } = await writers()
    const { make, put } = where(1, own)
    const type = await make('device-types', { manufacturer: 'x', model: 'of both halves' })
    const devices: string[] = []
    for (const datacenter_id of [own.datacenters, other.datacenters])
      devices.push(await make('devices', { name: 'typed', datacenter_id, device_type_id: type }))
    await put(`device-types/${type}`, { ports: [{ name: 'p1' }] })
    expect(await bea.ask(`POST /api/device-types/${type}/apply`, {})).toMatchObject({
      body: { devices: 1, ports_added: 1 },
    })
    const ports = devices.map(async (id) => (await all.admin.ask(`GET /api/devices/${id}/ports`)).body as unknown[])
    expect((await Promise.all(ports)).map(({ length }) => length)).toEqual([1, 0])
  })

  test('a key that is limited to the scope writes there, whatever its owner may', async () => {
    const { own, other, narrow } = await writers()
    const draft = { name: 'by key', datacenter_id: own.datacenters }
    expect(await narrow.ask('POST /api/devices', draft)).toMatchObject({ status: 201 })
    expect(await narrow.ask('POST /api/devices', { name: 'by key' })).toMatchObject({ status: 403 })
    expect(await narrow.ask(`DELETE /api/devices/${other.devices}`)).toMatchObject({ status: 404 })
    expect(await narrow.ask('POST /api/custom-fields', { name: 'x', resource: 'devices', type: 'text' })).toMatchObject(
      {
        status: 403,
      },
    )
  })
})
