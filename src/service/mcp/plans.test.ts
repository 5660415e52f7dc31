// A call that would delete or change many objects returns a plan. Applying the plan executes it, unless the objects
// have changed.
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { type TestApp, type TestCaller, testApp } from '../../../testing/app/app.ts'
import { keyFor } from '../../../testing/estates/identities.ts'
import { type Answer, callTool, Plan } from '../../../testing/mcp.ts'
import { onSqlite } from '../../../testing/servers/servers.ts'
import { compose, openDatabase } from '../../app/compose.ts'
import { createLogger } from '../../base/runtime/log.ts'
import { MOST_PLANS, PLAN_MS } from '../../proposals/plans/plans.ts'

const START_TIMEOUT_MS = 60_000
const DEVICE_RIGHTS = ['devices:list', 'devices:read', 'devices:create', 'devices:update', 'devices:delete']

describe.each(onSqlite())('a plan on %s', (dialect) => {
  const clock = { ms: Date.parse('2026-06-01T00:00:00.000Z') }
  let app: TestApp
  let admin: TestCaller
  let count = 0
  beforeAll(async () => {
    const env = { AUDIT_ENABLED: 'true', ENCRYPTION_KEY: '5a'.repeat(32) }
    app = await testApp({ dialect, env, now: () => new Date(clock.ms) })
    admin = await app.as('admin')
  }, START_TIMEOUT_MS)
  afterAll(() => app.close(), START_TIMEOUT_MS)

  const on = ({ key }: { key: string }) => ({ fetch: app.fetch, key })
  const operation = (name: string, input: object, caller = admin): Promise<Answer> =>
    callTool(on(caller), 'call_operation', { operation: name, input })
  const plan = async (name: string, input: object, caller = admin): Promise<Plan> => {
    clock.ms += 1000
    return Plan.parse((await operation(name, input, caller)).value)
  }
  const apply = (planId: string, caller: { key: string } = admin): Promise<Answer> => {
    clock.ms += 1000
    return callTool(on(caller), 'apply_plan', { plan_id: planId })
  }
  const device = (fields: object = {}) => admin.api.devices.create({ name: `device-${++count}`, ...fields })
  const names = async () => (await admin.api.devices.list({})).map(({ name }) => name)
  const retag = (ids: readonly string[], tag: string) => ({
    operations: ids.map((id) => ({ op: 'update', id, device: { add_tags: [tag] } })),
  })

  describe('when it is made', () => {
    test('changes nothing', async () => {
      const { id } = await device()
      await plan('devices.delete', { id })
      expect(await admin.api.devices.get({ id })).toMatchObject({ id })
    })

    test('writes no audit entry and emits no event', async () => {
      const { id } = await device()
      const before = [await admin.api.audit.list({}), await app.db.revision(['devices', 'events', 'relationships'])]
      await plan('devices.delete', { id })
      const after = [await admin.api.audit.list({}), await app.db.revision(['devices', 'events', 'relationships'])]
      expect(after).toEqual(before)
    })

    test('lists dependent objects', async () => {
      const [a, b] = [await device(), await device()]
      await admin.api.relationships.create({ device_id: a.id, child_id: b.id, type: 'contains' })
      expect(await plan('devices.delete', { id: a.id })).toMatchObject({
        summary: 'deletes 1 relationship and 1 device; 1 device would stop',
        changes: { delete: { device: 1, relationship: 1 } },
        objects: [
          { change: 'delete', kind: 'relationship', name: `${a.name} contains ${b.name}` },
          { change: 'delete', kind: 'device', id: a.id, name: a.name },
        ],
      })
    })

    test('names relationships as the history does', async () => {
      const [a, b] = [await device(), await device()]
      await admin.api.relationships.create({ device_id: a.id, child_id: b.id, type: 'depends_on' })
      const { plan_id, objects } = await plan('devices.delete', { id: b.id })
      const planned = objects.filter(({ kind }) => kind === 'relationship').map(({ id, name }) => ({ id, name }))
      expect(planned).toEqual([{ id: `${a.id} ${b.id} depends_on`, name: `${a.name} depends_on ${b.name}` }])
      await apply(plan_id ?? '')
      const [change] = await admin.api.history.list({ limit: 1 })
      expect(await admin.api.history.items({ id: change?.id ?? '', kind: 'relationship' })).toMatchObject(planned)
      // Their undo creates both again; only the plan has one of them.
      const undo = await plan('history.undo', { id: change?.id })
      expect(undo.objects.filter(({ kind }) => kind === 'relationship')).toMatchObject(planned)
      expect((await apply(undo.plan_id ?? '')).value).toMatchObject({
        created: expect.arrayContaining(planned.map((one) => expect.objectContaining(one))),
      })
    })

    test('names relationships by ids for a caller who may not read devices', async () => {
      const caller = await app.as(['devices:list', 'devices:delete', 'relationships:read'])
      const [a, b] = [await device(), await device()]
      await admin.api.relationships.create({ device_id: a.id, child_id: b.id, type: 'contains' })
      const { objects } = await plan('devices.delete', { id: a.id }, caller)
      expect(objects.map(({ name }) => name)).toEqual([`${a.id} contains ${b.id}`])
    })

    test('lists other changes, with their values', async () => {
      const network = await admin.api.networks.create({ name: 'doomed', subnet: '10.40.0.0/24' })
      const pool = await admin.api.pools.create({
        network_id: network.id,
        name: 'doomed pool',
        start_ip: '10.40.0.1',
        end_ip: '10.40.0.9',
      })
      await admin.api.reservations.create({ pool_id: pool.id, ip_address: '10.40.0.5' })
      const one = await device({ addresses: [{ ip: '10.40.0.2', network_id: network.id, pool_id: pool.id }] })
      const { changes, objects } = await plan('networks.delete', { id: network.id })
      expect(changes).toEqual({ delete: { network: 1, pool: 1, reservation: 1 }, update: { device: 1 } })
      const { fields } = objects.find(({ id }) => id === one.id) ?? {}
      expect(fields).toMatchObject({
        addresses: { from: [{ pool_id: pool.id, network_id: network.id }], to: [{ pool_id: null, network_id: null }] },
      })
    })

    test('counts all of a kind, and shows the first of them', async () => {
      const ids = await Promise.all(Array.from({ length: 30 }, async () => (await device()).id))
      const { summary, objects } = await plan('devices.bulk', retag(ids, 'new'))
      expect([summary, objects.length]).toEqual(['changes 30 devices', 20])
      expect(objects[0]?.fields).toEqual({ tags: { from: [], to: ['new'] } })
    })

    test('is made of names as well', async () => {
      const { id, name } = await device()
      expect((await plan('devices.delete', { id: name })).objects).toMatchObject([{ id }])
    })

    test('is empty where nothing would change', async () => {
      const { id } = await device({ tags: ['there'] })
      const { value } = await operation('devices.bulk', retag([id], 'there'))
      expect(value).toEqual({ summary: 'changes nothing', changes: {}, objects: [] })
    })

    test('fails as the call would', async () => {
      expect(await operation('devices.delete', { id: 'nobody' })).toMatchObject({
        isError: true,
        value: { code: 'NOT_FOUND' },
      })
    })

    test('names the items that would fail', async () => {
      const { id } = await device()
      const { operations } = retag([id, 'nobody'], 'x')
      const { changes, failures } = await plan('devices.bulk', { operations, atomic: false })
      expect(changes).toEqual({ update: { device: 1 } })
      expect(failures).toMatchObject([{ index: 1, status: 'failed', error: { code: 'NOT_FOUND' } }])
    })

    test('is refused without the permission', async () => {
      const viewer = await app.as('viewer')
      const { id } = await device()
      expect(await operation('devices.delete', { id }, viewer)).toMatchObject({
        isError: true,
        value: { code: 'FORBIDDEN' },
      })
    })

    test('hides objects without their permission, and does not count them', async () => {
      const deleter = await app.as([...DEVICE_RIGHTS])
      const [a, b] = [await device(), await device()]
      await admin.api.relationships.create({ device_id: a.id, child_id: b.id, type: 'contains' })
      const { changes, objects } = await plan('devices.delete', { id: a.id }, deleter)
      expect(changes).toEqual({ delete: { device: 1 } })
      expect(objects.map(({ kind }) => kind)).toEqual(['device'])
    })

    test('never shows a secret', async () => {
      const { id } = await admin.api.webhooks.create({
        name: 'hook',
        url: 'https://192.0.2.1/hook',
        events: ['device.created'],
        secret: 'very secret indeed',
      })
      const shown = JSON.stringify(await plan('webhooks.delete', { id }))
      const stored = await app.db.read
        .selectFrom('proposal_effects')
        .selectAll()
        .where('kind', '=', 'webhook')
        .execute()
      expect(stored.length).toBeGreaterThan(0)
      expect(shown + JSON.stringify(stored)).not.toContain('very secret indeed')
    })

    test('deletes the oldest plans of the user beyond the limit', async () => {
      const someone = await app.as('admin')
      const { id } = await device()
      for (let i = 0; i < MOST_PLANS + 3; i++) await plan('devices.delete', { id }, someone)
      const kept = app.db.read.selectFrom('proposals').select('seq').where('author_id', '=', someone.userId)
      expect(await kept.execute()).toHaveLength(MOST_PLANS)
      const left = app.db.read.selectFrom('proposal_effects').select('proposal').where('id', '=', id)
      expect(await left.execute()).toHaveLength(MOST_PLANS)
    })
  })

  describe('when it is applied', () => {
    test('changes the objects', async () => {
      const [a, b] = [await device({ tags: ['old'] }), await device()]
      const { plan_id } = await plan('devices.bulk', retag([a.id, b.id], 'new'))
      expect(await apply(plan_id)).toEqual({
        isError: false,
        value: {
          applied: true,
          operation: 'devices.bulk',
          summary: 'changes 2 devices',
          changes: { update: { device: 2 } },
        },
      })
      expect((await admin.api.devices.get({ id: a.id })).tags).toEqual(['old', 'new'])
    })

    test('lists the created objects', async () => {
      const operations = [{ op: 'create', device: { name: 'made by a plan', addresses: [{ ip: '10.41.0.1' }] } }]
      const { plan_id } = await plan('devices.bulk', { operations })
      const { value } = await apply(plan_id)
      const made = (await admin.api.devices.list({})).find(({ name }) => name === 'made by a plan')
      expect(value.created).toEqual([{ change: 'create', kind: 'device', id: made?.id, name: 'made by a plan' }])
    })

    test('is recognized although its new objects have other ids', async () => {
      await device({ addresses: [{ ip: '10.42.0.1' }] })
      const twins = ['one', 'two'].map((name) => ({ op: 'create', device: { name, addresses: [{ ip: '10.42.0.1' }] } }))
      const { plan_id, changes } = await plan('devices.bulk', { operations: twins })
      expect(changes).toMatchObject({ create: { device: 2, conflict: 1 } })
      expect((await apply(plan_id)).value).toMatchObject({ applied: true })
    })

    test('is in the audit trail with its tool, under the original operation', async () => {
      const { id } = await device()
      const { plan_id } = await plan('devices.delete', { id })
      await apply(plan_id)
      const [entry] = await admin.api.audit.list({ resource_id: id, action: 'delete' })
      expect(entry).toMatchObject({
        resource: 'device',
        tool: 'apply_plan',
        key_owner_id: admin.userId,
        status: 'success',
      })
    })

    test('can be applied once', async () => {
      const { id } = await device()
      const { plan_id } = await plan('devices.delete', { id })
      await apply(plan_id)
      expect(await apply(plan_id)).toMatchObject({
        isError: true,
        value: { code: 'PRECONDITION_FAILED', error: expect.stringContaining('was applied at') },
      })
    })

    test('can be applied once by several concurrent calls', async () => {
      const { id } = await device()
      const { plan_id } = await plan('devices.bulk', retag([id], 'once'))
      const answers = await Promise.all(Array.from({ length: 10 }, () => apply(plan_id)))
      expect(answers.filter(({ isError }) => !isError)).toHaveLength(1)
    })

    test('is refused after five minutes', async () => {
      const { id } = await device()
      const { plan_id } = await plan('devices.delete', { id })
      clock.ms += PLAN_MS
      expect(await apply(plan_id)).toMatchObject({
        isError: true,
        value: { code: 'PRECONDITION_FAILED', error: expect.stringContaining('has expired') },
      })
      expect(await admin.api.devices.get({ id })).toMatchObject({ id })
    })

    test('cannot be applied by another user', async () => {
      const other = await app.as('admin')
      const { id } = await device()
      const { plan_id } = await plan('devices.delete', { id })
      expect(await apply(plan_id, other)).toMatchObject({ isError: true, value: { code: 'NOT_FOUND' } })
    })

    test('cannot be applied by another key of the same user', async () => {
      const { id } = await device()
      const { plan_id } = await plan('devices.delete', { id })
      const key = await keyFor(app.db, admin.userId)
      expect(await apply(plan_id, { key })).toMatchObject({ isError: true, value: { code: 'NOT_FOUND' } })
    })

    test('is refused after the caller has lost the permission', async () => {
      const someone = await app.as([...DEVICE_RIGHTS])
      const { id } = await device()
      const { plan_id } = await plan('devices.delete', { id }, someone)
      const roles = await admin.api.roles.list({})
      const [own] = (await admin.api.users.get({ id: someone.userId })).roles
      const role = roles.find(({ id, name }) => id === own || name === own)
      await admin.api.users.revokeRole({ user_id: someone.userId, role_id: role?.id ?? '' })
      expect(await apply(plan_id, someone)).toMatchObject({ isError: true, value: { code: 'FORBIDDEN' } })
    })

    test('is unknown where it never was', async () => {
      expect(await apply('nothing')).toMatchObject({ isError: true, value: { code: 'NOT_FOUND' } })
    })
  })

  describe('when the state has changed', () => {
    test('is refused, and names the changed objects', async () => {
      const { id } = await device({ name: 'moving' })
      const { plan_id } = await plan('devices.delete', { id })
      await admin.api.devices.update({ id, description: 'in use again' })
      expect(await apply(plan_id)).toMatchObject({
        isError: true,
        value: {
          code: 'PRECONDITION_FAILED',
          error: expect.stringContaining('device moving was changed since it was planned'),
          details: [{ field: 'device moving', message: 'was changed since it was planned' }],
        },
      })
      expect(await names()).toContain('moving')
    })

    test('is refused for a new dependent object', async () => {
      const [a, b] = [await device(), await device()]
      const { plan_id } = await plan('devices.delete', { id: a.id })
      await admin.api.relationships.create({ device_id: a.id, child_id: b.id, type: 'contains' })
      expect((await apply(plan_id)).value).toMatchObject({
        code: 'PRECONDITION_FAILED',
        details: [
          {
            field: `relationship ${a.name} contains ${b.name}`,
            message: 'would be affected now, and was not when it was planned',
          },
        ],
      })
    })

    test('is refused for a dependent object that is gone', async () => {
      const [a, b] = [await device(), await device()]
      await admin.api.relationships.create({ device_id: a.id, child_id: b.id, type: 'contains' })
      const { plan_id } = await plan('devices.delete', { id: a.id })
      await admin.api.relationships.delete({ device_id: a.id, child_id: b.id, type: 'contains' })
      expect((await apply(plan_id)).value).toMatchObject({
        code: 'PRECONDITION_FAILED',
        details: [{ message: 'would no longer be affected' }],
      })
    })

    test('is refused where an object is gone', async () => {
      const { id } = await device()
      const { plan_id } = await plan('devices.delete', { id })
      await admin.api.devices.delete({ id })
      expect(await apply(plan_id)).toMatchObject({ isError: true, value: { code: 'NOT_FOUND' } })
    })

    test('is refused whole', async () => {
      const [a, b] = [await device(), await device()]
      const { plan_id } = await plan('devices.bulk', retag([a.id, b.id], 'late'))
      await admin.api.devices.update({ id: b.id, os: 'EOS' })
      await apply(plan_id)
      expect((await admin.api.devices.get({ id: a.id })).tags).toEqual([])
    })

    test('is on record as a failure', async () => {
      const { id } = await device()
      const { plan_id } = await plan('devices.delete', { id })
      await admin.api.devices.update({ id, os: 'EOS' })
      await apply(plan_id)
      const [entry] = await admin.api.audit.list({ resource_id: id, action: 'delete' })
      expect(entry).toMatchObject({ status: 'failure', tool: 'apply_plan' })
    })

    test('is applied if only other objects have changed', async () => {
      const { id } = await device()
      const { plan_id } = await plan('devices.delete', { id })
      await device({ name: 'bystander' })
      expect((await apply(plan_id)).value).toMatchObject({ applied: true })
    })
  })

  test('is known to every instance on the same database', async () => {
    // Only one process may open the data file of SQLite.
    if (dialect === 'sqlite') return
    const context = { config: app.config, log: createLogger({ level: 'error', format: 'text', write: () => {} }) }
    const now = () => new Date(clock.ms)
    const other = await compose({ ...context, now }, await openDatabase({ ...context, now }))
    const { id } = await device()
    const { plan_id } = await plan('devices.delete', { id })
    const peer = { fetch: (request: Request) => other.fetch(request), key: admin.key }
    expect((await callTool(peer, 'apply_plan', { plan_id })).value).toMatchObject({ applied: true })
    await other.close()
  })

  test('is deleted an hour after its end', async () => {
    const { id } = await device()
    await plan('devices.delete', { id })
    clock.ms += PLAN_MS + 61 * 60 * 1000
    await app.plat.runJob('proposals.expire')
    expect(await app.db.read.selectFrom('proposals').select('id').execute()).toEqual([])
    expect(await app.db.read.selectFrom('proposal_effects').select('id').execute()).toEqual([])
  })
})
