/** Reads as of a moment: the kinds of moments, refusals, rights, ETags, and objects without a past. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { type TestApp, type TestCaller, testApp } from '../../../testing/app/app.ts'
import { buildAddress, worldSuite } from '../../../testing/estates/world.ts'
import { upgraded } from '../../../testing/servers/earlier-version.ts'
import { engines } from '../../../testing/servers/servers.ts'
import { contracts } from '../../app/contracts.ts'
import type { Tables } from '../../database/tables.ts'
import type { Ctx } from '../../kernel/ctx.ts'
import type { AnyOperation } from '../../kernel/operation.ts'
import { REFERENCE_TARGETS } from '../../resource/custom/fields.ts'
import { openHistory } from './history.ts'

/** A row of an object that was made later. */
const NO_ROW = { kind: 'datacenter', id: 'old', sort_key: null, order_key: '', derived: null, child_id: null }

const pastReads = (Object.values(contracts).flatMap((contract) => Object.values(contract)) as AnyOperation[]).filter(
  ({ supportsAsOf }) => supportsAsOf,
)

describe.each(engines())('on %s', (dialect) => {
  let app: TestApp
  let admin: TestCaller
  // The clock of the database is that of the machine.
  let nowMs = Date.now() + 3_600_000
  const begunMs = nowMs
  beforeAll(async () => {
    app = await testApp({ dialect, now: () => new Date(nowMs) })
    admin = await app.as('admin')
  })
  afterAll(() => app.close())

  const later = (ms: number): string => {
    nowMs += ms
    return new Date(nowMs).toISOString()
  }
  const change = async (method: string, path: string, body?: unknown) => {
    const response = await admin.request(method, path, body)
    const text = await response.text()
    // Every answer of a write has an id, or no body.
    const object = JSON.parse(text === '' ? '{"id":""}' : text) as { readonly id: string }
    return { id: response.headers.get('x-change-id') ?? '', object }
  }
  const get = async (path: string, headers: Record<string, string> = {}, caller = admin) => {
    const response = await caller.request('GET', path, undefined, headers)
    const text = await response.text()
    // The body of an object or of a refusal.
    const body = (text === '' ? undefined : JSON.parse(text)) as {
      name: string
      details: { field: string; message: string }[]
    }
    return { status: response.status, body, headers: response.headers }
  }
  const asOf = (moment: string): string => `as_of=${encodeURIComponent(moment)}`

  test('a moment is a time, the id of a change, or how long ago', async () => {
    const { id: first, object } = await change('POST', '/api/devices', { name: 'first' })
    const time = later(60_000)
    later(60_000)
    await change('PUT', `/api/devices/${object.id}`, { name: 'second' })
    later(60_000)
    const path = `/api/devices/${object.id}`
    const names = await Promise.all(
      [first, time, time.replace('Z', '+00:00'), '2m', '120s', '1s', time.toLowerCase()].map(
        async (moment) => (await get(`${path}?${asOf(moment)}`)).body.name,
      ),
    )
    expect(names).toEqual(['first', 'first', 'first', 'first', 'first', 'second', 'first'])
    expect((await get(`${path}?${asOf(time)}`)).headers.get('x-as-of')).toBe(time)
    expect((await get(path)).headers.get('x-as-of')).toBe(null)
    const { at } = await admin.api.history.get({ id: first })
    expect((await get(`${path}?${asOf(first)}`)).headers.get('x-as-of')).toBe(at)
  })

  test('an object is missing before it was made and after it was deleted', async () => {
    const before = later(1000)
    later(1000)
    const { object } = await change('POST', '/api/datacenters', { name: 'brief' })
    const between = later(1000)
    later(1000)
    await change('DELETE', `/api/datacenters/${object.id}`)
    const statuses = [before, between, later(1000)].map(
      async (moment) => (await get(`/api/datacenters/${object.id}?${asOf(moment)}`)).status,
    )
    expect(await Promise.all(statuses)).toEqual([404, 200, 404])
  })

  test.each([
    ['yesterday', 'must be'],
    ['2026-01-01', 'must be'],
    ['2026-01-01T00:00:00', 'must be'],
    ['2999-01-01T00:00:00Z', 'in the future'],
    ['01a2109d-0000-7000-8000-000000000000', 'no longer kept'],
  ])('%s is refused', async (moment, why) => {
    const { status, body, headers } = await get(`/api/devices?${asOf(moment)}`)
    expect([status, body.details[0]?.field]).toEqual([400, 'as_of'])
    expect(body.details[0]?.message).toContain(why)
    expect(headers.get('x-as-of')).toBe(null)
  })

  test('a moment before the history is refused with its beginning', async () => {
    const { begins_at } = await admin.api.history.extent({})
    const { status, body } = await get(
      `/api/devices?${asOf(new Date(Math.min(begunMs, Date.parse(begins_at)) - 1).toISOString())}`,
    )
    expect([status, body.details[0]?.field]).toEqual([400, 'as_of'])
    expect(body.details[0]?.message).toContain(begins_at)
  })

  test('after an upgrade the past begins, with the objects that are there', async () => {
    const { db, close } = await upgraded(dialect, '0040', (tx) =>
      tx
        .insertInto('datacenters')
        // The columns of later migrations are left out.
        .values({
          ...{ id: 'old', name: 'Old', name_key: 'old' },
          location: '',
          description: '',
          created_at: '',
          updated_at: '',
        } as Tables['datacenters'])
        .execute(),
    )
    const upgradedAt = Date.now()
    const { past } = await openHistory(db, () => new Date())
    // A read of the past uses nothing else of its context.
    const ctx = { db: db.read, store: db, now: new Date(upgradedAt + 10_000).toISOString() } as Ctx
    await expect(past(ctx, new Date(upgradedAt - 10_000).toISOString())).rejects.toThrow('before the history begins')
    const then = await past(ctx, new Date(upgradedAt + 9000).toISOString())
    await db.write(({ db: tx }) =>
      tx
        .insertInto('history')
        .values({ ...NO_ROW, before: null, seq: 1 })
        .execute(),
    )
    expect(await then.db.selectFrom('datacenters').select('name').execute()).toEqual([])
    await db.write(({ db: tx }) => tx.deleteFrom('history').execute())
    expect(await then.db.selectFrom('datacenters').select('name').execute()).toEqual([{ name: 'Old' }])
    await close()
  })

  test('an answer as of the past uses the present rights', async () => {
    await change('POST', '/api/devices', { name: 'secret' })
    const moment = later(1000)
    later(1000)
    const nobody = await app.as(['networks:list'])
    expect((await get(`/api/devices?${asOf(moment)}`, {}, nobody)).status).toBe(403)
    expect((await get(`/api/networks?${asOf(moment)}`, {}, nobody)).status).toBe(200)
  })

  test('an answer as of a settled moment is not sent again', async () => {
    const { object } = await change('POST', '/api/devices', { name: 'same' })
    const moment = later(1000)
    later(1000)
    const path = `/api/devices?limit=1000&${asOf(moment)}`
    const first = await get(path)
    await change('PUT', `/api/devices/${object.id}`, { name: 'other' })
    await change('POST', '/api/devices', { name: 'more' })
    const etag = first.headers.get('etag') ?? ''
    expect((await get(path, { 'If-None-Match': etag })).status).toBe(304)
    const again = await get(path)
    expect([again.headers.get('etag'), again.body]).toEqual([etag, first.body])
    expect((await get(`/api/devices?limit=1000&${asOf(later(1000))}`)).headers.get('etag')).not.toBe(etag)
  })

  test('of what is not in the estate nothing is found, and nothing can be done', async () => {
    const { object: network } = await change('POST', '/api/networks', { name: 'n', subnet: '10.9.0.0/24' })
    await change('POST', '/api/devices', { name: 'twin-1', addresses: [{ ip: '10.9.0.1' }] })
    await change('POST', '/api/devices', { name: 'twin-2', addresses: [{ ip: '10.9.0.1' }] })
    const moment = later(1000)
    later(1000)
    expect(Object.keys((await get('/api/lookup/10.9.0.1')).body)).toContain('conflicts')
    expect(Object.keys((await get(`/api/lookup/10.9.0.1?${asOf(moment)}`)).body)).not.toContain('conflicts')
    const free = (await get(`/api/lookup/10.9.0.2?${asOf(moment)}`)).body
    expect(free).toMatchObject({ state: 'free', ways: [], networks: [{ id: network.id }] })
  })
})

