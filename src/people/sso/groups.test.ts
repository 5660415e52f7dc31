/** The memberships that a provider gives and takes, and the last active admin. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { type ScriptedProvider, scriptedProvider } from '../../../testing/servers/scripted-provider.ts'
import { onSqlite } from '../../../testing/servers/servers.ts'
import { causeOf, type SsoApp, ssoApp } from '../../../testing/sign-in/sso.ts'
import { createLogger } from '../../base/runtime/log.ts'
import type { SsoProvider } from './schema.ts'

describe.each(onSqlite())('groups of a provider on %s', (dialect) => {
  let app: SsoApp
  let idp: ScriptedProvider
  const warnings: string[] = []
  const log = createLogger({ level: 'warn', format: 'text', write: (entry) => warnings.push(entry) })

  const user = (username: string) => app.admin.api.users.list({ username }).then(([found]) => found)
  const groupsOf = async (userId: string): Promise<string[]> =>
    (await app.db.read.selectFrom('group_members').select('group_id').where('user_id', '=', userId).execute()).map(
      ({ group_id }) => group_id,
    )
  const newGroup = async (name: string) => (await app.admin.api.groups.create({ name })).id
  let mapped: SsoProvider
  let netops: string
  let everyone: string
  const claims = { sub: 'member', preferred_username: 'member' }
  const signIn = async (more: object, provider = mapped) => {
    const response = await app.browser().signIn(provider, idp, { claims: { ...claims, ...more } })
    expect(causeOf(response)).toBeUndefined()
    return (await groupsOf((await user('member'))?.id ?? '')).sort()
  }

  beforeAll(async () => {
    app = await ssoApp({ dialect, env: { AUDIT_ENABLED: 'true' }, log })
    idp = await scriptedProvider()
    ;[netops, everyone] = [await newGroup('netops'), await newGroup('everyone')]
    const group_mappings = [
      { value: 'net-ops', group_id: netops },
      { value: '*', group_id: everyone },
    ]
    mapped = await app.addProvider(idp, { group_mappings, groups_claim: 'realm_access.roles' })
  })

  afterAll(async () => {
    await app.close()
    idp.close()
  })

  test('the groups of a user equal the groups of the claim after each sign-in', async () => {
    expect(await signIn({ realm_access: { roles: ['net-ops', 'x'] } })).toEqual([netops, everyone].sort())
    expect(await signIn({ realm_access: { roles: ['NET-OPS'] } })).toEqual([everyone])
    expect(await signIn({ realm_access: { roles: 'net-ops' } })).toEqual([netops, everyone].sort())
    expect(await signIn({ 'realm_access.roles': ['net-ops'] })).toEqual([netops, everyone].sort())
    expect(await signIn({})).toEqual([everyone])
    expect(await signIn({ realm_access: { roles: [{ a: 1 }, 7, null] } })).toEqual([everyone])
  })

  test('that were added by hand stay', async () => {
    const userId = (await user('member'))?.id ?? ''
    await app.admin.api.groups.add({ id: netops, user_id: userId })
    expect(await signIn({})).toEqual([everyone, netops].sort())
    await app.admin.api.groups.remove({ id: netops, user_id: userId })
    expect(await signIn({})).toEqual([everyone])
  })

  test('give rights from the sign-in on, and take them with the next', async () => {
    await app.admin.api.grants.create({ role_id: 'viewer', group_id: netops })
    const browser = app.browser()
    await browser.signIn(mapped, idp, { claims: { ...claims, realm_access: { roles: ['net-ops'] } } })
    expect((await browser.send('GET /api/devices')).status).toBe(200)
    await signIn({})
    expect((await browser.send('GET /api/devices')).status).toBe(403)
  })

  test('that the provider has left out as too many refuse the sign-in', async () => {
    const entra = await app.addProvider(idp, { groups_claim: 'groups' })
    for (const overage of [{ _claim_names: { groups: 'src1' } }, { hasgroups: true }]) {
      const browser = app.browser()
      const response = await browser.signIn(entra, idp, {
        claims: { sub: 'over', preferred_username: 'over', ...overage },
      })
      expect(causeOf(response)).toBe('groups')
    }
    const none = await app.addProvider(idp, { groups_claim: '' })
    const fine = { sub: 'over', preferred_username: 'over', hasgroups: true }
    expect((await app.browser().signIn(none, idp, { claims: fine })).status).toBe(200)
  })

  test('that are deleted leave the mappings', async () => {
    const id = await newGroup('short-lived')
    const added = await app.addProvider(idp, { group_mappings: [{ value: 'a', group_id: id }] })
    await app.admin.api.groups.delete({ id })
    expect((await app.admin.api.ssoProviders.get({ id: added.id })).group_mappings).toEqual([])
  })

  test('end with their provider', async () => {
    const added = await app.addProvider(idp, { group_mappings: [{ value: '*', group_id: netops }] })
    const gone = { claims: { sub: 'p', preferred_username: 'of-provider' } }
    const browser = app.browser()
    await browser.signIn(added, idp, gone)
    const userId = (await user('of-provider'))?.id ?? ''
    expect(await groupsOf(userId)).toEqual([netops])
    await app.admin.api.ssoProviders.delete({ id: added.id })
    expect(await groupsOf(userId)).toEqual([])
    expect(await browser.isSignedIn()).toBe(false)
    expect((await user('of-provider'))?.id).toBe(userId)
  })

  test('of the last active admin stay until there is another admin', async () => {
    const admins = await newGroup('admins')
    await app.admin.api.grants.create({ role_id: 'admin', group_id: admins })
    const ruled = await app.addProvider(idp, { group_mappings: [{ value: 'root', group_id: admins }] })
    const second = await app.addProvider(idp)
    const boss = { sub: 'boss', preferred_username: 'boss' }
    const browser = app.browser()
    const signInAs = async (groups: readonly string[]): Promise<string[]> => {
      expect(causeOf(await browser.signIn(ruled, idp, { claims: { ...boss, groups } }))).toBeUndefined()
      return groupsOf(((await (await browser.me()).json()) as { id: string }).id)
    }
    expect(await signInAs(['root'])).toEqual([admins])
    const bossId = (await user('boss'))?.id
    for (const { id } of (await (await browser.send('GET /api/users')).json()) as { id: string }[])
      if (id !== bossId) await browser.send(`PUT /api/users/${id}`, { is_active: false })

    expect(await signInAs([])).toEqual([admins])
    expect((await browser.send('GET /api/users')).status).toBe(200)
    expect(warnings).toContainEqual(expect.stringContaining(admins))
    const trail = await (await browser.send('GET /api/audit?action=login&limit=1')).text()
    expect(trail).toContain(`kept_last_admin_in\\":[\\"${admins}`)

    // Nor does unlinking the identity take it.
    expect(causeOf(await browser.signIn(second, idp, { claims: boss }, '?link=true'))).toBeUndefined()
    const identities = (await (await browser.send('GET /api/auth/identities')).json()) as {
      id: string
      provider_id: string
    }[]
    const own = identities.find(({ provider_id }) => provider_id === ruled.id)?.id ?? ''
    const refused = await browser.send(`DELETE /api/auth/identities/${own}`)
    expect([refused.status, await refused.json()]).toMatchObject([409, { code: 'LAST_ADMIN' }])

    const other = { username: 'other-admin', password: 'correct horse battery', roles: ['admin'] }
    expect((await browser.send('POST /api/users', other)).status).toBe(201)
    expect(await signInAs([])).toEqual([])
    expect((await browser.send('GET /api/users')).status).toBe(403)
  })
})
