/** Scanners in the history and in documents of the estate, which have no reported field. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { type TestApp, type TestCaller, testApp } from '../../../testing/app/app.ts'
import { createTransactions, enrolScanner, type Transactions } from '../../../testing/scanners.ts'
import { engines } from '../../../testing/servers/servers.ts'
import { findByToken } from './state-store.ts'

describe.each(engines())('the history of scanners on %s', (dialect) => {
  let app: TestApp
  let admin: TestCaller
  let write: Transactions
  beforeAll(async () => {
    app = await testApp({ dialect, withJobs: false })
    admin = await app.as('admin')
    write = createTransactions(app, () => new Date())
  }, 60_000)
  afterAll(() => app.close(), 60_000)

  const enrol = (name: string) => enrolScanner({ admin, write }, { name, tags: ['a'] })
  const listChanges = () => admin.api.history.list({ kind: 'scanner' })

  test('a change of a scanner has its four fields only, and an enrolment and a revocation are no changes', async () => {
    const { id } = await enrol('four fields')
    await admin.api.scanners.update({ id, description: 'in the cellar', use_credentials: true })
    const before = (await listChanges()).length
    await admin.api.scanners.enrol({ id })
    await admin.api.scanners.revoke({ id })
    expect((await listChanges()).length).toBe(before)
    const [change] = await listChanges()
    const items = await admin.api.history.items({ id: change?.id ?? '' })
    expect(items.map(({ fields }) => Object.keys(fields).sort())).toEqual([['description', 'use_credentials']])
    const text = await (await admin.request('GET', `/api/scanners/${id}/history`)).text()
    expect([text.includes('four fields'), text.includes('hostname')]).toEqual([true, false])
  })

  test('the undo of a deletion makes the scanner pending, and its credential stays void', async () => {
    const { id, tokenHash } = await enrol('deleted and back')
    await admin.api.scanners.delete({ id })
    const [change] = await listChanges()
    await admin.api.history.undo({ id: change?.id ?? '' })
    expect(await admin.api.scanners.get({ id })).toMatchObject({
      ...{ name: 'deleted and back', tags: ['a'], status: 'pending', hostname: '', enrolled_at: null },
    })
    expect(await write((ctx) => findByToken(ctx, tokenHash))).toBeUndefined()
    expect(await write((ctx) => findByToken(ctx, ''))).toBeUndefined()
  })

  test('the event of a deletion has the scanner as it was', async () => {
    const { id } = await enrol('gone')
    const last = await admin.api.scanners.get({ id })
    await admin.api.scanners.delete({ id })
    const rows = await app.db.read
      .selectFrom('events')
      .select('data')
      .where('event', '=', 'scanner.deleted')
      .where('resource_id', '=', id)
      .execute()
    expect(rows.map(({ data }) => JSON.parse(data))).toEqual([last])
  })

  test('a read of the past shows a scanner with its fields of then, and without what it said', async () => {
    const { id } = await enrol('renamed')
    const at = (await listChanges())[0]?.id ?? ''
    await admin.api.scanners.update({ id, name: 'renamed since' })
    const past = await admin.request('GET', `/api/scanners/${id}?as_of=${at}`)
    expect(await past.json()).toMatchObject({ name: 'renamed', status: 'pending', hostname: '' })
    const list = await admin.request('GET', `/api/scanners?as_of=${at}&name=renamed`)
    expect(await list.json()).toMatchObject([{ name: 'renamed', running_scans: 0 }])
  })

  test('an import makes a pending scanner, and an export has its four fields', async () => {
    const document = { scanners: [{ name: 'by apply', tags: ['emea'], use_credentials: true, description: 'x' }] }
    const plan = await admin.api.estate.apply({ ...document, dry_run: true })
    expect(JSON.stringify(plan)).not.toContain('plat_en_')
    await admin.api.estate.apply(document)
    const [made] = await admin.api.scanners.list({ name: 'by apply' })
    expect(made).toMatchObject({ status: 'pending', tags: ['emea'], use_credentials: true })
    expect(await admin.api.estate.apply(document)).toMatchObject({ changed: false })
    const text = await (await admin.request('GET', '/api/estate/export?format=json')).text()
    const { scanners } = JSON.parse(text) as { scanners: Record<string, unknown>[] }
    const row = scanners.find(({ name }) => name === 'by apply') ?? {}
    expect(row).toMatchObject({ tags: ['emea'], use_credentials: true, description: 'x' })
    expect(Object.keys(row)).not.toContain('status')
    expect(text).not.toContain('plat_')
  })

  test('an answer of the API can be imported', async () => {
    const { id } = await enrol('as answered')
    const answer = await admin.api.scanners.get({ id })
    const body = [{ ...answer, description: 'by import' }]
    const result = await (await admin.request('POST', '/api/estate/import?resource=scanners', body)).text()
    expect(result).toContain('"updated":1')
    expect(await admin.api.estate.apply({ scanners: [answer] })).toMatchObject({ changed: true })
    expect(await admin.api.scanners.get({ id })).toMatchObject({ description: '', status: 'online' })
  })

  test('the label of a network is imported and exported as text', async () => {
    const networks = [{ name: 'labelled', subnet: '10.77.0.0/24', scanner: 'by apply' }]
    await admin.api.estate.apply({ networks })
    const [network] = await admin.api.networks.list({ name: 'labelled' })
    expect(network?.scanner).toBe('by apply')
    const text = await (await admin.request('GET', '/api/estate/export?format=json')).text()
    const { networks: rows } = JSON.parse(text) as { networks: Record<string, unknown>[] }
    expect(rows.find(({ name }) => name === 'labelled')?.scanner).toBe('by apply')
    const { networks: parts } = await admin.api.networks.split({ id: network?.id ?? '', prefix_length: 25 })
    expect(parts.map(({ scanner }) => scanner)).toEqual(['by apply', 'by apply'])
  })
})
