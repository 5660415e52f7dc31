/** The parameter `proposal` is never passed over: a write that is to be proposed is not done in earnest. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { z } from 'zod'
import { type TestApp, type TestCaller, testApp } from '../../../testing/app/app.ts'

const Refusal = z.object({
  code: z.string(),
  error: z.string(),
  details: z.array(z.object({ field: z.string(), message: z.string() })),
})

let app: TestApp
let admin: TestCaller
beforeAll(async () => {
  app = await testApp()
  admin = await app.as('admin')
})
afterAll(() => app.close())

const BODY = { name: 'Rack row 1' }

const refuse = async (response: Response) => {
  const { code, details } = Refusal.parse(await response.json())
  return [response.status, code, ...details.map(({ field, message }) => `${field} ${message}`)]
}
const countAll = async () => (await admin.api.datacenters.list({})).length

const ELSEWHERE = 'proposal is not possible here: it is no write that can be proposed'
const EMPTY = 'proposal must be draft, open, or the id or number of a proposal'
const TWICE = 'proposal is there twice: a write is added to one proposal'
const IN_BODY = 'proposal belongs into the query: ?proposal=open'

describe('the parameter proposal is refused', () => {
  test.each([
    ['of a read', 'GET', '/api/datacenters?proposal=7', undefined],
    ['of a write that is not of the estate', 'POST', '/api/groups?proposal=open', { name: 'netops' }],
    ['of a deletion that is not of the estate', 'DELETE', '/api/groups/x?proposal=open', undefined],
    ['of a scanner', 'POST', '/api/scanners?proposal=open', { name: 'far' }],
    ['of the removal of a source', 'DELETE', '/api/sources/x?proposal=open', undefined],
    ['of the removal of the demo', 'DELETE', '/api/demo?proposal=open', undefined],
    ['of an import', 'POST', '/api/estate/import?proposal=open', { resource: 'racks' }],
  ])('in the query %s', async (_, method, path, body) => {
    const before = await countAll()
    expect(await refuse(await admin.request(method, path, body))).toEqual([400, 'VALIDATION_ERROR', ELSEWHERE])
    expect(await countAll()).toBe(before)
  })

  test.each(['/api/datacenters?proposal=', '/api/datacenters?proposal', '/api/datacenters?proposal=7&proposal='])(
    'without a value in %s',
    async (path) => {
      const before = await countAll()
      expect(await refuse(await admin.request('POST', path, BODY))).toEqual([400, 'VALIDATION_ERROR', EMPTY])
      expect(await countAll()).toBe(before)
    },
  )

  test.each([
    ['with two values', '?proposal=7&proposal=open'],
    ['with one value', '?proposal=open&proposal=open'],
    ['around another parameter', '?proposal=draft&dry_run=true&proposal=7'],
  ])('if it is there twice %s', async (_, query) => {
    const before = await countAll()
    expect(await refuse(await admin.request('POST', `/api/datacenters${query}`, BODY))).toEqual([
      ...[400, 'VALIDATION_ERROR', TWICE],
    ])
    expect(await countAll()).toBe(before)
    expect(await admin.api.proposals.list({})).toEqual([])
  })

  test.each([
    ['of a write of the estate', 'POST', '/api/datacenters', { ...BODY, proposal: 'open' }],
    ['beside the one in the query', 'POST', '/api/datacenters?proposal=open', { ...BODY, proposal: 'open' }],
    ['that is null', 'POST', '/api/datacenters', { ...BODY, proposal: null }],
    ['of a bulk call', 'POST', '/api/devices/bulk', { operations: [], proposal: 7 }],
    ['of an apply', 'POST', '/api/estate/apply', { datacenters: [BODY], proposal: 'open' }],
    ['of an update', 'PUT', '/api/datacenters/x', { ...BODY, proposal: '7' }],
  ])('in the body %s', async (_, method, path, body) => {
    const before = await countAll()
    expect(await refuse(await admin.request(method, path, body))).toEqual([400, 'VALIDATION_ERROR', IN_BODY])
    expect(await countAll()).toBe(before)
    expect(await admin.api.groups.list({})).toEqual([])
  })

  test.each([
    ['of a write that is not of the estate', '/api/groups', { name: 'netops', proposal: 'open' }],
    ['of a merge', '/api/proposals/1/merge', { proposal: '2' }],
  ])('in the body %s, without the advice to put it into the query', async (_, path, body) => {
    expect(await refuse(await admin.request('POST', path, body))).toEqual([400, 'VALIDATION_ERROR', ELSEWHERE])
    expect(await admin.api.groups.list({})).toEqual([])
  })

  test('if it is too long', async () => {
    const response = await admin.request('POST', `/api/datacenters?proposal=${'7'.repeat(65)}`, BODY)
    const [status, code, issue] = await refuse(response)
    expect([status, code]).toEqual([400, 'VALIDATION_ERROR'])
    expect(issue).toStartWith('proposal ')
  })
})

describe('a caller without the permission for a write', () => {
  test('learns that it can be proposed, if it may propose', async () => {
    const asker = await app.as(['datacenters:read', 'proposals:create'])
    const response = await asker.request('POST', '/api/datacenters', BODY)
    expect(await refuse(response)).toEqual([403, 'FORBIDDEN', 'proposal it can be proposed with proposal=open'])
  })

  test('learns nothing of it about a write that cannot be proposed', async () => {
    const asker = await app.as(['datacenters:read', 'proposals:create'])
    expect(await refuse(await asker.request('POST', '/api/groups', { name: 'x' }))).toEqual([403, 'FORBIDDEN'])
  })

  test('learns nothing of it by the key of a feed, which may not propose', async () => {
    const { id: feed_id } = await admin.api.feeds.create({ name: 'hosts', format: 'hosts' })
    const { key } = await admin.api.keys.create({ name: 'feed', feed_id })
    for (const query of ['', '?proposal=open']) {
      const headers = { Authorization: `Bearer ${key}`, 'Content-Type': 'application/json' }
      const request = new Request(`http://plat.test/api/datacenters${query}`, {
        ...{ method: 'POST', headers, body: JSON.stringify(BODY) },
      })
      expect(await refuse(await app.fetch(request))).toEqual([403, 'FORBIDDEN'])
    }
  })

  test('learns nothing of it if it may not propose', async () => {
    const reader = await app.as(['datacenters:read'])
    expect(await refuse(await reader.request('POST', '/api/datacenters', BODY))).toEqual([403, 'FORBIDDEN'])
  })

  test('needs the permission to propose, and no other', async () => {
    const writer = await app.as(['datacenters:create'])
    const response = await writer.request('POST', '/api/datacenters?proposal=open', BODY)
    const { error } = Refusal.parse(await response.json())
    expect([response.status, error]).toEqual([403, 'This needs the permission proposals:create'])
  })
})
