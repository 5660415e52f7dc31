// Protected objects change by merges only, on whichever way a person tries it.
import { beforeAll, describe, expect, test } from 'bun:test'
import { createUser, keyFor, PASSWORD } from '../../../testing/estates/identities.ts'
import { readWhole } from '../../../testing/estates/whole-database.ts'
import { operations, worldSuite } from '../../../testing/estates/world.ts'
import { type Call, prepareCalls } from '../../../testing/estates/write-calls.ts'
import { callTool } from '../../../testing/mcp.ts'
import { engines } from '../../../testing/servers/servers.ts'
import { cookieOf } from '../../../testing/sign-in/sign-in.ts'
import { parseHttp } from '../../kernel/http-route.ts'
import type { AnyOperation } from '../../kernel/operation.ts'

/** The demo needs an inventory of its own, and a merge is the way that is left. */
const OTHERS = ['demo.remove', 'proposals.merge']
const RECORDS = ['dns-records.create', 'dns-records.update', 'dns-records.delete']
const writes = operations.filter(
  ({ name, hasHistory }) =>
    (hasHistory === true && !OTHERS.includes(name) && !name.startsWith('scanners.')) || RECORDS.includes(name),
)
const named = writes.map((op): [string, AnyOperation] => [op.name, op])

/** Tables of the call itself. */
const ASIDE = /^(audit\w*|revisions|leases|api_keys|users)$/

/** The tables of plans besides. */
const PLANS = new RegExp(`${ASIDE.source}|^(proposals|proposal_effects)$`)

const REFUSED = { code: 'APPROVAL_REQUIRED', details: [{ field: 'Guarded' }] }

describe.each(engines())('on %s', (dialect) => {
  const world = worldSuite({ dialect, withJobs: false })
  let calls: Readonly<Record<string, Call>>
  let policy = ''
  let before: unknown
  let cookie = ''

  type Send = (method: string, path: string, body?: unknown, headers?: Record<string, string>) => Promise<Response>

  const byKey: Send = (method, path, body, headers) => world.admin.request(method, path, body, headers)
  /** Sends as the pages do, with the cookie of a sign-in. */
  const bySession: Send = (method, path, body, headers = {}) => {
    const own = { Cookie: cookie, 'X-Requested-With': 'XMLHttpRequest', 'Content-Type': 'application/json' }
    const sent = body === undefined ? {} : { body: JSON.stringify(body) }
    return world.app.fetch(new Request(`http://plat.test${path}`, { method, headers: { ...own, ...headers }, ...sent }))
  }
  const SENDERS: readonly (readonly [string, Send])[] = [
    ['an API key', byKey],
    ['a session', bySession],
  ]

  const readAll = async (without = ASIDE): Promise<unknown> =>
    [...(await readWhole(world.app.db, without))].map(([table, rows]) => [
      table,
      rows
        .map((row) => JSON.stringify(row, (_, value: unknown) => (typeof value === 'bigint' ? `${value}` : value)))
        .sort(),
    ])
  const setEnabled = async (enabled: boolean): Promise<void> => {
    const { status } = await world.admin.request('PUT', `/api/policies/${policy}`, { enabled })
    expect(status).toBe(200)
  }
  const read = async (response: Response) => ({ status: response.status, body: (await response.json()) as unknown })

  beforeAll(async () => {
    calls = await prepareCalls(world)
    await createUser(world.app.db, { username: 'browsing', roles: ['admin'] })
    cookie = cookieOf(await bySession('POST', '/api/auth/login', { username: 'browsing', password: PASSWORD }))
    const made = await world.admin.request('POST', '/api/policies', { name: 'Guarded', protect: true })
    // The answer of the route.
    policy = ((await made.json()) as { id: string }).id
    before = await readAll()
  }, 120_000)

  describe.each(SENDERS)('by %s', (_sender, send) => {
    test.each(named)('%s is refused, and changes no row', async (_, op) => {
      const call = calls[op.name]
      if (!call) throw new Error(`say in "prepareCalls" how to call ${op.name}`)
      const response = await send(parseHttp(op.http).method, call.path, call.body, call.headers)
      expect(await read(response)).toMatchObject({ status: 403, body: REFUSED })
      expect(await readAll()).toEqual(before)
    })

    test('a dry run of the same passes', async () => {
      const call = calls['devices.update']
      const response = await send('PUT', `${call?.path}?dry_run=true`, call?.body)
      expect(response.status).toBe(200)
    })
  })

  test('an update of an object by its name elsewhere, which has none yet, is refused', async () => {
    const response = await world.admin.request('PUT', '/api/devices/guard:77', { name: 'by its ref' })
    expect(await read(response)).toMatchObject({ status: 403, body: REFUSED })
    expect(await readAll()).toEqual(before)
  })

  test('an import is refused at its end', async () => {
    const rows = [{ name: 'imported 1' }, { name: 'imported 2' }]
    const response = await world.admin.request('POST', '/api/estate/import?resource=devices', rows)
    expect(await response.text()).toContain('APPROVAL_REQUIRED')
    expect(await readAll()).toEqual(before)
  })

  test('the NetBox API answers its own form of the error', async () => {
    const headers = { Authorization: `Token ${world.admin.key}` }
    const listed = await world.admin.request('GET', '/netbox/api/dcim/devices/?limit=1', undefined, headers)
    // The answer of the route.
    const [first] = ((await listed.json()) as { results: { id: number }[] }).results
    const start = await readAll()
    const path = `/netbox/api/dcim/devices/${first?.id}/`
    const { status, body } = await read(await world.admin.request('PATCH', path, { comments: 'changed' }, headers))
    expect([status, body]).toEqual([403, { detail: expect.stringContaining('"Guarded"') }])
    expect(await readAll()).toEqual(start)
    before = start
  })

  test('a tool of an AI client is refused', async () => {
    const { app, admin, ids } = world
    const answer = await callTool({ fetch: app.fetch, key: admin.key }, 'call_operation', {
      operation: 'devices.update',
      input: { id: ids.devices, os: 'Plan 9' },
    })
    expect(answer).toMatchObject({ isError: true, value: { code: 'APPROVAL_REQUIRED' } })
  })

  test('the plan of a deletion is made, and its application is refused', async () => {
    const { app, admin, ids } = world
    const call = (name: string, input: Record<string, unknown>) =>
      callTool({ fetch: app.fetch, key: admin.key }, name, input)
    const start = await readAll(PLANS)
    const plan = await call('call_operation', { operation: 'devices.delete', input: { id: ids.devices } })
    expect(plan).toMatchObject({ isError: false })
    const applied = await call('apply_plan', { plan_id: plan.value.plan_id })
    expect(applied).toMatchObject({ isError: true, value: { code: 'APPROVAL_REQUIRED' } })
    expect(await readAll(PLANS)).toEqual(start)
  })

  test('no user is exempt: another key of the admin is refused as well', async () => {
    const { app, admin, ids } = world
    const key = await keyFor(app.db, admin.userId, { name: 'another one' })
    const request = new Request(`http://plat.test/api/devices/${ids.devices}`, {
      method: 'PUT',
      headers: { Authorization: `Bearer ${key}`, 'Content-Type': 'application/json' },
      body: JSON.stringify({ os: 'Plan 9' }),
    })
    expect(await read(await app.fetch(request))).toMatchObject({ status: 403, body: REFUSED })
  })

  test('a disabled policy lets changes pass', async () => {
    await setEnabled(false)
    const call = calls['devices.update']
    expect((await world.admin.request('PUT', call?.path ?? '', call?.body)).status).toBe(200)
    await setEnabled(true)
  })
})
