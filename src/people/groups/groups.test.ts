// Groups give their members roles and take them away again. A caller hands out only held permissions by a group.
import { describe, expect, test } from 'bun:test'
import { failure } from '../../../testing/estates/inventory.ts'
import { answerOf, type People, type Person, people } from '../../../testing/estates/people.ts'
import { onSqlite } from '../../../testing/servers/servers.ts'
import { CATALOGUE } from '../roles/catalogue.ts'

const CLERK = ['users:list', 'users:read', 'users:update', 'groups:list', 'groups:read', 'groups:create'].concat([
  'groups:update',
  'groups:delete',
])
const forbidden = failure(403, 'FORBIDDEN')

type Named = { readonly id: string; readonly name: string }

describe.each(onSqlite())('groups on %s', (dialect) => {
  const all: People = people(dialect)
  let count = 0
  const group = async (by: Person = all.admin): Promise<Named> => {
    const { status, body } = await by.ask('POST /api/groups', { name: `Group ${dialect} ${++count}` })
    expect(status).toBe(201)
    return body as Named
  }
  const add = ({ id }: Named, user_id: string, by: Person = all.admin) =>
    by.ask(`POST /api/groups/${id}/members`, { user_id })
  const grant = (to: object, role_id: string, by: Person = all.admin) => by.ask('POST /api/grants', { role_id, ...to })
  const grantId = async (to: object, role: string): Promise<string> =>
    ((await grant(to, role)).body as { id: string }).id
  const mayList = async (person: Person, noun = 'devices') => (await person.ask(`GET /api/${noun}`)).status === 200

  test('a member has the roles of the group at once, and loses them with each way out', async () => {
    const [netops, ada] = [await group(), await all.person()]
    expect(await mayList(ada)).toBe(false)
    expect(await add(netops, ada.id)).toMatchObject({ status: 201, body: { status: 'added' } })
    expect(await mayList(ada)).toBe(false)
    const first = await grantId({ group_id: netops.id }, 'viewer')
    expect(await mayList(ada)).toBe(true)

    await all.admin.ask(`DELETE /api/grants/${first}`)
    expect(await mayList(ada)).toBe(false)
    await grant({ group_id: netops.id }, 'viewer')
    expect((await all.admin.ask(`DELETE /api/groups/${netops.id}/members/${ada.id}`)).status).toBe(204)
    expect(await mayList(ada)).toBe(false)
    await add(netops, ada.id)
    expect(await mayList(ada)).toBe(true)
    expect((await all.admin.ask(`DELETE /api/groups/${netops.id}`)).status).toBe(204)
    expect(await mayList(ada)).toBe(false)
    expect(await all.admin.ask(`GET /api/grants?user_id=${ada.id}&effective=true`)).toMatchObject({ body: [] })
  })

  test('a role of a group is no role of the user itself', async () => {
    const [netops, ada] = [await group(), await all.person({ roles: ['operator'] })]
    await add(netops, ada.id)
    const { body } = await grant({ group_id: netops.id }, 'viewer')
    expect(body).toMatchObject({ role: 'viewer', group: netops.name, user_id: null, username: null })
    expect((await all.admin.ask(`GET /api/users/${ada.id}`)).body).toMatchObject({ roles: ['operator'] })
    const listed = async (query: string) =>
      ((await all.admin.ask(`GET /api/grants?${query}`)).body as { role: string }[]).map(({ role }) => role)
    expect(await listed(`user_id=${ada.id}`)).toEqual(['operator'])
    expect(await listed(`user_id=${ada.id}&effective=true`)).toEqual(['operator', 'viewer'])
    expect(await listed(`group_id=${netops.id}`)).toEqual(['viewer'])
    const { body: permissions } = await all.admin.ask(`GET /api/users/${ada.id}/permissions`)
    expect((permissions as Named[]).map(({ name }) => name)).toContain('devices:create')
  })

  test('grants by a group and in a scope are shown to the user, and the permissions of a user name their scopes', async () => {
    const [netops, ada] = [await group(), await all.person({ permissions: ['pools:list'] })]
    const me = async (key = ada.key) => {
      const { body } = await answerOf(await all.app.send('GET /api/auth/me', { key }))
      return body as { grants?: { role: string; group_id: string | null; scope_id: string | null }[] }
    }
    expect(await me()).not.toHaveProperty('grants')
    const groupsOf = async () => (await all.admin.ask(`GET /api/groups?user_id=${ada.id}`)).body
    expect(await groupsOf()).toEqual([])

    const { body: scope } = await all.admin.ask('POST /api/scopes', { name: `Scope ${dialect} ${++count}` })
    const scope_id = (scope as Named).id
    await add(netops, ada.id)
    await grant({ group_id: netops.id, scope_id }, 'admin')
    expect(await groupsOf()).toMatchObject([{ id: netops.id, member_count: 1 }])
    expect((await me()).grants).toMatchObject([
      { role: 'admin', group_id: netops.id, scope_id },
      { group_id: null, user_id: ada.id, scope_id: null },
    ])
    const { body: held } = await all.admin.ask(`GET /api/users/${ada.id}/permissions`)
    const scopesOf = new Map((held as { name: string; scope_ids: unknown }[]).map((one) => [one.name, one.scope_ids]))
    expect(scopesOf.get('pools:list')).toBeNull()
    expect(scopesOf.get('devices:list')).toEqual([scope_id])
    // It counts everywhere or not at all.
    expect(scopesOf.has('users:delete')).toBe(false)

    const { body: narrow } = await ada.ask('POST /api/keys', { name: 'narrow', permissions: ['devices:list'] })
    expect(await me((narrow as { key: string }).key)).not.toHaveProperty('grants')
  })

  test('a grant to a user is the role that grant-role gives, and the same again has the same id', async () => {
    const ada = await all.person()
    const id = await grantId({ user_id: ada.id }, 'viewer')
    expect((await grant({ user_id: ada.id }, 'role-viewer')).status).toBe(201)
    expect(await grantId({ user_id: ada.id }, 'role-viewer')).toBe(id)
    await all.admin.ask('POST /api/users/grant-role', { user_id: ada.id, role_id: 'operator' })
    const listed = await all.admin.ask(`GET /api/grants?user_id=${ada.id}`)
    expect(listed.body).toMatchObject([{ role: 'operator' }, { id, role: 'viewer', username: ada.username }])
    await all.admin.ask(`DELETE /api/grants/${id}`)
    expect((await all.admin.ask(`GET /api/users/${ada.id}`)).body).toMatchObject({ roles: ['operator'] })
  })

  test('what is wrong is named', async () => {
    const [netops, ada] = [await group(), await all.person()]
    const field = (name: string) => ({ status: 400, body: { details: [{ field: name }] } })
    expect(await grant({}, 'viewer')).toMatchObject(field('user_id'))
    expect(await grant({ user_id: ada.id, group_id: netops.id }, 'viewer')).toMatchObject(field('user_id'))
    expect(await grant({ user_id: 'none' }, 'viewer')).toMatchObject(field('user_id'))
    expect(await grant({ group_id: 'none' }, 'viewer')).toMatchObject(field('group_id'))
    expect(await grant({ group_id: netops.id }, 'none')).toMatchObject(field('role_id'))
    expect(await add(netops, 'none')).toMatchObject(field('user_id'))
    expect(await add({ id: 'none', name: '' }, ada.id)).toMatchObject(failure(404, 'NOT_FOUND'))
    expect(await all.admin.ask('GET /api/grants?effective=true')).toMatchObject(field('effective'))
    expect(await all.admin.ask('POST /api/groups', { name: netops.name.toUpperCase() })).toMatchObject(
      failure(409, 'ALREADY_EXISTS'),
    )
    expect(await all.admin.ask('DELETE /api/grants/none')).toMatchObject(failure(404, 'NOT_FOUND'))
  })

  test('members are counted once, with each source', async () => {
    const [netops, ada] = [await group(), await all.person()]
    await add(netops, ada.id)
    await add(netops, ada.id)
    const member = { group_id: netops.id, user_id: ada.id, source: 'provider-1' }
    await all.app.db.write((tx) => tx.db.insertInto('group_members').values(member).execute())
    expect((await all.admin.ask(`GET /api/groups/${netops.id}`)).body).toMatchObject({ member_count: 1 })
    expect((await all.admin.ask(`GET /api/groups/${netops.id}/members`)).body).toEqual([
      { user_id: ada.id, username: ada.username, sources: ['manual', 'provider-1'] },
    ])
    await all.admin.ask(`DELETE /api/groups/${netops.id}/members/${ada.id}`)
    expect((await all.admin.ask(`GET /api/groups/${netops.id}`)).body).toMatchObject({ member_count: 0 })
  })

  test('a clerk hands out nothing by a group that the clerk does not hold', async () => {
    const by = await all.person({ permissions: CLERK })
    const own = await group(by)
    expect(await grant({ group_id: own.id }, 'viewer', by)).toMatchObject(forbidden)
    const { id: small } = await all.role('users:list')
    expect((await grant({ group_id: own.id }, small, by)).status).toBe(201)
    const strong = await group()
    const strongGrant = await grantId({ group_id: strong.id }, 'viewer')
    const ada = await all.person()
    for (const attempt of [
      () => add(strong, ada.id, by),
      () => add(strong, by.id, by),
      () => by.ask(`DELETE /api/groups/${strong.id}`),
      () => by.ask(`DELETE /api/grants/${strongGrant}`),
      async () => add(own, (await all.person({ roles: ['viewer'] })).id, by),
      () => grant({ user_id: all.admin.id }, small, by),
    ])
      expect(await attempt()).toMatchObject(forbidden)
    await add(strong, ada.id)
    // The group gives the user more than the clerk holds.
    expect(await by.ask(`PUT /api/users/${ada.id}`, { email: 'me@example.org' })).toMatchObject(forbidden)
    expect(await by.ask(`DELETE /api/groups/${strong.id}/members/${ada.id}`)).toMatchObject(forbidden)
    expect(await mayList(by)).toBe(false)
  })

  test('keys that another user has made for a member end when the group gives a role', async () => {
    const [netops, ada] = [await group(), await all.person()]
    await all.admin.ask('POST /api/keys', { name: 'made by root', user_id: ada.id })
    const keys = async () => ((await all.admin.ask(`GET /api/keys?user_id=${ada.id}`)).body as Named[]).length
    const before = await keys()
    await add(netops, ada.id)
    await all.admin.ask('POST /api/keys', { name: 'again', user_id: ada.id })
    expect(await keys()).toBe(before)
    await grant({ group_id: netops.id }, 'viewer')
    expect(await keys()).toBe(before - 1)
  })
})

