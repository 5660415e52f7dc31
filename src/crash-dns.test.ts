/** kill -9 while names change: afterwards the zone on BIND is as the devices are, and records of others are there. */
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { cidrOfText } from './net/cidr.ts'
import { createDnsClient } from './platform/dns/client.ts'
import { createDnsConnector } from './platform/dns/connector.ts'
import { targetRules } from './platform/security/outbound-target.ts'
import { DNS_KEYS, startNamed, type TestDnsServer } from './testing/dns-servers.ts'
import { type ServerFolder, serverFolder } from './testing/server-child.ts'
import { until } from './testing/until.ts'

const ROUNDS = process.env.PLAT_CRASH_ROUNDS ? 50 : 3
const DEVICES = 20
const ZONE = 'example.org'
const TIMEOUT_MS = 600_000
const KEY = DNS_KEYS.find(({ algorithm }) => algorithm === 'hmac-sha256')
if (KEY === undefined) throw new Error('no key')
const { connect } = createDnsConnector({ rules: targetRules(false), servers: [cidrOfText('127.0.0.1/32')] })

let folder: ServerFolder
let named: TestDnsServer
beforeAll(async () => {
  named = await startNamed()
  folder = await serverFolder({
    ...{ RATE_LIMIT_ENABLED: 'false', DNS_SERVERS: '127.0.0.1', ENCRYPTION_KEY: 'ab'.repeat(32) },
  })
}, TIMEOUT_MS)
afterAll(async () => {
  await folder.remove()
  await named.stop()
})

type Answer = { readonly status: number; readonly body: Record<string, unknown> }

const senderTo =
  (url: string) =>
  async (http: string, body?: unknown): Promise<Answer> => {
    const [method = 'GET', path = ''] = http.split(' ')
    const headers = { Authorization: `Bearer ${folder.key}`, 'Content-Type': 'application/json' }
    const response = await fetch(url + path, {
      ...{ method, headers },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    })
    return { status: response.status, body: (await response.json()) as Record<string, unknown> }
  }

/** Changes devices at random until the server is gone. @returns the last acknowledged address of each */
const changeUntilGone = async (send: ReturnType<typeof senderTo>, round: number, known: Map<string, string>) => {
  // A change without an answer may be there or not.
  const unsure = new Set<string>()
  const change = async (index: number): Promise<void> => {
    for (let n = 0; ; n++) {
      const id = `d${(index + 4 * n) % DEVICES}`
      const ip = `10.${round}.${index}.${n & 255}`
      unsure.add(id)
      const answer = await send(`PUT /api/devices/${id}`, { addresses: [{ ip }] }).catch(() => undefined)
      if (answer?.status !== 200) return
      known.set(id, ip)
      unsure.delete(id)
    }
  }
  await Promise.all([0, 1, 2, 3].map(change))
  return unsure
}

test(
  `after ${ROUNDS} kills the zone is as the devices are`,
  async () => {
    const client = createDnsClient({ connect, host: '127.0.0.1', port: named.port, key: KEY, timeoutMs: 30_000 })
    const onServer = async (): Promise<Map<string, string>> => {
      const found = new Map<string, string>()
      for await (const { name, type, value } of client.transfer(ZONE))
        if (name !== ZONE) found.set(`${name.slice(0, -ZONE.length - 1)} ${type}`, value)
      return found
    }
    const foreign = { kind: 'add', name: `foreign.${ZONE}`, type: 'TXT', ttl: 60, values: ['keep'] } as const
    await client.update({ zone: ZONE, prerequisites: [], changes: [foreign] })
    let server = await folder.start()
    const first = senderTo(server.url)
    const known = new Map<string, string>()
    for (let i = 0; i < DEVICES; i++) {
      const address = { ip: `10.255.0.${i}` }
      await first('POST /api/devices', { id: `d${i}`, name: `d${i}`, hostname: `d${i}.${ZONE}`, addresses: [address] })
      known.set(`d${i}`, address.ip)
    }
    const secret = Buffer.from(KEY.secret).toString('base64')
    const provider = { name: 'bind', host: '127.0.0.1', port: named.port, tsig_name: KEY.name, tsig_secret: secret }
    const { body } = await first('POST /api/dns/providers', provider)
    const { body: zone } = await first('POST /api/dns/zones', { name: ZONE, provider_id: body.id })
    for (let round = 0; round < ROUNDS; round++) {
      const changing = changeUntilGone(senderTo(server.url), round, known)
      await Bun.sleep(100 + ((round * 131) % 400))
      await server.kill()
      const unsure = await changing
      server = await folder.start()
      const send = senderTo(server.url)
      await until('zone in sync', async () => {
        const { body: now } = await send(`GET /api/dns/zones/${zone.id}`)
        return now.status === 'in_sync' || undefined
      })
      const there = await onServer()
      expect([round, there.get('foreign TXT')]).toEqual([round, 'keep'])
      expect([round, there.size]).toEqual([round, DEVICES + 1])
      for (let i = 0; i < DEVICES; i++) {
        const { body: device } = await send(`GET /api/devices/d${i}`)
        const [{ ip } = { ip: '' }] = device.addresses as { ip: string }[]
        expect([round, i, there.get(`d${i} A`)]).toEqual([round, i, ip])
        if (!unsure.has(`d${i}`)) expect([round, i, ip]).toEqual([round, i, known.get(`d${i}`) ?? ''])
        known.set(`d${i}`, ip)
      }
    }
    await server.stop()
  },
  TIMEOUT_MS,
)
