/** Providers of single sign-on: their rules, their secrets, and who may change them. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { testApp } from '../../../testing/app/app.ts'
import { type ScriptedProvider, scriptedProvider } from '../../../testing/servers/scripted-provider.ts'
import { refusal } from '../../../testing/sign-in/sign-in.ts'
import { type SsoApp, ssoApp } from '../../../testing/sign-in/sso.ts'

let app: SsoApp
let idp: ScriptedProvider
beforeAll(async () => {
  app = await ssoApp({ env: { AUDIT_ENABLED: 'true' } })
  idp = await scriptedProvider()
})
afterAll(async () => {
  await app.close()
  idp.close()
})

const draft = { name: 'one', issuer: 'https://192.0.2.10/', client_id: 'plat' }
const create = (body: object) => app.admin.request('POST', '/api/sso/providers', { ...draft, ...body })
/** Returns the field that an answer names. */
const fieldOf = async (response: Response): Promise<string | undefined> => {
  const body = (await response.json()) as { readonly details?: readonly { readonly field: string }[] }
  return response.status === 400 ? body.details?.[0]?.field : undefined
}

test('a provider has its defaults, and the addresses to register', async () => {
  const { id, created_at, updated_at, ...made } = await app.admin.api.ssoProviders.create(draft)
  expect(made).toEqual({
    ...draft,
    has_secret: false,
    scopes: ['openid', 'profile', 'email'],
    enabled: true,
    create_users: true,
    link_by_email: false,
    allowed_domains: [],
    username_claim: 'preferred_username',
    groups_claim: 'groups',
    group_mappings: [],
    required_acr: '',
    max_session_hours: 12,
    credentials_max_idle_days: 90,
    allow_http: false,
    redirect_uri: 'http://plat.test/api/auth/sso/callback',
    backchannel_logout_uri: `http://plat.test/api/auth/sso/${id}/backchannel-logout`,
  })
  expect(created_at).toBe(updated_at)
})

test('its secret is sealed, and never sent or recorded', async () => {
  const { id, has_secret } = await app.admin.api.ssoProviders.create({ ...draft, name: 'two', client_secret: 'h1dden' })
  expect(has_secret).toBe(true)
  const rows = JSON.stringify(await app.db.read.selectFrom('sso_providers').selectAll().execute())
  expect(rows).not.toContain('h1dden')
  expect(JSON.stringify(await app.admin.api.audit.list({}))).not.toContain('h1dden')
  expect(await app.admin.api.ssoProviders.update({ id, enabled: false })).toMatchObject({ has_secret: true })
  expect(await app.admin.api.ssoProviders.update({ id, client_secret: '' })).toMatchObject({ has_secret: false })
})

test('its secret is not carried to another issuer', async () => {
  const { api, request } = app.admin
  const { id } = await api.ssoProviders.create({ ...draft, name: 'moving', client_secret: 'h1dden' })
  const issuer = 'https://192.0.2.66/'
  const path = `/api/sso/providers/${id}`
  expect(await fieldOf(await request('PUT', path, { issuer }))).toBe('client_secret')
  expect(await api.ssoProviders.get({ id })).toMatchObject({ issuer: draft.issuer, has_secret: true })
  expect(await api.ssoProviders.update({ id, issuer, client_secret: '' })).toMatchObject({ issuer, has_secret: false })
  expect(await api.ssoProviders.update({ id, issuer: draft.issuer })).toMatchObject({ issuer: draft.issuer })
})

test.each<[object, string]>([
  [{ issuer: 'http://192.0.2.10' }, 'issuer'],
  [{ issuer: 'https://192.0.2.10/?a=b' }, 'issuer'],
  [{ issuer: 'https://192.0.2.10/#a' }, 'issuer'],
  [{ issuer: 'https://me@192.0.2.10/' }, 'issuer'],
  [{ issuer: 'https://169.254.169.254/' }, 'issuer'],
  [{ issuer: 'ftp://192.0.2.10/' }, 'issuer'],
  [{ client_id: ' ' }, 'client_id'],
  [{ scopes: ['profile'] }, 'scopes'],
  [{ scopes: ['openid', 'a b'] }, 'scopes[1]'],
  [{ allowed_domains: ['not a domain'] }, 'allowed_domains[0]'],
  [{ group_mappings: [{ value: '', group_id: 'x' }] }, 'group_mappings[0].value'],
  [{ group_mappings: [{ value: 'a', group_id: 'unknown' }] }, 'group_mappings[0].group_id'],
  [{ max_session_hours: 0 }, 'max_session_hours'],
  [{ max_session_hours: 721 }, 'max_session_hours'],
  [{ credentials_max_idle_days: -1 }, 'credentials_max_idle_days'],
])('%j is refused by the name of its field', async (body, field) => {
  expect(await fieldOf(await create({ name: 'wrong', ...body }))).toBe(field)
})

test('a private issuer is allowed, and two providers have not one name', async () => {
  expect((await create({ name: 'inside', issuer: 'https://10.0.0.9' })).status).toBe(201)
  expect(await refusal(await create({ name: 'INSIDE' }))).toEqual([409, 'ALREADY_EXISTS'])
})

test('the issuer stays once a user has signed in', async () => {
  const at = await app.addProvider(idp)
  expect((await app.admin.request('PUT', `/api/sso/providers/${at.id}`, { issuer: `${idp.issuer}/` })).status).toBe(200)
  await app.browser().signIn(at, idp)
  const refused = await app.admin.request('PUT', `/api/sso/providers/${at.id}`, { issuer: 'https://192.0.2.1' })
  expect(await fieldOf(refused)).toBe('issuer')
})

