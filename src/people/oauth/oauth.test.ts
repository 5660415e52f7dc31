/** How users decide, what the audit trail records of it, and how clients and consents expire. */
import { afterEach, describe, expect, test } from 'bun:test'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { z } from 'zod'
import { type TestApp, type TestOptions, testApp } from '../../../testing/app/app.ts'
import { createUser } from '../../../testing/estates/identities.ts'
import { onSqlite } from '../../../testing/servers/servers.ts'
import {
  formOf,
  ISSUER,
  newVerifier,
  oauthApp,
  oauthOf,
  problemOf,
  REDIRECT,
  type Signed,
} from '../../../testing/sign-in/oauth.ts'
import { refusal } from '../../../testing/sign-in/sign-in.ts'
import { loadConfig } from '../../base/config/config.ts'
import { createPasswords, type Passwords } from '../../base/security/passwords.ts'
import { MAX_IDLE_CLIENTS } from './clients/register.ts'

const open: TestApp[] = []
afterEach(async () => {
  for (const app of open.splice(0)) await app.close()
})

const started = async (options: TestOptions = {}) => {
  const clock = { ms: Date.parse('2026-11-21T12:00:00.000Z') }
  const app = await oauthApp({ now: () => new Date(clock.ms), ...options })
  open.push(app)
  return { app, clock, oauth: oauthOf(app), admin: await app.as('admin') }
}
const DAY_MS = 24 * 3_600_000

describe('without MCP_OAUTH_ENABLED', () => {
  test('its routes are 404, and /mcp asks for a Bearer token', async () => {
    const app = await testApp()
    open.push(app)
    for (const [method, path] of [
      ['GET', '/.well-known/oauth-authorization-server'],
      ['GET', '/.well-known/oauth-protected-resource/mcp'],
      ['GET', '/mcp-oauth/authorize'],
      ['POST', '/mcp-oauth/authorize'],
      ['POST', '/mcp-oauth/register'],
      ['POST', '/mcp-oauth/token'],
      ['POST', '/mcp-oauth/revoke'],
    ] as const)
      expect(await refusal(await app.guest(method, path))).toEqual([404, 'NOT_FOUND'])
    expect((await oauthOf(app).mcp(undefined)).headers.get('www-authenticate')).toBe('Bearer')
  })

  test.each([
    ['PUT', '/mcp-oauth/token', 'POST'],
    ['DELETE', '/mcp-oauth/authorize', 'GET, POST, HEAD'],
    ['POST', '/.well-known/oauth-protected-resource', 'GET, HEAD'],
  ] as const)('%s %s is 405, as with it', async (method, path, allow) => {
    const app = await testApp()
    open.push(app)
    const answer = await app.guest(method, path)
    expect([answer.status, answer.headers.get('allow')]).toEqual([405, allow])
  })
})

test('with it, and without an issuer, the start is refused', () => {
  expect(() => loadConfig({ env: { MCP_OAUTH_ENABLED: 'true' }, cwd: '/nowhere' })).toThrow(
    'MCP_OAUTH_ISSUER_URL: must be set when MCP_OAUTH_ENABLED is true',
  )
})

