/** Zones of a server that sends too much, or does not come to an end: they fail, and are asked less and less often. */
import { afterAll, afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { type TestApp, type TestCaller, testApp } from '../../../testing/app/app.ts'
import { serverFolder } from '../../../testing/app/server-child.ts'
import { testAll } from '../../../testing/cases.ts'
import { ask } from '../../../testing/estates/inventory.ts'
import { fillZone, type HostileDns, sendSlowly, startHostileDns } from '../../../testing/hostile/hostile-dns.ts'
import { answer, closeServers, framed, host, type Respond, soa } from '../../../testing/servers/dns-answers.ts'
import { instanceBeside } from '../../../testing/servers/instances.ts'
import { onSqlite } from '../../../testing/servers/servers.ts'
import { until } from '../../../testing/until.ts'
import type { DnsZone } from './schema.ts'

const ENV = { DNS_SERVERS: '127.0.0.1', ENCRYPTION_KEY: 'ab'.repeat(32), DNS_MAX_RECORDS: '1000' }
const LIMIT_MS = 120_000
const MINUTE_MS = 60_000
const TOO_LARGE = 'the zone has more than 1,000 records: the bound is DNS_MAX_RECORDS=1000'

const unique = { labels: [], isUnique: true, type: 'A', rdata: [192, 0, 2, 1] }
/** About 2,800 records. */
const large = fillZone(unique, 65_000)
const small: Respond = (request, socket) => {
  socket.end(framed(answer(request, [soa, host(1), host(2), soa])))
}

afterAll(closeServers)

type Send = (http: string, body?: unknown) => Promise<{ readonly status: number; readonly body: unknown }>

const makeZone = async (send: Send, port: number): Promise<string> => {
  const provider = await send('POST /api/dns/providers', { name: `port ${port}`, host: '127.0.0.1', port })
  const { id: provider_id } = provider.body as { id: string }
  const zone = { name: 'example.org', provider_id, mode: 'watched', check_interval_seconds: 60 }
  const { status, body } = await send('POST /api/dns/zones', zone)
  expect([status, body]).toMatchObject([201, {}])
  return (body as DnsZone).id
}

describe.each(onSqlite())('on %s', (dialect) => {
  let app: TestApp
  let admin: TestCaller
  let server: HostileDns
  let nowMs = 0
  const now = () => new Date(nowMs)
  const send: Send = (http, body) => ask(admin, http, body)
  beforeEach(async () => {
    nowMs = Date.now()
    server = await startHostileDns(large)
    app = await testApp({ dialect, env: ENV, now })
    admin = await app.as('admin')
  }, LIMIT_MS)
  afterEach(() => app.close(), LIMIT_MS)

  const getZone = async (id: string): Promise<DnsZone> => (await send(`GET /api/dns/zones/${id}`)).body as DnsZone
  const reach = (id: string, what: Partial<DnsZone>): Promise<DnsZone> =>
    until(`zone as ${JSON.stringify(what)}`, async () => {
      const zone = await getZone(id)
      return Object.entries(what).every(([field, value]) => zone[field as keyof DnsZone] === value) ? zone : undefined
    })
  /** Waits until the job has looked at the zones again: it has transferred another zone. */
  const passPoll = async (): Promise<void> => {
    const other = await startHostileDns(small)
    const id = await makeZone(send, other.port)
    await until('another zone', () => other.transfers() > 0 || undefined)
    await send(`DELETE /api/dns/zones/${id}`)
  }
  const transfersReach = (count: number) => until(`${count} transfers`, () => server.transfers() >= count || undefined)

  test(
    'a zone beyond DNS_MAX_RECORDS fails with the bound and the setting, and waits longer each time',
    async () => {
      const id = await makeZone(send, server.port)
      const zone = await reach(id, { status: 'failed' })
      expect(zone.status_message).toBe(TOO_LARGE)
      for (const [at, minutes] of [1, 5, 15, 60].entries()) {
        nowMs += minutes * MINUTE_MS - 1000
        await passPoll()
        expect(server.transfers()).toBe(at + 1)
        nowMs += 2000
        await transfersReach(at + 2)
        expect(await reach(id, { status: 'failed' })).toMatchObject({ status_message: TOO_LARGE })
      }
      const events = await app.db.read
        .selectFrom('events')
        .select('event')
        .where('event', '=', 'dns.sync_failed')
        .execute()
      expect(events).toHaveLength(1)
    },
    LIMIT_MS,
  )

  test(
    'a check by a user is made at once, and ends the failure when the zone has become small',
    async () => {
      const id = await makeZone(send, server.port)
      await reach(id, { status: 'failed' })
      const refused = await send(`POST /api/dns/zones/${id}/check`)
      expect([refused.status, refused.body]).toMatchObject([502, { error: expect.stringContaining('DNS_MAX_RECORDS') }])
      server.send(small)
      expect(await send(`POST /api/dns/zones/${id}/check`)).toMatchObject({ status: 200, body: { foreign: 2 } })
      expect(await getZone(id)).toMatchObject({ status: 'in_sync', status_message: '' })
    },
    LIMIT_MS,
  )

  test.each<[string, Respond, string]>([
    ['a transfer that is cut off', (_, socket) => socket.end(), 'closed the connection'],
    [
      'a transfer that is cut off after its beginning',
      (request, socket) => socket.end(framed(answer(request, [soa, host(1)]))),
      'the transfer was cut off',
    ],
  ])(
    'a zone with %s fails',
    async (_, transfer, message) => {
      server.send(transfer)
      const id = await makeZone(send, server.port)
      expect((await reach(id, { status: 'failed' })).status_message).toContain(message)
    },
    LIMIT_MS,
  )

  test(
    'a managed zone that cannot be transferred is still updated, and shows as failed',
    async () => {
      await send('POST /api/devices', { name: 'a', hostname: 'a.example.org', addresses: [{ ip: '10.0.0.1' }] })
      const id = await makeZone(send, server.port)
      await reach(id, { status: 'failed' })
      await send(`PUT /api/dns/zones/${id}`, { mode: 'managed' })
      const zone = await reach(id, { pending_count: 0, status: 'failed' })
      expect([zone.status_message, zone.rrset_count]).toEqual([TOO_LARGE, 1])
      expect((await send(`GET /api/dns/zones/${id}/rrsets`)).body).toMatchObject([{ state: 'published' }])
      const before = server.transfers()
      await send('POST /api/devices', { name: 'b', hostname: 'b.example.org', addresses: [{ ip: '10.0.0.2' }] })
      await reach(id, { pending_count: 0, rrset_count: 2 })
      expect(server.transfers()).toBe(before)
    },
    LIMIT_MS,
  )

  if (dialect === 'postgres')
    test(
      'another instance waits as well, and so does the next start',
      async () => {
        const id = await makeZone(send, server.port)
        await reach(id, { status: 'failed' })
        const other = await instanceBeside(app, { now })
        await passPoll()
        await other.close()
        const next = await instanceBeside(app, { now })
        await passPoll()
        expect(server.transfers()).toBe(1)
        nowMs += MINUTE_MS + 1000
        await transfersReach(2)
        await reach(id, { status: 'failed' })
        await passPoll()
        expect(server.transfers()).toBe(2)
        await next.close()
      },
      LIMIT_MS,
    )
})

testAll(
  'a transfer during which the process was killed is not repeated at the start',
  async () => {
    const server = await startHostileDns(sendSlowly(100))
    const folder = await serverFolder({ ...ENV, RATE_LIMIT_ENABLED: 'false' })
    const start = async () => {
      const child = await folder.start()
      const send: Send = async (http, body) => {
        const [method = '', path = ''] = http.split(' ')
        const headers = { Authorization: `Bearer ${folder.key}`, 'Content-Type': 'application/json' }
        const response = await fetch(child.url + path, {
          method,
          headers,
          ...(body !== undefined && { body: JSON.stringify(body) }),
        })
        return { status: response.status, body: await response.json() }
      }
      return { child, send }
    }
    try {
      const first = await start()
      await makeZone(first.send, server.port)
      await until('a transfer', () => server.transfers() > 0 || undefined)
      await first.child.kill()
      const second = await start()
      const other = await startHostileDns(small)
      await makeZone(second.send, other.port)
      await until('another zone', () => other.transfers() > 0 || undefined)
      expect(server.transfers()).toBe(1)
      await second.child.kill()
    } finally {
      await folder.remove()
    }
  },
  LIMIT_MS,
)
