// Policies name the changes that need approvals. A scope or group that a policy names exists, and stays while it does.
import { describe, expect, test } from 'bun:test'
import { failure } from '../../../testing/estates/inventory.ts'
import { type People, people } from '../../../testing/estates/people.ts'
import { onSqlite } from '../../../testing/servers/servers.ts'
import { MAX_POLICIES } from './api.ts'

type Made = { readonly id: string; readonly name: string }

describe.each(onSqlite())('policies on %s', (dialect) => {
  const all: People = people(dialect)
  let count = 0
  const send = (fields: object = {}) => all.admin.ask('POST /api/policies', { name: `Policy ${++count}`, ...fields })
  const make = async (fields: object = {}): Promise<Made> => {
    const { status, body } = await send(fields)
    expect(status).toBe(201)
    // The answer of the route.
    return body as Made
  }
  const makeOther = async (noun: 'groups' | 'scopes'): Promise<Made> =>
    // The answer of the route.
    (await all.admin.ask(`POST /api/${noun}`, { name: `Named ${++count}` })).body as Made

  test('a new policy asks for one approval of all changes, and protects nothing', async () => {
    const { body } = await send({ name: 'Two people' })
    expect(body).toMatchObject({
      ...{ name: 'Two people', description: '', enabled: true, permissions: [], scope_id: null, min_objects: 1 },
      ...{ approvals: 1, group_id: null, checks: [], protect: false },
    })
  })

  test('the answer of an update has the new fields, and one without differences changes nothing', async () => {
    const { id } = await make()
    const fields = {
      permissions: ['devices:update', 'discovery:update', 'dns:create'],
      min_objects: 20,
      checks: ['ci'],
      protect: true,
    }
    const { body } = await all.admin.ask(`PUT /api/policies/${id}`, fields)
    expect(body).toMatchObject(fields)
    expect((await all.admin.ask(`PUT /api/policies/${id}`, fields)).body).toEqual(body)
    expect((await all.admin.ask(`GET /api/policies/${id}`)).body).toEqual(body)
  })

  test('a name in another case is taken', async () => {
    const { name, id } = await make()
    expect(await send({ name: name.toUpperCase() })).toMatchObject(failure(409, 'ALREADY_EXISTS'))
    const { status } = await all.admin.ask(`PUT /api/policies/${id}`, { name: name.toUpperCase() })
    expect(status).toBe(200)
  })

  test.each([
    ['permissions[1]', { permissions: ['devices:update', 'users:update'] }],
    ['permissions[0]', { permissions: ['devices:read'] }],
    ['min_objects', { min_objects: 0 }],
    ['min_objects', { min_objects: 10_001 }],
    ['approvals', { approvals: 11 }],
    ['approvals', { approvals: 0 }],
    ['checks', { checks: Array.from({ length: 21 }, (_, i) => `check-${i}`) }],
    ['checks[0]', { checks: ['Not a name'] }],
    ['scope_id', { scope_id: 'nothing' }],
    ['group_id', { group_id: 'nothing' }],
  ])('a bad value of %s is refused by its name: %j', async (field, fields) => {
    expect(await send(fields)).toMatchObject({
      status: 400,
      body: { code: 'VALIDATION_ERROR', details: [{ field }] },
    })
  })

  test('no approvals are enough for a policy with checks, until it has none', async () => {
    const { id } = await make({ approvals: 0, checks: ['ci'] })
    const { status, body } = await all.admin.ask(`PUT /api/policies/${id}`, { checks: [] })
    expect({ status, body }).toMatchObject({ status: 400, body: { details: [{ field: 'approvals' }] } })
  })

  test.each(['groups', 'scopes'] as const)('one of the %s is not deleted while a policy names it', async (noun) => {
    const named = await makeOther(noun)
    const policy = await make({ [noun === 'groups' ? 'group_id' : 'scope_id']: named.id })
    const refused = await all.admin.ask(`DELETE /api/${noun}/${named.id}`)
    expect(refused).toMatchObject({ status: 409, body: { code: 'IN_USE' } })
    expect(JSON.stringify(refused.body)).toContain(policy.name)
    expect((await all.admin.ask(`DELETE /api/policies/${policy.id}`)).status).toBe(204)
    expect((await all.admin.ask(`DELETE /api/${noun}/${named.id}`)).status).toBe(204)
  })

  test('the refusal names no policy to a caller who may not list them', async () => {
    const scope = await makeOther('scopes')
    const policy = await make({ scope_id: scope.id })
    const clerk = await all.person({ permissions: ['scopes:delete', 'scopes:read'] })
    const { status, body } = await clerk.ask(`DELETE /api/scopes/${scope.id}`)
    expect(status).toBe(409)
    expect(JSON.stringify(body)).not.toContain(policy.name)
  })

  test('an approver has no permission to change policies', async () => {
    const { id } = await make()
    const approver = await all.person({ permissions: ['proposals:approve', 'policies:read'] })
    expect((await approver.ask(`GET /api/policies/${id}`)).status).toBe(200)
    expect(await approver.ask(`PUT /api/policies/${id}`, { enabled: false })).toMatchObject(failure(403, 'FORBIDDEN'))
    expect(await approver.ask(`DELETE /api/policies/${id}`)).toMatchObject(failure(403, 'FORBIDDEN'))
  })

  test('an update with the ETag of an earlier state is refused', async () => {
    const { id } = await make()
    const etag = (await all.admin.ask(`GET /api/policies/${id}`)).headers.get('etag') ?? ''
    expect((await all.admin.ask(`PUT /api/policies/${id}`, { approvals: 2 }, { 'If-Match': etag })).status).toBe(200)
    expect(await all.admin.ask(`PUT /api/policies/${id}`, { approvals: 3 }, { 'If-Match': etag })).toMatchObject(
      failure(412, 'PRECONDITION_FAILED'),
    )
  })

  test('lists are by name, and can be filtered by a part of it', async () => {
    for (const name of ['zebra 2', 'Zebra 1']) await make({ name })
    const { body, headers } = await all.admin.ask('GET /api/policies?name=zebra')
    // The answer of the route.
    expect((body as Made[]).map(({ name }) => name)).toEqual(['Zebra 1', 'zebra 2'])
    expect(headers.get('x-total-count')).toBe('2')
  })

  test('there are at most 100 policies', async () => {
    // The answer of the route.
    const { length } = (await all.admin.ask('GET /api/policies')).body as Made[]
    for (let i = length; i < MAX_POLICIES; i++) await make()
    expect(await send()).toMatchObject(failure(409, 'LIMIT_REACHED'))
  })
})