describe('the user', () => {
  const asking = async (passwords?: Passwords) => {
    const all = await started(passwords ? { passwords } : {})
    const client = await all.oauth.register({ scope: 'devices:list' })
    return { ...all, parameters: all.oauth.parametersFor(client, newVerifier()) }
  }
  const inline = { approved: 'true', username: 'inline', password: 'quick to check' }

  test('may deny with a name and a password', async () => {
    const { app, oauth, parameters } = await asking()
    await createUser(app.db, { username: 'inline', roles: ['viewer'], password: 'quick to check' })
    const told = await oauth.wentTo(
      await oauth.post('/mcp-oauth/authorize', { ...parameters, ...inline, approved: 'false' }),
    )
    expect(Object.fromEntries(told)).toMatchObject({ error: 'access_denied', state: 'st4te', iss: ISSUER })
  })

  test('without a decision is asked again', async () => {
    const { oauth, parameters } = await asking()
    for (const approved of [undefined, 'maybe'])
      expect(await problemOf(await oauth.post('/mcp-oauth/authorize', { ...parameters, approved }))).toEqual([
        400,
        'invalid_request',
      ])
  })

  test('with a session consents only from a page of Plat', async () => {
    const { app, oauth, parameters } = await asking()
    const { cookie } = await oauth.person()
    const body = { ...parameters, approved: true }
    expect(await refusal(await app.guest('POST', '/mcp-oauth/authorize', body, { Cookie: cookie }))).toEqual([
      403,
      'CSRF_FAILED',
    ])
  })

  test('without a session cannot consent, nor with an API key', async () => {
    const { app, admin, parameters } = await asking()
    const body = { ...parameters, approved: true }
    expect(await refusal(await app.guest('POST', '/mcp-oauth/authorize', body))).toEqual([401, 'UNAUTHORIZED'])
    expect(await refusal(await admin.request('POST', '/mcp-oauth/authorize', body))).toEqual([401, 'UNAUTHORIZED'])
  })

  test('may sign in for one request, by a form or by JSON', async () => {
    const { app, oauth, parameters } = await asking()
    await createUser(app.db, { username: 'inline', roles: ['viewer'], password: 'quick to check' })
    const form = await oauth.post('/mcp-oauth/authorize', { ...parameters, ...inline })
    expect([form.status, (await oauth.wentTo(form)).get('code')]).toEqual([303, expect.stringMatching(/^plat_ac_/)])
    const json = await app.guest('POST', '/mcp-oauth/authorize', { ...parameters, ...inline })
    expect([json.status, (await oauth.wentTo(json)).get('state')]).toEqual([200, 'st4te'])
  })

  test('with a wrong password gets the answer of an unknown user', async () => {
    const hashes: (string | undefined)[] = []
    const real = createPasswords({ cost: 4 })
    const passwords: Passwords = { ...real, verify: async (_, hash) => !hashes.push(hash) }
    const { app, oauth, parameters } = await asking(passwords)
    await createUser(app.db, { username: 'inline', password: 'quick to check' })
    const answers = []
    for (const username of ['inline', 'nobody']) {
      const response = await oauth.post('/mcp-oauth/authorize', { ...parameters, ...inline, username })
      answers.push([response.status, await response.text()])
    }
    expect(answers[0]).toEqual([401, expect.stringContaining('"INVALID_CREDENTIALS"')])
    expect(answers[1]).toEqual(answers[0])
    // Every user name takes the time of a hash.
    expect(hashes).toEqual([expect.stringMatching(/^\$2b\$/), undefined])
  })

  test('is counted by the limit of logins', async () => {
    const { app, oauth } = await started({ env: { LOGIN_RATE_LIMIT_REQUESTS: '2' } })
    const parameters = oauth.parametersFor(await oauth.register(), newVerifier())
    for (const username of ['a', 'b'])
      await (await oauth.post('/mcp-oauth/authorize', { ...parameters, ...inline, username })).text()
    expect(await refusal(await oauth.post('/mcp-oauth/authorize', { ...parameters, ...inline }))).toEqual([
      429,
      'LOGIN_RATE_LIMIT_EXCEEDED',
    ])
    expect((await app.guest('POST', '/mcp-oauth/register', { redirect_uris: [REDIRECT] })).status).toBe(201)
  })

  test('who was deactivated cannot consent', async () => {
    const { oauth, admin, parameters } = await asking()
    const human = await oauth.person()
    await admin.request('PUT', `/api/users/${human.id}`, { is_active: false })
    expect(await refusal(await oauth.consent(parameters, human))).toEqual([401, 'UNAUTHORIZED'])
  })

  test.each([
    ['JSON that is none', '{', 'application/json'],
    ['a list', '[]', 'application/json'],
    ['a number', '{"client_id":5}', 'application/json'],
    ['a parameter twice', 'client_id=a&client_id=b', 'application/x-www-form-urlencoded'],
    ['another form', 'x', 'multipart/form-data'],
  ])('that sends %s gets an error of the protocol', async (_, body, type) => {
    const { oauth } = await asking()
    const response = await oauth.post('/mcp-oauth/authorize', body, { 'Content-Type': type })
    expect(await problemOf(response)).toEqual([400, 'invalid_request'])
  })
})

