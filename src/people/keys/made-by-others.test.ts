// A key records which user made it. One that another user made ends when its owner's roles or password change.
import { describe, expect, test } from 'bun:test'
import { failure } from '../../../testing/estates/inventory.ts'
import { type Person, people, QUICK } from '../../../testing/estates/people.ts'
import { onSqlite } from '../../../testing/servers/servers.ts'
import { resetPassword } from '../users/reset-password.ts'
import { NewApiKey } from './api.ts'
import { endKeysMadeByOthers } from './keys.ts'

/** May manage accounts, and nothing else. */
const CLERK = [
  'users:list',
  'users:read',
  'users:update',
  'roles:list',
  'apikeys:list',
  'apikeys:read',
  'apikeys:create',
]
const NEW = 'a new password'

describe.each(onSqlite())('API keys on %s', (dialect) => {
  const all = people(dialect)
  let count = 0
  const make = async (by: Pick<Person, 'ask'>, user_id?: string): Promise<NewApiKey> =>
    NewApiKey.parse((await by.ask('POST /api/keys', { name: `key ${++count}`, user_id })).body)
  const opens = async ({ key }: { readonly key: string }) =>
    (await all.app.send('GET /api/auth/me', { key })).status === 200
  const asks = (key: string): Pick<Person, 'ask'> => ({
    ask: async (http, body) => {
      const response = await all.app.send(http, { key, body })
      const text = await response.text()
      return { status: response.status, headers: response.headers, body: text === '' ? undefined : JSON.parse(text) }
    },
  })
  /** An account without rights, a key that it made for itself, and one that a clerk has made for it. */
  const prepared = async () => {
    const [owner, clerk] = [await all.person(), await all.person({ permissions: CLERK })]
    return { owner, clerk, own: await make(owner), foreign: await make(clerk, owner.id) }
  }
  type Prepared = Awaited<ReturnType<typeof prepared>>

  test('say who made them', async () => {
    const { owner, clerk, own, foreign } = await prepared()
    expect([own.created_by, foreign.created_by]).toEqual([owner.id, clerk.id])
    expect((await owner.ask(`GET /api/keys/${foreign.id}`)).body).toMatchObject({ created_by: clerk.id })
  })

  const { admin } = { admin: () => all.admin }
  const events: [string, (prepared: Prepared) => Promise<unknown>][] = [
    [
      'is granted a role',
      ({ owner }) => admin().ask('POST /api/users/grant-role', { user_id: owner.id, role_id: 'admin' }),
    ],
    ['is given roles by an update', ({ owner }) => admin().ask(`PUT /api/users/${owner.id}`, { roles: ['viewer'] })],
    [
      'gets a new password from somebody else',
      ({ owner }) => admin().ask(`POST /api/users/${owner.id}/reset-password`, { new_password: NEW }),
    ],
    [
      'changes the password',
      ({ owner }) => owner.ask(`POST /api/users/${owner.id}/password`, { current_password: QUICK, new_password: NEW }),
    ],
    [
      'gets a new password on the host',
      ({ owner }) =>
        resetPassword({
          db: all.app.db,
          passwords: all.app.passwords,
          username: owner.username,
          now: all.app.now,
          endKeys: endKeysMadeByOthers,
        }),
    ],
  ]

  test.each(events)('made by another user end when the owner %s; own ones stay valid', async (_, event) => {
    const all = await prepared()
    expect([await opens(all.own), await opens(all.foreign)]).toEqual([true, true])
    await event(all)
    expect([await opens(all.own), await opens(all.foreign)]).toEqual([true, false])
    expect((await admin().ask(`GET /api/keys/${all.foreign.id}`)).status).toBe(404)
  })

  const losses: [string, (owner: Person, role: string) => Promise<unknown>][] = [
    [
      'has a role revoked',
      (owner, role_id) => admin().ask('POST /api/users/revoke-role', { user_id: owner.id, role_id }),
    ],
    ['is left without roles by an update', (owner) => admin().ask(`PUT /api/users/${owner.id}`, { roles: [] })],
    ['loses a role that is deleted', (_, role) => admin().ask(`DELETE /api/roles/${role}`)],
  ]

  test.each(losses)('made by another user end when the owner %s; own ones stay valid', async (_, loss) => {
    const role = await all.role('users:list')
    const owner = await all.person({ roles: [role.id] })
    const clerk = await all.person({ permissions: CLERK })
    const [own, foreign, others] = [await make(owner), await make(clerk, owner.id), await make(clerk)]
    await loss(owner, role.id)
    expect([await opens(own), await opens(foreign), await opens(others)]).toEqual([true, false, true])
  })

  const harmless: [string, (prepared: Prepared, role: string) => Promise<unknown>][] = [
    [
      'a role that the owner has is edited',
      (_, role) => admin().ask(`PUT /api/roles/${role}`, { permissions: ['users:read'] }),
    ],
    [
      'the owner gets another full name',
      ({ owner }) => admin().ask(`PUT /api/users/${owner.id}`, { full_name: 'Ada' }),
    ],
    [
      'the owner is granted a role that they have',
      ({ owner }, role) => admin().ask('POST /api/users/grant-role', { user_id: owner.id, role_id: role }),
    ],
    [
      'the owner is given the same roles',
      ({ owner }, role) => admin().ask(`PUT /api/users/${owner.id}`, { roles: [role] }),
    ],
    ['the owner signs in', ({ owner }) => all.app.login(owner.username, QUICK)],
    [
      'another user is granted a role',
      async () => admin().ask('POST /api/users/grant-role', { user_id: (await all.person()).id, role_id: 'viewer' }),
    ],
  ]

  test.each(harmless)('made by another user stay valid when %s', async (_, event) => {
    const role = await all.role('users:list')
    const [owner, clerk] = [await all.person({ roles: [role.id] }), await all.person({ permissions: CLERK })]
    const foreign = await make(clerk, owner.id)
    await event({ owner, clerk, own: foreign, foreign }, role.id)
    expect(await opens(foreign)).toBe(true)
  })

  test('made with such a key have the same maker', async () => {
    const { owner, clerk, foreign } = await prepared()
    const laundered = await make(asks(foreign.key))
    const again = await make(asks(laundered.key))
    expect([laundered, again]).toMatchObject([
      { user_id: owner.id, created_by: clerk.id },
      { user_id: owner.id, created_by: clerk.id },
    ])
    await admin().ask('POST /api/users/grant-role', { user_id: owner.id, role_id: 'admin' })
    expect([await opens(laundered), await opens(again)]).toEqual([false, false])
  })

  test("of an unknown maker are the owner's", async () => {
    const owner = await all.person()
    expect((await owner.ask('GET /api/keys')).body).toMatchObject([{ created_by: null }])
    await admin().ask('POST /api/users/grant-role', { user_id: owner.id, role_id: 'viewer' })
    expect(await opens(owner)).toBe(true)
  })

  test('cannot be created concurrently with the grant of a role', async () => {
    const clerk = await all.person({ permissions: CLERK })
    for (let round = 0; round < 10; round++) {
      const owner = await all.person()
      const [made] = await Promise.all([
        clerk.ask('POST /api/keys', { name: 'early', user_id: owner.id }),
        admin().ask('POST /api/users/grant-role', { user_id: owner.id, role_id: 'admin' }),
      ])
      const works = made.status === 201 && (await opens(NewApiKey.parse(made.body)))
      expect(works).toBe(false)
    }
  })

  test('are refused for a user with 100 that have not expired', async () => {
    const owner = await all.person()
    const rows = Array.from({ length: 98 }, (_, i) => ({ id: Bun.randomUUIDv7(), name: `old ${i}` }))
    const past = { created_at: all.app.now().toISOString(), expires_at: all.app.now().toISOString() }
    const common = {
      user_id: owner.id,
      created_by: owner.id,
      prefix: '',
      created_at: past.created_at,
      expires_at: null,
    }
    await all.app.db.write(async ({ db }) => {
      const values = rows.map((row) => ({ ...common, ...row, name_key: row.name, name_order: '', key_hash: row.id }))
      const expired = {
        ...common,
        ...past,
        id: 'over',
        name: 'over',
        name_key: 'over',
        name_order: '',
        key_hash: `over ${owner.id}`,
      }
      await db
        .insertInto('api_keys')
        .values([...values, { ...expired, id: owner.id }])
        .execute()
    })
    const limit = failure(409, 'LIMIT_REACHED')
    const answers = await Promise.all(
      Array.from({ length: 6 }, (_, i) => owner.ask('POST /api/keys', { name: `new ${i}` })),
    )
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 409, 409, 409, 409, 409])
    const refused = await all.admin.ask('POST /api/keys', { name: 'one more', user_id: owner.id })
    expect(refused).toMatchObject({ ...limit, body: { error: expect.stringContaining('100') } })
    expect((await all.admin.ask('POST /api/keys', { name: `of another on ${dialect}` })).status).toBe(201)
  })
})
