/** A POST of the inventory is done once for its idempotency key: every operation of the registry, and the list of those without a key. */
import { beforeAll, describe, expect, test } from 'bun:test'
import { routes } from '../../src/app/contracts.ts'
import { KEY_HEADER, takesIdempotencyKey } from '../../src/contract/idempotency-key.ts'
import { INVENTORY } from '../../src/inventory/resources.ts'
import { parseHttp } from '../../src/kernel/http-route.ts'
import type { AnyOperation, RawRoute } from '../../src/kernel/operation.ts'
import { buildSpec } from '../../src/surfaces/cli/parse/operation-spec.ts'
import { operations, type World, worldSuite } from '../../testing/estates/world.ts'
import { type Call, prepareCalls } from '../../testing/estates/write-calls.ts'
import { isNetboxRoute } from '../../testing/netbox/routes.ts'
import { host, scanOnce } from '../../testing/servers/scripted-scanner.ts'
import { engines } from '../../testing/servers/servers.ts'

const keyed = operations.filter(takesIdempotencyKey)
const takesKey = (called: AnyOperation | RawRoute): boolean =>
  'effect' in called ? takesIdempotencyKey(called) : Object.hasOwn(called.requestHeaders?.shape ?? {}, KEY_HEADER)
const named = <One extends { readonly name: string }>(some: readonly One[]) =>
  some.map((one): [string, One] => [one.name, one])

const READS = 'changes nothing'
const REMAKES = 'sets a state that a second call sets again'
const DISCOVERY = 'writes results of discovery, which are no objects of the inventory'
const SETTINGS = 'writes a setting of the server, which is no object of the inventory'
const WIRE = 'is for scanners, whose reports have leases and numbers'
const SCANNERS = 'ends or renews the access of a scanner, which is no part of its history'
const PEOPLE = 'writes accounts and their credentials, which are no objects of the inventory'
const SIGN_IN = 'signs somebody in or out'
const OUTSIDE = 'acts on another server'
const PROPOSALS = 'writes what is not yet made, which is no object of the inventory'

/** The POST requests that take no key, and why. */
const WITHOUT_KEY: Readonly<Record<string, string>> = {
  'scans.start': 'starts a scan, and a second one of the network is refused while it runs',
  'scans.record': DISCOVERY,
  'scans.cancel': REMAKES,
  'discovery.delete-many': REMAKES,
  'discovery.merge': DISCOVERY,
  'discovery.split': DISCOVERY,
  'inbox.ignore': REMAKES,
  'inbox.restore': REMAKES,
  'leases.record': DISCOVERY,
  'scanners.enrol': SCANNERS,
  'scanners.revoke': SCANNERS,
  'scanners.redeem': WIRE,
  'scanners.poll': WIRE,
  'scanners.reports': WIRE,
  'scanners.sightings': WIRE,
  'scanners.bye': WIRE,
  'conflicts.detect': REMAKES,
  'conflicts.ignore': REMAKES,
  'webhooks.create': SETTINGS,
  'webhooks.ping': OUTSIDE,
  'webhooks.redeliver': OUTSIDE,
  'webhooks.flush': OUTSIDE,
  'feeds.preview': READS,
  'feeds.create': SETTINGS,
  'dns-providers.create': SETTINGS,
  'dns-providers.test': OUTSIDE,
  'dns-zones.create': SETTINGS,
  'dns-zones.sync': OUTSIDE,
  'dns-zones.check': OUTSIDE,
  'dns-zones.resolve': OUTSIDE,
  'dns-records.create': SETTINGS,
  'sources.create': SETTINGS,
  'sources.test': OUTSIDE,
  'sources.run': OUTSIDE,
  'sources.push': 'reads a snapshot, and a second one finds nothing new',
  'sources.link': SETTINGS,
  'credentials.create': SETTINGS,
  'secrets.rotate': SETTINGS,
  'roles.create': PEOPLE,
  'users.create': PEOPLE,
  'users.change-password': PEOPLE,
  'users.reset-password': PEOPLE,
  'users.grant-role': PEOPLE,
  'users.revoke-role': PEOPLE,
  'groups.create': PEOPLE,
  'groups.add': PEOPLE,
  'scopes.create': PEOPLE,
  'grants.create': PEOPLE,
  // The answer holds a secret, which is not kept.
  'keys.create': PEOPLE,
  'keys.rotate': PEOPLE,
  'factors.create-totp': PEOPLE,
  'factors.confirm-totp': PEOPLE,
  'factors.passkey-options': PEOPLE,
  'factors.create-passkey': PEOPLE,
  'factors.recovery-codes': PEOPLE,
  'factors.reset': PEOPLE,
  'sso-providers.create': SETTINGS,
  'sso-providers.test': OUTSIDE,
  'sso-providers.check': OUTSIDE,
  'views.create': SETTINGS,
  'proposals.create': PROPOSALS,
  'proposals.open': REMAKES,
  'proposals.close': REMAKES,
  'proposals.refresh': REMAKES,
  'proposals.comment': PROPOSALS,
  'proposals.approve': 'counts once for each user',
  'proposals.reject': REMAKES,
  'policies.create': SETTINGS,
  'demo.load': 'runs steps, and is refused while the demo is loaded',
  'estate.pull': READS,
  'impact.preview': READS,
  'estate.convert': READS,
  'sessions.login': SIGN_IN,
  'sessions.passkey-options': SIGN_IN,
  'sessions.passkey': SIGN_IN,
  'sessions.logout': SIGN_IN,
  'sso.backchannel-logout': SIGN_IN,
  'sso.logout': SIGN_IN,
  'device-login.start': SIGN_IN,
  'device-login.decide': SIGN_IN,
  'device-login.token': SIGN_IN,
  'mcp.call': 'calls operations, whose input holds the key',
  'oauth.register': SIGN_IN,
  'oauth.consent': SIGN_IN,
  'oauth.token': SIGN_IN,
  'oauth.revoke': SIGN_IN,
}

