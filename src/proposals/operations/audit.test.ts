// The audit trail names a proposal by its id, whatever a call names it by, and by its title.
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { type TestApp, type TestCaller, testApp } from '../../../testing/app/app.ts'
import { ask } from '../../../testing/estates/inventory.ts'
import { engines } from '../../../testing/servers/servers.ts'
import type { AuditEntry } from '../../record/audit/api.ts'

describe.each(engines())('on %s', (dialect) => {
  let app: TestApp
  let admin: TestCaller
  let other: TestCaller
  let count = 0
  beforeAll(async () => {
    app = await testApp({ dialect, withJobs: false, env: { AUDIT_ENABLED: 'true' } })
    admin = await app.as('admin')
    other = await app.as('admin')
  })
  afterAll(() => app.close())

  const propose = async (open = true) => {
    const name = `Device ${++count}`
    const operations = [{ operation: 'devices.create', input: { name } }]
    return admin.api.proposals.create({ title: `Adds ${name}`, operations, open })
  }
  /** Returns the last entry of the trail. */
  const last = async (reader = admin): Promise<AuditEntry | undefined> => {
    const [entry] = await reader.api.audit.list({ limit: 1, include: 'names' })
    return entry
  }
  type Proposed = Awaited<ReturnType<typeof propose>>

  test.each<[string, number, (one: Proposed) => [string, object?]]>([
    ['a comment', 201, ({ number }) => [`POST /api/proposals/${number}/comments`, { text: 'Why?' }]],
    ['a comment on an id', 201, ({ id }) => [`POST /api/proposals/${id}/comments`, { text: 'Why?' }]],
    [
      'a check',
      200,
      ({ number, fingerprint }) => [`PUT /api/proposals/${number}/checks/ci`, { state: 'success', fingerprint }],
    ],
    ['an approval', 200, ({ number }) => [`POST /api/proposals/${number}/approve`, {}]],
    ['a removal of an operation', 204, ({ number }) => [`DELETE /api/proposals/${number}/operations/1`]],
    ['an addition', 202, ({ number }) => [`POST /api/devices?proposal=${number}`, { name: 'added' }]],
    [
      'a refused check',
      412,
      ({ number }) => [`PUT /api/proposals/${number}/checks/ci`, { state: 'success', fingerprint: 'x'.repeat(22) }],
    ],
    ['a refused title', 400, ({ number }) => [`PUT /api/proposals/${number}`, { title: '' }]],
    ['a refused opening', 403, ({ number }) => [`POST /api/proposals/${number}/open`, {}]],
    ['a refused addition', 400, ({ number }) => [`POST /api/devices?proposal=${number}`, { name: '' }]],
  ])('%s has the id and the title', async (_, status, call) => {
    const proposal = await propose()
    const [http, body] = call(proposal)
    expect((await ask(other, http, body)).status).toBe(status)
    expect(await last()).toMatchObject({
      ...{ resource: 'proposal', resource_id: proposal.id, status: status < 300 ? 'success' : 'failure' },
      object: { type: 'proposal', name: proposal.title, is_deleted: false },
    })
  })

  test('a call that is refused for want of a permission has the id', async () => {
    const { id, number } = await propose()
    const viewer = await app.as('viewer')
    expect((await ask(viewer, `POST /api/proposals/${number}/approve`, {})).status).toBe(403)
    expect(await last()).toMatchObject({ resource_id: id, status: 'failure' })
  })

  test.each([
    ['an approval', 'approve', {}, { review: 'approve' }],
    ['an approval with a text', 'approve', { text: 'Good' }, { review: 'approve', text: 'Good' }],
    ['a rejection', 'reject', {}, { review: 'reject' }],
    ['a rejection with a text', 'reject', { text: 'No' }, { review: 'reject', text: 'No' }],
    ['a comment', 'comments', { text: 'Why?' }, { text: 'Why?' }],
  ])('%s differs from other calls in its fields', async (_, verb, body, changes) => {
    const { id, number } = await propose()
    expect((await ask(other, `POST /api/proposals/${number}/${verb}`, body)).status).toBeLessThan(300)
    const entry = await last()
    expect([entry?.resource_id, JSON.parse(entry?.changes ?? '')]).toEqual([id, changes])
  })

  test('a refused approval has other fields than a refused rejection', async () => {
    const { number } = await propose()
    const entries: unknown[] = []
    for (const verb of ['approve', 'reject']) {
      expect((await ask(admin, `POST /api/proposals/${number}/${verb}`, {})).status).toBe(403)
      entries.push(await last())
    }
    expect(entries).toMatchObject([
      { status: 'failure', changes: '{"review":"approve"}' },
      { status: 'failure', changes: '{"review":"reject"}' },
    ])
  })

  test('a withdrawal has other fields than an opening', async () => {
    const { id } = await propose(false)
    const recorded: unknown[] = []
    for (const verb of ['open', 'close']) {
      await ask(admin, `POST /api/proposals/${id}/${verb}`, {})
      recorded.push((await last())?.changes)
    }
    expect(recorded).toEqual(['{"state":"open"}', '{"state":"closed"}'])
  })

  test('a refresh has no entry, nor a refused one', async () => {
    const stranger = await app.as([])
    const { number } = await propose()
    const before = await last()
    const statuses: number[] = []
    for (const caller of [admin, other, stranger])
      statuses.push((await ask(caller, `POST /api/proposals/${number}/refresh`, {})).status)
    expect([statuses, await last()]).toEqual([[200, 200, 403], before])
  })

  test('a number that no proposal has stays, and a refused new proposal has no id', async () => {
    await ask(other, 'POST /api/proposals/4711/approve', {})
    expect(await last()).toMatchObject({ resource_id: '4711', object: null })
    expect((await ask(other, 'POST /api/devices?proposal=open', { name: '' })).status).toBe(400)
    expect(await last()).toMatchObject({ resource: 'proposal', resource_id: '', object: null })
  })

  test('the title of a draft is for its author, and that of an open one for those who may read proposals', async () => {
    const { id, title } = await propose(false)
    const reader = await app.as(['audit:list', 'proposals:read'])
    expect([(await last())?.object?.name, (await last(other))?.object, (await last(reader))?.object]).toEqual([
      title,
      null,
      null,
    ])
    await admin.api.proposals.open({ id })
    expect((await last(reader))?.object?.name).toBe(title)
    expect((await last(await app.as(['audit:list'])))?.object).toBeNull()
  })
})
