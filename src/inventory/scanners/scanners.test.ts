/** The rules of scanners: names, tokens, revocation, and filters of the list. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { type TestApp, type TestCaller, testApp } from '../../../testing/app/app.ts'
import { alreadyExists, ask, missing, refusal } from '../../../testing/estates/inventory.ts'
import { createTransactions, enrolScanner, FACTS, redeemToken, type Transactions } from '../../../testing/scanners.ts'
import { engines } from '../../../testing/servers/servers.ts'
import { hashSecret } from '../../base/security/secret-token.ts'
import { findByToken, hasNews, listAnswering, noteFacts } from './state-store.ts'

const DAY_MS = 24 * 60 * 60 * 1000
const NOTHING_SAID = {
  ...{ status: 'pending', hostname: '', version: '', protocol: null, is_outdated: false, links: [], slots: null },
  capabilities: { icmp: false, arp: false, neighbours: false, listen: false },
  ...{ ip_address: '', running_scans: 0, spooled_reports: 0, last_seen_at: null, enrolled_at: null },
}

describe.each(engines())('scanners on %s', (dialect) => {
  const clock = { ms: Date.parse('2026-06-01T00:00:30.000Z') }
  const now = () => new Date(clock.ms)
  let app: TestApp
  let admin: TestCaller
  let write: Transactions
  beforeAll(async () => {
    app = await testApp({ dialect, now, withJobs: false })
    admin = await app.as('admin')
    write = createTransactions(app, now)
  }, 60_000)
  afterAll(() => app.close(), 60_000)

  const send = (http: string, body?: unknown, headers?: Record<string, string>) => ask(admin, http, body, headers)
  const create = (name: string, fields: object = {}) => admin.api.scanners.create({ name, ...fields })
  const enrolled = (name: string, tags: string[] = []) => enrolScanner({ admin, write }, { name, tags })
  const get = (id: string) => admin.api.scanners.get({ id })
  const knows = async (hash: string) => (await write((ctx) => findByToken(ctx, hash))) !== undefined
  const listNames = async (query: string) =>
    ((await send(`GET /api/scanners?${query}`)).body as { name: string }[]).map(({ name }) => name)

  test('a new scanner is pending, and its token is shown once', async () => {
    const made = await create('first', { tags: ['emea'] })
    const { enrolment_token, enrolment_expires_at, ...scanner } = made
    expect(enrolment_token).toMatch(/^plat_en_[A-Za-z0-9_-]{43}$/)
    expect(Date.parse(enrolment_expires_at)).toBe(clock.ms + DAY_MS)
    expect(scanner).toMatchObject({ name: 'first', tags: ['emea'], use_credentials: false, ...NOTHING_SAID })
    expect(await get(made.id)).toEqual(scanner)
  })

  test('a name is taken in any case', async () => {
    await create('Taken')
    expect(await send('POST /api/scanners', { name: 'tAKEN' })).toMatchObject(alreadyExists)
    const { id } = await create('free')
    expect(await send(`PUT /api/scanners/${id}`, { name: 'TAKEN' })).toMatchObject(alreadyExists)
  })

  test.each([
    [{ name: '' }, 'name'],
    [{ name: 'x'.repeat(256) }, 'name'],
    [{ name: 'a', tags: [''] }, 'tags[0]'],
    [{ name: 'a', use_credentials: 'yes' }, 'use_credentials'],
  ])('a scanner of %p is refused on its field', async (body, field) => {
    expect(await send('POST /api/scanners', body)).toMatchObject(refusal(field))
  })

  test('an enrolled scanner says what it is, and is online', async () => {
    const { id } = await enrolled('says')
    expect(await get(id)).toMatchObject({
      ...{ ...FACTS, status: 'online', is_outdated: false, running_scans: 0, spooled_reports: 0 },
      ...{ enrolled_at: now().toISOString(), last_seen_at: '2026-06-01T00:00:00.000Z' },
    })
  })

  test('an enrolment token works once', async () => {
    const { enrolment_token } = await create('once')
    expect(await redeemToken(write, enrolment_token)).toBeString()
    expect(await redeemToken(write, enrolment_token)).toBeUndefined()
  })

  test('an enrolment token expires after 24 hours', async () => {
    const { id, enrolment_token } = await create('late')
    clock.ms += DAY_MS
    expect(await redeemToken(write, enrolment_token)).toBeUndefined()
    const { enrolment_token: other } = await admin.api.scanners.enrol({ id })
    clock.ms += DAY_MS - 1
    expect(await redeemToken(write, other)).toBeString()
  })

  test('another enrolment token voids the unused one, and the credential works until it is redeemed', async () => {
    const { id, tokenHash } = await enrolled('twice')
    const { enrolment_token: unused } = await admin.api.scanners.enrol({ id })
    const { enrolment_token } = await admin.api.scanners.enrol({ id })
    expect(await redeemToken(write, unused)).toBeUndefined()
    expect(await knows(tokenHash)).toBe(true)
    const next = await redeemToken(write, enrolment_token)
    expect([await knows(tokenHash), await knows(next ?? '')]).toEqual([false, true])
  })

  test('a revoked scanner has no token, and can be enrolled again', async () => {
    const { id, tokenHash } = await enrolled('revoked')
    const { enrolment_token: unused } = await admin.api.scanners.enrol({ id })
    expect(await admin.api.scanners.revoke({ id })).toMatchObject({ id, status: 'revoked' })
    expect(await admin.api.scanners.revoke({ id })).toMatchObject({ status: 'revoked' })
    expect([await knows(tokenHash), await redeemToken(write, unused)]).toEqual([false, undefined])
    const { enrolment_token } = await admin.api.scanners.enrol({ id })
    expect((await get(id)).status).toBe('revoked')
    await redeemToken(write, enrolment_token)
    expect((await get(id)).status).toBe('online')
  })

  test('a deleted scanner has no token', async () => {
    const { id, tokenHash } = await enrolled('deleted')
    await admin.api.scanners.delete({ id })
    expect(await knows(tokenHash)).toBe(false)
    expect(await send(`POST /api/scanners/${id}/enrolment`)).toMatchObject(missing)
    expect(await send(`POST /api/scanners/${id}/revoke`)).toMatchObject(missing)
  })

  test('no token is stored', async () => {
    const { id, enrolment_token } = await create('hashed', { id: 'hashed' })
    const other = (await admin.api.scanners.enrol({ id })).enrolment_token
    const { enrolment_hash } = await app.db.read
      .selectFrom('scanner_states')
      .select('enrolment_hash')
      .where('scanner_id', '=', id)
      .executeTakeFirstOrThrow()
    expect(enrolment_hash).toBe(hashSecret(other))
    const tables = ['audit', 'history', 'changes', 'events', 'idempotency_keys', 'scanners'] as const
    for (const table of tables) {
      const text = JSON.stringify(await app.db.read.selectFrom(table).selectAll().execute())
      expect([text.includes(enrolment_token), text.includes(other)]).toEqual([false, false])
    }
  })

  test('a retry with the idempotency key of a create gets 409 with the change, and no second scanner', async () => {
    const headers = { 'Idempotency-Key': 'scanner' }
    const first = await admin.request('POST', '/api/scanners', { name: 'retried' }, headers)
    expect(first.status).toBe(201)
    const again = await admin.request('POST', '/api/scanners', { name: 'retried' }, headers)
    expect([again.status, again.headers.get('x-change-id')]).toEqual([409, first.headers.get('x-change-id')])
    expect(await again.json()).toMatchObject({ error: expect.stringContaining('its answer has a secret') })
    expect(await listNames('name=retried')).toEqual(['retried'])
  })

  test('an update by a ref creates a scanner, and answers no token', async () => {
    const answer = await send('PUT /api/scanners/ansible:9', { name: 'by ref' })
    expect(answer.status).toBe(201)
    expect(answer.body).toMatchObject({ name: 'by ref', refs: { ansible: '9' }, status: 'pending' })
    expect(Object.keys(answer.body as object)).not.toContain('enrolment_token')
  })

  test('lists find scanners by their status and by their label', async () => {
    await enrolled('Lab', ['x,y', 'say "hi"'])
    await enrolled('other', ['Lab'])
    await create('lab pending', { tags: ['Lab'] })
    expect(await listNames('label=Lab')).toEqual(['Lab', 'lab pending', 'other'])
    expect(await listNames('label=Lab&status=online')).toEqual(['Lab', 'other'])
    expect(await listNames('label=lab')).toEqual([])
    expect(await listNames(`label=${encodeURIComponent('say "hi"')}`)).toEqual(['Lab'])
    expect(await listNames(`label=${encodeURIComponent('x')}`)).toEqual([])
    expect(await send('GET /api/scanners?status=asleep')).toMatchObject(refusal('status'))
    expect(await listNames('status=revoked')).toEqual([])
  })

  test('enrolled scanners that are not revoked answer to a label', async () => {
    const { id } = await enrolled('answers', ['place'])
    const { id: revoked } = await enrolled('was here', ['place'])
    await admin.api.scanners.revoke({ id: revoked })
    await create('not yet', { tags: ['place'] })
    const answering = (label: string) => write((ctx) => listAnswering(ctx, label))
    expect(await answering('place')).toEqual([{ id, name: 'answers', is_online: true }])
    expect((await answering('answers')).map(({ name }) => name)).toEqual(['answers'])
    expect(await answering('')).toEqual([])
  })

  test('what a scanner says of itself is stored at most once a minute', async () => {
    const { id, tokenHash } = await enrolled('talks')
    const note = async (facts: object) => {
      const scanner = await write((ctx) => findByToken(ctx, tokenHash))
      if (!scanner || !hasNews(scanner, facts, now().toISOString())) return false
      await write((ctx) => noteFacts(ctx, id, facts))
      return true
    }
    expect(await note({ hostname: 'other' })).toBe(false)
    clock.ms += 60_000
    expect(await note({ hostname: 'branch', links: FACTS.links })).toBe(false)
    expect(await note({ hostname: 'other', spooled_reports: 3, version: '0.0.1' })).toBe(true)
    expect(await note({ hostname: 'third' })).toBe(false)
    expect(await get(id)).toMatchObject({ hostname: 'other', spooled_reports: 3, is_outdated: true })
  })
})
