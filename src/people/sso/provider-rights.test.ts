/** A caller who creates or changes a provider must hold all permissions of the users whom it could sign in. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { createUser } from '../../../testing/estates/identities.ts'
import { type Instance, instanceBeside } from '../../../testing/servers/instances.ts'
import { type ScriptedProvider, scriptedProvider } from '../../../testing/servers/scripted-provider.ts'
import { onSqlite } from '../../../testing/servers/servers.ts'
import { refusal } from '../../../testing/sign-in/sign-in.ts'
import { type SsoApp, ssoApp } from '../../../testing/sign-in/sso.ts'
import type { SsoProvider } from './schema.ts'

const FORBIDDEN: [number, string] = [403, 'FORBIDDEN']
const PROVIDERS = ['list', 'read', 'create', 'update', 'delete'].map((name) => `sso-providers:${name}`)

describe.each(onSqlite())('the rights to a provider on %s', (dialect) => {
  let app: SsoApp
  let idp: ScriptedProvider
  let clerk: Awaited<ReturnType<SsoApp['as']>>
  let operator: Awaited<ReturnType<SsoApp['as']>>
  let made = 0

  beforeAll(async () => {
    app = await ssoApp({ dialect })
    idp = await scriptedProvider()
    await createUser(app.db, { username: 'victim', email: 'victim@example.org', roles: ['operator'] })
    await createUser(app.db, { username: 'reader', email: 'reader@example.net' })
    const { permissions } = await app.admin.api.roles.get({ id: 'role-operator' })
    clerk = await app.as(PROVIDERS)
    operator = await app.as([...PROVIDERS, ...permissions, 'apikeys:create'])
  })
  afterAll(async () => {
    await app.close()
    idp.close()
  })

  const draft = () => ({ name: `of a clerk ${++made}`, issuer: idp.issuer, client_id: 'plat', allow_http: true })
  const create = (who: typeof clerk, fields: object = {}) =>
    who.request('POST', '/api/sso/providers', { ...draft(), ...fields })
  const change = (who: typeof clerk, { id }: SsoProvider, fields: object) =>
    who.request('PUT', `/api/sso/providers/${id}`, fields)

  describe('that links by address', () => {
    test('a caller needs the rights of the users with an address', async () => {
      expect(await refusal(await create(clerk, { link_by_email: true }))).toEqual(FORBIDDEN)
      expect((await create(operator, { link_by_email: true })).status).toBe(201)
      expect((await create(app.admin, { link_by_email: true })).status).toBe(201)
      expect((await create(clerk)).status).toBe(201)
    })

    test('a caller needs the rights of the users in the allowed domains, before and after a change', async () => {
      const made = await create(clerk, { link_by_email: true, allowed_domains: ['example.net'] })
      expect(made.status).toBe(201)
      const own = (await made.json()) as SsoProvider
      expect((await change(clerk, own, { name: `renamed ${own.name}` })).status).toBe(200)
      for (const allowed_domains of [[], ['example.net', 'EXAMPLE.org']])
        expect(await refusal(await change(clerk, own, { allowed_domains }))).toEqual(FORBIDDEN)
      await app.admin.api.ssoProviders.update({ id: own.id, allowed_domains: ['example.org'] })
      expect(await refusal(await change(clerk, own, { allowed_domains: ['example.net'] }))).toEqual(FORBIDDEN)
    })

    test.each<[string, object]>([
      ['issuer', { issuer: 'https://192.0.2.10', client_secret: 'mine' }],
      ['client_id', { client_id: 'mine' }],
      ['client_secret', { client_secret: 'mine' }],
      ['allowed_domains', { allowed_domains: ['example.org'] }],
      ['enabled', { enabled: false }],
      ['link_by_email', { link_by_email: false }],
      ['name', { name: 'another' }],
      ['required_acr', { required_acr: 'mfa' }],
    ])('are needed to change its %s', async (_, fields) => {
      const at = await app.addProvider(idp, { link_by_email: true })
      expect(await refusal(await change(clerk, at, fields))).toEqual(FORBIDDEN)
      expect(await app.admin.api.ssoProviders.get({ id: at.id })).toEqual(at)
    })

    test('are needed to let a provider link by address, and to delete one', async () => {
      const own = (await (await create(clerk)).json()) as SsoProvider
      expect(await refusal(await change(clerk, own, { link_by_email: true }))).toEqual(FORBIDDEN)
      const at = await app.addProvider(idp, { link_by_email: true, enabled: false })
      expect(await refusal(await change(clerk, at, { enabled: true }))).toEqual(FORBIDDEN)
      expect(await refusal(await clerk.request('DELETE', `/api/sso/providers/${at.id}`))).toEqual(FORBIDDEN)
    })

    test('an API key with limits lacks the rights', async () => {
      const narrow = async (permissions: string[]) => {
        const { key } = await app.admin.api.keys.create({ name: `narrow ${++made}`, permissions })
        return (method: string, path: string, body?: object) =>
          app.guest(method, path, body, { Authorization: `Bearer ${key}` })
      }
      const send = await narrow(PROVIDERS)
      const link = { ...draft(), link_by_email: true, allowed_domains: ['nobody.example'] }
      expect(await refusal(await send('POST', '/api/sso/providers', link))).toEqual(FORBIDDEN)
      const { permissions } = await app.admin.api.roles.get({ id: 'role-admin' })
      const all = await narrow(permissions)
      expect(await refusal(await all('POST', '/api/sso/providers', link))).toEqual(FORBIDDEN)
      const at = await app.addProvider(idp, { link_by_email: true })
      const changed = await all('PUT', `/api/sso/providers/${at.id}`, { enabled: false })
      expect(await refusal(changed)).toEqual(FORBIDDEN)
      expect((await send('POST', '/api/sso/providers', draft())).status).toBe(201)
    })
  })

  test('a caller needs the rights of the own users of the provider, however they were linked', async () => {
    const at = await app.addProvider(idp)
    const browser = app.browser()
    await browser.signIn(at, idp, { claims: { sub: 'own', preferred_username: `own-${dialect}` } })
    const { id: user_id } = (await (await browser.me()).json()) as { id: string }
    expect((await change(clerk, at, { max_session_hours: 13 })).status).toBe(200)
    await app.admin.api.users.grantRole({ user_id, role_id: 'operator' })
    for (const fields of [{ client_id: 'mine' }, { enabled: false }, { allowed_domains: ['example.net'] }])
      expect(await refusal(await change(clerk, at, fields))).toEqual(FORBIDDEN)
    expect(await refusal(await clerk.request('DELETE', `/api/sso/providers/${at.id}`))).toEqual(FORBIDDEN)
    expect((await change(operator, at, { enabled: false })).status).toBe(200)
  })

  test('are needed to reset the password of a user whom its groups may give more', async () => {
    const { id: group_id } = await app.admin.api.groups.create({ name: `operators ${++made}` })
    await app.admin.api.grants.create({ role_id: 'operator', group_id })
    const at = await app.addProvider(idp, { group_mappings: [{ value: 'net-ops', group_id }] })
    const browser = app.browser()
    await browser.signIn(at, idp, { claims: { sub: 'soon', preferred_username: `soon-${dialect}` } })
    const { id } = (await (await browser.me()).json()) as { id: string }
    const helpDesk = await app.as(['users:update'])
    const reset = (who: typeof clerk) =>
      who.request('POST', `/api/users/${id}/reset-password`, { new_password: 'chosen by another' })
    expect(await refusal(await reset(helpDesk))).toEqual(FORBIDDEN)
    expect((await reset(app.admin)).status).toBe(204)
  })

  if (dialect === 'postgres')
    test('count the roles that another instance has granted', async () => {
      const other: Instance = await instanceBeside(app)
      try {
        const at = (await (
          await create(clerk, { link_by_email: true, allowed_domains: ['example.com'] })
        ).json()) as SsoProvider
        const id = await createUser(app.db, { username: 'late', email: 'late@example.com' }).then((user) => user.id)
        const headers = { Authorization: `Bearer ${app.admin.key}` }
        await other.fetch('POST', '/api/grants', headers, { role_id: 'operator', user_id: id })
        expect(await refusal(await change(clerk, at, { client_id: 'mine' }))).toEqual(FORBIDDEN)
      } finally {
        await other.close()
      }
    })
})
