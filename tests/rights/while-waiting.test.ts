// Rights are confirmed with each write, by every path: a waiting password hash, MCP with its plans, bulk calls,
// imports, OAuth.
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { pause } from '../../src/base/runtime/pause.ts'
import { createPasswords, type Passwords } from '../../src/base/security/passwords.ts'
import { type TestApp, type TestCaller, testApp } from '../../testing/app/app.ts'
import { createRole, createUser, keyFor, PASSWORD } from '../../testing/estates/identities.ts'
import { whileHeld } from '../../testing/hostile/held-body.ts'
import { callTool, Plan } from '../../testing/mcp.ts'
import { engines } from '../../testing/servers/servers.ts'
import { OAUTH_ENV, type OauthSteps, oauthOf, toolCall } from '../../testing/sign-in/oauth.ts'
import { refusal } from '../../testing/sign-in/sign-in.ts'

const TIMEOUT_MS = 60_000
const ACCEPT = { Accept: 'application/json, text/event-stream' }

/** Passwords with a next hash that waits until it is released. */
const heldPasswords = () => {
  const quick = createPasswords({ cost: 4 })
  let held: { readonly isAsked: () => void; readonly through: Promise<void> } | undefined
  const passwords: Passwords = {
    ...quick,
    hash: async (password) => {
      const mine = held
      held = undefined
      mine?.isAsked()
      await mine?.through
      return quick.hash(password)
    },
  }
  return {
    passwords,
    /** Sends a request, runs `work` while its hash waits, and releases the hash. */
    whileHashed: async (send: () => Promise<Response>, work: () => Promise<unknown>): Promise<Response> => {
      const asked = Promise.withResolvers<void>()
      const through = Promise.withResolvers<void>()
      held = { isAsked: asked.resolve, through: through.promise }
      const answer = send()
      await asked.promise
      await work()
      through.resolve()
      return answer
    },
  }
}

