/**
 * kill -9 while names change, of the only server and of one of two instances: afterwards the zone on BIND is as the devices are,
 * and records of others are there.
 */
import { afterAll, afterEach, beforeAll, expect, test } from 'bun:test'
import { cidrOfText } from './net/cidr.ts'
import { createDnsClient } from './platform/dns/client.ts'
import { createDnsConnector } from './platform/dns/connector.ts'
import { targetRules } from './platform/security/outbound-target.ts'
import { DNS_KEYS, startNamed, type TestDnsServer } from './testing/dns-servers.ts'
import { type ServerChild, type ServerFolder, serverFolder } from './testing/server-child.ts'
import { dialects, postgresDatabase } from './testing/servers.ts'

const IS_THOROUGH = process.env.PLAT_CRASH_ROUNDS !== undefined
const DEVICES = 20
const ZONE = 'example.org'
const TIMEOUT_MS = 1_200_000
/** A killed instance keeps the lease of a zone for 20 seconds. */
const PATIENCE_MS = 60_000
const LOOK_MS = 20
const KEY = DNS_KEYS.find(({ algorithm }) => algorithm === 'hmac-sha256')
if (KEY === undefined) throw new Error('no key')
const { connect } = createDnsConnector({ rules: targetRules(false), servers: [cidrOfText('127.0.0.1/32')] })

let named: TestDnsServer
beforeAll(async () => {
  named = await startNamed()
}, TIMEOUT_MS)
afterAll(() => named.stop())

const ending: (() => Promise<void>)[] = []
afterEach(async () => {
  for (const end of ending.splice(0)) await end()
}, TIMEOUT_MS)

type Answer = { readonly status: number; readonly body: Record<string, unknown> }
type Send = (http: string, body?: unknown) => Promise<Answer>

const senderTo =
  ({ url }: ServerChild, { key }: ServerFolder): Send =>
  async (http, body) => {
    const [method = 'GET', path = ''] = http.split(' ')
    const headers = { Authorization: `Bearer ${key}`, 'Content-Type': 'application/json' }
    const init = body === undefined ? { method, headers } : { method, headers, body: JSON.stringify(body) }
    const response = await fetch(url + path, init)
    return { status: response.status, body: (await response.json()) as Record<string, unknown> }
  }

/** The acknowledged address of each device, and the devices of which a change has no answer: it may be there or not. */
type Known = { readonly ips: Map<string, string>; readonly unsure: Set<string> }

type Changing = { readonly round: number; readonly known: Known; readonly isOver: () => boolean }

/** Changes devices by four callers at once, shared by the servers, until it is over or a server is gone. */
const change = async (servers: readonly Send[], { round, known, isOver }: Changing): Promise<void> => {
  const caller = async (index: number): Promise<void> => {
    const send = servers[index % servers.length]
    for (let n = 0; send && !isOver(); n++) {
      const id = `d${(index + 4 * n) % DEVICES}`
      const ip = `10.${round}.${index}.${n & 255}`
      known.unsure.add(id)
      const answer = await send(`PUT /api/devices/${id}`, { addresses: [{ ip }] }).catch(() => undefined)
      if (answer?.status !== 200) return
      known.ips.set(id, ip)
      known.unsure.delete(id)
    }
  }
  await Promise.all([0, 1, 2, 3].map(caller))
}

const inSync = async (send: Send, zone: unknown): Promise<void> => {
  for (const end = performance.now() + PATIENCE_MS; ; await Bun.sleep(LOOK_MS)) {
    const { body } = await send(`GET /api/dns/zones/${zone}`)
    if (body.status === 'in_sync') return
    if (performance.now() > end) throw new Error(`the zone is ${body.status}: ${body.status_message}`)
  }
}

const CASES = [
  ['the only server', 'sqlite', 1, IS_THOROUGH ? 50 : 3],
  ['one of two instances', 'postgres', 2, IS_THOROUGH ? 20 : 2],
] as const

test.each(CASES.filter(([, dialect]) => dialects().includes(dialect)))(
  '%s, on %s: after the kills the zone is as the devices are',
  async (_, dialect, count, rounds) => {
    const client = createDnsClient({ connect, host: '127.0.0.1', port: named.port, key: KEY, timeoutMs: 30_000 })
    const onServer = async (): Promise<Map<string, string>> => {
      const found = new Map<string, string>()
      for await (const { name, type, value } of client.transfer(ZONE))
        if (name !== ZONE) found.set(`${name.slice(0, -ZONE.length - 1)} ${type}`, value)
      return found
    }
    const remove = [...(await onServer()).keys()].map((key) => `${key.split(' ', 1)[0]}.${ZONE}`)
    const empty = remove.map((name) => ({ kind: 'delete', name, type: 'ANY' }) as const)
    const foreign = { kind: 'add', name: `foreign.${ZONE}`, type: 'TXT', ttl: 60, values: ['keep'] } as const
    await client.update({ zone: ZONE, prerequisites: [], changes: [...empty, foreign] })

    const database = dialect === 'postgres' ? await postgresDatabase() : undefined
    const folder = await serverFolder({
      ...{ RATE_LIMIT_ENABLED: 'false', DNS_SERVERS: '127.0.0.1', ENCRYPTION_KEY: 'ab'.repeat(32) },
      ...(database && { DATABASE_URL: database.url }),
    })
    ending.push(async () => {
      await folder.remove()
      await database?.drop()
    })
    const instances: ServerChild[] = []
    for (let i = 0; i < count; i++) instances.push(await folder.start())
    const senders = () => instances.map((one) => senderTo(one, folder))
    const [first] = senders()
    if (!first) throw new Error('there is a server')
    const known: Known = { ips: new Map(), unsure: new Set() }
    for (let i = 0; i < DEVICES; i++) {
      const address = { ip: `10.255.0.${i}` }
      await first('POST /api/devices', { id: `d${i}`, name: `d${i}`, hostname: `d${i}.${ZONE}`, addresses: [address] })
      known.ips.set(`d${i}`, address.ip)
    }
    const secret = Buffer.from(KEY.secret).toString('base64')
    const provider = { name: 'bind', host: '127.0.0.1', port: named.port, tsig_name: KEY.name, tsig_secret: secret }
    const { body } = await first('POST /api/dns/providers', provider)
    const { body: zone } = await first('POST /api/dns/zones', { name: ZONE, provider_id: body.id })
    for (let round = 0; round < rounds; round++) {
      let isOver = false
      known.unsure.clear()
      const changing = change(senders(), { round, known, isOver: () => isOver })
      await Bun.sleep(100 + ((round * 131) % 400))
      await instances[round % count]?.kill()
      isOver = true
      await changing
      instances[round % count] = await folder.start()
      const [send] = senders()
      if (!send) throw new Error('there is a server')
      await inSync(send, zone.id)
      const there = await onServer()
      expect([round, there.get('foreign TXT'), there.size]).toEqual([round, 'keep', DEVICES + 1])
      for (let i = 0; i < DEVICES; i++) {
        const { body: device } = await send(`GET /api/devices/d${i}`)
        const [{ ip } = { ip: '' }] = device.addresses as { ip: string }[]
        expect([round, i, there.get(`d${i} A`)]).toEqual([round, i, ip])
        if (!known.unsure.has(`d${i}`)) expect([round, i, ip]).toEqual([round, i, known.ips.get(`d${i}`) ?? ''])
        known.ips.set(`d${i}`, ip)
      }
    }
    for (const one of instances) await one.stop()
  },
  TIMEOUT_MS,
)
