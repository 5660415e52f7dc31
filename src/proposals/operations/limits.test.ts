/** Bad input, states, limits and ends of proposals. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { type TestApp, type TestCaller, testApp } from '../../../testing/app/app.ts'
import { testAll } from '../../../testing/cases.ts'
import { onSqlite } from '../../../testing/servers/servers.ts'
import type { Proposal } from '../schema.ts'

const DAY_MS = 86_400_000
const create = (id: string) => ({ operation: 'devices.create', input: { id, name: id } })

describe.each(onSqlite())('on %s', (dialect) => {
  let app: TestApp
  let admin: TestCaller
  let nowMs = Date.now()
  beforeAll(async () => {
    const env = { PROPOSAL_EXPIRY_DAYS: '5', HISTORY_RETENTION_DAYS: '10' }
    app = await testApp({ dialect, env, withJobs: false, now: () => new Date(nowMs) })
    admin = await app.as('admin')
  })
  afterAll(() => app.close())

  const send = async (method: string, path: string, body?: object, by = admin) => {
    const response = await by.request(method, `/api/proposals${path}`, body)
    const text = await response.text()
    return { status: response.status, answer: text === '' ? undefined : JSON.parse(text) }
  }
  const refuse = async (method: string, path: string, body?: object, by = admin) => {
    const { status, answer } = await send(method, path, body, by)
    return [status, answer.code, answer.details.map(({ field }: { field: string }) => field)]
  }
  const propose = async (body: object = {}, by = admin): Promise<Proposal> => {
    const { status, answer } = await send('POST', '', { title: 'One', ...body }, by)
    expect([status, answer]).toEqual([201, answer])
    return answer
  }
  const count = async (): Promise<number> => (await send('GET', '?limit=1000')).answer.length

  test.each([
    ['a title with a line break', { title: 'One\nTwo' }, ['title']],
    ['no title', {}, ['title']],
    ['a blank title', { title: ' ' }, ['title']],
    ['an unknown operation', { title: 'One', operations: [{ operation: 'devices.fly', input: {} }] }, 'operation'],
    ['an operation of accounts', { title: 'One', operations: [{ operation: 'users.create', input: {} }] }, 'operation'],
    ['a read', { title: 'One', operations: [{ operation: 'devices.list', input: {} }] }, 'operation'],
    ['a scanner', { title: 'One', operations: [{ operation: 'scanners.create', input: {} }] }, 'operation'],
    ['an import', { title: 'One', operations: [{ operation: 'estate.import', input: {} }] }, 'operation'],
    [
      'another merge',
      { title: 'One', operations: [{ operation: 'proposals.merge', input: { id: '1' } }] },
      'operation',
    ],
    [
      'an input with a proposal',
      { title: 'One', operations: [{ ...create('a'), input: { proposal: '7' } }] },
      'proposal',
    ],
    [
      'an apply that expects a plan',
      { title: 'One', operations: [{ operation: 'estate.apply', input: { expect: 'x' } }] },
      'expect',
    ],
    ['a field that a rule refuses', { title: 'One', operations: [{ operation: 'devices.create', input: {} }] }, 'name'],
    ['an open one without operations', { title: 'One', open: true }, ['operations']],
    [
      '101 operations',
      { title: 'One', operations: Array.from({ length: 101 }, (_, i) => create(`d-${i}`)) },
      ['operations'],
    ],
  ])('%s is 400 on its field, and makes no proposal', async (_, body, field) => {
    const before = await count()
    const fields = typeof field === 'string' ? [`operations[0].${field}`] : field
    expect(await refuse('POST', '', body)).toEqual([400, 'VALIDATION_ERROR', fields])
    expect(await count()).toBe(before)
  })

  test('an operation that a rule refuses is named by its place, also if earlier ones have made it so', async () => {
    const operations = [create('twice'), create('twice')]
    expect(await refuse('POST', '', { title: 'One', operations })).toEqual([400, 'VALIDATION_ERROR', ['operations[1]']])
  })

  test('inputs of more than 16 MiB together are 413', async () => {
    const description = 'x'.repeat(9 * 1024 * 1024)
    const operations = ['a', 'b'].map((id) => ({ operation: 'devices.create', input: { id, name: id, description } }))
    const { status, answer } = await send('POST', '', { title: 'One', operations })
    expect([status, answer.code]).toEqual([413, 'INVALID_INPUT'])
  })

  testAll(
    'a proposal of more than 10,000 objects is refused',
    async () => {
      const bulk = (from: number) => ({
        operation: 'devices.bulk',
        input: {
          operations: Array.from({ length: 1000 }, (_, i) => ({ op: 'create', device: { name: `n-${from + i}` } })),
        },
      })
      const operations = [...Array.from({ length: 10 }, (_, i) => bulk(i * 1000)), create('one-more')]
      const before = await count()
      const { status, answer } = await send('POST', '', { title: 'Many', operations })
      expect([status, answer.code, answer.error]).toEqual([400, 'INVALID_INPUT', expect.stringContaining('10000')])
      expect(await count()).toBe(before)
    },
    60_000,
  )

  test.each([
    ['draft', 'merge', {}, ['state']],
    ['closed', 'close', {}, ['state']],
    ['closed', 'refresh', {}, ['state']],
    ['open', 'open', {}, ['state']],
  ])('of one that is %s, %s is 400 on the state', async (state, verb, body, fields) => {
    const { number } = await propose({ operations: [create(`state-${state}-${verb}`)], open: state !== 'draft' })
    if (state === 'closed') await send('POST', `/${number}/close`)
    expect(await refuse('POST', `/${number}/${verb}`, body)).toEqual([400, 'VALIDATION_ERROR', fields])
  })

  test('a draft without operations is not opened', async () => {
    const { number } = await propose()
    expect(await refuse('POST', `/${number}/open`)).toEqual([400, 'VALIDATION_ERROR', ['operations']])
  })

  test('unknown proposals and operations are 404', async () => {
    const { number } = await propose({ operations: [create('known')] })
    expect(await refuse('GET', '/4711')).toEqual([404, 'NOT_FOUND', []])
    expect(await refuse('GET', '/99999999999')).toEqual([404, 'NOT_FOUND', []])
    expect(await refuse('PUT', `/${number}/operations/9`, { input: {} })).toEqual([404, 'NOT_FOUND', []])
    expect(await refuse('DELETE', `/${number}/operations/9`)).toEqual([404, 'NOT_FOUND', []])
  })

  test('a draft is seen by its author only, and of an open one others change nothing', async () => {
    const viewer = await app.as('viewer')
    const { number } = await propose({ operations: [create('drafted')] })
    expect(await refuse('GET', `/${number}`, undefined, viewer)).toEqual([404, 'NOT_FOUND', []])
    await send('POST', `/${number}/open`)
    expect((await send('GET', `/${number}`, undefined, viewer)).status).toBe(200)
    const asking = await app.as(['devices:read', 'devices:list', 'proposals:read', 'proposals:create'])
    expect(await refuse('PUT', `/${number}`, { title: 'Two' }, asking)).toEqual([403, 'FORBIDDEN', []])
    expect(await refuse('POST', `/${number}/close`, {}, asking)).toEqual([403, 'FORBIDDEN', []])
    expect(await refuse('DELETE', `/${number}/operations/1`, undefined, asking)).toEqual([403, 'FORBIDDEN', []])
    expect(await refuse('POST', '', { title: 'One' }, viewer)).toEqual([403, 'FORBIDDEN', []])
  })

  test('an approver who changes an open proposal becomes a co-author', async () => {
    const operator = await app.as('operator')
    const { number } = await propose({ operations: [create('shared')], open: true })
    const path = `/${number}/operations/1`
    const { answer } = await send('PUT', path, { input: { id: 'shared', name: 'renamed' } }, operator)
    expect(answer.co_authors).toHaveLength(1)
    expect(answer.operations[0].added_by).toBe(answer.co_authors[0])
    expect(answer.author).not.toBe(answer.co_authors[0])
  })

  test('a title is changed only if the caller has read the present form', async () => {
    const { number } = await propose({ operations: [create('titled')] })
    const tag = (await admin.request('GET', `/api/proposals/${number}`)).headers.get('etag') ?? ''
    const put = (title: string, etag: string) =>
      admin.request('PUT', `/api/proposals/${number}`, { title }, { 'If-Match': etag })
    expect((await put('Two', tag)).status).toBe(200)
    expect((await put('Three', tag)).status).toBe(412)
    expect((await send('GET', `/${number}`)).answer.title).toBe('Two')
  })

  test('lists are filtered, newest first, with a total, and unchanged ones are 304', async () => {
    const operator = await app.as('operator')
    const own = await propose({ title: 'Of the operator', operations: [create('listed')], open: true }, operator)
    const numbers = async (query: string, by = admin) =>
      (await send('GET', query, undefined, by)).answer.map(({ number }: Proposal) => number)
    expect((await numbers('?limit=1'))[0]).toBe(own.number)
    expect(await numbers('?author=me', operator)).toEqual([own.number])
    expect(await numbers(`?author=${own.author}`)).toEqual([own.number])
    expect(await numbers('?to_review=true')).toEqual([own.number])
    expect(await numbers('?to_review=true', operator)).not.toContain(own.number)
    const response = await admin.request('GET', '/api/proposals?state=open&limit=1')
    expect(Number(response.headers.get('x-total-count'))).toBe((await numbers('?state=open&limit=1000')).length)
    const etag = response.headers.get('etag') ?? ''
    const again = await admin.request('GET', '/api/proposals?state=open&limit=1', undefined, { 'If-None-Match': etag })
    expect(again.status).toBe(304)
  })

  test('a user has at most 100 drafts and open proposals', async () => {
    const many = await app.as(['devices:read', 'proposals:create', 'proposals:read'])
    const { number } = await propose({ operations: [create('first-of-many')] }, many)
    for (let n = 1; n < 100; n++) await propose({}, many)
    expect(await refuse('POST', '', { title: 'One' }, many)).toEqual([409, 'LIMIT_REACHED', []])
    await send('POST', `/${number}/close`, {}, many)
    await propose({}, many)
    expect(await refuse('POST', `/${number}/open`, {}, many)).toEqual([409, 'LIMIT_REACHED', []])
  })

  test('proposals without an entry or edit expire, and are deleted long after their end', async () => {
    const kept = await propose({ operations: [create('kept')], open: true })
    const { number, id } = await propose({ operations: [create('expired')], open: true })
    nowMs += 4 * DAY_MS
    await send('PUT', `/${kept.number}`, { title: 'Touched' })
    nowMs += 2 * DAY_MS
    await app.plat.runJob('proposals.expire')
    expect((await send('GET', `/${number}`)).answer).toMatchObject({
      ...{ state: 'closed', close_reason: 'expired', closed_by: '' },
    })
    expect((await send('GET', `/${number}/timeline`)).answer.at(-1)).toMatchObject({ type: 'closed', username: '' })
    expect((await send('GET', `/${kept.number}`)).answer.state).toBe('open')
    nowMs += 11 * DAY_MS
    await app.plat.runJob('proposals.expire')
    expect(await refuse('GET', `/${number}`)).toEqual([404, 'NOT_FOUND', []])
    const left = await app.db.read.selectFrom('proposals').select('id').where('id', '=', id).execute()
    const entries = await app.db.read.selectFrom('proposal_entries').selectAll().where('username', '=', '').execute()
    expect([left, entries.filter(({ type }) => type === 'moved')]).toEqual([[], []])
  })

  test('the job runs open proposals again whose objects were changed', async () => {
    const watcher = await app.as('admin')
    await admin.api.devices.create({ id: 'watched', name: 'watched', os: 'debian' })
    const update = { operation: 'devices.update', input: { id: 'watched', os: 'bsd' } }
    const { number, fingerprint } = await propose({ operations: [update], open: true }, watcher)
    const still = await propose({ operations: [create('still')], open: true }, watcher)
    await admin.api.devices.update({ id: 'watched', os: 'ubuntu' })
    await app.plat.runJob('proposals.refresh')
    const { answer } = await send('GET', `/${number}`)
    expect(answer.fingerprint).not.toBe(fingerprint)
    expect(answer.is_current).toBe(true)
    expect((await send('GET', `/${number}/timeline`)).answer.at(-1)).toMatchObject({ type: 'moved', username: '' })
    expect((await send('GET', `/${still.number}`)).answer.previewed_at).toBe(still.previewed_at)
  })
})
