// A caller who holds permissions in a scope hands them out there and nowhere else.
import { beforeAll, describe, expect, test } from 'bun:test'
import { type Person, people } from '../../../testing/estates/people.ts'
import { onSqlite } from '../../../testing/servers/servers.ts'

describe.each(onSqlite())('delegation in a scope on %s', (dialect) => {
  const all = people(dialect)
  let lead: Person
  let ams: string
  let fra: string
  const created = async (who: Person, path: string, body: object): Promise<string> => {
    const { status, body: answer } = await who.ask(`POST /api/${path}`, body)
    expect([path, status]).toEqual([path, 201])
    return (answer as { id: string }).id
  }
  const missing = (names: RegExp) => ({ status: 403, body: { error: expect.stringMatching(names) } })

  beforeAll(async () => {
    ams = await created(all.admin, 'scopes', { name: 'ams', tags: ['ams'] })
    fra = await created(all.admin, 'scopes', { name: 'fra', tags: ['fra'] })
    const manages = ['users', 'groups', 'scopes'].flatMap((resource) =>
      ['list', 'read', 'create', 'update', 'delete'].map((action) => `${resource}:${action}`),
    )
    lead = await all.person({ permissions: [...manages, 'apikeys:list', 'apikeys:read', 'apikeys:delete'] })
    await created(all.admin, 'grants', { role_id: 'operator', user_id: lead.id, scope_id: ams })
  }, 60_000)

  test('a role is granted in the same scope, and not in another, everywhere, or with more', async () => {
    const { id: user_id } = await all.person()
    const grant = (role_id: string, scope_id: string | null) =>
      lead.ask('POST /api/grants', { role_id, user_id, scope_id })
    const granted = await grant('operator', ams)
    expect(granted).toMatchObject({ status: 201, body: { scope_id: ams } })
    expect(await grant('viewer', ams)).toMatchObject({ status: 201 })
    expect(await grant('viewer', fra)).toMatchObject(missing(/lack: cables:list/))
    expect(await grant('viewer', null)).toMatchObject(missing(/lack: cables:list/))
    // Permissions that count nowhere in a scope are not handed out by it.
    expect(await grant('admin', ams)).toMatchObject(missing(/lack: cables:delete, conflicts:delete/))
    const { id } = granted.body as { id: string }
    expect(await lead.ask(`DELETE /api/grants/${id}`)).toMatchObject({ status: 204 })
  })

  test('the holders of no more are managed, and others are not', async () => {
    const own = await all.person()
    await created(all.admin, 'grants', { role_id: 'viewer', user_id: own.id, scope_id: ams })
    const other = await all.person()
    await created(all.admin, 'grants', { role_id: 'viewer', user_id: other.id, scope_id: fra })
    expect(await lead.ask(`PUT /api/users/${own.id}`, { full_name: 'Own' })).toMatchObject({ status: 200 })
    expect(await lead.ask(`PUT /api/users/${other.id}`, { full_name: 'Other' })).toMatchObject(
      missing(/lack: cables:list/),
    )
    const { body } = await lead.ask('GET /api/keys')
    const owners = new Set((body as { user_id: string }[]).map(({ user_id }) => user_id))
    expect([owners.has(own.id), owners.has(other.id), owners.has(all.admin.id)]).toEqual([true, false, false])
  })

  test('members are added to groups that hold no more', async () => {
    const { id: user_id } = await all.person()
    const group = async (name: string, role_id: string, scope_id: string) => {
      const id = await created(all.admin, 'groups', { name })
      await created(all.admin, 'grants', { role_id, group_id: id, scope_id })
      return lead.ask(`POST /api/groups/${id}/members`, { user_id })
    }
    expect(await group('ams', 'operator', ams)).toMatchObject({ status: 201 })
    expect(await group('fra', 'viewer', fra)).toMatchObject(missing(/lack: cables:list/))
    expect(await group('ams admins', 'admin', ams)).toMatchObject(missing(/lack: cables:delete/))
  })

  test('a caller does not widen the scope in which the own permissions count', async () => {
    expect(await lead.ask(`PUT /api/scopes/${ams}`, { tags: ['ams', 'fra'] })).toMatchObject(
      missing(/lack: cables:create, cables:delete/),
    )
    expect(await all.admin.ask(`PUT /api/scopes/${ams}`, { tags: ['ams', 'more'] })).toMatchObject({ status: 200 })
  })
})