describe.each(engines())('the world on %s', (dialect) => {
  const clock = { ms: Date.now() + 3_600_000 }
  const world = worldSuite({ dialect, now: () => new Date(clock.ms) })
  const read = async (path: string): Promise<readonly [status: number, body: unknown]> => {
    const response = await world.admin.request('GET', path)
    return [response.status, await response.json()]
  }

  beforeAll(async () => {
    // The object of a kind names one object of each other resource.
    const { kinds: kind = '', objects: object } = world.ids
    const custom: Record<string, unknown> = {}
    for (const target of [...REFERENCE_TARGETS, kind]) {
      const name = `of_${target.replaceAll(/[^a-z]/g, '_')}`
      const field = { resource: kind, name, type: 'reference', reference_to: target }
      expect((await world.admin.request('POST', '/api/custom-fields', field)).status).toBe(201)
      custom[name] = target === kind ? object : world.ids[target]
    }
    const changed = await world.admin.request('PUT', `/api/objects/${object}`, { custom })
    expect([changed.status, await changed.json()]).toMatchObject([200, { custom }])
  })

  test.each(pastReads.map((op) => [op.name, op] as const))('%s reads nothing that has no past', async (name, op) => {
    const path = buildAddress(op, world.ids)
    const live = await read(path)
    clock.ms += 1000
    const moment = new Date(clock.ms).toISOString()
    clock.ms += 1000
    const then = await read(`${path}${path.includes('?') ? '&' : '?'}as_of=${encodeURIComponent(moment)}`)
    // The world has something to read everywhere.
    expect([live[0], JSON.stringify(live[1]).length > 2]).toEqual([200, true])
    const toComparable = ([status, body]: readonly [number, unknown]) =>
      name === 'lookup.show' ? [status, { ...(body as object), ways: [], conflicts: 0, changes: [] }] : [status, body]
    expect(toComparable(then)).toEqual(toComparable(live))
  })
})
