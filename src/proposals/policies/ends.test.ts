// Some permissions end what a protecting policy holds. The audit trail has each such end, and approvers have none of these permissions.
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { type TestApp, type TestCaller, testApp } from '../../../testing/app/app.ts'
import { ask } from '../../../testing/estates/inventory.ts'
import { onSqlite } from '../../../testing/servers/servers.ts'
import { migrations } from '../../database/migrations/index.ts'
import type { Permission } from '../../kernel/operation.ts'

type Made = { readonly id: string }
type Guarded = { readonly policy: string; readonly scope: string; readonly group: string; readonly device: string }
type End = (guarded: Guarded) => readonly [string, object?]

const ENDS: readonly (readonly [Permission, string, End])[] = [
  ['policies:update', 'policy', ({ policy }) => [`PUT /api/policies/${policy}`, { enabled: false }]],
  ['policies:delete', 'policy', ({ policy }) => [`DELETE /api/policies/${policy}`]],
  ['scopes:update', 'scope', ({ scope }) => [`PUT /api/scopes/${scope}`, { tags: ['other'] }]],
]
const MEMBERS: (typeof ENDS)[number] = [
  'groups:update',
  'group',
  ({ group }) => [`POST /api/groups/${group}/members`, { user_id: 'any' }],
]

describe.each(onSqlite())('the end of protection on %s', (dialect) => {
  let app: TestApp
  let admin: TestCaller
  let count = 0
  beforeAll(async () => {
    app = await testApp({ dialect, withJobs: false, env: { AUDIT_ENABLED: 'true' } })
    admin = await app.as('admin')
  })
  afterAll(() => app.close())

  const make = async (noun: string, body: object): Promise<string> => {
    const { status, body: made } = await ask(admin, `POST /api/${noun}`, { name: `Made ${++count}`, ...body })
    expect(status).toBe(201)
    // The answer of the route.
    return (made as unknown as Made).id
  }
  /** Protects a device by a policy with a scope and a group. */
  const guard = async (): Promise<Guarded> => {
    const tag = `tag-${++count}`
    const [scope, group] = [await make('scopes', { tags: [tag] }), await make('groups', {})]
    const device = await make('devices', { tags: [tag] })
    const policy = await make('policies', { protect: true, scope_id: scope, group_id: group })
    return { policy, scope, group, device }
  }
  const change = async ({ device }: Guarded): Promise<number> =>
    (await ask(admin, `PUT /api/devices/${device}`, { os: `System ${++count}` })).status

  test.each(ENDS)(
    'a user with %s ends it, and the audit trail has the change of the %s',
    async (permission, resource, end) => {
      const guarded = await guard()
      expect(await change(guarded)).toBe(403)
      const user = await app.as([permission])
      const [http, body] = end(guarded)
      expect((await ask(user, http, body)).status).toBeLessThan(300)
      const [entry] = await admin.api.audit.list({ resource, limit: 1 })
      expect(entry).toMatchObject({ status: 'success', key_owner_id: user.userId })
      expect(await change(guarded)).toBe(200)
    },
  )

  test.each([...ENDS, MEMBERS])('an operator, who approves, has no %s', async (_permission, _resource, end) => {
    const guarded = await guard()
    const operator = await app.as('operator')
    const [http, body] = end(guarded)
    expect((await ask(operator, http, body)).status).toBe(403)
    expect(await change(guarded)).toBe(403)
  })

  test('a user with groups:update decides who is in the group of a policy', async () => {
    const guarded = await guard()
    const query = `PUT /api/devices/${guarded.device}?proposal=open`
    expect((await ask(admin, query, { os: 'proposed' })).status).toBe(202)
    const [proposal] = await admin.api.proposals.list({ limit: 1 })
    const rights = ['devices:read', 'devices:update', 'proposals:read', 'proposals:approve'] as const
    const approver = await app.as([...rights])
    const merge = () => ask(approver, `POST /api/proposals/${proposal?.number}/merge`, {})
    expect(await merge()).toMatchObject({ status: 403, body: { code: 'APPROVAL_REQUIRED' } })
    const user = await app.as([...rights, 'groups:update'])
    const joined = await ask(user, `POST /api/groups/${guarded.group}/members`, { user_id: approver.userId })
    expect(joined.status).toBeLessThan(300)
    expect((await merge()).status).toBe(200)
  })
})

test('programs without policies may go on beside this one during an upgrade, so protection waits for their end', () => {
  const added = migrations.find(({ name }) => name === '0094-proposals')
  expect(added?.floor).toBe('unchanged')
})