describe.each(engines())('rights that are lost while a call waits, on %s', (dialect) => {
  const { passwords, whileHashed } = heldPasswords()
  let app: TestApp
  let admin: TestCaller
  let steps: OauthSteps
  let people = 0

  beforeAll(async () => {
    app = await testApp({ dialect, passwords, env: { ...OAUTH_ENV, AUDIT_ENABLED: 'true' } })
    admin = await app.as('admin')
    steps = oauthOf(app)
  }, TIMEOUT_MS)
  afterAll(() => app.close(), TIMEOUT_MS)

  const someone = async (roles: readonly string[] | { readonly permissions: readonly string[] }) => {
    const username = `person-${++people}`
    const names = 'permissions' in roles ? [(await createRole(app.db, { name: username, ...roles })).id] : roles
    const { id } = await createUser(app.db, { username, roles: names })
    const key = await keyFor(app.db, id)
    return { id, username, key, headers: { Authorization: `Bearer ${key}` } }
  }
  type Someone = Awaited<ReturnType<typeof someone>>
  const demote = ({ id }: Pick<Someone, 'id'>) => admin.api.users.update({ id, roles: ['viewer'] })
  const statusesOf = async ({ username }: Pick<Someone, 'username'>) =>
    (await admin.api.audit.list({}))
      .filter((one) => [one.username, one.key_owner].includes(username))
      .map(({ status }) => status)
  const devicesCalled = async (name: string) =>
    (await admin.api.devices.list({})).filter((one) => one.name === name).length
  const call = ({ headers }: Pick<Someone, 'headers'>, tool: string, args: object) => ({
    method: 'POST',
    path: '/mcp',
    headers: { ...ACCEPT, ...headers },
    body: toolCall(tool, args),
  })
  const codeIn = async (response: Response): Promise<unknown> => {
    const { result } = (await response.json()) as {
      result: { isError?: boolean; structuredContent: { code?: string } }
    }
    return [result.isError, result.structuredContent.code]
  }

  test('an admin who is demoted while a hash waits makes no admin', async () => {
    const former = await someone(['admin'])
    const username = `made-by-${former.username}`
    const draft = { username, password: PASSWORD, roles: ['admin'] }
    const answer = await whileHashed(
      () => app.guest('POST', '/api/users', draft, former.headers),
      () => demote(former),
    )
    expect(await refusal(answer)).toEqual([403, 'FORBIDDEN'])
    expect((await admin.api.users.list({ username })).length).toBe(0)
    expect(await statusesOf(former)).toEqual(['failure'])
  })

  test('a caller who may still create users grants no permission that was lost', async () => {
    const former = await someone(['admin'])
    const username = `made-by-${former.username}`
    const clerk = await createRole(app.db, { name: `clerk-${people}`, permissions: ['users:create', 'users:list'] })
    const draft = { username, password: PASSWORD, roles: ['admin'] }
    const answer = await whileHashed(
      () => app.guest('POST', '/api/users', draft, former.headers),
      () => admin.api.users.update({ id: former.id, roles: [clerk.id] }),
    )
    expect(await refusal(answer)).toEqual([403, 'FORBIDDEN'])
    expect((await admin.api.users.list({ username })).length).toBe(0)
  })

  test('a caller who was deleted while a hash waited resets no password', async () => {
    const [former, target] = [await someone(['admin']), await someone(['viewer'])]
    const hashOf = () =>
      app.db.read.selectFrom('users').select('password_hash').where('id', '=', target.id).executeTakeFirst()
    const before = await hashOf()
    const answer = await whileHashed(
      () =>
        app.guest('POST', `/api/users/${target.id}/reset-password`, { new_password: 'quite another' }, former.headers),
      () => admin.api.users.delete({ id: former.id }),
    )
    expect(await refusal(answer)).toEqual([401, 'UNAUTHORIZED'])
    expect(await hashOf()).toEqual(before)
  })

  test('a bulk call writes nothing, not even what each item allows', async () => {
    const former = await someone(['operator'])
    const operations = [{ op: 'create', device: { name: `bulk-${former.username}` } }]
    const asked = { method: 'POST', path: '/api/devices/bulk', headers: former.headers, body: { operations } }
    expect(await refusal(await whileHeld(app.fetch, asked, () => demote(former)))).toEqual([403, 'FORBIDDEN'])
    expect(await devicesCalled(`bulk-${former.username}`)).toBe(0)
  })

  test('an import writes nothing', async () => {
    const former = await someone(['operator'])
    const name = `imported-${former.username}`
    const asked = {
      method: 'POST',
      path: '/api/estate/import?resource=devices',
      headers: former.headers,
      body: [{ name }],
    }
    const answer = await whileHeld(app.fetch, asked, () => demote(former))
    expect(await refusal(answer)).toEqual([403, 'FORBIDDEN'])
    expect(await devicesCalled(name)).toBe(0)
    expect(await statusesOf(former)).toEqual(['failure'])
  })

  test.each([
    ['device_create', (device: object) => device],
    ['call_operation', (input: object) => ({ operation: 'devices.create', input })],
  ] as const)('the MCP tool %s writes nothing', async (tool, argsOf) => {
    const former = await someone(['operator'])
    const name = `tool-${former.username}`
    const answer = await whileHeld(app.fetch, call(former, tool, argsOf({ name })), () => demote(former))
    expect(await codeIn(answer)).toEqual([true, 'FORBIDDEN'])
    expect(await devicesCalled(name)).toBe(0)
    expect(await statusesOf(former)).toEqual(['failure'])
  })

  test('a plan is neither made nor shown', async () => {
    const former = await someone(['operator', 'viewer'])
    const { id } = await admin.api.devices.create({ name: `planned-${former.username}` })
    const input = { operations: [{ op: 'update', id, device: { add_tags: ['x'] } }] }
    const asked = call(former, 'call_operation', { operation: 'devices.bulk', input })
    const answer = await whileHeld(app.fetch, asked, () => admin.api.users.update({ id: former.id, is_active: false }))
    expect(await codeIn(answer)).toEqual([true, 'UNAUTHORIZED'])
    const plans = await app.db.read.selectFrom('proposals').select('id').where('author_id', '=', former.id).execute()
    expect(plans).toEqual([])
  })

  test('a plan is not applied, and stays as it was', async () => {
    const former = await someone(['operator'])
    const { id } = await admin.api.devices.create({ name: `applied-${former.username}` })
    const input = { operations: [{ op: 'update', id, device: { add_tags: ['x'] } }] }
    const made = await callTool({ fetch: app.fetch, key: former.key }, 'call_operation', {
      operation: 'devices.bulk',
      input,
    })
    const { plan_id } = Plan.parse(made.value)
    const answer = await whileHeld(app.fetch, call(former, 'apply_plan', { plan_id }), () => demote(former))
    expect(await codeIn(answer)).toEqual([true, 'FORBIDDEN'])
    expect((await admin.api.devices.get({ id })).tags).toEqual([])
    const plan = await app.db.read
      .selectFrom('proposals')
      .select('applied_at')
      .where('id', '=', plan_id)
      .executeTakeFirst()
    expect(plan).toEqual({ applied_at: null })
  })

  const withToken = async () => {
    const human = await steps.person({ roles: ['operator'] })
    const client = await steps.register({ scope: 'devices:create devices:list' })
    const { access_token, refresh_token } = await steps.tokensFor(client, human)
    return { human, client, refresh_token, headers: { Authorization: `Bearer ${access_token}` } }
  }

  test('a token writes nothing once its grant has ended', async () => {
    const { human, headers } = await withToken()
    const name = `token-${human.username}`
    const answer = await whileHeld(app.fetch, call({ headers }, 'device_create', { name }), async () => {
      for (const { id } of await admin.api.oauthGrants.list({ user_id: human.id }))
        await admin.api.oauthGrants.delete({ id })
    })
    expect(await codeIn(answer)).toEqual([true, 'UNAUTHORIZED'])
    expect(await devicesCalled(name)).toBe(0)
  })

  test('a token writes nothing that its user may not do any more', async () => {
    const { human, headers } = await withToken()
    const name = `token-${human.username}`
    const answer = await whileHeld(app.fetch, call({ headers }, 'device_create', { name }), () => demote(human))
    expect(await codeIn(answer)).toEqual([true, 'FORBIDDEN'])
    expect(await devicesCalled(name)).toBe(0)
  })

  test('a session that has ended agrees to nothing', async () => {
    const human = await steps.person({ roles: ['operator'] })
    const client = await steps.register({ scope: 'devices:list' })
    const headers = { Cookie: human.cookie, 'X-Requested-With': 'XMLHttpRequest' }
    const body = { ...steps.parametersFor(client, 'v'.repeat(43)), approved: true }
    const asked = { method: 'POST', path: '/mcp-oauth/authorize', headers, body }
    const answer = await whileHeld(app.fetch, asked, () => app.guest('POST', '/api/auth/logout', undefined, headers))
    expect(await refusal(answer)).toEqual([401, 'UNAUTHORIZED'])
    const codes = await app.db.read
      .selectFrom('oauth_codes')
      .select('code_hash')
      .where('user_id', '=', human.id)
      .execute()
    expect(codes).toEqual([])
  })
})

test('the session of another user is not ended after the permission was lost, though it was required before', async () => {
  const app = await testApp({ dialect: 'sqlite' })
  const admin = await app.as('admin')
  const role = await createRole(app.db, { name: 'clerk', permissions: ['users:update'] })
  const clerk = await createUser(app.db, { username: 'clerk', roles: [role.id] })
  const headers = { Authorization: `Bearer ${await keyFor(app.db, clerk.id)}` }
  await createUser(app.db, { username: 'signed in', roles: [], password: PASSWORD })
  await app.guest('POST', '/api/auth/login', { username: 'signed in', password: PASSWORD })
  const session = await app.db.read.selectFrom('sessions').select('id').executeTakeFirstOrThrow()
  // Both wait for the writer, in this order.
  const writer = Promise.withResolvers<void>()
  const holding = app.db.write(() => writer.promise)
  const demoting = admin.api.roles.update({ id: role.id, permissions: [] })
  const ending = app.guest('DELETE', `/api/sessions/${session.id}`, undefined, headers)
  await pause()
  writer.resolve()
  await Promise.all([holding, demoting])
  const left = await app.db.read.selectFrom('sessions').select('id').execute()
  expect([(await ending).status, left]).toEqual([404, [session]])
  await app.close()
})
