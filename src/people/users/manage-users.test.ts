// Creating, changing and deleting users.
import { describe, expect, test } from 'bun:test'
import { keyFor } from '../../../testing/estates/identities.ts'
import { failure, refusal } from '../../../testing/estates/inventory.ts'
import { people, QUICK } from '../../../testing/estates/people.ts'
import { engines } from '../../../testing/servers/servers.ts'
import { cookieOf } from '../../../testing/sign-in/sign-in.ts'
import { User } from './api.ts'

describe.each(engines())('users on %s', (dialect) => {
  const all = people(dialect)
  let count = 0
  const name = () => `made-${++count}`
  const draft = () => ({ username: name(), password: QUICK })
  const make = async (more: object = {}) =>
    User.parse((await all.admin.ask('POST /api/users', { ...draft(), ...more })).body)
  const signIn = async (username: string, password = QUICK) => all.app.login(username, password)

  describe('creating one', () => {
    test('answers with all its fields, and never the password', async () => {
      const username = name()
      const email = `${username}@example.org`
      const body = { username, password: QUICK, email, full_name: 'Ada L.', roles: ['viewer', 'role-operator'] }
      const made = await all.admin.ask('POST /api/users', body)
      expect(made.status).toBe(201)
      const user = User.strict().parse(made.body)
      const now = all.app.now().toISOString()
      expect(user).toEqual({
        id: user.id,
        username,
        email,
        full_name: 'Ada L.',
        is_active: true,
        has_password: true,
        is_break_glass: false,
        roles: ['operator', 'viewer'],
        created_at: now,
        updated_at: now,
        last_login_at: null,
      })
      expect((await all.admin.ask(`GET /api/users/${user.id}`)).body).toEqual(user)
      expect((await signIn(username)).status).toBe(200)
    })

    test('takes a name and a password, no more', async () => {
      expect(await make()).toMatchObject({ email: '', full_name: '', is_active: true, roles: [] })
    })

    test('takes one role as role_id, by id or name', async () => {
      expect((await make({ role_id: 'viewer' })).roles).toEqual(['viewer'])
      expect((await make({ role_id: 'role-viewer', roles: ['operator'] })).roles).toEqual(['operator', 'viewer'])
      expect((await make({ role_id: '', roles: ['VIEWER', 'role-viewer'] })).roles).toEqual(['viewer'])
      expect((await make({ role_id: null, roles: null })).roles).toEqual([])
    })

    describe('with grants', () => {
      const addScope = async () => {
        const { body } = await all.admin.ask('POST /api/scopes', { name: `Scope ${name()}`, tags: [name()] })
        return (body as { id: string }).id
      }
      const listGrants = async (id: string) =>
        ((await all.admin.ask(`GET /api/grants?user_id=${id}`)).body as { role: string; scope_id: string | null }[])
          .map(({ role, scope_id }) => [role, scope_id] as const)
          .toSorted()

      test('gives roles in scopes and everywhere, each once', async () => {
        const scope_id = await addScope()
        const grants = [
          { role_id: 'viewer', scope_id },
          { role_id: 'role-viewer', scope_id },
          { role_id: 'operator' },
          { role_id: 'operator', scope_id: null },
        ]
        const user = await make({ roles: ['operator'], grants })
        expect(user.roles).toEqual(['operator'])
        expect(await listGrants(user.id)).toEqual([
          ['operator', null],
          ['viewer', scope_id],
        ])
      })

      test('a scoped grant counts at once', async () => {
        const user = await make({ grants: [{ role_id: 'viewer', scope_id: await addScope() }] })
        const key = await keyFor(all.app.db, user.id)
        expect(await (await all.app.send('GET /api/auth/me', { key })).json()).toMatchObject({ is_scoped: true })
      })

      test('names the fields of unknown roles and scopes, and creates no user', async () => {
        const body = { ...draft(), grants: [{ role_id: 'viewer', scope_id: 'none' }, { role_id: 'none' }] }
        const refused = await all.admin.ask('POST /api/users', body)
        expect(refused).toMatchObject({
          status: 400,
          body: { details: [{ field: 'grants[0].scope_id' }, { field: 'grants[1].role_id' }] },
        })
        expect((await all.admin.ask(`GET /api/users?username=${body.username}`)).body).toEqual([])
      })

      test('refuses more than 20', async () => {
        const grants = Array.from({ length: 21 }, () => ({ role_id: 'viewer' }))
        expect(await all.admin.ask('POST /api/users', { ...draft(), grants })).toMatchObject(refusal('grants'))
      })

      test('needs all permissions of the role in the scope, and users:update', async () => {
        const scope_id = await addScope()
        const clerk = await all.person({ permissions: ['users:create', 'users:update'] })
        const maker = await all.person({ roles: ['viewer'], permissions: ['users:create'] })
        const body = () => ({ ...draft(), grants: [{ role_id: 'viewer', scope_id }] })
        expect(await clerk.ask('POST /api/users', body())).toMatchObject(failure(403, 'FORBIDDEN'))
        expect(await maker.ask('POST /api/users', body())).toMatchObject(failure(403, 'FORBIDDEN'))
        const both = await all.person({ roles: ['viewer'], permissions: ['users:create', 'users:update'] })
        expect((await both.ask('POST /api/users', body())).status).toBe(201)
      })
    })

    test('can create an inactive user', async () => {
      const user = await make({ is_active: false })
      expect(user.is_active).toBe(false)
      const key = await keyFor(all.app.db, user.id)
      expect((await all.app.send('GET /api/auth/me', { key })).status).toBe(401)
    })

    test.each<[string, object, string[]]>([
      ['nothing', { username: undefined, password: undefined }, ['username', 'password']],
      ['a blank name', { username: ' ' }, ['username']],
      ['a name of two lines', { username: 'a\nb' }, ['username']],
      ['a short password', { password: '1234567' }, ['password']],
      ['a password of 73 bytes', { password: 'x'.repeat(73) }, ['password']],
      ['a password that is no text', { password: 12345678 }, ['password']],
      ['an address that is none', { email: 'ada' }, ['email']],
      ['an address of two lines', { email: 'a@b\n.example' }, ['email']],
      ['an unknown role', { roles: ['viewer', 'nobody'] }, ['roles[1]']],
      ['an unknown role_id', { role_id: 'nobody' }, ['role_id']],
      ['roles that are no list', { roles: 'viewer' }, ['roles']],
      ['an activity that is none', { is_active: null }, ['is_active']],
    ])('refuses %s', async (_, bad, fields) => {
      expect(await all.admin.ask('POST /api/users', { ...draft(), ...bad })).toMatchObject(refusal(...fields))
    })

    test.each(['x'.repeat(72), 'ééééé ééé', '12345678'])('takes the password %p', async (password) => {
      const { username } = await make({ password })
      expect((await signIn(username, password)).status).toBe(200)
    })

    test('refuses a name and an address that are taken, in any case, both at once', async () => {
      const email = `${name()}@example.org`
      const { username } = await make({ email })
      const again = { username: username.toUpperCase(), email: email.toUpperCase(), password: QUICK }
      const answer = await all.admin.ask('POST /api/users', again)
      expect(answer).toMatchObject(failure(409, 'ALREADY_EXISTS'))
      expect(answer.body).toMatchObject({ details: [{ field: 'username' }, { field: 'email' }] })
    })

    test('permits several users without an address', async () => {
      expect([(await make({ email: '' })).email, (await make({ email: null })).email]).toEqual(['', ''])
    })

    test('of one name at one time makes one', async () => {
      const body = draft()
      const made = await Promise.all(Array.from({ length: 5 }, () => all.admin.ask('POST /api/users', body)))
      expect(made.map(({ status }) => status).sort()).toEqual([201, 409, 409, 409, 409])
    })

    test('stores no more of the password than a hash', async () => {
      const { id } = await make()
      const row = await all.app.db.read.selectFrom('users').selectAll().where('id', '=', id).executeTakeFirst()
      expect(row?.password_hash).toStartWith('$2b$')
    })

    test('hashes no password for a refused user', async () => {
      const { username } = await make()
      const { hash } = all.app.passwords
      const hashed: string[] = []
      const counting = (password: string) => {
        hashed.push(password)
        return hash(password)
      }
      Object.assign(all.app.passwords, { hash: counting })
      await all.admin.ask('POST /api/users', { username, password: QUICK })
      await all.admin.ask('POST /api/users', { ...draft(), roles: ['nobody'] })
      Object.assign(all.app.passwords, { hash })
      expect(hashed).toEqual([])
    })
  })

  describe('changing one', () => {
    test('changes the named fields only', async () => {
      const before = await make({ email: `${name()}@example.org`, full_name: 'Ada', roles: ['viewer'] })
      all.app.clock.ms += 1000
      const { status, body } = await all.admin.ask(`PUT /api/users/${before.id}`, { full_name: 'Ada L.' })
      expect(status).toBe(200)
      expect(body).toEqual({ ...before, full_name: 'Ada L.', updated_at: all.app.now().toISOString() })
    })

    test('clears optional fields', async () => {
      const { id } = await make({ email: `${name()}@example.org`, full_name: 'Ada', roles: ['viewer'] })
      const { body } = await all.admin.ask(`PUT /api/users/${id}`, { email: null, full_name: '', roles: [] })
      expect(body).toMatchObject({ email: '', full_name: '', roles: [] })
    })

    test('accepts the answer of GET, with a change', async () => {
      const before = await make({ roles: ['viewer', 'operator'] })
      const { body } = await all.admin.ask(`PUT /api/users/${before.id}`, { ...before, username: name() })
      expect(body).toMatchObject({ roles: ['operator', 'viewer'], username: `made-${count}` })
    })

    test('that changes nothing changes nothing', async () => {
      const before = await make({ roles: ['viewer'] })
      all.app.clock.ms += 1000
      expect((await all.admin.ask(`PUT /api/users/${before.id}`, { roles: ['VIEWER'] })).body).toEqual(before)
    })

    test('replaces all roles', async () => {
      const { id } = await make({ roles: ['viewer'] })
      const { body } = await all.admin.ask(`PUT /api/users/${id}`, { roles: ['operator'] })
      expect(body).toMatchObject({ roles: ['operator'] })
    })

    test('a change of a user keeps the password', async () => {
      const { id, username } = await make()
      await all.admin.ask(`PUT /api/users/${id}`, { password: 'another one' })
      expect((await signIn(username)).status).toBe(200)
    })

    test('signs in by the new name', async () => {
      const { id } = await make()
      const username = name()
      await all.admin.ask(`PUT /api/users/${id}`, { username })
      expect((await signIn(username)).status).toBe(200)
    })

    test('refuses a name and an address of another user', async () => {
      const other = await make({ email: `${name()}@example.org` })
      const { id } = await make()
      for (const body of [{ username: other.username.toUpperCase() }, { email: other.email.toUpperCase() }])
        expect(await all.admin.ask(`PUT /api/users/${id}`, body)).toMatchObject(failure(409, 'ALREADY_EXISTS'))
    })

    test('takes its own name in another case', async () => {
      const { id, username } = await make()
      const { body } = await all.admin.ask(`PUT /api/users/${id}`, { username: username.toUpperCase() })
      expect(body).toMatchObject({ username: username.toUpperCase() })
    })

    test.each<[object, string]>([
      [{ username: '' }, 'username'],
      [{ username: null }, 'username'],
      [{ is_active: null }, 'is_active'],
      [{ roles: ['nobody'] }, 'roles[0]'],
      [{ email: 'x' }, 'email'],
    ])('refuses %j', async (bad, field) => {
      const { id } = await make()
      expect(await all.admin.ask(`PUT /api/users/${id}`, bad)).toMatchObject(refusal(field))
    })
  })

  describe('deactivating one', () => {
    test('ends sessions and keys at once', async () => {
      const { id, username, ask } = await all.person({ roles: ['viewer'] })
      const cookie = cookieOf(await signIn(username))
      const me = async () => (await all.app.send('GET /api/auth/me', { cookie })).status
      expect([await me(), (await ask('GET /api/auth/me')).status]).toEqual([200, 200])
      await all.admin.ask(`PUT /api/users/${id}`, { is_active: false })
      expect([await me(), (await ask('GET /api/auth/me')).status]).toEqual([401, 401])
    })

    test('and activating again revives the keys, and no session', async () => {
      const { id, username, ask } = await all.person({ roles: ['viewer'] })
      const cookie = cookieOf(await signIn(username))
      for (const is_active of [false, true]) await all.admin.ask(`PUT /api/users/${id}`, { is_active })
      expect((await all.app.send('GET /api/auth/me', { cookie })).status).toBe(401)
      expect((await ask('GET /api/auth/me')).status).toBe(200)
    })
  })

  describe('deleting one', () => {
    test('takes keys and sessions along', async () => {
      const { id, username, ask } = await all.person({ roles: ['viewer'] })
      const cookie = cookieOf(await signIn(username))
      expect((await all.admin.ask(`DELETE /api/users/${id}`)).status).toBe(204)
      expect((await ask('GET /api/auth/me')).status).toBe(401)
      expect((await all.app.send('GET /api/auth/me', { cookie })).status).toBe(401)
      const { read } = all.app.db
      const left = [
        await read.selectFrom('api_keys').select('id').where('user_id', '=', id).execute(),
        await read.selectFrom('sessions').select('id').where('user_id', '=', id).execute(),
        await read.selectFrom('grants').select('role_id').where('user_id', '=', id).execute(),
      ]
      expect(left).toEqual([[], [], []])
      expect((await all.admin.ask(`GET /api/users/${id}`)).status).toBe(404)
    })

    test('is refused for the own account', async () => {
      const { admin } = all
      expect(await admin.ask(`DELETE /api/users/${admin.id}`)).toMatchObject(failure(400, 'CANNOT_DELETE_SELF'))
    })

    test('frees name and address', async () => {
      const email = `${name()}@example.org`
      const { id, username } = await make({ email })
      await all.admin.ask(`DELETE /api/users/${id}`)
      expect(await make({ username, email })).toMatchObject({ username, email })
    })
  })
})
