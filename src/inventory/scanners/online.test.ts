/** Scanners that come online and go offline: by their requests, their goodbye, and the start of the server. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { type TestApp, type TestCaller, testApp } from '../../../testing/app/app.ts'
import { findLastSeq, readEvents } from '../../../testing/recorded-events.ts'
import { createTransactions, enrolScanner, redeemToken, type Transactions } from '../../../testing/scanners.ts'
import { engines } from '../../../testing/servers/servers.ts'
import { beat, sayGoodbye } from './state-store.ts'

const MINUTE_MS = 60_000

describe.each(engines())('the states of scanners on %s', (dialect) => {
  const clock = { ms: Date.parse('2026-06-01T00:00:00.000Z') }
  const now = () => new Date(clock.ms)
  let app: TestApp
  let admin: TestCaller
  let write: Transactions
  let count = 0
  beforeAll(async () => {
    app = await testApp({ dialect, now, withJobs: false })
    admin = await app.as('admin')
    write = createTransactions(app, now)
    // The server has run for long enough to trust a silence.
    clock.ms += MINUTE_MS
  }, 60_000)
  afterAll(() => app.close(), 60_000)

  const follow = (of: TestApp = app) => of.plat.runJob('scanners.follow-requests')
  const enrol = async () => (await enrolScanner({ admin, write }, { name: `scanner ${++count}`, tags: ['branch'] })).id
  const getStatus = async (id: string) => (await admin.api.scanners.get({ id })).status
  /** Sets the last request of a scanner to a time that is long ago by any clock. */
  const silence = (id: string) =>
    app.db.write((tx) => tx.db.updateTable('scanner_beats').set({ beat_ms: 1 }).where('scanner_id', '=', id).execute())
  const hear = (id: string) => write((ctx) => beat(ctx, [id]))
  /** Returns the events of a scanner since a number, with the data of the last one. */
  const listEvents = async (id: string, after: number) => {
    const events = (await readEvents(app, after)).filter(({ resource_id }) => resource_id === id)
    return events.map(({ event, data }) => [event, data.status])
  }

  test('a first enrolment is an event with the scanner as its data', async () => {
    const after = await findLastSeq(app)
    const id = await enrol()
    const [, online] = (await readEvents(app, after)).filter(({ resource_id }) => resource_id === id)
    expect(online).toMatchObject({ event: 'scanner.online', change_id: '' })
    expect(online?.data).toEqual({ ...(await admin.api.scanners.get({ id })) })
  })

  test('a silent scanner goes offline once, and is online again with its next request', async () => {
    const id = await enrol()
    const after = await findLastSeq(app)
    await follow()
    expect(await getStatus(id)).toBe('online')
    await silence(id)
    for (let i = 0; i < 3; i++) await follow()
    expect(await getStatus(id)).toBe('offline')
    await hear(id)
    for (let i = 0; i < 3; i++) await follow()
    expect(await listEvents(id, after)).toEqual([
      ['scanner.offline', 'offline'],
      ['scanner.online', 'online'],
    ])
  })

  test('a goodbye makes a scanner offline at once, and its next request online', async () => {
    const id = await enrol()
    const after = await findLastSeq(app)
    await write((ctx) => sayGoodbye(ctx, id))
    expect(await getStatus(id)).toBe('offline')
    await follow()
    await hear(id)
    await follow()
    expect(await listEvents(id, after)).toEqual([
      ['scanner.offline', 'offline'],
      ['scanner.online', 'online'],
    ])
  })

  test('an enrolment of an online scanner is no event, and of an offline one is', async () => {
    const id = await enrol()
    const enrolAgain = async () => redeemToken(write, (await admin.api.scanners.enrol({ id })).enrolment_token)
    const after = await findLastSeq(app)
    await enrolAgain()
    expect(await listEvents(id, after)).toEqual([])
    await write((ctx) => sayGoodbye(ctx, id))
    await enrolAgain()
    expect((await listEvents(id, after)).map(([event]) => event)).toEqual(['scanner.offline', 'scanner.online'])
  })

  test('a revoked scanner goes offline, and no request makes it online', async () => {
    const id = await enrol()
    const after = await findLastSeq(app)
    await admin.api.scanners.revoke({ id })
    await hear(id)
    await follow()
    expect(await listEvents(id, after)).toEqual([['scanner.offline', 'revoked']])
    expect(await getStatus(id)).toBe('revoked')
  })

  test('a pending scanner has no events', async () => {
    const after = await findLastSeq(app)
    const { id } = await admin.api.scanners.create({ name: `scanner ${++count}` })
    await silence(id)
    await follow()
    expect((await listEvents(id, after)).map(([event]) => event)).toEqual(['scanner.created'])
  })

  test('a silence counts from the start of the server', async () => {
    const id = await enrol()
    await silence(id)
    const other = await testApp({ dialect, now, withJobs: false })
    try {
      const theirs = await enrolScanner(
        { admin: await other.as('admin'), write: createTransactions(other, now) },
        { name: 'of a new server' },
      )
      await other.db.write((tx) => tx.db.updateTable('scanner_beats').set({ beat_ms: 1 }).execute())
      const getTheirs = async () =>
        other.db.read.selectFrom('scanner_states').select('is_online').where('scanner_id', '=', theirs.id).execute()
      clock.ms += MINUTE_MS - 1
      await follow(other)
      expect(await getTheirs()).toEqual([{ is_online: 1 }])
      clock.ms += 1
      await follow(other)
      expect(await getTheirs()).toEqual([{ is_online: 0 }])
    } finally {
      await other.close()
    }
  })

  test('requests write to the states once a minute, and the job writes nothing without news', async () => {
    const id = await enrol()
    await follow()
    const revision = () => app.db.revision(['scanner_states', 'scanners'])
    const before = await revision()
    for (let i = 0; i < 3; i++) {
      await hear(id)
      await follow()
    }
    expect(await revision()).toBe(before)
    clock.ms += MINUTE_MS
    await hear(id)
    expect(await revision()).not.toBe(before)
    expect((await admin.api.scanners.get({ id })).last_seen_at).toBe(now().toISOString())
  })

  test('a webhook filter by tags passes the events of scanners with the tag', async () => {
    const hook = (name: string, tags: string[]) =>
      admin.api.webhooks.create({
        ...{ name, url: 'https://hook.example/', filter: { tags } },
        events: ['scanner.online', 'scanner.offline', 'scanner.created'],
      })
    const [branch, other] = [await hook('branch', ['branch']), await hook('other', ['elsewhere'])]
    const id = await enrol()
    await write((ctx) => sayGoodbye(ctx, id))
    await silence(id)
    await hear(id)
    await follow()
    const listTold = async ({ id: hookId }: { id: string }) =>
      (await admin.api.webhooks.deliveries({ id: hookId })).map(({ event }) => event).sort()
    expect(await listTold(branch)).toContain('scanner.online')
    expect(await listTold(other)).toEqual([])
    for (const one of [branch, other]) await admin.api.webhooks.delete({ id: one.id })
  })

  test('the overview and the metrics of the estate count enrolled scanners', async () => {
    const { scanners } = await admin.api.dashboard.show()
    const all = await admin.api.scanners.list({})
    const countOf = (status: string) => all.filter((one) => one.status === status).length
    expect(scanners).toEqual({ online: countOf('online'), offline: countOf('offline') })
    const text = await (await admin.request('GET', '/metrics/estate')).text()
    const up = text.split('\n').filter((line) => line.startsWith('plat_scanner_up{'))
    const enrolled = all.filter(({ status }) => status === 'online' || status === 'offline')
    expect(up).toEqual(
      enrolled.map(
        ({ id, name, status }) =>
          `plat_scanner_up{scanner_id="${id}",scanner="${name}"} ${Number(status === 'online')}`,
      ),
    )
    const without = await app.as(['dashboard:read'])
    expect((await without.api.dashboard.show()).scanners).toBeNull()
  })
})
