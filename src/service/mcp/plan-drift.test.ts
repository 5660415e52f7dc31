// A plan is out of date after any change of the objects that it deletes, also of a secret, or of a part that it only counts.
import { describe, expect, test } from 'bun:test'
import { discoveryApp } from '../../../testing/discovery.ts'
import { keyFor } from '../../../testing/estates/identities.ts'
import { callTool, Plan } from '../../../testing/mcp.ts'
import { onSqlite } from '../../../testing/servers/servers.ts'

const ROLE = { permissions: ['devices:list'] }

describe.each(onSqlite())('a plan on %s', (dialect) => {
  const d = discoveryApp(dialect, { ENCRYPTION_KEY: '5a'.repeat(32), DISCOVERY_SNMPV2C_ENABLED: 'true' })
  let n = 0
  const call = (name: string, args: Record<string, unknown>) => {
    d.advance(5000)
    return callTool({ fetch: d.app.fetch, key: d.admin.key }, name, args)
  }
  const person = async () => (await d.app.as('viewer')).userId
  const login = async (user_id: string): Promise<void> => {
    const id = Bun.randomUUIDv7()
    await d.app.db.write(({ db }) =>
      db
        .insertInto('sessions')
        .values({
          ...{ id, user_id, token_hash: id, user_generation: 0, created_at: d.now(), ip_address: '', user_agent: '' },
          ...{ method: 'password', provider_id: null, ends_at: null },
        })
        .execute(),
    )
  }

  type Case = readonly [
    title: string,
    operation: string,
    prepare: () => Promise<string>,
    change: (id: string) => Promise<unknown>,
  ]
  const user = ['users.delete', person] as const
  const hook = async () => {
    const fields = { name: `hook ${++n}`, url: 'https://192.0.2.1/hook', events: ['rack.created' as const] }
    return (await d.api.webhooks.create({ ...fields, secret: 'first secret of it' })).id
  }
  const role = async () => (await d.api.roles.create({ name: `role ${++n}`, ...ROLE })).id
  const group = async () => (await d.api.groups.create({ name: `group ${++n}` })).id
  const credential = async () =>
    (await d.api.credentials.create({ name: `c ${++n}`, type: 'snmp_v2c', community: 'first' })).id
  const zone = async () => (await d.api.dnsZones.create({ name: `zone-${++n}.example` })).id

  const CASES: readonly Case[] = [
    ['the user has a new e-mail address', ...user, (id) => d.api.users.update({ id, email: `u${++n}@plat.example` })],
    [
      'the user has another password',
      ...user,
      (id) => d.api.users.resetPassword({ id, new_password: 'another password 1' }),
    ],
    ['the user has a new API key', ...user, (id) => keyFor(d.app.db, id)],
    ['the user has a new session', ...user, login],
    ['the user is a member of a group', ...user, async (id) => d.api.groups.add({ id: await group(), user_id: id })],
    ['the user has a new role', ...user, async (user_id) => d.api.users.grantRole({ user_id, role_id: await role() })],
    [
      'the webhook has another secret',
      'webhooks.delete',
      hook,
      (id) => d.api.webhooks.update({ id, secret: 'second secret' }),
    ],
    [
      'the role has another permission',
      'roles.delete',
      role,
      (id) => d.api.roles.update({ id, permissions: ['racks:list'] }),
    ],
    [
      'the role has a holder',
      'roles.delete',
      role,
      async (role_id) => d.api.users.grantRole({ user_id: await person(), role_id }),
    ],
    ['the group has a member', 'groups.delete', group, async (id) => d.api.groups.add({ id, user_id: await person() })],
    [
      'the credential has another secret',
      'credentials.delete',
      credential,
      (id) => d.api.credentials.update({ id, community: 'second' }),
    ],
    [
      'the zone has a record',
      'dns-zones.delete',
      zone,
      (zone_id) => d.api.dnsRecords.create({ zone_id, name: 'www', type: 'A', value: '192.0.2.7' }),
    ],
  ]

  test.each(CASES)('is out of date when %s', async (_, operation, prepare, change) => {
    const id = await prepare()
    const plan = Plan.parse((await call('call_operation', { operation, input: { id } })).value)
    d.advance(5000)
    await change(id)
    expect((await call('apply_plan', { plan_id: plan.plan_id })).value).toMatchObject({ code: 'PRECONDITION_FAILED' })
    const again = Plan.parse((await call('call_operation', { operation, input: { id } })).value)
    expect((await call('apply_plan', { plan_id: again.plan_id })).value).toMatchObject({ applied: true })
  })

  test('is not out of date when a key of the user was used', async () => {
    const { userId, api } = await d.app.as('viewer')
    const plan = Plan.parse((await call('call_operation', { operation: 'users.delete', input: { id: userId } })).value)
    await api.devices.list()
    await d.runJob('keys.record-uses')
    expect((await call('apply_plan', { plan_id: plan.plan_id })).value).toMatchObject({ applied: true })
  })
})
