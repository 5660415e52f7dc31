// Lists of users, their permissions, and the granting of roles.
import { describe, expect, test } from 'bun:test'
import { refusal } from '../../../testing/estates/inventory.ts'
import { people, QUICK } from '../../../testing/estates/people.ts'
import { onSqlite } from '../../../testing/servers/servers.ts'
import { CATALOGUE, findSystemRole } from '../roles/catalogue.ts'
import { User } from './api.ts'

describe.each(onSqlite())('users and their roles on %s', (dialect) => {
  const all = people(dialect)
  let count = 0
  const name = () => `made-${++count}`
  const draft = () => ({ username: name(), password: QUICK })
  const make = async (more: object = {}) =>
    User.parse((await all.admin.ask('POST /api/users', { ...draft(), ...more })).body)

  describe('the list', () => {
    test('is by name in any case, with the roles', async () => {
      await all.person({ username: 'Zoe', roles: ['viewer', 'operator'] })
      await all.person({ username: 'abe' })
      const list = User.array().parse((await all.admin.ask('GET /api/users')).body)
      const names = list.map(({ username }) => username.toLowerCase())
      expect(names).toEqual(names.toSorted())
      expect(list.find(({ username }) => username === 'Zoe')?.roles).toEqual(['operator', 'viewer'])
    })

    test('is filtered by a part of the name, and by activity', async () => {
      const { id } = await all.person({ username: 'Filter-Me', isActive: false })
      const ids = async (query: string) =>
        User.array()
          .parse((await all.admin.ask(`GET /api/users?${query}`)).body)
          .map((user) => user.id)
      expect(await ids('username=FILTER-')).toEqual([id])
      expect(await ids('username=filter-&is_active=true')).toEqual([])
      expect(await ids('is_active=false')).toContain(id)
    })

    test('has another ETag once a role has another name', async () => {
      const { id, name: old } = await all.role()
      await make({ roles: [old] })
      const etag = (await all.admin.ask('GET /api/users')).headers.get('etag') ?? ''
      const again = async () => (await all.admin.ask('GET /api/users', undefined, { 'If-None-Match': etag })).status
      expect(await again()).toBe(304)
      await all.admin.ask(`PUT /api/roles/${id}`, { name: `${old} again` })
      expect(await again()).toBe(200)
    })
  })

  describe('the permissions of a user', () => {
    const held = async (id: string) => (await all.admin.ask(`GET /api/users/${id}/permissions`)).body

    test('are the union of all roles, in the order of the catalog', async () => {
      const { id } = await all.person({ roles: ['viewer'], permissions: ['audit:list', 'devices:read'] })
      const names = new Set<string>([...(findSystemRole('role-viewer')?.permissions ?? []), 'audit:list'])
      const everywhere = CATALOGUE.filter((one) => names.has(one.name)).map((one) => ({ ...one, scope_ids: null }))
      expect(await held(id)).toEqual(everywhere)
    })

    test('are none without a role', async () => {
      expect(await held((await all.person()).id)).toEqual([])
    })
  })

  describe('granting and revoking a role', () => {
    const grant = (user_id: unknown, role_id: unknown) =>
      all.admin.ask('POST /api/users/grant-role', { user_id, role_id })
    const revoke = (user_id: unknown, role_id: unknown) =>
      all.admin.ask('POST /api/users/revoke-role', { user_id, role_id })
    const rolesOf = async (id: string) => User.parse((await all.admin.ask(`GET /api/users/${id}`)).body).roles

    test.each(['viewer', 'Viewer', 'role-viewer'])('goes by %p', async (role) => {
      const { id } = await make({ roles: ['operator'] })
      const answer = await grant(id, role)
      expect([answer.status, answer.body]).toEqual([201, { status: 'granted' }])
      expect(await rolesOf(id)).toEqual(['operator', 'viewer'])
      expect((await revoke(id, role)).status).toBe(204)
      expect(await rolesOf(id)).toEqual(['operator'])
    })

    test('takes effect at once', async () => {
      const { id, ask } = await all.person()
      const status = async () => (await ask('GET /api/devices')).status
      expect(await status()).toBe(403)
      await grant(id, 'viewer')
      expect(await status()).toBe(200)
      await revoke(id, 'viewer')
      expect(await status()).toBe(403)
    })

    test('twice changes nothing', async () => {
      const before = await make({ roles: ['viewer'] })
      all.app.clock.ms += 1000
      expect((await grant(before.id, 'viewer')).status).toBe(201)
      expect((await revoke(before.id, 'operator')).status).toBe(204)
      expect((await all.admin.ask(`GET /api/users/${before.id}`)).body).toEqual(before)
    })

    test('names the unknown user or role', async () => {
      for (const change of [grant, revoke]) {
        expect(await change('x', 'y')).toMatchObject(refusal('user_id', 'role_id'))
        expect(await change(all.admin.id, '\u0000')).toMatchObject(refusal('role_id'))
        expect(await change(undefined, undefined)).toMatchObject(refusal('user_id', 'role_id'))
      }
    })

    test('at one time is granted once', async () => {
      const { id } = await make()
      const answers = await Promise.all(Array.from({ length: 5 }, () => grant(id, 'viewer')))
      expect(answers.map(({ status }) => status)).toEqual([201, 201, 201, 201, 201])
      expect(await rolesOf(id)).toEqual(['viewer'])
    })
  })
})
