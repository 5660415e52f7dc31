// An approval is of the present effects, by a user who did not write them and may approve them at the merge.
import { beforeAll, beforeEach, describe, expect, test } from 'bun:test'
import { estateKernel } from '../../../testing/app/estate-kernel.ts'
import { failure } from '../../../testing/estates/inventory.ts'
import { type People, type Person, people } from '../../../testing/estates/people.ts'
import { onSqlite } from '../../../testing/servers/servers.ts'
import { splitBatches } from '../../database/query/batches.ts'
import type { Proposal } from '../schema.ts'
import { reviewFeature } from './reviews.ts'

type Made = { readonly id: string }

const REQUIRED = failure(403, 'APPROVAL_REQUIRED')
const forbidden = failure(403, 'FORBIDDEN')
const OK = { status: 200 }

describe.each(onSqlite())('reviews on %s', (dialect) => {
  const all: People = people(dialect)
  let count = 0
  let device = ''
  let author: Person
  let approver: Person
  let merger: Person

  const send = async (person: Person, http: string, body?: unknown): Promise<unknown> => {
    const answer = await person.ask(http, body)
    expect([answer.status < 300, answer.body]).toEqual([true, answer.body])
    return answer.body
  }
  // The answers of the routes.
  const make = async (noun: string, body: object): Promise<Made> =>
    (await send(all.admin, `POST /api/${noun}`, { name: `Made ${++count}`, ...body })) as Made
  const get = async (number: number, person = all.admin): Promise<Proposal> =>
    (await send(person, `GET /api/proposals/${number}`)) as Proposal
  const propose = async (input: object = { os: `System ${++count}` }, by = author): Promise<number> => {
    const operations = [{ operation: 'devices.update', input: { id: device, ...input } }]
    const made = (await send(by, 'POST /api/proposals', { title: 'Change', open: true, operations })) as Proposal
    return made.number
  }
  const act = (person: Person, number: number, verb: string, body: object = {}) =>
    person.ask(`POST /api/proposals/${number}/${verb}`, body)
  const merge = (number: number, by = merger) => act(by, number, 'merge')
  const requirement = async (number: number) => (await get(number)).requirements[0]
  /** The merger does not approve: one click says yes. */
  const plain = () => all.person({ permissions: ['proposals:read', 'devices:read', 'devices:update'] })

  beforeAll(async () => {
    author = await all.person({ roles: ['operator'] })
    merger = await plain()
    await make('policies', { name: 'Two people', permissions: ['devices:update'] })
  })
  beforeEach(async () => {
    approver = await all.person({ roles: ['operator'] })
    device = (await make('devices', {})).id
  })

  test('an approval lets others merge', async () => {
    const number = await propose()
    expect(await merge(number)).toMatchObject({ ...REQUIRED, body: { details: [{ field: 'Two people' }] } })
    expect(await act(approver, number, 'approve')).toMatchObject(OK)
    expect(await requirement(number)).toMatchObject({ given: 1, approved_by: [approver.username], is_met: true })
    expect(await merge(number)).toMatchObject({ status: 200, body: { state: 'merged' } })
  })

  test('who may approve and merges says yes by that', async () => {
    expect(await merge(await propose(), approver)).toMatchObject(OK)
  })

  test('who merges says nothing to the own proposal', async () => {
    expect(await merge(await propose(), author)).toMatchObject(REQUIRED)
  })

  test('an edit after the approval takes it away', async () => {
    const number = await propose()
    await act(approver, number, 'approve')
    await send(author, `PUT /api/proposals/${number}/operations/1`, { input: { id: device, os: 'Swapped' } })
    expect(await requirement(number)).toMatchObject({ given: 0, is_met: false })
    expect(await merge(number)).toMatchObject(REQUIRED)
    expect(await act(approver, number, 'approve')).toMatchObject(OK)
    expect(await merge(number)).toMatchObject(OK)
  })

  test('a ground that moved takes it away', async () => {
    const number = await propose({ os: 'New' })
    await act(approver, number, 'approve')
    await send(all.admin, `PUT /api/devices/${device}`, { os: 'Meanwhile' })
    expect(await merge(number)).toMatchObject(failure(412, 'PRECONDITION_FAILED'))
    expect(await merge(number)).toMatchObject(REQUIRED)
  })

  test('a proposal that is opened again needs new approvals', async () => {
    const number = await propose()
    await act(approver, number, 'approve')
    expect(await act(author, number, 'close')).toMatchObject(OK)
    expect(await act(author, number, 'open')).toMatchObject(OK)
    expect(await merge(number)).toMatchObject(REQUIRED)
  })

  test.each([
    ['loses the role', (id: string) => all.admin.ask(`PUT /api/users/${id}`, { roles: ['viewer'] })],
    ['is deactivated', (id: string) => all.admin.ask(`PUT /api/users/${id}`, { is_active: false })],
    ['is deleted', (id: string) => all.admin.ask(`DELETE /api/users/${id}`)],
  ])('an approval does not count once its user %s', async (_, lose) => {
    const number = await propose()
    await act(approver, number, 'approve')
    expect((await lose(approver.id)).status).toBeLessThan(300)
    expect(await requirement(number)).toMatchObject({ given: 0 })
    expect(await merge(number)).toMatchObject(REQUIRED)
  })

  test('a policy of a group wants its members, and as long as they are in it', async () => {
    const group = await make('groups', {})
    const policy = await make('policies', { name: 'Of the group', group_id: group.id })
    const number = await propose()
    await act(approver, number, 'approve')
    expect(await merge(number)).toMatchObject({ ...REQUIRED, body: { details: [{ field: 'Of the group' }] } })
    await send(all.admin, `POST /api/groups/${group.id}/members`, { user_id: approver.id })
    expect((await get(number)).requirements.map(({ is_met }) => is_met)).toEqual([true, true])
    await all.admin.ask(`DELETE /api/groups/${group.id}/members/${approver.id}`)
    expect(await merge(number)).toMatchObject(REQUIRED)
    await all.admin.ask(`DELETE /api/policies/${policy.id}`)
    expect(await merge(number)).toMatchObject(OK)
  })

  test('neither the author nor a co-author approves or rejects', async () => {
    const number = await propose()
    for (const verb of ['approve', 'reject']) expect(await act(author, number, verb)).toMatchObject(forbidden)
    await act(approver, number, 'approve')
    const input = { id: device, os: 'By an approver' }
    await send(approver, `PUT /api/proposals/${number}/operations/1`, { input })
    expect((await get(number)).co_authors).toEqual([approver.username])
    for (const verb of ['approve', 'reject']) expect(await act(approver, number, verb)).toMatchObject(forbidden)
    expect(await merge(number, approver)).toMatchObject(REQUIRED)
  })

  test('two approvals are of two users', async () => {
    const policy = await make('policies', { name: 'Three people', approvals: 2 })
    const number = await propose()
    await act(approver, number, 'approve')
    await act(approver, number, 'approve', { text: 'again' })
    expect((await get(number)).requirements.map(({ given }) => given)).toEqual([1, 1])
    expect(await merge(number)).toMatchObject({ ...REQUIRED, body: { details: [{ field: 'Three people' }] } })
    const second = await all.person({ roles: ['operator'] })
    expect(await merge(number, second)).toMatchObject(OK)
    await all.admin.ask(`DELETE /api/policies/${policy.id}`)
  })

  test('an approval counts for no policy that came later, until it is given again', async () => {
    const number = await propose()
    await act(approver, number, 'approve')
    const policy = await make('policies', { name: 'Later' })
    expect(await merge(number)).toMatchObject({ ...REQUIRED, body: { details: [{ field: 'Later' }] } })
    await act(approver, number, 'approve')
    expect(await merge(number)).toMatchObject(OK)
    await all.admin.ask(`DELETE /api/policies/${policy.id}`)
  })

  test('an approval is of the fingerprint that the approver has seen', async () => {
    const number = await propose()
    const { fingerprint } = await get(number)
    await send(author, `PUT /api/proposals/${number}/operations/1`, { input: { id: device, os: 'Swapped' } })
    expect(await act(approver, number, 'approve', { fingerprint })).toMatchObject(failure(412, 'PRECONDITION_FAILED'))
    expect(await requirement(number)).toMatchObject({ given: 0 })
  })

  test('a proposal that a rule refuses is not approved', async () => {
    const number = await propose()
    await send(all.admin, `DELETE /api/devices/${device}`)
    await act(author, number, 'refresh')
    expect(await act(approver, number, 'approve')).toMatchObject(failure(409, 'MERGE_CONFLICT'))
  })

  test('a rejection closes, with its reason', async () => {
    const number = await propose()
    const { body } = await act(approver, number, 'reject', { text: 'Not now' })
    expect(body).toMatchObject({ state: 'closed', close_reason: 'rejected', closed_by: approver.username })
    const refused = { status: 400, body: { details: [{ field: 'state' }] } }
    for (const verb of ['approve', 'reject', 'merge']) expect(await act(approver, number, verb)).toMatchObject(refused)
  })

  test.each([
    ['is deleted', (id: string) => all.admin.ask(`DELETE /api/users/${id}`)],
    ['is deactivated', (id: string) => all.admin.ask(`PUT /api/users/${id}`, { is_active: false })],
  ])('the proposals of an author who %s are withdrawn', async (_, end) => {
    const leaver = await all.person({ roles: ['operator'] })
    const number = await propose(undefined, leaver)
    expect((await end(leaver.id)).status).toBeLessThan(300)
    expect(await get(number)).toMatchObject({ state: 'closed', close_reason: 'withdrawn', closed_by: 'root' })
  })

  test('a job that deletes an author is not named as the user who has closed the proposal', async () => {
    const leaver = await all.person({ roles: ['operator'] })
    const number = await propose(undefined, leaver)
    const withdraw = reviewFeature({ bounds: new Map() }).reactions?.['user.deleting']
    await estateKernel(all.app.db).write(async (ctx) => withdraw?.(ctx, { id: leaver.id }))
    expect(await get(number)).toMatchObject({ state: 'closed', close_reason: 'withdrawn', closed_by: '' })
  })

  describe('a check', () => {
    const report = async (number: number, state: string, more: object = {}) => {
      const { fingerprint } = await get(number)
      return all.admin.ask(`PUT /api/proposals/${number}/checks/ci`, { state, fingerprint, ...more })
    }

    test('must have succeeded, for the present effects', async () => {
      const policy = await make('policies', { name: 'Checked', approvals: 0, checks: ['ci'] })
      const number = await propose()
      await act(approver, number, 'approve')
      const states = async () => (await get(number)).requirements.find((one) => one.policy === 'Checked')?.checks
      expect(await states()).toEqual([{ name: 'ci', state: 'missing' }])
      expect(await report(number, 'pending')).toMatchObject({ status: 200, body: { name: 'ci', reported_by: 'root' } })
      expect(await merge(number)).toMatchObject({ ...REQUIRED, body: { details: [{ field: 'Checked' }] } })
      expect(await report(number, 'success', { url: 'https://ci.example.com/1' })).toMatchObject(OK)
      expect(await states()).toEqual([{ name: 'ci', state: 'success' }])
      await send(author, `PUT /api/proposals/${number}/operations/1`, { input: { id: device, os: 'Swapped' } })
      expect(await states()).toEqual([{ name: 'ci', state: 'missing' }])
      expect((await get(number)).checks).toEqual([])
      await report(number, 'success')
      expect(await merge(number, approver)).toMatchObject(OK)
      await all.admin.ask(`DELETE /api/policies/${policy.id}`)
    })

    test('of other effects, or with a bad field, is refused', async () => {
      const number = await propose()
      const refuse = async (field: string, more: object) =>
        expect(await report(number, 'success', more)).toMatchObject({ status: 400, body: { details: [{ field }] } })
      expect(await report(number, 'success', { fingerprint: 'of-something-else' })).toMatchObject(
        failure(412, 'PRECONDITION_FAILED'),
      )
      await refuse('url', { url: 'javascript:alert(1)' })
      await refuse('state', { state: 'fine' })
      await refuse('summary', { summary: 'x'.repeat(1025) })
      const bad = await all.admin.ask(`PUT /api/proposals/${number}/checks/${encodeURIComponent('Not a name')}`, {})
      expect(bad).toMatchObject({ status: 400 })
      await act(author, number, 'close')
      await refuse('state', {})
    })

    test('is one of at most 50', async () => {
      const number = await propose()
      const { fingerprint } = await get(number)
      const put = (name: string) =>
        all.admin.ask(`PUT /api/proposals/${number}/checks/${name}`, { state: 'success', fingerprint })
      for (let i = 0; i < 50; i++) expect(await put(`check-${i}`)).toMatchObject(OK)
      expect(await put('one-more')).toMatchObject(failure(409, 'LIMIT_REACHED'))
      expect(await put('check-1')).toMatchObject(OK)
    })
  })

  test('a comment is of the proposal, or of an object that it changes', async () => {
    const number = await propose()
    const refused = { status: 400, body: { details: [{ field: 'object_id' }] } }
    expect(await act(approver, number, 'comments', { text: 'Why?' })).toMatchObject({
      status: 201,
      body: { type: 'commented', text: 'Why?', username: approver.username, kind: '', is_current: true },
    })
    const item = { kind: 'device', object_id: device }
    expect(await act(approver, number, 'comments', { text: 'This', ...item })).toMatchObject({
      status: 201,
      body: item,
    })
    for (const bad of [{ kind: 'device' }, { object_id: device }, { kind: 'device', object_id: 'other' }])
      expect(await act(approver, number, 'comments', { text: 'This', ...bad })).toMatchObject(refused)
    expect(await merge(number, approver)).toMatchObject(OK)
    expect(await act(author, number, 'comments', { text: 'Thanks', ...item })).toMatchObject({ status: 201 })
    expect(await act(author, number, 'comments', { text: 'No', kind: 'device', object_id: 'other' })).toMatchObject(
      refused,
    )
  })

  test('a proposal has at most 1,000 comments', async () => {
    const number = await propose()
    expect(await act(approver, number, 'comments', { text: 'First' })).toMatchObject({ status: 201 })
    await all.app.db.write(async ({ db }) => {
      const row = db.selectFrom('proposal_entries').selectAll().where('text', '=', 'First').orderBy('at', 'desc')
      const first = await row.executeTakeFirstOrThrow()
      const rest = Array.from({ length: 998 }, (_, i) => ({ ...first, n: i + 100, id: `${first.id} ${i}` }))
      for (const some of splitBatches(rest, 100)) await db.insertInto('proposal_entries').values(some).execute()
    })
    expect(await act(approver, number, 'comments', { text: 'Last' })).toMatchObject({ status: 201 })
    expect(await act(approver, number, 'comments', { text: 'More' })).toMatchObject(failure(409, 'LIMIT_REACHED'))
  })
})
