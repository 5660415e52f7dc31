/** After an upgrade, administrators are told of providers, keys and sessions that the rules of today would refuse. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { sql } from 'kysely'
import { createUser } from '../../../testing/estates/identities.ts'
import { type ScriptedProvider, scriptedProvider } from '../../../testing/servers/scripted-provider.ts'
import { onSqlite } from '../../../testing/servers/servers.ts'
import { places, storeConfig } from '../../../testing/servers/session-stores.ts'
import { type SsoApp, ssoApp } from '../../../testing/sign-in/sso.ts'
import type { Migration } from '../../database/migrate.ts'
import { providerLogouts } from '../../database/migrations/0064-provider-logouts.ts'
import { providerMakers } from '../../database/migrations/0065-provider-makers.ts'

const PASSWORD = 'quick to check'
const PROVIDERS = ['list', 'create', 'update'].map((name) => `sso-providers:${name}`)

type Migrated = Parameters<Exclude<Migration['statements'], readonly string[]>>[0]

/** Fills the new columns again, as the migrations do from the audit trail of an earlier version. */
const refill = async ({ db }: SsoApp): Promise<void> => {
  // Only the type of texts is read.
  const ddl = { text: 'TEXT' } as Migrated
  const updates = [providerLogouts, providerMakers]
    .flatMap(({ statements }) => (typeof statements === 'function' ? statements(ddl) : statements))
    .filter((statement) => statement.startsWith('UPDATE'))
  await db.write(async (tx) => {
    await tx.db.updateTable('identities').set({ linked_by_email: null }).execute()
    await tx.db.updateTable('sso_providers').set({ changed_by: null }).execute()
    for (const statement of updates) await sql.raw(statement).execute(tx.db)
  })
}

describe.each(onSqlite())('the upgrade on %s', (dialect) => {
  let app: SsoApp
  let idp: ScriptedProvider
  beforeAll(async () => {
    app = await ssoApp({ dialect, env: { AUDIT_ENABLED: 'true' } })
    idp = await scriptedProvider()
  })
  afterAll(async () => {
    await app.close()
    idp.close()
  })

  test('knows from the audit trail which identities were linked by the address', async () => {
    const at = await app.addProvider(idp, { link_by_email: true })
    await createUser(app.db, { username: 'lin', email: 'lin@example.org' })
    await createUser(app.db, { username: 'hand', password: PASSWORD })
    const verified = { email: 'lin@example.org', email_verified: true }
    expect((await app.browser().signIn(at, idp, { claims: { sub: 'lin', ...verified } })).status).toBe(200)
    await app.browser().signIn(at, idp, { claims: { sub: 'new', preferred_username: 'new' } })
    const browser = app.browser()
    await browser.send('POST /api/auth/login', { username: 'hand', password: PASSWORD })
    await browser.signIn(at, idp, { claims: { sub: 'hand' } }, '?link=true')
    const linked = async () =>
      Object.fromEntries(
        (await app.db.read.selectFrom('identities').select(['subject', 'linked_by_email']).execute()).map(
          ({ subject, linked_by_email }) => [subject, linked_by_email],
        ),
      )
    expect(await linked()).toEqual({ lin: 1, new: 0, hand: 0 })
    await refill(app)
    expect(await linked()).toEqual({ lin: 1, new: 0, hand: 0 })
    await app.db.write(({ db }) => db.deleteFrom('audit').execute())
    await refill(app)
    expect(await linked()).toEqual({ lin: null, new: 0, hand: null })
  })

  test('knows from the audit trail who has made or last changed a provider', async () => {
    const clerk = await app.as(PROVIDERS)
    const draft = { issuer: 'https://192.0.2.10', client_id: 'plat' }
    const own = await clerk.api.ssoProviders.create({ ...draft, name: 'made' })
    const changed = await app.admin.api.ssoProviders.create({ ...draft, name: 'changed' })
    await clerk.api.ssoProviders.update({ id: changed.id, client_id: 'mine' })
    await clerk.request('PUT', `/api/sso/providers/${own.id}`, { client_id: '' })
    const makers = async () =>
      Object.fromEntries(
        (await app.db.read.selectFrom('sso_providers').select(['name', 'changed_by']).execute()).map(
          ({ name, changed_by }) => [name, changed_by],
        ),
      )
    const expected = { made: clerk.userId, changed: clerk.userId }
    expect(await makers()).toMatchObject(expected)
    await refill(app)
    expect(await makers()).toMatchObject(expected)
  })
})