describe.each(onSqlite())('on %s', (dialect) => {
  const Entry = z.object({
    action: z.string(),
    resource: z.string(),
    resource_id: z.string(),
    username: z.string(),
    key_owner: z.string(),
    status: z.string(),
    error: z.string(),
    changes: z.string(),
    oauth_client: z.string(),
    object: z.object({ type: z.string(), name: z.string(), is_deleted: z.boolean() }).nullish(),
  })

  test('the audit trail names the client and the human, and holds no secret', async () => {
    const { oauth, admin } = await started({ dialect, env: { AUDIT_ENABLED: 'true' } })
    const human = await oauth.person()
    const client = await oauth.register({ client_name: 'Claude', token_endpoint_auth_method: 'client_secret_post' })
    const { code, verifier } = await oauth.codeFor(client, human)
    const first = await oauth.tokensOf(await oauth.exchange(client, { code, verifier }))
    const second = await oauth.tokensOf(await oauth.refresh(client, first.refresh_token))
    await oauth.refresh(client, first.refresh_token)
    const third = await oauth.tokensFor(client, human)
    await oauth.revoke(client, third.access_token)
    await oauth.consent(oauth.parametersFor(client, newVerifier()), human, { approved: false })
    await admin.request('DELETE', `/api/oauth/clients/${client.client_id}`)

    const entries = z.array(Entry).parse(await (await admin.request('GET', '/api/audit?limit=100')).json())
    const told = entries
      .filter(({ resource }) => resource.startsWith('oauth-'))
      .map((one) => [one.action, one.resource, one.key_owner || one.username, one.status, one.error].join('|'))
      .toReversed()
    const grant = `create|oauth-token|${human.username}|success|`
    const yes = `update|oauth-client|${human.username}|success|`
    expect(told).toEqual([
      'create|oauth-client||success|',
      yes,
      grant,
      grant,
      `create|oauth-token|${human.username}|failure|The refresh token was used before; all tokens of its consent have ended`,
      yes,
      grant,
      `delete|oauth-token|${human.username}|success|`,
      `update|oauth-client|${human.username}|failure|The user has not agreed`,
      'delete|oauth-client|user-1|success|',
    ])
    const consents = entries.filter(({ action, resource }) => action !== 'delete' && resource.startsWith('oauth-'))
    // The entry of an anonymous registration has the name beside the id.
    expect(consents.filter((entry) => !`${entry.changes}${entry.oauth_client}`.includes('Claude'))).toEqual([])
    const named = consents.filter(({ username }) => username === human.username)
    expect(named.filter((one) => one.oauth_client !== `Claude (${client.client_id})`)).toEqual([])
    const text = JSON.stringify(entries)
    const secrets = [code, verifier, client.client_secret ?? '', first, second, third].flatMap((one) =>
      typeof one === 'string' ? one : [one.access_token, one.refresh_token],
    )
    expect(secrets.filter((secret) => text.includes(secret))).toEqual([])
  })

  test('the audit trail names a token after its client', async () => {
    const { oauth, admin } = await started({ dialect, env: { AUDIT_ENABLED: 'true' } })
    await oauth.tokensFor(await oauth.register({ client_name: 'Claude' }), await oauth.person())
    const answer = await admin.request('GET', '/api/audit?resource=oauth-token&include=names')
    const [entry] = z.array(Entry).parse(await answer.json())
    expect(entry?.object).toEqual({ type: 'oauth-token', name: 'Claude', is_deleted: false })
  })

  test('a user sees the clients that act for them, and ends it', async () => {
    const { app, oauth, admin, clock } = await started({ dialect })
    const [human, other] = [await oauth.person({ roles: ['viewer'] }), await oauth.person({ roles: ['viewer'] })]
    const client = await oauth.register({ client_name: 'Claude', scope: 'devices:list' })
    const tokens = await oauth.tokensFor(client, human)
    const kept = await oauth.tokensFor(client, other)
    const as = (who: Signed) => (method: string, path: string) =>
      app.guest(method, path, undefined, { Cookie: who.cookie, 'X-Requested-With': 'XMLHttpRequest' })
    const grantsOf = async (response: Response) =>
      z.array(z.looseObject({ id: z.string() })).parse(await response.json())

    expect(await oauth.opens(tokens.access_token)).toBe(200)
    await app.plat.runJob('oauth.record-uses')
    const [mine, ...more] = await grantsOf(await as(human)('GET', '/api/oauth/grants'))
    expect([mine, more]).toMatchObject([
      {
        client_id: client.client_id,
        client_name: 'Claude',
        user_id: human.id,
        username: human.username,
        scope: 'devices:list',
        last_used_at: new Date(clock.ms).toISOString(),
        expires_at: new Date(clock.ms + 30 * DAY_MS).toISOString(),
      },
      [],
    ])
    expect((await grantsOf(await admin.request('GET', `/api/oauth/grants?client_id=${client.client_id}`))).length).toBe(
      2,
    )
    const listed = await (await admin.request('GET', '/api/oauth/clients')).json()
    expect(listed).toMatchObject([{ grant_count: 2, last_used_at: new Date(clock.ms).toISOString() }])

    const path = `/api/oauth/grants/${mine?.id}`
    expect(await refusal(await as(other)('DELETE', path))).toEqual([404, 'NOT_FOUND'])
    expect((await as(human)('DELETE', path)).status).toBe(204)
    expect([await oauth.opens(tokens.access_token), await oauth.opens(kept.access_token)]).toEqual([401, 200])
    expect(await refusal(await as(human)('DELETE', path))).toEqual([404, 'NOT_FOUND'])
    const [theirs] = await grantsOf(await as(other)('GET', '/api/oauth/grants'))
    expect((await admin.request('DELETE', `/api/oauth/grants/${theirs?.id}`)).status).toBe(204)
    expect(await oauth.opens(kept.access_token)).toBe(401)
  })

  test('the consents of a user are deleted with the user', async () => {
    const { oauth, admin } = await started({ dialect })
    const human = await oauth.person({ roles: ['viewer'] })
    const client = await oauth.register()
    const tokens = await oauth.tokensFor(client, human)
    const unused = await oauth.codeFor(client, human)
    expect((await admin.request('DELETE', `/api/users/${human.id}`)).status).toBe(204)
    expect(await oauth.opens(tokens.access_token)).toBe(401)
    expect(await problemOf(await oauth.refresh(client, tokens.refresh_token))).toEqual([400, 'invalid_grant'])
    expect(await problemOf(await oauth.exchange(client, unused))).toEqual([400, 'invalid_grant'])
  })

  test('within the grace a token that was used gives an access token, and no more', async () => {
    const { oauth, clock } = await started({ dialect, env: { MCP_OAUTH_REFRESH_GRACE: '10s' } })
    const client = await oauth.register()
    const first = await oauth.tokensFor(client, await oauth.person())
    const second = await oauth.tokensOf(await oauth.refresh(client, first.refresh_token))
    const late = await oauth.tokensOf(await oauth.refresh(client, first.refresh_token))
    expect([late.refresh_token, await oauth.opens(late.access_token)]).toEqual(['', 200])
    clock.ms += 10_000
    expect(await problemOf(await oauth.refresh(client, first.refresh_token))).toEqual([400, 'invalid_grant'])
    expect([await oauth.opens(second.access_token), await oauth.opens(late.access_token)]).toEqual([401, 401])
  })

  test('a client without consent is deleted after a day, one with consent stays', async () => {
    const { app, oauth, clock } = await started({ dialect })
    const [idle, used] = [await oauth.register(), await oauth.register()]
    await oauth.codeFor(used, await oauth.person())
    const ids = async () => (await app.db.read.selectFrom('oauth_clients').select('id').execute()).map(({ id }) => id)
    clock.ms += DAY_MS - 1
    await app.plat.runJob('oauth.purge')
    expect((await ids()).toSorted()).toEqual([idle.client_id, used.client_id].toSorted())
    clock.ms += 1
    await app.plat.runJob('oauth.purge')
    expect(await ids()).toEqual([used.client_id])
  })

  test('expired codes and tokens are deleted, and a consent with its last token', async () => {
    const { app, oauth, clock } = await started({ dialect })
    const human = await oauth.person()
    const client = await oauth.register()
    await oauth.tokensFor(client, human)
    await oauth.codeFor(client, human)
    const left = async () => {
      await app.plat.runJob('oauth.purge')
      const tables = ['oauth_codes', 'oauth_access_tokens', 'oauth_refresh_tokens', 'oauth_grants'] as const
      const rows = await Promise.all(tables.map((table) => app.db.read.selectFrom(table).selectAll().execute()))
      return rows.map(({ length }) => length)
    }
    expect(await left()).toEqual([2, 1, 1, 1])
    clock.ms += 3_600_000
    expect(await left()).toEqual([2, 0, 1, 1])
    clock.ms += DAY_MS
    expect(await left()).toEqual([0, 0, 1, 1])
    clock.ms += 29 * DAY_MS
    expect(await left()).toEqual([0, 0, 0, 0])
  })

  test('a flood of registrations deletes the oldest clients without consent', async () => {
    const { app, oauth } = await started({ dialect })
    const kept = await oauth.register()
    await oauth.codeFor(kept, await oauth.person())
    const oldest = await oauth.register()
    const row = await app.db.read
      .selectFrom('oauth_clients')
      .selectAll()
      .where('id', '=', oldest.client_id)
      .executeTakeFirstOrThrow()
    await app.db.write(async (tx) => {
      const later = Array.from({ length: MAX_IDLE_CLIENTS - 1 }, (_, i) => ({
        ...row,
        id: `idle-${i}`,
        created_at: '2026-11-21T12:00:01.000Z',
      }))
      await tx.db.insertInto('oauth_clients').values(later).execute()
    })
    const has = async ({ client_id }: { client_id: string }) =>
      (await app.db.read.selectFrom('oauth_clients').select('id').where('id', '=', client_id).execute()).length === 1
    expect(await has(oldest)).toBe(true)
    await oauth.register()
    expect([await has(oldest), await has(kept)]).toEqual([false, true])
  })
})

