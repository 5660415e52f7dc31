// Zones with a failing server or process: lost answers, a server that is away, kill -9, and two instances.
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'bun:test'
import { type TestApp, type TestCaller, testApp } from '../../../testing/app/app.ts'
import { serverFolder } from '../../../testing/app/server-child.ts'
import { testAll } from '../../../testing/cases.ts'
import { ask } from '../../../testing/estates/inventory.ts'
import { type DnsGate, startDnsGate } from '../../../testing/servers/dns-gate.ts'
import { DNS_KEYS, startNamed, type TestDnsServer } from '../../../testing/servers/dns-servers.ts'
import { instanceBeside } from '../../../testing/servers/instances.ts'
import { onSqlite } from '../../../testing/servers/servers.ts'
import { until } from '../../../testing/until.ts'
import { createTargetRules } from '../../base/security/outbound-target.ts'
import { parseCidrOrThrow } from '../../net/cidr.ts'
import { createDnsClient, type DnsClient } from '../client/client.ts'
import { createDnsConnector } from '../client/connector.ts'
import type { DnsRrset, DnsZone } from './schema.ts'

const ZONE = 'example.org'
const KEY = DNS_KEYS.find(({ algorithm }) => algorithm === 'hmac-sha256')
if (KEY === undefined) throw new Error('no key')
const { connect } = createDnsConnector({ rules: createTargetRules(false), servers: [parseCidrOrThrow('127.0.0.1/32')] })
const ENV = { DNS_SERVERS: '127.0.0.1', ENCRYPTION_KEY: 'ab'.repeat(32), RATE_LIMIT_ENABLED: 'false' }
const START_MS = 60_000

let named: TestDnsServer
let client: DnsClient
let gate: DnsGate
beforeAll(async () => {
  named = await startNamed()
  client = createDnsClient({ connect, host: '127.0.0.1', port: named.port, key: KEY, timeoutMs: 30_000 })
}, START_MS)
afterAll(async () => {
  await named.stop()
})
beforeEach(async () => {
  gate = await startDnsGate(named.port)
})
afterEach(async () => {
  await gate.close()
  const names = new Set((await onServer()).map((line) => line.split(' ', 1)[0] ?? ''))
  for (const name of names)
    await client.update({
      zone: ZONE,
      prerequisites: [],
      changes: [{ kind: 'delete', name: `${name}.${ZONE}`, type: 'ANY' }],
    })
})

const onServer = async (): Promise<string[]> => {
  const found: string[] = []
  for await (const { name, type, value } of client.transfer(ZONE))
    if (name !== ZONE) found.push(`${name.slice(0, -ZONE.length - 1)} ${type} ${value}`)
  return found.sort()
}

type Send = (http: string, body?: unknown) => Promise<{ readonly status: number; readonly body: unknown }>

/** Creates the zone behind the gate. */
const makeZone = async (send: Send): Promise<string> => {
  const secret = Buffer.from(KEY.secret).toString('base64')
  const { body: provider } = await send('POST /api/dns/providers', {
    ...{
      name: 'gate',
      host: '127.0.0.1',
      port: gate.port,
      tsig_name: KEY.name,
      tsig_secret: secret,
      timeout_seconds: 1,
    },
  })
  const { id: provider_id } = provider as { id: string }
  const { status, body } = await send('POST /api/dns/zones', {
    name: ZONE,
    provider_id,
    check_interval_seconds: 86_400,
  })
  expect([status, body]).toMatchObject([201, {}])
  return (body as DnsZone).id
}

const reached = (send: Send, id: string, status: DnsZone['status']): Promise<DnsZone> =>
  until(`zone ${status}`, async () => {
    const zone = (await send(`GET /api/dns/zones/${id}`)).body as DnsZone
    return zone.status === status ? zone : undefined
  })

const states = async (send: Send, id: string): Promise<string[]> =>
  ((await send(`GET /api/dns/zones/${id}/rrsets`)).body as DnsRrset[]).map(
    ({ name, values, state }) => `${name} ${values.join(',')} ${state}`,
  )

const device = (id: string, ip: string) => ({ id, name: id, hostname: `${id}.${ZONE}`, addresses: [{ ip }] })