describe('a caller who does not hold what a group gives', () => {
  test('adds no mapping to it, and changes no provider that has one', async () => {
    const { id: group_id } = await app.admin.api.groups.create({ name: 'bosses' })
    await app.admin.api.grants.create({ role_id: 'admin', group_id })
    const clerk = await app.as(['sso-providers:create', 'sso-providers:update', 'sso-providers:delete'])
    const group_mappings = [{ value: '*', group_id }]
    const refused = await clerk.request('POST', '/api/sso/providers', { ...draft, name: 'mine', group_mappings })
    expect(await refusal(refused)).toEqual([403, 'FORBIDDEN'])
    const { id } = await app.admin.api.ssoProviders.create({ ...draft, name: 'of bosses', group_mappings })
    for (const body of [{ groups_claim: 'other' }, { client_secret: 'x' }, { group_mappings: [] }])
      expect((await clerk.request('PUT', `/api/sso/providers/${id}`, body)).status).toBe(403)
    expect((await clerk.request('DELETE', `/api/sso/providers/${id}`)).status).toBe(403)
    expect((await app.admin.request('DELETE', `/api/sso/providers/${id}`)).status).toBe(204)
  })
})

test.each<[string, Record<string, unknown>]>([
  ['of another issuer', { issuer: 'https://evil.example' }],
  ['without keys', { jwks_uri: undefined }],
  ['with an endpoint that is no address', { token_endpoint: 'javascript:alert(1)' }],
])('the test of a provider with a document %s names the cause', async (_, fields) => {
  const at = await app.addProvider(idp)
  idp.describe(fields)
  const response = await app.admin.request('POST', `/api/sso/providers/${at.id}/test`)
  expect(await refusal(response)).toEqual([502, 'PROVIDER_UNREACHABLE'])
  idp.describe({})
})

describe('the check of an issuer', () => {
  const check = (body: object, by = app.admin) => by.request('POST', '/api/sso/providers/check', body)
  const count = async () => (await app.db.read.selectFrom('sso_providers').select('id').execute()).length

  test('answers as the test of a stored provider does, and stores nothing', async () => {
    const at = await app.addProvider(idp)
    const before = await count()
    const clerk = await app.as(['sso-providers:update'])
    const response = await check({ issuer: idp.issuer, allow_http: true }, clerk)
    expect(response.status).toBe(200)
    expect(await response.json()).toEqual(await app.admin.api.ssoProviders.test({ id: at.id }))
    expect(await count()).toBe(before)
  })

  test.each<[object]>([
    [{ issuer: 'http://192.0.2.10' }],
    [{ issuer: 'https://192.0.2.10/?a=b' }],
    [{ issuer: 'https://169.254.169.254/' }],
    [{ issuer: 'http://169.254.169.254/', allow_http: true }],
    [{ issuer: 'id.example.com' }],
    [{ issuer: '' }],
  ])('refuses %j by the name of the field', async (body) => {
    expect(await fieldOf(await check(body))).toBe('issuer')
  })

  test('names the cause if the document is of another issuer', async () => {
    idp.describe({ issuer: 'https://evil.example' })
    const response = await check({ issuer: idp.issuer, allow_http: true })
    idp.describe({})
    expect(response.status).toBe(502)
    expect(await response.text()).toContain('the discovery document is of another issuer')
  })

  test('needs the permission to add or to change providers', async () => {
    const reader = await app.as(['sso-providers:list', 'sso-providers:read'])
    expect(await refusal(await check({ issuer: idp.issuer, allow_http: true }, reader))).toEqual([403, 'FORBIDDEN'])
  })
})

test('the configuration has the address under which browsers reach Plat', async () => {
  const bare = await testApp({ env: { PUBLIC_URL: 'https://plat.example.com/' } })
  const { api } = await bare.as('viewer')
  expect(await api.system.config({})).toMatchObject({ public_url: 'https://plat.example.com' })
  await bare.close()
})

test('the address is empty without PUBLIC_URL', async () => {
  const bare = await testApp()
  const { api } = await bare.as('viewer')
  expect(await api.system.config({})).toMatchObject({ public_url: '' })
  await bare.close()
})

test('providers with issuers that only differ by the slash at the end are the same provider', async () => {
  idp.describe({ issuer: `${idp.issuer}/` })
  const at = await app.addProvider(idp)
  const claims = { iss: `${idp.issuer}/`, sub: 'slash', preferred_username: 'slash' }
  expect((await app.browser().signIn(at, idp, { claims })).status).toBe(200)
  // From now on its own spelling counts.
  expect((await app.browser().signIn(at, idp, { claims: { ...claims, iss: idp.issuer } })).status).toBe(302)
  idp.describe({})
})

test('without PUBLIC_URL and without a key, both are named', async () => {
  const bare = await testApp()
  const admin = await bare.as('admin')
  const response = await admin.request('POST', '/api/sso/providers', { ...draft, client_secret: 'x' })
  expect(await response.json()).toMatchObject({
    details: [
      { field: 'issuer', message: 'needs the setting PUBLIC_URL' },
      { field: 'client_secret', message: 'cannot be stored, because the server has no ENCRYPTION_KEY' },
    ],
  })
  await bare.close()
})

test('the sign-in page only knows the enabled providers', async () => {
  const off = await app.addProvider(idp, { enabled: false })
  const { providers } = (await (await app.guest('GET', '/api/auth/login')).json()) as { providers: { id: string }[] }
  expect(providers.length).toBeGreaterThan(0)
  expect(providers.map(({ id }) => id)).not.toContain(off.id)
})
