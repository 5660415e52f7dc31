import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { createRole, createUser, keyFor } from '../../../testing/estates/identities.ts'
import { onSqlite } from '../../../testing/servers/servers.ts'
import { type SignInApp, signInApp } from '../../../testing/sign-in/sign-in.ts'
import { roles as contract } from './api.ts'
import { CATALOGUE, findSystemRole } from './catalogue.ts'

describe.each(onSqlite())('roles on %s', (dialect) => {
  let app: SignInApp
  let admin: string
  let viewer: string

  beforeAll(async () => {
    app = await signInApp(dialect)
    await createRole(app.db, { name: 'Auditor', permissions: ['devices:read', 'audit:list'] })
    admin = await keyFor(app.db, (await createUser(app.db, { username: 'ada', roles: ['admin'] })).id)
    viewer = await keyFor(app.db, (await createUser(app.db, { username: 'vic', roles: ['viewer'] })).id)
  })
  afterAll(() => app.close())

  const list = async (query = '') =>
    contract.list.output.parse(await (await app.send(`GET /api/roles${query}`, { key: admin })).json())

  test('lists system and custom roles by name, with their permissions', async () => {
    const roles = await list()
    expect(roles.map(({ name, is_system }) => [name, is_system])).toEqual([
      ['admin', true],
      ['Auditor', false],
      ['operator', true],
      ['viewer', true],
    ])
    expect(roles[0]?.permissions).toHaveLength(CATALOGUE.length)
    expect(roles[1]?.permissions).toEqual(['audit:list', 'devices:read'])
    expect(roles[3]).toEqual({
      id: 'role-viewer',
      name: 'viewer',
      description: 'Reads everything but accounts and audit',
      is_system: true,
      permissions: [...(findSystemRole('role-viewer')?.permissions ?? [])],
      created_at: '2026-01-01T00:00:00.000Z',
      updated_at: '2026-01-01T00:00:00.000Z',
    })
  })

  test('finds roles by a part of the name', async () => {
    expect(await list('?name=AUDI')).toMatchObject([{ name: 'Auditor' }])
  })

  test('everyone who is signed in may see the catalog of permissions', async () => {
    const response = await app.send('GET /api/permissions', { key: viewer })
    expect(response.status).toBe(200)
    const permissions = await response.json()
    expect(permissions).toEqual(CATALOGUE)
    expect(permissions).toContainEqual({
      name: 'webhook:list',
      resource: 'webhook',
      action: 'list',
      description: 'List webhooks and their deliveries',
    })
  })
})