/** Clients of NetBox send no key. */
const posts = [...operations, ...routes].filter((one) => one.http.startsWith('POST ') && !isNetboxRoute(one))

test('a POST without an idempotency key has a reason', () => {
  const without = posts.filter((one) => !takesKey(one)).map(({ name }) => name)
  expect(without.toSorted()).toEqual(Object.keys(WITHOUT_KEY).toSorted())
})

test('a POST that writes objects with a history takes an idempotency key, and no other method does', () => {
  expect(posts.filter((one) => 'hasHistory' in one && one.hasHistory).map(({ name }) => name)).toEqual(
    keyed.map(({ name }) => name),
  )
  expect([...operations, ...routes].filter((one) => takesKey(one) && !one.http.startsWith('POST '))).toEqual([])
  for (const resource of INVENTORY) expect(keyed.map(({ name }) => name)).toContain(`${resource}.create`)
})

test.each(named(keyed))('the command of %s has a flag for the key', (_, op) => {
  expect(buildSpec(op).flags.flatMap(({ names }) => names)).toContain('idempotency-key')
})

/** Returns calls that leave the objects of the other calls as they are. */
const prepareOwnCalls = async (world: World): Promise<Record<string, object>> => {
  const found = [await scanOnce(world.scanner, world.admin, [host('127.9.0.5')])]
  found.push(await scanOnce(world.scanner, world.admin, [host('127.9.0.6')]))
  const [one, other] = found.map(({ device }) => device)
  return {
    'networks.bulk': { operations: [{ op: 'create', network: { name: 'by bulk', subnet: '10.203.0.0/24' } }] },
    'devices.bulk': { operations: [{ op: 'create', device: { name: 'by bulk' } }] },
    'objects.bulk': { operations: [{ op: 'create', object: { kind_id: world.ids.kinds, name: 'once by bulk' } }] },
    'discovery.promote-many': { ids: [one], name: 'promoted-{ip}' },
    'inbox.accept': { items: [{ id: other }] },
  }
}
/** These change the object of another call. */
const LAST = ['cables.bulk', 'history.undo']