describe.each(onSqlite())('the last admin on %s', (dialect) => {
  const all = people(dialect)

  test('the last admin may be an admin by only a group, and stays', async () => {
    const lastAdmin = failure(409, 'LAST_ADMIN')
    const admins = (await all.admin.ask('POST /api/groups', { name: 'admins' })).body as Named
    const ada = await all.person()
    await all.admin.ask(`POST /api/groups/${admins.id}/members`, { user_id: ada.id })
    const grant = (await all.admin.ask('POST /api/grants', { role_id: 'admin', group_id: admins.id })).body as Named
    expect((await ada.ask(`PUT /api/users/${all.admin.id}`, { roles: [] })).status).toBe(200)
    for (const http of [
      `DELETE /api/grants/${grant.id}`,
      `DELETE /api/groups/${admins.id}`,
      `DELETE /api/groups/${admins.id}/members/${ada.id}`,
    ])
      expect([http, await ada.ask(http)]).toMatchObject([http, lastAdmin])
    expect(await ada.ask(`PUT /api/users/${ada.id}`, { is_active: false })).toMatchObject(lastAdmin)
    expect((await ada.ask('GET /api/users')).status).toBe(200)
  })

  test('is not lost when several groups of admins are deleted at once', async () => {
    const boss = await all.person({ roles: ['admin'] })
    const ids = await Promise.all(
      Array.from({ length: 4 }, async (_, i) => {
        const { id } = (await boss.ask('POST /api/groups', { name: `admins ${i}` })).body as Named
        await boss.ask(`POST /api/groups/${id}/members`, { user_id: (await all.person()).id })
        await boss.ask('POST /api/grants', { role_id: 'admin', group_id: id })
        return id
      }),
    )
    // Has all permissions, and is no admin.
    const first = ((await boss.ask('GET /api/groups?name=admins')).body as Named[]).find(
      ({ name }) => name === 'admins',
    )
    await boss.ask(`DELETE /api/groups/${first?.id}`)
    const clerk = await all.person({ permissions: CATALOGUE.map(({ name }) => name) })
    expect((await clerk.ask(`PUT /api/users/${boss.id}`, { roles: [] })).status).toBe(200)
    const answers = await Promise.all(ids.map((id) => clerk.ask(`DELETE /api/groups/${id}`)))
    expect(answers.map(({ status }) => status).sort()).toEqual([204, 204, 204, 409])
  })
})
