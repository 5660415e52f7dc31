// Users, roles and keys give no caller more permissions than they have, and the last admin can't be removed.
import { describe, expect, test } from 'bun:test'
import { failure } from '../../../testing/estates/inventory.ts'
import { type People, type Person, people, QUICK } from '../../../testing/estates/people.ts'
import { onSqlite } from '../../../testing/servers/servers.ts'
import { ADMIN_ROLE_ID, CATALOGUE } from '../roles/catalogue.ts'

const USERS = ['users:list', 'users:read', 'users:create', 'users:update', 'users:delete']
const ROLES = ['roles:list', 'roles:read', 'roles:create', 'roles:update', 'roles:delete']
const KEYS = ['apikeys:list', 'apikeys:read', 'apikeys:create', 'apikeys:delete']
/** May manage accounts, and nothing else. */
const CLERK = [...USERS, ...ROLES, ...KEYS]
const forbidden = failure(403, 'FORBIDDEN')
const messageOf = (answer: { readonly body: unknown }) => (answer.body as { error: string }).error

describe.each(onSqlite())('escalation on %s', (dialect) => {
  const all = people(dialect)
  let count = 0
  const fresh = () => `${dialect}-${++count}`
  const clerk = () => all.person({ permissions: CLERK })
  const newUser = (roles: readonly string[] = []) => ({ username: fresh(), password: QUICK, roles })
  const rolesOf = async (id: string) =>
    ((await all.admin.ask(`GET /api/users/${id}`)).body as { roles: readonly string[] }).roles

  describe('a caller without all permissions of a role', () => {
    type Try = (by: Person, role: string) => Promise<{ readonly status: number; readonly body: unknown }>
    const tries: [string, Try][] = [
      ['creates nobody with it', (by, role) => by.ask('POST /api/users', newUser([role]))],
      ['creates nobody with it as role_id', (by, role) => by.ask('POST /api/users', { ...newUser(), role_id: role })],
      [
        'gives it to nobody',
        async (by, role) => by.ask(`PUT /api/users/${(await all.person()).id}`, { roles: [role] }),
      ],
      [
        'grants it to nobody',
        async (by, role) => by.ask('POST /api/users/grant-role', { user_id: (await all.person()).id, role_id: role }),
      ],
      ['does not take it', (by, role) => by.ask('POST /api/users/grant-role', { user_id: by.id, role_id: role })],
      ['does not give it to themselves', (by, role) => by.ask(`PUT /api/users/${by.id}`, { roles: [role] })],
    ]

    test.each(tries)('%s', async (_, attempt) => {
      const by = await clerk()
      const before = await rolesOf(by.id)
      for (const role of ['admin', 'operator', 'viewer', (await all.role('devices:read')).id]) {
        expect(await attempt(by, role)).toMatchObject(forbidden)
      }
      expect(await rolesOf(by.id)).toEqual(before)
    })

    test.each(tries.slice(0, 4))('(but one with them may: %s)', async (_, attempt) => {
      const by = await all.person({ permissions: [...CLERK, 'devices:read'] })
      expect((await attempt(by, (await all.role('devices:read', 'users:list')).name)).status).toBeLessThan(300)
    })

    test('gets the first ten missing permissions', async () => {
      const by = await clerk()
      const some = await all.role('audit:list', 'devices:read', 'users:list')
      const grant = (role_id: string) => by.ask('POST /api/users/grant-role', { user_id: by.id, role_id })
      expect(messageOf(await grant(some.name))).toBe(
        `The role "${some.name}" has permissions that you lack: audit:list, devices:read`,
      )
      expect(messageOf(await grant('admin'))).toEndWith(` and ${CATALOGUE.length - CLERK.length - 10} more`)
    })
  })

  describe('an account that holds more than the caller', () => {
    const attempts: [string, (by: Person, id: string) => ReturnType<Person['ask']>][] = [
      ['is not renamed', (by, id) => by.ask(`PUT /api/users/${id}`, { username: fresh() })],
      ['keeps its address', (by, id) => by.ask(`PUT /api/users/${id}`, { email: 'me@example.org' })],
      ['is not deactivated', (by, id) => by.ask(`PUT /api/users/${id}`, { is_active: false })],
      ['keeps its roles', (by, id) => by.ask(`PUT /api/users/${id}`, { roles: [] })],
      ['is not deleted', (by, id) => by.ask(`DELETE /api/users/${id}`)],
      ['keeps its password', (by, id) => by.ask(`POST /api/users/${id}/reset-password`, { new_password: QUICK })],
      ['is granted nothing', (by, id) => by.ask('POST /api/users/grant-role', { user_id: id, role_id: 'viewer' })],
      ['has nothing revoked', (by, id) => by.ask('POST /api/users/revoke-role', { user_id: id, role_id: 'viewer' })],
      ['gets no key', (by, id) => by.ask('POST /api/keys', { name: fresh(), user_id: id })],
    ]

    test.each(attempts)('%s', async (_, attempt) => {
      const by = await clerk()
      const target = await all.person({ roles: ['viewer'] })
      const before = (await all.admin.ask(`GET /api/users/${target.id}`)).body
      expect(await attempt(by, target.id)).toMatchObject(forbidden)
      expect((await all.admin.ask(`GET /api/users/${target.id}`)).body).toEqual(before)
      expect((await all.app.login(target.username, QUICK)).status).toBe(200)
    })

    test.each(attempts)('(but for one who holds no more: %s)', async (_, attempt) => {
      const { id } = await all.person({ permissions: ['users:list'] })
      const by = await all.person({ permissions: CATALOGUE.map(({ name }) => name) })
      expect((await attempt(by, id)).status).toBeLessThan(300)
    })
  })

  test('a role is not deleted if a user who has it holds more than the caller', async () => {
    const by = await clerk()
    const shared = await all.role('users:list')
    const target = await all.person({ roles: ['admin', shared.name] })
    const colleague = await all.role('users:list')
    await all.person({ roles: [colleague.name] })
    expect(await by.ask(`DELETE /api/roles/${shared.id}`)).toMatchObject(forbidden)
    expect(await rolesOf(target.id)).toContain(shared.name)
    expect((await by.ask(`DELETE /api/roles/${colleague.id}`)).status).toBe(204)
  })

  describe('a role', () => {
    test('cannot be created with permissions that the caller lacks', async () => {
      const by = await clerk()
      const make = (...permissions: string[]) => by.ask('POST /api/roles', { name: fresh(), permissions })
      expect(await make('users:list', 'devices:read')).toMatchObject(forbidden)
      expect((await make('users:list')).status).toBe(201)
    })

    test('cannot get permissions that the caller lacks', async () => {
      const { id, name } = await all.role(...CLERK)
      const by = await all.person({ roles: [name] })
      expect(await by.ask(`PUT /api/roles/${id}`, { permissions: [...CLERK, 'devices:read'] })).toMatchObject(forbidden)
      expect((await by.ask('GET /api/devices')).status).toBe(403)
    })

    test.each<[string, string, object | undefined]>([
      ['changed', 'PUT', { permissions: [] }],
      ['renamed', 'PUT', { name: 'harmless' }],
      ['deleted', 'DELETE', undefined],
    ])('that holds more than the caller is not %s', async (_, method, body) => {
      const { id } = await all.role('devices:read', 'users:list')
      expect(await (await clerk()).ask(`${method} /api/roles/${id}`, body)).toMatchObject(forbidden)
    })
  })

  test('a grant needs the present permissions of the caller, and not earlier ones', async () => {
    const by = await all.person({ permissions: [...CLERK, 'devices:read'] })
    const { id } = await all.role('devices:read')
    const grant = () => by.ask('POST /api/users/grant-role', { user_id: by.id, role_id: id })
    expect((await grant()).status).toBe(201)
    await all.admin.ask(`PUT /api/users/${by.id}`, { roles: [] })
    expect(await grant()).toMatchObject(forbidden)
  })
})