describe.each(onSqlite())('on %s', (dialect) => {
  let app: TestApp
  let admin: TestCaller
  let send: Send
  beforeEach(async () => {
    app = await testApp({ dialect, env: ENV })
    admin = await app.as('admin')
    send = (http, body) => ask(admin, http, body)
  }, START_MS)
  afterEach(async () => {
    await app.close()
  }, START_MS)

  test('an update with a lost answer is found again, although the device has changed since', async () => {
    await send('POST /api/devices', device('kept', '10.0.0.1'))
    const id = await makeZone(send)
    await reached(send, id, 'in_sync')
    gate.set('mute')
    await send('POST /api/devices', device('lost', '10.0.0.2'))
    await send('PUT /api/devices/kept', { addresses: [{ ip: '10.0.0.3' }] })
    await reached(send, id, 'failed')
    await until(
      'the record of the lost answer',
      async () => (await onServer()).includes('lost A 10.0.0.2') || undefined,
    )
    await send('PUT /api/devices/lost', { addresses: [{ ip: '10.0.0.4' }] })
    gate.set('open')
    expect((await send(`POST /api/dns/zones/${id}/sync`)).body).toMatchObject({ status: 'in_sync' })
    expect(await onServer()).toEqual(['kept A 10.0.0.3', 'lost A 10.0.0.4'])
    expect(await states(send, id)).toEqual(['kept 10.0.0.3 published', 'lost 10.0.0.4 published'])
  })

  test('a device that is deleted after its answer was lost is removed from the server', async () => {
    await send('POST /api/devices', device('kept', '10.0.0.1'))
    const id = await makeZone(send)
    await reached(send, id, 'in_sync')
    gate.set('mute')
    await send('POST /api/devices', device('lost', '10.0.0.2'))
    await until(
      'the record of the lost answer',
      async () => (await onServer()).includes('lost A 10.0.0.2') || undefined,
    )
    await reached(send, id, 'failed')
    await send('DELETE /api/devices/lost')
    gate.set('open')
    expect((await send(`POST /api/dns/zones/${id}/sync`)).body).toMatchObject({ status: 'in_sync' })
    expect(await onServer()).toEqual(['kept A 10.0.0.1'])
    expect(await states(send, id)).toEqual(['kept 10.0.0.1 published'])
  })

  test('a server that is away makes the zone fail, with one event, and is caught up with later', async () => {
    const id = await makeZone(send)
    await reached(send, id, 'in_sync')
    gate.set('closed')
    for (const n of [1, 2, 3]) await send('POST /api/devices', device(`d${n}`, `10.0.0.${n}`))
    expect((await reached(send, id, 'failed')).status_message).toStartWith('no ')
    expect((await send(`POST /api/dns/zones/${id}/check`)).status).toBe(502)
    expect((await send(`POST /api/dns/zones/${id}/sync`)).status).toBe(502)
    await send('PUT /api/devices/d2', { hostname: '' })
    gate.set('open')
    expect((await send(`POST /api/dns/zones/${id}/sync`)).body).toMatchObject({ status: 'in_sync' })
    expect(await onServer()).toEqual(['d1 A 10.0.0.1', 'd3 A 10.0.0.3'])
    const events = await app.db.read.selectFrom('events').select('event').where('event', 'like', 'dns.%').execute()
    expect(events).toEqual([{ event: 'dns.sync_failed' }])
  })

  test('a zone that gets another server begins again there', async () => {
    await send('POST /api/devices', device('moved', '10.0.0.1'))
    const id = await makeZone(send)
    await reached(send, id, 'in_sync')
    await send(`PUT /api/dns/zones/${id}`, { provider_id: null })
    await reached(send, id, 'in_sync')
    await client.update({
      zone: ZONE,
      prerequisites: [],
      changes: [{ kind: 'delete', name: `moved.${ZONE}`, type: 'A' }],
    })
    const [provider] = (await send('GET /api/dns/providers')).body as { id: string }[]
    await send(`PUT /api/dns/zones/${id}`, { provider_id: provider?.id })
    await reached(send, id, 'in_sync')
    expect(await onServer()).toEqual(['moved A 10.0.0.1'])
  })

  if (dialect === 'postgres')
    test('two instances bring a zone to its server together, and neither undoes the other', async () => {
      const id = await makeZone(send)
      const other = await instanceBeside(app)
      const headers = { Authorization: `Bearer ${admin.key}` }
      try {
        await Promise.all(
          Array.from({ length: 60 }, async (_, n) => {
            const body = device(`i${n}`, `10.0.1.${n}`)
            if (n % 2) await send('POST /api/devices', body)
            else await other.fetch('POST', '/api/devices', headers, body)
            const change = { addresses: [{ ip: `10.0.2.${n}` }] }
            if (n % 3) await other.fetch('PUT', `/api/devices/i${n}`, headers, change)
            else await send(`PUT /api/devices/i${n}`, change)
          }),
        )
        await reached(send, id, 'in_sync')
        expect(await onServer()).toEqual(Array.from({ length: 60 }, (_, n) => `i${n} A 10.0.2.${n}`).sort())
        expect((await states(send, id)).filter((state) => !state.endsWith('published'))).toEqual([])
      } finally {
        await other.close()
      }
    }, 60_000)
})

testAll(
  'a process that is killed between the answer of the server and its commit ends in a published state',
  async () => {
    const folder = await serverFolder(ENV)
    const start = async () => {
      const server = await folder.start()
      const send: Send = async (http, body) => {
        const [method = '', path = ''] = http.split(' ')
        const headers = { Authorization: `Bearer ${folder.key}`, 'Content-Type': 'application/json' }
        const response = await fetch(server.url + path, {
          method,
          headers,
          ...(body !== undefined && { body: JSON.stringify(body) }),
        })
        const text = await response.text()
        return { status: response.status, body: text === '' ? undefined : JSON.parse(text) }
      }
      return { server, send }
    }
    try {
      let { server, send } = await start()
      await send('POST /api/devices', device('first', '10.0.0.1'))
      const id = await makeZone(send)
      await reached(send, id, 'in_sync')
      gate.set('mute')
      await send('POST /api/devices', device('second', '10.0.0.2'))
      await send('PUT /api/devices/first', { addresses: [{ ip: '10.0.0.3' }] })
      await until('the update', async () => (await onServer()).includes('second A 10.0.0.2') || undefined)
      await server.kill()
      gate.set('open')
      ;({ server, send } = await start())
      await reached(send, id, 'in_sync')
      expect(await onServer()).toEqual(['first A 10.0.0.3', 'second A 10.0.0.2'])
      expect(await states(send, id)).toEqual(['first 10.0.0.3 published', 'second 10.0.0.2 published'])
      expect(await server.stop()).toBe(0)
    } finally {
      await folder.remove()
    }
  },
  120_000,
)
