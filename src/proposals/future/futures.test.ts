/** Reads as of a proposal: which ones there are, refusals, ETags, kept answers, totals, and the rights of the reader. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { type TestApp, type TestCaller, testApp } from '../../../testing/app/app.ts'
import { findFormer, insertProposal } from '../../../testing/estates/proposal-rows.ts'
import { buildAddress, worldSuite } from '../../../testing/estates/world.ts'
import { engines } from '../../../testing/servers/servers.ts'
import { contracts } from '../../app/contracts.ts'
import type { Ctx } from '../../kernel/ctx.ts'
import type { AnyOperation } from '../../kernel/operation.ts'
import { KINDS, type Kind } from '../../record/history/kind-names.ts'
import { buildRows, KIND_RULES } from '../../record/history/kinds.ts'

/** The proposal of a world that has others. */
const NUMBER = 1000

const AT = '2026-02-03T04:05:06.789Z'

describe.each(engines())('on %s', (dialect) => {
  let app: TestApp
  let admin: TestCaller
  let number = 0
  beforeAll(async () => {
    // A job would run the proposals, which have no operations.
    app = await testApp({ dialect, withJobs: false })
    admin = await app.as('admin')
  })
  afterAll(() => app.close())

  const findLast = async (): Promise<number> => {
    const last = app.db.read.selectFrom('changes').select(({ fn }) => fn.max('seq').as('seq'))
    return Number((await last.executeTakeFirstOrThrow()).seq)
  }
  const send = async (method: string, path: string, body?: unknown) => {
    const response = await admin.request(method, path, body)
    expect(response.status).toBeLessThan(300)
    const text = await response.text()
    // A write answers with an object, or nothing.
    return JSON.parse(text === '' ? '{"id":""}' : text) as { readonly id: string }
  }
  const get = async (path: string, headers: Record<string, string> = {}, caller = admin) => {
    const response = await caller.request('GET', path, undefined, headers)
    const text = await response.text()
    // The body of an object, of a list or of a refusal.
    const body = (text === '' ? undefined : JSON.parse(text)) as
      | { name: string; details: object[] }
      | { name: string }[]
    return { status: response.status, body, headers: response.headers }
  }
  /** Stores a proposal that takes back all changes since. */
  const propose = async (since: number, row: object = {}): Promise<number> => {
    number++
    await insertProposal(app.db, { number, previewed_at: AT, ...row }, await findFormer(app.db, since))
    return number
  }

  test('a proposal is named by its number and by its id', async () => {
    const { id } = await send('POST', '/api/devices', { name: 'first' })
    const since = await findLast()
    await send('PUT', `/api/devices/${id}`, { name: 'second' })
    const proposalId = Bun.randomUUIDv7()
    const n = await propose(since, { id: proposalId })
    const answers = await Promise.all([n, proposalId].map((one) => get(`/api/devices/${id}?as_of=proposal:${one}`)))
    expect(answers.map(({ body }) => body)).toMatchObject([{ name: 'first' }, { name: 'first' }])
    expect(answers[0]?.headers.get('x-as-of')).toBe(AT)
    expect((await get(`/api/devices/${id}`)).body).toMatchObject({ name: 'second' })
  })

  test('everything else is as it is now', async () => {
    const n = await propose(await findLast())
    const { id } = await send('POST', '/api/devices', { name: 'made later' })
    expect((await get(`/api/devices/${id}?as_of=proposal:${n}`)).body).toMatchObject({ name: 'made later' })
  })

  test.each([
    ['999', 'no proposal'],
    ['', 'no proposal'],
    ['no-such', 'no proposal'],
  ])('the unknown proposal "%s" is refused', async (named) => {
    const { status, body } = await get(`/api/devices?as_of=proposal:${named}`)
    expect([status, body]).toMatchObject([400, { details: [{ field: 'as_of' }] }])
  })

  test('a merged proposal is refused with its change, a closed one with its state', async () => {
    const merged = await propose(await findLast(), { state: 'merged', change_id: 'the-change' })
    const closed = await propose(await findLast(), { state: 'closed' })
    expect((await get(`/api/devices?as_of=proposal:${merged}`)).body).toMatchObject({
      details: [{ field: 'as_of', message: expect.stringContaining('the-change') }],
    })
    expect((await get(`/api/devices?as_of=proposal:${closed}`)).body).toMatchObject({
      details: [{ field: 'as_of', message: expect.stringContaining('closed') }],
    })
  })

  test('a plan of an AI client and a draft of somebody else are unknown', async () => {
    const plan = Bun.randomUUIDv7()
    await insertProposal(app.db, { number: null, id: plan, state: 'plan', previewed_at: AT }, [])
    const draft = await propose(await findLast(), { state: 'draft', author_id: 'somebody' })
    for (const named of [plan, draft]) {
      const { status, body } = await get(`/api/devices?as_of=proposal:${named}`)
      expect([status, body]).toMatchObject([400, { details: [{ field: 'as_of' }] }])
    }
  })

  test.each(['from', 'to'])('a proposal is no moment of a difference: %s', async (field) => {
    const n = await propose(await findLast())
    const [{ id = '' } = {}] = await admin.api.history.list({ limit: 1 })
    const given = { from: id, to: id, [field]: `proposal:${n}` }
    const { status, body } = await get(`/api/history/diff?${new URLSearchParams(given)}`)
    expect([status, body]).toMatchObject([400, { details: [{ field }] }])
  })

  test('the ETag is that of the last run and of the present tables', async () => {
    const { id } = await send('POST', '/api/datacenters', { name: 'tagged' })
    const n = await propose(await findLast())
    const path = `/api/datacenters?as_of=proposal:${n}`
    const etag = (await get(path)).headers.get('etag') ?? ''
    expect((await get(path, { 'If-None-Match': etag })).status).toBe(304)
    await app.db.write(({ db }) => db.updateTable('proposals').set({ version: 2 }).where('number', '=', n).execute())
    const next = (await get(path, { 'If-None-Match': etag })).headers.get('etag') ?? ''
    expect(next).not.toBe(etag)
    await send('PUT', `/api/datacenters/${id}`, { name: 'tagged again' })
    expect((await get(path, { 'If-None-Match': next })).status).toBe(200)
  })

  test('a kept answer ends with another run, and with a change of the present', async () => {
    const { id: network } = await send('POST', '/api/networks', { name: 'kept', subnet: '10.77.0.0/24' })
    const before = await findLast()
    const { id: device } = await send('POST', '/api/devices', { name: 'in it', addresses: [{ ip: '10.77.0.5' }] })
    const n = await propose(before)
    const used = async () => {
      const { body } = await get(`/api/networks/${network}/utilization?as_of=proposal:${n}`)
      return (body as unknown as { readonly used_ips: number }).used_ips
    }
    expect([await used(), await used()]).toEqual([0, 0])
    await send('POST', '/api/devices', { name: 'another', addresses: [{ ip: '10.77.0.6' }] })
    expect(await used()).toBe(1)
    await app.db.write(async ({ db }) => {
      await db.deleteFrom('proposal_effects').where('id', '=', device).execute()
      await db.updateTable('proposals').set({ version: 2 }).where('number', '=', n).execute()
    })
    expect(await used()).toBe(2)
  })

  test('a total counts what it adds and takes away, also after others did the same', async () => {
    const { id: gone } = await send('POST', '/api/vlans', { vlan_id: 71, name: 'gone' })
    const { id: other } = await send('POST', '/api/vlans', { vlan_id: 72, name: 'other' })
    const since = await findLast()
    await send('DELETE', `/api/vlans/${gone}`)
    await send('POST', '/api/vlans', { vlan_id: 73, name: 'new' })
    await send('PUT', `/api/vlans/${other}`, { name: 'renamed' })
    const path = `/api/vlans?limit=1&as_of=proposal:${await propose(since)}`
    const total = async (query: string) => Number((await get(query)).headers.get('x-total-count'))
    const now = await total('/api/vlans?limit=1')
    expect(await total(path)).toBe(now)
    await send('DELETE', `/api/vlans/${other}`)
    expect([await total('/api/vlans?limit=1'), await total(path)]).toEqual([now - 1, now])
    expect(((await get(path.replace('limit=1', 'limit=1000'))).body as object[]).length).toBe(now)
  })

  test('a resource that the caller may not read shows nothing of it', async () => {
    const since = await findLast()
    const { id } = await send('POST', '/api/devices', { name: 'unread', addresses: [{ ip: '10.78.0.5' }] })
    await send('POST', '/api/networks', { name: 'read', subnet: '10.78.0.0/24' })
    const undone = await propose(since)
    await send('DELETE', `/api/devices/${id}`)
    const made = await propose((await findLast()) - 1)
    const reader = await app.as(['networks:list', 'networks:read', 'search:read', 'proposals:read'])
    for (const n of [undone, made]) {
      const { status, body } = await get(`/api/lookup/10.78.0.5?as_of=proposal:${n}`, {}, reader)
      expect(status).toBe(200)
      expect(JSON.stringify(body)).not.toContain('unread')
    }
  })
})

