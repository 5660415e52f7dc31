// Creating, changing and deleting roles.
import { describe, expect, test } from 'bun:test'
import { failure, missing, refusal } from '../../../testing/estates/inventory.ts'
import { people } from '../../../testing/estates/people.ts'
import { onSqlite } from '../../../testing/servers/servers.ts'
import { User } from '../users/api.ts'
import { Role } from './api.ts'
import { SYSTEM_ROLES } from './catalogue.ts'

const taken = failure(409, 'ALREADY_EXISTS')
const systemRole = failure(400, 'SYSTEM_ROLE')

describe.each(onSqlite())('roles on %s', (dialect) => {
  const all = people(dialect)
  let count = 0
  const name = () => `Made ${++count}`
  const make = async (more: object = {}) =>
    Role.parse((await all.admin.ask('POST /api/roles', { name: name(), ...more })).body)

  test('are created with a name, a description and permissions, sorted and once each', async () => {
    const body = { name: name(), description: 'Looks on', permissions: ['devices:read', 'audit:list', 'devices:read'] }
    const made = await all.admin.ask('POST /api/roles', body)
    expect(made.status).toBe(201)
    const role = Role.strict().parse(made.body)
    const now = all.app.now().toISOString()
    expect(role).toEqual({
      id: role.id,
      name: body.name,
      description: 'Looks on',
      is_system: false,
      permissions: ['audit:list', 'devices:read'],
      created_at: now,
      updated_at: now,
    })
    expect((await all.admin.ask(`GET /api/roles/${role.id}`)).body).toEqual(role)
    expect(Role.array().parse((await all.admin.ask('GET /api/roles')).body)).toContainEqual(role)
  })

  test('have no permissions by default', async () => {
    expect(await make()).toMatchObject({ description: '', permissions: [] })
    expect(await make({ description: null, permissions: null })).toMatchObject({ description: '', permissions: [] })
  })

  test('take webhooks for webhook', async () => {
    expect((await make({ permissions: ['webhooks:list', 'webhook:list'] })).permissions).toEqual(['webhook:list'])
  })

  test.each<[string, object, string[]]>([
    ['no name', { name: undefined }, ['name']],
    ['a blank name', { name: ' ' }, ['name']],
    [
      'unknown permissions',
      { permissions: ['devices:read', '*', 'devices:fly'] },
      ['permissions[1]', 'permissions[2]'],
    ],
    ['a permission that is no text', { permissions: [1] }, ['permissions[0]']],
    ['permissions that are no list', { permissions: 'devices:read' }, ['permissions']],
  ])('refuse %s', async (_, bad, fields) => {
    expect(await all.admin.ask('POST /api/roles', { name: name(), ...bad })).toMatchObject(refusal(...fields))
  })

  test('have names of their own, in any case, system roles too', async () => {
    const { name: known } = await make()
    for (const wanted of [known, known.toUpperCase(), 'Admin']) {
      const answer = await all.admin.ask('POST /api/roles', { name: wanted })
      expect(answer).toMatchObject(taken)
      expect(answer.body).toMatchObject({ details: [{ field: 'name' }] })
    }
    const other = await make()
    expect(await all.admin.ask(`PUT /api/roles/${other.id}`, { name: known })).toMatchObject(taken)
  })

  test('of one name at one time are one', async () => {
    const body = { name: name() }
    const made = await Promise.all(Array.from({ length: 5 }, () => all.admin.ask('POST /api/roles', body)))
    expect(made.map(({ status }) => status).sort()).toEqual([201, 409, 409, 409, 409])
  })

  test('are changed in the named fields only', async () => {
    const before = await make({ description: 'x', permissions: ['devices:read', 'devices:list'] })
    all.app.clock.ms += 1000
    const updated_at = all.app.now().toISOString()
    const put = async (body: object) => (await all.admin.ask(`PUT /api/roles/${before.id}`, body)).body
    expect(await put({ description: '' })).toEqual({ ...before, description: '', updated_at })
    expect(await put({ permissions: ['audit:list'] })).toMatchObject({ permissions: ['audit:list'], name: before.name })
    expect(await put({ permissions: [] })).toMatchObject({ permissions: [] })
    expect(await put({ ...before, name: before.name.toUpperCase() })).toEqual({
      ...before,
      name: before.name.toUpperCase(),
      updated_at,
    })
  })

  test('that change in nothing stay as they are', async () => {
    const before = await make({ permissions: ['devices:read', 'audit:list'] })
    all.app.clock.ms += 1000
    const { body } = await all.admin.ask(`PUT /api/roles/${before.id}`, { permissions: ['devices:read', 'audit:list'] })
    expect(body).toEqual(before)
  })

  test('take effect at once for everyone who has them', async () => {
    const { id, name: role } = await make({ permissions: ['devices:list'] })
    const { ask } = await all.person({ roles: [role] })
    const status = async () => (await ask('GET /api/devices')).status
    expect(await status()).toBe(200)
    await all.admin.ask(`PUT /api/roles/${id}`, { permissions: ['audit:list'] })
    expect(await status()).toBe(403)
  })

  test('that are deleted are taken from everyone', async () => {
    const { id, name: role } = await make({ permissions: ['devices:list'] })
    const person = await all.person({ roles: [role, 'viewer'] })
    all.app.clock.ms += 1000
    expect((await all.admin.ask(`DELETE /api/roles/${id}`)).status).toBe(204)
    expect(await all.admin.ask(`GET /api/roles/${id}`)).toMatchObject(missing)
    expect(User.parse((await all.admin.ask(`GET /api/users/${person.id}`)).body)).toMatchObject({
      roles: ['viewer'],
      updated_at: all.app.now().toISOString(),
    })
    expect((await person.ask('GET /api/auth/me')).status).toBe(200)
  })

  test('that are deleted while they are granted are granted or refused', async () => {
    const { id } = await make()
    const { id: user_id } = await all.person()
    const [granted, deleted] = await Promise.all([
      all.admin.ask('POST /api/users/grant-role', { user_id, role_id: id }),
      all.admin.ask(`DELETE /api/roles/${id}`),
    ])
    expect([201, 400]).toContain(granted.status)
    expect(deleted.status).toBe(204)
    expect((await all.admin.ask(`GET /api/users/${user_id}`)).body).toMatchObject({ roles: [] })
  })

  test.each(SYSTEM_ROLES.map(({ id }) => id))('%s stays as it is', async (id) => {
    const path = `/api/roles/${id}`
    const before = (await all.admin.ask(`GET ${path}`)).body
    for (const body of [{}, { name: 'x' }, { description: 'x' }, { permissions: [] }, before])
      expect(await all.admin.ask(`PUT ${path}`, body)).toMatchObject(systemRole)
    expect(await all.admin.ask(`DELETE ${path}`)).toMatchObject(systemRole)
    expect((await all.admin.ask(`GET ${path}`)).body).toEqual(before)
  })
})