const lastAdmin = failure(409, 'LAST_ADMIN')
/** Has every permission, but is not an admin. */
const nearAdmin = (all: People) => all.person({ permissions: CATALOGUE.map(({ name }) => name) })
const removals: [string, (by: Person, id: string) => ReturnType<Person['ask']>][] = [
  ['deleted', (by, id) => by.ask(`DELETE /api/users/${id}`)],
  ['deactivated', (by, id) => by.ask(`PUT /api/users/${id}`, { is_active: false })],
  ['left without roles', (by, id) => by.ask(`PUT /api/users/${id}`, { roles: ['viewer'] })],
  ['stripped of the role', (by, id) => by.ask('POST /api/users/revoke-role', { user_id: id, role_id: 'admin' })],
]

describe.each(onSqlite())('the last admin on %s', (dialect) => {
  const all = people(dialect)
  test.each(removals)('is not %s', async (_, remove) => {
    await all.person({ roles: ['admin'], isActive: false })
    expect(await remove(await nearAdmin(all), all.admin.id)).toMatchObject(lastAdmin)
    expect((await all.admin.ask('GET /api/users')).status).toBe(200)
  })

  test('can still be renamed, and given more roles', async () => {
    const { id } = all.admin
    const body = { full_name: 'Root', roles: ['admin', 'viewer'], is_active: true }
    expect((await all.admin.ask(`PUT /api/users/${id}`, body)).status).toBe(200)
    expect((await all.admin.ask(`PUT /api/users/${id}`, { roles: ['admin'] })).status).toBe(200)
  })

  test.each(removals)('may be %s once there is another', async (_, remove) => {
    const { id } = await all.person({ roles: ['admin'] })
    expect((await remove(all.admin, id)).status).toBeLessThan(300)
  })
})

describe.each(onSqlite().flatMap((dialect) => removals.map((one) => [dialect, ...one] as const)))(
  'on %s, when all admins are %s at one time',
  (dialect, _, remove) => {
    const all = people(dialect)

    test('one stays', async () => {
      const by = await nearAdmin(all)
      const admins = await Promise.all(Array.from({ length: 4 }, () => all.person({ roles: ['admin'] })))
      const answers = await Promise.all([all.admin, ...admins].map(({ id }) => remove(by, id)))
      expect(answers.filter(({ status }) => status >= 300)).toMatchObject([lastAdmin])
      const left = await all.app.db.read
        .selectFrom('grants')
        .innerJoin('users', 'users.id', 'grants.user_id')
        .select('users.id')
        .where('role_id', '=', ADMIN_ROLE_ID)
        .where('is_active', '=', 1)
        .execute()
      expect(left).toHaveLength(1)
    })
  },
)
