// A plan names only objects that its caller may read: when it is made, when it is out of date, and when it is applied.
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import type { TestApp, TestCaller } from '../../../testing/app/app.ts'
import { testApp } from '../../../testing/app/app.ts'
import { type Answer, callTool, Plan } from '../../../testing/mcp.ts'
import { onSqlite } from '../../../testing/servers/servers.ts'

/** Part of each name that the caller may not read. */
const HIDDEN = 'HIDDEN'

describe.each(onSqlite())('a plan of a caller with few permissions, on %s', (dialect) => {
  const clock = { ms: Date.parse('2026-06-01T00:00:00.000Z') }
  let app: TestApp
  let admin: TestCaller
  let count = 0
  beforeAll(async () => {
    app = await testApp({
      dialect,
      env: { ENCRYPTION_KEY: '5a'.repeat(32), DISCOVERY_ALLOWED_SUBNETS: '', DISCOVERY_SNMPV2C_ENABLED: 'true' },
      now: () => new Date(clock.ms),
    })
    admin = await app.as('admin')
  }, 60_000)
  afterAll(() => app.close(), 60_000)

  const call = (caller: TestCaller, tool: string, args: Record<string, unknown>): Promise<Answer> => {
    clock.ms += 1000
    return callTool({ fetch: app.fetch, key: caller.key }, tool, args)
  }
  const plan = async (caller: TestCaller, operation: string, input: object): Promise<Plan> =>
    Plan.parse((await call(caller, 'call_operation', { operation, input })).value)
  const apply = (caller: TestCaller, plan_id: string): Promise<Answer> => call(caller, 'apply_plan', { plan_id })

  /** Creates a network with one object of every kind that is deleted or changed with it. Returns their ids. */
  const estate = async () => {
    const { api } = admin
    const n = ++count
    const network = await api.networks.create({ name: `open ${n}`, subnet: `10.50.${n}.0/24` })
    const network_id = network.id
    const range = { start_ip: `10.50.${n}.1`, end_ip: `10.50.${n}.99` }
    const pool = await api.pools.create({ network_id, name: `${HIDDEN} pool`, ...range })
    const reserved = { pool_id: pool.id, ip_address: `10.50.${n}.5`, hostname: `${HIDDEN.toLowerCase()}.example` }
    const reservation = await api.reservations.create(reserved)
    const addresses = [{ ip: `10.50.${n}.7`, network_id }]
    const device = await api.devices.create({ name: `${HIDDEN} device`, addresses })
    const rule = await api.discoveryRules.create({ network_id, enabled: false, exclude_ips: `10.50.${n}.200` })
    const login = { type: 'snmp_v2c' as const, community: 'c', network_id }
    const credential = await api.credentials.create({ name: `${HIDDEN} credential ${n}`, ...login })
    const ids = [pool, reservation, device, rule, credential].map(({ id }) => id)
    return { n, network, pool, reservation, device, rule, credential, hidden: [...ids, HIDDEN, HIDDEN.toLowerCase()] }
  }
  const told = (answer: unknown, hidden: readonly string[]): string[] => {
    const text = JSON.stringify(answer)
    return hidden.filter((one) => text.includes(one))
  }
  const RIGHTS = ['networks:list', 'networks:read', 'networks:delete', 'networks:update', 'networks:create']
  const outOfDate = (details: object[] = []) => ({
    isError: true,
    value: { code: 'PRECONDITION_FAILED', details },
  })

  test('does not name dependent objects', async () => {
    const { network, hidden } = await estate()
    const deleter = await app.as(RIGHTS)
    const made = await plan(deleter, 'networks.delete', { id: network.id })
    expect(made.objects.map(({ kind, id }) => [kind, id])).toEqual([['network', network.id]])
    expect(told(made, hidden)).toEqual([])
  })

  test('names nothing else when it is applied', async () => {
    const { network, hidden } = await estate()
    const deleter = await app.as(RIGHTS)
    const { plan_id } = await plan(deleter, 'networks.delete', { id: network.id })
    const { isError, value } = await apply(deleter, plan_id)
    expect([isError, told(value, hidden)]).toEqual([false, []])
  })

  test('names nothing else of a bulk call', async () => {
    const { network, hidden } = await estate()
    const deleter = await app.as(RIGHTS)
    const operations = [
      { op: 'delete', id: network.id },
      { op: 'delete', id: 'nobody' },
    ]
    const made = await plan(deleter, 'networks.bulk', { operations, atomic: false })
    expect([made.objects.map(({ kind }) => kind), told(made, hidden)]).toEqual([['network'], []])
  })

  type Estate = Awaited<ReturnType<typeof estate>>
  const MOVES: readonly (readonly [string, (made: Estate) => Promise<unknown>])[] = [
    ['a pool was changed', ({ pool }) => admin.api.pools.update({ id: pool.id, name: `${HIDDEN} pool 2` })],
    ['a pool is gone', ({ pool }) => admin.api.pools.delete({ id: pool.id })],
    [
      'a pool was added',
      ({ n, network }) =>
        admin.api.pools.create({
          network_id: network.id,
          name: `${HIDDEN} new pool`,
          start_ip: `10.50.${n}.100`,
          end_ip: `10.50.${n}.110`,
        }),
    ],
    ['a reservation is gone', ({ reservation }) => admin.api.reservations.delete({ id: reservation.id })],
    ['a device was changed', ({ device }) => admin.api.devices.update({ id: device.id, name: `${HIDDEN} device 2` })],
    ['a rule was changed', ({ rule }) => admin.api.discoveryRules.update({ id: rule.id, interval_hours: 7 })],
    [
      'a credential was changed',
      ({ credential }) => admin.api.credentials.update({ id: credential.id, description: HIDDEN }),
    ],
  ]

  test.each(MOVES)('says that it is out of date, and not that %s', async (_, move) => {
    const made = await estate()
    const deleter = await app.as(RIGHTS)
    const { plan_id } = await plan(deleter, 'networks.delete', { id: made.network.id })
    await move(made)
    const answer = await apply(deleter, plan_id)
    expect(answer).toMatchObject(outOfDate())
    expect(answer.value.error).toBe('Not applied: the plan is out of date. Make a new plan')
    expect(told(answer, made.hidden)).toEqual([])
    expect(await admin.api.networks.get({ id: made.network.id })).toMatchObject({ id: made.network.id })
  })

  test('names changed objects that may be read, and counts no others', async () => {
    const made = await estate()
    const deleter = await app.as([...RIGHTS, 'pools:read'])
    const { plan_id } = await plan(deleter, 'networks.delete', { id: made.network.id })
    for (const [, move] of MOVES.slice(0, 1)) await move(made)
    for (const [, move] of MOVES.slice(3)) await move(made)
    const answer = await apply(deleter, plan_id)
    const field = `pool ${HIDDEN} pool 2`
    const message = 'was changed since it was planned'
    expect(answer).toMatchObject(outOfDate([{ field, message }]))
    expect(answer.value.error).toBe(`Not applied, because things have moved: ${field} ${message}. Make a new plan`)
  })

  test('names all changed objects to an admin', async () => {
    const made = await estate()
    const { plan_id } = await plan(admin, 'networks.delete', { id: made.network.id })
    await admin.api.pools.update({ id: made.pool.id, description: 'moved' })
    expect((await apply(admin, plan_id)).value.error).toContain(`pool ${HIDDEN} pool was changed`)
  })

  test('uses the permissions at the time of the apply', async () => {
    const made = await estate()
    const deleter = await app.as([...RIGHTS, 'pools:read'])
    const { plan_id } = await plan(deleter, 'networks.delete', { id: made.network.id })
    await admin.api.pools.update({ id: made.pool.id, description: 'moved' })
    const [own] = (await admin.api.users.get({ id: deleter.userId })).roles
    const role = (await admin.api.roles.list({})).find(({ id, name }) => id === own || name === own)
    await admin.api.roles.update({ id: role?.id ?? '', permissions: RIGHTS })
    const answer = await apply(deleter, plan_id)
    expect(answer).toMatchObject(outOfDate())
    expect(told(answer, made.hidden)).toEqual([])
  })

  test('never names deliveries, and is out of date when the webhook has more of them', async () => {
    const hook = { name: `hook ${++count}`, url: 'https://192.0.2.1/hook', events: ['device.created' as const] }
    const { id } = await admin.api.webhooks.create(hook)
    await admin.api.devices.create({ name: 'told' })
    const { plan_id } = await plan(admin, 'webhooks.delete', { id })
    await admin.api.devices.create({ name: 'told again' })
    const deliveries = await admin.api.webhooks.deliveries({ id })
    const answer = await apply(admin, plan_id)
    const moved = { field: `webhook ${hook.name}`, message: 'was changed since it was planned' }
    expect(answer).toMatchObject(outOfDate([moved]))
    expect(
      told(
        answer,
        deliveries.map((one) => one.id),
      ),
    ).toEqual([])
  })
})