describe.each(places())('warnings on %s, sessions in %s', (dialect, store) => {
  let app: SsoApp
  let idp: ScriptedProvider
  beforeAll(async () => {
    const { sessionStoreType = 'sqlite', valkeyUrl } = await storeConfig(store)
    const env = { SESSION_STORE_TYPE: sessionStoreType, ...(valkeyUrl && { VALKEY_URL: valkeyUrl }) }
    app = await ssoApp({ dialect, env })
    idp = await scriptedProvider()
  })
  afterAll(async () => {
    await app.close()
    idp.close()
  })

  const warned = async (kind: string) =>
    (await app.admin.api.system.warnings()).filter((one) => one.kind === kind).map(({ id, name }) => ({ id, name }))

  test('a warning names a provider that links by address, if its user holds less than the users whom it could sign in', async () => {
    const { id: victim } = await createUser(app.db, { username: 'victim', email: 'v@example.org', roles: ['operator'] })
    const clerk = await app.as(PROVIDERS)
    const at = await app.addProvider(idp, { link_by_email: true, name: 'of a clerk' })
    const kind = 'provider_links_by_email'
    expect(await warned(kind)).toEqual([])
    await app.db.write(({ db }) => db.updateTable('sso_providers').set({ changed_by: clerk.userId }).execute())
    expect(await warned(kind)).toEqual([{ id: at.id, name: 'of a clerk' }])
    const [warning] = await app.admin.api.system.warnings()
    expect(warning?.message).toMatch(/"of a clerk".*"user-\d+".*lacks permissions.*cables:create/)
    await app.admin.api.ssoProviders.update({ id: at.id, allowed_domains: ['example.net'] })
    await app.db.write(({ db }) => db.updateTable('sso_providers').set({ changed_by: clerk.userId }).execute())
    expect(await warned(kind)).toEqual([])
    await app.admin.api.ssoProviders.update({ id: at.id, allowed_domains: [] })
    expect(await warned(kind)).toEqual([])
    await app.db.write(({ db }) => db.updateTable('sso_providers').set({ changed_by: 'deleted' }).execute())
    expect(await warned(kind)).toEqual([{ id: at.id, name: 'of a clerk' }])
    await app.db.write(({ db }) => db.updateTable('sso_providers').set({ changed_by: null }).execute())
    expect(await warned(kind)).toEqual([])
    await app.admin.api.users.delete({ id: victim })
  })

  test('name keys and accounts with sessions of before a link by address, and remove nothing', async () => {
    const at = await app.addProvider(idp, { link_by_email: true })
    const { id } = await createUser(app.db, { username: 'linked', password: PASSWORD })
    const browser = app.browser()
    await browser.send('POST /api/auth/login', { username: 'linked', password: PASSWORD })
    const made = (await (await browser.send('POST /api/keys', { name: 'old' })).json()) as { id: string; key: string }
    await browser.signIn(at, idp, { claims: { sub: 'linked' } }, '?link=true')
    const [keys, sessions] = ['key_before_link', 'session_before_link']
    expect([await warned(keys ?? ''), await warned(sessions ?? '')]).toEqual([[], []])
    const mark = (linked_by_email: number | null) =>
      app.db.write(({ db }) => db.updateTable('identities').set({ linked_by_email }).execute())
    for (const state of [1, null]) {
      await mark(state)
      expect(await warned('key_before_link')).toEqual([{ id: made.id, name: 'old' }])
      expect(await warned('session_before_link')).toEqual([{ id, name: 'linked' }])
    }
    expect((await browser.me()).status).toBe(200)
    await browser.send(`POST /api/keys/${made.id}/rotate`, {})
    expect(await warned('key_before_link')).toEqual([])
    await app.admin.api.users.resetPassword({ id, new_password: PASSWORD })
    expect(await warned('session_before_link')).toEqual([])
    // A key of after the link is no concern.
    const later = app.browser()
    await later.signIn(at, idp, { claims: { sub: 'linked' } })
    await later.send('POST /api/keys', { name: 'new' })
    expect(await warned('key_before_link')).toEqual([])
  })
})