describe.each(engines())('the world on %s', (dialect) => {
  const world = worldSuite({ dialect, withJobs: false })
  const pastReads = (Object.values(contracts).flatMap((contract) => Object.values(contract)) as AnyOperation[]).filter(
    ({ supportsAsOf }) => supportsAsOf,
  )
  const read = async (path: string): Promise<readonly [status: number, body: unknown]> => {
    const response = await world.admin.request('GET', path)
    return [response.status, await response.json()]
  }
  // Its documents are those of now, of every object.
  beforeAll(async () => {
    const { db } = world.app
    // Documents are read by nothing else.
    const ctx = { db: db.read, store: db } as Ctx
    const items: { kind: Kind; id: string; before: string }[] = []
    const made = await db.read.selectFrom('history').select(['kind', 'id']).distinct().execute()
    for (const kind of KINDS) {
      const ids = made.flatMap((one) => (one.kind === kind ? [one.id] : []))
      for (const [id, before] of await KIND_RULES[kind].documents(ctx, ids)) items.push({ kind, id, before })
    }
    const rows = await buildRows(ctx, items)
    const effects = rows.map(({ before, ...row }) => ({ ...row, document: before }))
    expect(new Set(effects.map(({ kind }) => kind)).size).toBeGreaterThan(10)
    await insertProposal(db, { number: NUMBER, previewed_at: new Date().toISOString() }, effects)
  })

  test.each(pastReads.map((op) => [op.name, op] as const))('%s is answered as of a proposal', async (name, op) => {
    const path = buildAddress(op, world.ids)
    const toComparable = ([status, body]: readonly [number, unknown]) =>
      name === 'lookup.show' ? [status, { ...(body as object), ways: [], conflicts: 0, changes: [] }] : [status, body]
    const then = await read(`${path}${path.includes('?') ? '&' : '?'}as_of=proposal:${NUMBER}`)
    expect(then[0]).toBe(200)
    expect(toComparable(then)).toEqual(toComparable(await read(path)))
  })
})