test('the database holds no code, token, secret or verifier', async () => {
  const { app, oauth } = await started()
  const human = await oauth.person()
  const client = await oauth.register({ token_endpoint_auth_method: 'client_secret_basic' })
  const code = await oauth.codeFor(client, human)
  const first = await oauth.tokensOf(await oauth.exchange(client, code))
  const second = await oauth.tokensOf(await oauth.refresh(client, first.refresh_token))
  const secrets = [code.code, code.verifier, client.client_secret ?? '', human.cookie.split('=')[1] ?? '']
  for (const { access_token, refresh_token } of [first, second]) secrets.push(access_token, refresh_token)
  const files = readdirSync(app.config.dataDir).filter((name) => name.startsWith('plat.db'))
  const bytes = files.map((name) => readFileSync(join(app.config.dataDir, name)))
  const holds = (text: string) => bytes.some((one) => one.includes(text))
  expect(holds(client.client_id)).toBe(true)
  expect(secrets.filter((secret) => secret.length < 20 || holds(secret))).toEqual([])
})

test('a body that is too large is refused before it is read', async () => {
  const { oauth } = await started()
  const response = await oauth.post('/mcp-oauth/token', formOf({ grant_type: 'x'.repeat(70_000) }))
  expect(await refusal(response)).toEqual([413, 'INVALID_INPUT'])
})