describe.each(engines())('on %s', (dialect) => {
  const world = worldSuite({ dialect, withJobs: false })
  let calls: Readonly<Record<string, Call>>
  let bodies: Readonly<Record<string, object>>
  beforeAll(async () => {
    calls = await prepareCalls(world)
    bodies = await prepareOwnCalls(world)
  }, 60_000)

  const countChanges = async (): Promise<number> => {
    const { count } = await world.app.db.read
      .selectFrom('changes')
      .select(({ fn }) => fn.countAll().as('count'))
      .executeTakeFirstOrThrow()
    return Number(count)
  }

  const send = async (op: AnyOperation, key: string) => {
    const call = calls[op.name]
    if (!call) throw new Error(`say in "prepareCalls" how to call ${op.name}`)
    const body = bodies[op.name] ?? call.body
    const { method } = parseHttp(op.http)
    const response = await world.admin.request(method, call.path, body, { [KEY_HEADER]: key })
    return { status: response.status, change: response.headers.get('x-change-id'), text: await response.text() }
  }

  const inOrder = keyed.toSorted((a, b) => LAST.indexOf(a.name) - LAST.indexOf(b.name))
  test.each(named(inOrder))(
    '%s is done once, and a retry gets the same answer, or 409 if it has a secret',
    async (name, op) => {
      const first = await send(op, `once ${name}`)
      expect(first).toMatchObject({ status: op.status ?? 200, change: expect.any(String) })
      const changes = await countChanges()
      const again = await send(op, `once ${name}`)
      if (op.answersSecret) expect(again).toMatchObject({ status: 409, change: first.change })
      else expect(again).toEqual(first)
      expect(await countChanges()).toBe(changes)
    },
  )

  test('an import of a file is done once, and a retry gets the same answer', async () => {
    const rows = [{ name: 'imported once', os: 'Debian' }]
    const send = async (key: string, body: unknown = rows) => {
      const path = '/api/estate/import?resource=devices'
      const answer = await world.admin.request('POST', path, body, { [KEY_HEADER]: key })
      return (await answer.text()).trim().split('\n').at(-1) ?? ''
    }
    const first = await send('import')
    expect(first).toContain('"created":1')
    const changes = await countChanges()
    expect(await send('import')).toBe(first)
    expect(await countChanges()).toBe(changes)
    expect(await send('import', [{ name: 'another' }])).toContain('Idempotency-Key: was used for another request')
    expect(await send('import of itself')).toContain('"unchanged":1')
  })

  test.each(['', '&dry_run=true'])('an import refuses a key that is too long%s', async (query) => {
    const path = `/api/estate/import?resource=devices${query}`
    const answer = await world.admin.request('POST', path, [], { [KEY_HEADER]: 'x'.repeat(256) })
    expect([answer.status, await answer.text()]).toEqual([400, expect.stringContaining('"idempotency_key"')])
  })

  test('an import with bad rows uses up no key', async () => {
    const send = async (rows: readonly object[]) => {
      const path = '/api/estate/import?resource=devices'
      return (await world.admin.request('POST', path, rows, { [KEY_HEADER]: 'bad rows' })).text()
    }
    expect(await send([{ name: '' }])).toContain('"failed":1')
    expect(await send([{ name: 'after bad rows' }])).toContain('"created":1')
  })

  test('an apply that finds nothing to do keeps its answer too', async () => {
    const body = { devices: [{ name: 'applied later' }] }
    const apply = async (key: string) =>
      (await world.admin.request('POST', '/api/estate/apply', body, { [KEY_HEADER]: key })).json()
    await apply('first')
    const nothing = await apply('nothing')
    expect(nothing).toMatchObject({ changed: false })
    const { id } = (await world.admin.api.devices.search({ q: 'applied later' }))[0] ?? { id: '' }
    await world.admin.api.devices.delete({ id })
    expect(await apply('nothing')).toEqual(nothing)
    expect(await world.admin.api.devices.search({ q: 'applied later' })).toEqual([])
  })

  test('the retry of a plan of an apply gets its answer, although the plan fits no more', async () => {
    const plan = { devices: [{ name: 'expected' }] }
    const ask = (path: string, body: object, headers = {}) => world.admin.request('POST', path, body, headers)
    const dry = (await (await ask('/api/estate/apply?dry_run=true', plan)).json()) as { fingerprint: string }
    const body = { ...plan, expect: dry.fingerprint }
    const answers = [
      await ask('/api/estate/apply', body, { [KEY_HEADER]: 'plan' }),
      await ask('/api/estate/apply', body, { [KEY_HEADER]: 'plan' }),
    ]
    expect(answers.map(({ status }) => status)).toEqual([200, 200])
    const [first, second] = await Promise.all(answers.map((answer) => answer.text()))
    expect(second).toBe(first ?? '')
    expect((await ask('/api/estate/apply', body)).status).toBe(412)
  })

  test('a key is of one request and one caller', async () => {
    const create = (name: string, by = world.admin) =>
      by.request('POST', '/api/devices', { name }, { [KEY_HEADER]: 'of one' })
    const first = await create('of one')
    expect((await create('of another')).status).toBe(400)
    const other = await world.app.as('admin')
    const theirs = await create('of one', other)
    const ids = [await first.json(), await theirs.json()].map((one) => (one as { id: string }).id)
    expect(ids[1]).not.toBe(ids[0] ?? '')
  })

  test('a key that failed, or was tried out, can be used again', async () => {
    const create = (body: object, query = '') =>
      world.admin.request('POST', `/api/devices${query}`, body, { [KEY_HEADER]: 'again' })
    expect((await create({ name: '' })).status).toBe(400)
    expect((await create({ name: 'tried out' }, '?dry_run=true')).status).toBe(200)
    expect((await create({ name: 'in earnest' })).status).toBe(201)
    expect((await create({ name: 'in earnest' }, '?dry_run=true')).headers.get('x-dry-run')).toBe('true')
  })

  test('requests at the same time are done once', async () => {
    const answers = await Promise.all(
      Array.from({ length: 8 }, () =>
        world.admin.request('POST', '/api/devices', { name: 'at the same time' }, { [KEY_HEADER]: 'same time' }),
      ),
    )
    expect(answers.map(({ status }) => status)).toEqual(Array.from({ length: 8 }, () => 201))
    expect(new Set(await Promise.all(answers.map((answer) => answer.text()))).size).toBe(1)
    expect(await world.admin.api.devices.search({ q: 'at the same time' })).toHaveLength(1)
  })

  test('a retry whose answer is longer than 256 KiB gets 409 with the change', async () => {
    const operations = Array.from({ length: 70 }, (_, at) => ({
      op: 'create',
      device: { name: `large ${at}`, description: 'x'.repeat(4000) },
    }))
    const send = () => world.admin.request('POST', '/api/devices/bulk', { operations }, { [KEY_HEADER]: 'large' })
    const first = await send()
    const change = first.headers.get('x-change-id') ?? ''
    expect([first.status, (await first.text()).length > 256 * 1024]).toEqual([200, true])
    const again = await send()
    expect([again.status, again.headers.get('x-change-id')]).toEqual([409, change])
    expect(await again.json()).toMatchObject({
      code: 'ALREADY_EXISTS',
      error: expect.stringContaining(`by the change ${change}`),
      details: [{ field: 'change_id', message: change }],
    })
    expect((await world.admin.api.history.get({ id: change })).summary).toContain('70')
  })

  test('a repeated PUT changes nothing more, and a repeated DELETE gets 404', async () => {
    const { id } = await world.admin.api.devices.create({ name: 'put twice' })
    const put = (headers = {}) => world.admin.request('PUT', `/api/devices/${id}`, { os: 'Debian' }, headers)
    const etag = (await world.admin.request('GET', `/api/devices/${id}`)).headers.get('etag') ?? ''
    const first = await (await put({ 'If-Match': etag })).text()
    const changes = await countChanges()
    expect(await (await put()).text()).toBe(first)
    expect((await put({ 'If-Match': etag })).status).toBe(412)
    expect(await countChanges()).toBe(changes)
    const remove = () => world.admin.request('DELETE', `/api/devices/${id}`)
    expect([(await remove()).status, (await remove()).status]).toEqual([204, 404])
  })

  test('a key of an older program gets its answer', async () => {
    const { db } = world.app
    const id = world.ids.pools ?? ''
    // The input of its hash has ids, defaults, and the order of the schema.
    const request_hash = new Bun.CryptoHasher('sha256')
      .update(JSON.stringify({ id, count: 2, contiguous: false, purpose: 'older' }))
      .digest('hex')
    const row = { owner: world.admin.userId, operation: 'reservations.allocate', key: 'older', request_hash }
    const kept = { ...row, answer: '{"ips":["192.0.2.77"],"reservations":[]}', change_id: null }
    await db.write((tx) =>
      tx.db
        .insertInto('idempotency_keys')
        .values({ ...kept, created_at: new Date().toISOString() })
        .execute(),
    )
    const body = { purpose: 'older', count: 2 }
    const answer = await world.admin.request('POST', `/api/pools/${id}/allocate`, body, { [KEY_HEADER]: 'older' })
    expect([answer.status, await answer.text()]).toEqual([201, kept.answer])
  })

  test('a request without a key stores none', async () => {
    const count = async () => (await world.app.db.read.selectFrom('idempotency_keys').selectAll().execute()).length
    const before = await count()
    await world.admin.api.devices.create({ name: 'without a key' })
    await world.admin.request(
      'POST',
      '/api/webhooks',
      { name: 'x', url: 'http://hook.invalid/', events: ['device.created'] },
      { [KEY_HEADER]: 'webhook' },
    )
    expect(await count()).toBe(before)
  })
})
