// Keys, sessions and OAuth grants of an account are shown to callers who hold all permissions of the account. Only such
// callers may end them.
import { describe, expect, test } from 'bun:test'
import { failure, missing } from '../../../testing/estates/inventory.ts'
import { type Answer, type Person, people, QUICK } from '../../../testing/estates/people.ts'
import { callTool } from '../../../testing/mcp.ts'
import { onSqlite } from '../../../testing/servers/servers.ts'
import { places, storeConfig } from '../../../testing/servers/session-stores.ts'
import { cookieOf } from '../../../testing/sign-in/sign-in.ts'
import { insertClient, insertGrant } from '../oauth/store.ts'
import { CATALOGUE } from '../roles/catalogue.ts'

/** May manage the credentials of all users, and nothing else. */
const CLERK = ['users:list', 'users:read', 'users:update', 'apikeys:list', 'apikeys:read', 'apikeys:delete']
const OAUTH = ['oauth-clients:list', 'oauth-clients:read', 'oauth-clients:delete']
const ALL = CATALOGUE.map(({ name }) => name)
const forbidden = failure(403, 'FORBIDDEN')

type Row = { readonly id: string; readonly user_id: string | null }
const rowsOf = ({ body }: Answer) => body as Row[]
const ownersOf = (answer: Answer) => new Set(rowsOf(answer).map(({ user_id }) => user_id))

/** Returns the total that a list reports. */
const totalOf = ({ headers }: Answer) => Number(headers.get('x-total-count'))

describe.each(onSqlite())('on %s, API keys of an account that holds more', (dialect) => {
  const all = people(dialect)
  const clerk = () => all.person({ permissions: CLERK })
  const keyOf = async (person: Person) => rowsOf(await person.ask(`GET /api/keys?user_id=${person.id}`))[0]?.id ?? ''

  test('are not deleted', async () => {
    const by = await clerk()
    const target = await all.person({ roles: ['viewer'] })
    expect(await by.ask(`DELETE /api/keys/${await keyOf(target)}`)).toMatchObject(forbidden)
    expect((await target.ask('GET /api/auth/me')).status).toBe(200)
  })

  test('are not shown one by one', async () => {
    const target = await all.person({ roles: ['viewer'] })
    expect(await (await clerk()).ask(`GET /api/keys/${await keyOf(target)}`)).toMatchObject(forbidden)
  })

  test('are not shown when asked for by the user', async () => {
    const target = await all.person({ roles: ['viewer'] })
    expect(await (await clerk()).ask(`GET /api/keys?user_id=${target.id}`)).toMatchObject(forbidden)
  })

  test('are in no list, count or page', async () => {
    const by = await clerk()
    const target = await all.person({ roles: ['viewer'] })
    const equal = await all.person({ permissions: ['users:list'] })
    const list = await by.ask('GET /api/keys')
    const owners = ownersOf(list)
    expect([owners.has(target.id), owners.has(all.admin.id)]).toEqual([false, false])
    expect([owners.has(equal.id), owners.has(by.id)]).toEqual([true, true])
    expect(totalOf(list)).toBe(rowsOf(list).length)
    const last = await by.ask(`GET /api/keys?limit=5&offset=${totalOf(list) - 1}`)
    expect(rowsOf(last)).toEqual(rowsOf(list).slice(-1))
  })

  test('are 404 without apikeys:read and delete', async () => {
    const by = await all.person({ permissions: ['users:update'] })
    const id = await keyOf(await all.person({ roles: ['viewer'] }))
    expect(await by.ask(`GET /api/keys/${id}`)).toMatchObject(missing)
    expect(await by.ask(`DELETE /api/keys/${id}`)).toMatchObject(missing)
  })

  test('are not deleted through MCP either', async () => {
    const by = await clerk()
    const id = await keyOf(await all.person({ roles: ['viewer'] }))
    const peer = { fetch: all.app.fetch, key: by.key }
    const answer = await callTool(peer, 'call_operation', { operation: 'keys.delete', input: { id } })
    expect(answer).toMatchObject({ isError: true, value: { code: 'FORBIDDEN' } })
  })

  test('(but keys of an account that holds no more are shown and deleted)', async () => {
    const by = await clerk()
    const target = await all.person({ permissions: ['users:list'] })
    const id = await keyOf(target)
    expect((await by.ask(`GET /api/keys/${id}`)).status).toBe(200)
    expect(rowsOf(await by.ask(`GET /api/keys?user_id=${target.id}`))).toHaveLength(1)
    expect((await by.ask(`DELETE /api/keys/${id}`)).status).toBe(204)
  })

  test("(and one's own always are, whatever the key that asks)", async () => {
    const by = await clerk()
    const { body } = await by.ask('POST /api/keys', { name: 'mine' })
    expect((await by.ask(`DELETE /api/keys/${(body as Row).id}`)).status).toBe(204)
  })

  test('are part of the ETag: it changes with the rights of the owner, of the caller, and of a role', async () => {
    const by = await clerk()
    const target = await all.person({ permissions: ['users:list'] })
    const role = await all.role('users:list')
    await all.admin.ask('POST /api/users/grant-role', { user_id: target.id, role_id: role.id })
    const list = () => by.ask('GET /api/keys')
    const before = await list()
    expect(ownersOf(before).has(target.id)).toBe(true)
    await all.admin.ask(`PUT /api/roles/${role.id}`, { permissions: ['users:list', 'devices:read'] })
    const grown = await by.ask('GET /api/keys', undefined, { 'If-None-Match': before.headers.get('etag') ?? '' })
    expect([grown.status, ownersOf(grown).has(target.id)]).toEqual([200, false])
    await all.admin.ask('POST /api/users/grant-role', { user_id: by.id, role_id: role.id })
    const mine = await by.ask('GET /api/keys', undefined, { 'If-None-Match': grown.headers.get('etag') ?? '' })
    expect([mine.status, ownersOf(mine).has(target.id)]).toEqual([200, true])
  })

  test('have another ETag for another caller', async () => {
    const [one, other] = [await clerk(), await all.person({ permissions: ALL })]
    const etag = (await other.ask('GET /api/keys')).headers.get('etag') ?? ''
    expect((await one.ask('GET /api/keys', undefined, { 'If-None-Match': etag })).status).toBe(200)
  })
})

describe.each(places())('on %s in the %s, sessions of an account that holds more', (dialect, store) => {
  const all = people(dialect, () => storeConfig(store).then((config) => ({ config })))
  const signedIn = async (person: Person) => {
    const cookie = cookieOf(await all.app.login(person.username, QUICK))
    const [session] = (await person.ask('GET /api/sessions')).body as { id: string }[]
    return { cookie, id: session?.id ?? '' }
  }

  test('are not listed', async () => {
    const target = await all.person({ roles: ['viewer'] })
    await signedIn(target)
    const by = await all.person({ permissions: CLERK })
    expect(await by.ask(`GET /api/sessions?user_id=${target.id}`)).toMatchObject(forbidden)
  })

  test('are not ended', async () => {
    const target = await all.person({ roles: ['viewer'] })
    const { id, cookie } = await signedIn(target)
    const by = await all.person({ permissions: CLERK })
    expect(await by.ask(`DELETE /api/sessions/${id}`)).toMatchObject(forbidden)
    expect((await all.app.send('GET /api/auth/me', { cookie })).status).toBe(200)
  })

  test('are 404 without users:update', async () => {
    const { id } = await signedIn(await all.person({ roles: ['viewer'] }))
    const by = await all.person({ permissions: ['apikeys:delete'] })
    expect(await by.ask(`DELETE /api/sessions/${id}`)).toMatchObject(missing)
  })

  test('(but sessions of an account that holds no more are)', async () => {
    const target = await all.person({ permissions: ['users:list'] })
    const { id, cookie } = await signedIn(target)
    const by = await all.person({ permissions: CLERK })
    expect((await by.ask(`GET /api/sessions?user_id=${target.id}`)).body).toHaveLength(1)
    expect((await by.ask(`DELETE /api/sessions/${id}`)).status).toBe(204)
    expect((await all.app.send('GET /api/auth/me', { cookie })).status).toBe(401)
  })
})

describe.each(onSqlite())('on %s, OAuth grants of an account that holds more', (dialect) => {
  const all = people(dialect)
  let count = 0
  const newClient = async () => {
    const id = `client-${++count}`
    const lists = { redirect_uris: '["http://127.0.0.1/cb"]', grant_types: '[]', response_types: '["code"]' }
    const times = { created_at: all.app.now().toISOString(), consented_at: all.app.now().toISOString() }
    await all.app.db.write((tx) =>
      insertClient(tx, { id, name: id, auth_method: 'none', secret_hash: null, scope: '', ...lists, ...times }),
    )
    return id
  }
  const grantTo = async ({ id: user_id }: Person, client_id: string) => {
    const id = `grant-${++count}`
    const created_at = all.app.now().toISOString()
    const rest = { scope: 'devices:list', user_generation: 0, created_at, expires_at: '2027-01-01T00:00:00.000Z' }
    await all.app.db.write((tx) => insertGrant(tx, { id, client_id, user_id, ...rest }))
    return id
  }
  const clerk = () => all.person({ permissions: OAUTH })

  test('are not ended', async () => {
    const target = await all.person({ roles: ['viewer'] })
    const id = await grantTo(target, await newClient())
    expect(await (await clerk()).ask(`DELETE /api/oauth/grants/${id}`)).toMatchObject(forbidden)
    expect((await target.ask('GET /api/oauth/grants')).body).toMatchObject([{ id }])
  })

  test('are in no list', async () => {
    const [client, target, equal] = [await newClient(), await all.person({ roles: ['viewer'] }), await all.person()]
    await grantTo(target, client)
    const shown = await grantTo(equal, client)
    const list = await (await clerk()).ask(`GET /api/oauth/grants?client_id=${client}`)
    expect([list.body, totalOf(list)]).toMatchObject([[{ id: shown }], 1])
  })

  test('are not listed when asked for by the user', async () => {
    const { id } = await all.person({ roles: ['viewer'] })
    expect(await (await clerk()).ask(`GET /api/oauth/grants?user_id=${id}`)).toMatchObject(forbidden)
  })

  test('do not end with their client, which is not deleted', async () => {
    const [client, target] = [await newClient(), await all.person({ roles: ['viewer'] })]
    const id = await grantTo(target, client)
    expect(await (await clerk()).ask(`DELETE /api/oauth/clients/${client}`)).toMatchObject(forbidden)
    expect((await target.ask('GET /api/oauth/grants')).body).toMatchObject([{ id }])
  })

  test('are 404 without oauth-clients:delete', async () => {
    const id = await grantTo(await all.person({ roles: ['viewer'] }), await newClient())
    expect(await (await all.person()).ask(`DELETE /api/oauth/grants/${id}`)).toMatchObject(missing)
  })

  test('(but grants of an account that holds no more are ended, and so is a client)', async () => {
    const [by, target] = [await clerk(), await all.person()]
    const [one, other] = [await newClient(), await newClient()]
    const id = await grantTo(target, one)
    await grantTo(target, other)
    expect((await by.ask(`DELETE /api/oauth/grants/${id}`)).status).toBe(204)
    expect((await by.ask(`DELETE /api/oauth/clients/${other}`)).status).toBe(204)
    expect((await target.ask('GET /api/oauth/grants')).body).toEqual([])
  })
})
