/**
 * kill -9 while names change, of the only server, of one of two instances and of BIND: afterwards the zone on BIND is as the
 * devices are, and records of others are there.
 */
import { afterAll, afterEach, beforeAll, expect, test } from 'bun:test'
import { createTargetRules } from '../../src/base/security/outbound-target.ts'
import { createDnsClient, type DnsClient } from '../../src/dns/client/client.ts'
import { createDnsConnector } from '../../src/dns/client/connector.ts'
import { parseCidrOrThrow } from '../../src/net/cidr.ts'
import { type ServerChild, type ServerFolder, serverFolder } from '../../testing/app/server-child.ts'
import { DNS_KEYS, startKillableNamed, startNamed, type TestDnsServer } from '../../testing/servers/dns-servers.ts'
import { engines, postgresDatabase } from '../../testing/servers/servers.ts'
import { testsAll } from '../../testing/tests-all.ts'

const IS_THOROUGH = process.env.PLAT_CRASH_ROUNDS !== undefined
const DEVICES = 20
const ZONE = 'example.org'
const TIMEOUT_MS = 1_200_000
/** A killed instance keeps the lease of a zone for 20 seconds. */
const PATIENCE_MS = 60_000
const LOOK_MS = 20
const KEY = DNS_KEYS.find(({ algorithm }) => algorithm === 'hmac-sha256')
if (KEY === undefined) throw new Error('no key')
const { connect } = createDnsConnector({ rules: createTargetRules(false), servers: [parseCidrOrThrow('127.0.0.1/32')] })

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
    return { status: response.status, body: JSON.parse((await response.text()) || '{}') as Record<string, unknown> }
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

const clientTo = (port: number): DnsClient =>
  createDnsClient({ connect, host: '127.0.0.1', port, key: KEY, timeoutMs: 30_000 })

/** Returns the values of the server by relative name and type, except at its apex. */
const onServer = async (client: DnsClient): Promise<Map<string, string>> => {
  const found = new Map<string, string>()
  for await (const { name, type, value } of client.transfer(ZONE))
    if (name !== ZONE) found.set(`${name.slice(0, -ZONE.length - 1)} ${type}`, value)
  return found
}

const foreign = { kind: 'add', name: `foreign.${ZONE}`, type: 'TXT', ttl: 60, values: ['keep'] } as const

/** Creates devices, and the zone that their names fill. @returns the id of the zone */
const fill = async (send: Send, known: Known, port: number): Promise<unknown> => {
  for (let i = 0; i < DEVICES; i++) {
    const address = { ip: `10.255.0.${i}` }
    await send('POST /api/devices', { id: `d${i}`, name: `d${i}`, hostname: `d${i}.${ZONE}`, addresses: [address] })
    known.ips.set(`d${i}`, address.ip)
  }
  const secret = Buffer.from(KEY.secret).toString('base64')
  const provider = { name: 'bind', host: '127.0.0.1', port, tsig_name: KEY.name, tsig_secret: secret }
  const { body } = await send('POST /api/dns/providers', provider)
  return (await send('POST /api/dns/zones', { name: ZONE, provider_id: body.id })).body.id
}

/** Compares the devices with the acknowledged changes, and the zone with the devices. */
const compare = async (send: Send, known: Known, { round, there }: { round: number; there: Map<string, string> }) => {
  for (let i = 0; i < DEVICES; i++) {
    const { body: device } = await send(`GET /api/devices/d${i}`)
    const [{ ip } = { ip: '' }] = device.addresses as { ip: string }[]
    expect([round, i, there.get(`d${i} A`)]).toEqual([round, i, ip])
    if (!known.unsure.has(`d${i}`)) expect([round, i, ip]).toEqual([round, i, known.ips.get(`d${i}`) ?? ''])
    known.ips.set(`d${i}`, ip)
  }
}

const ENV = { RATE_LIMIT_ENABLED: 'false', DNS_SERVERS: '127.0.0.1', ENCRYPTION_KEY: 'ab'.repeat(32) }

const ALL_CASES = [
  ['the only server', 'sqlite', 1, IS_THOROUGH ? 50 : 1],
  ['one of two instances', 'postgres', 2, IS_THOROUGH ? 20 : 2],
] as const
/** Without two instances, whose lease of a zone outlives the killed one by 20 seconds. */
const CASES = ALL_CASES.slice(0, testsAll || IS_THOROUGH ? 2 : 1)

test.each(CASES.filter(([, dialect]) => engines().includes(dialect)))(
  '%s, on %s: after the kills the zone is as the devices are',
  async (_, dialect, count, rounds) => {
    const client = clientTo(named.port)
    const remove = [...(await onServer(client)).keys()].map((key) => `${key.split(' ', 1)[0]}.${ZONE}`)
    const empty = remove.map((name) => ({ kind: 'delete', name, type: 'ANY' }) as const)
    await client.update({ zone: ZONE, prerequisites: [], changes: [...empty, foreign] })

    const database = dialect === 'postgres' ? await postgresDatabase() : undefined
    const folder = await serverFolder({ ...ENV, ...(database && { DATABASE_URL: database.url }) })
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
    const zone = await fill(first, known, named.port)
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
      await inSync(send, zone)
      const there = await onServer(client)
      expect([round, there.get('foreign TXT'), there.size]).toEqual([round, 'keep', DEVICES + 1])
      await compare(send, known, { round, there })
    }
    for (const one of instances) await one.stop()
  },
  TIMEOUT_MS,
)

const KILLS = testsAll || IS_THOROUGH ? 20 : 2

test(
  `BIND, ${KILLS} times: afterwards the zone is as the devices are, and records of others are as they were`,
  async () => {
    const bind = await startKillableNamed()
    const folder = await serverFolder(ENV)
    ending.push(async () => {
      await folder.remove()
      await bind.stop()
    })
    const client = clientTo(bind.port)
    // One beside the names of Plat, and one in the place of a name that Plat wants.
    const taken = { ...foreign, name: `taken.${ZONE}`, type: 'A', values: ['192.0.2.1'] }
    await client.update({ zone: ZONE, prerequisites: [], changes: [foreign, taken] })
    const server = await folder.start()
    const send = senderTo(server, folder)
    const known: Known = { ips: new Map(), unsure: new Set() }
    const wanting = { id: 'taken', name: 'taken', hostname: `taken.${ZONE}`, addresses: [{ ip: '10.254.0.1' }] }
    await send('POST /api/devices', wanting)
    const zone = await fill(send, known, bind.port)
    await inSync(send, zone)
    for (let round = 0; round < KILLS; round++) {
      let isOver = false
      const changing = change([send], { round, known, isOver: () => isOver })
      // At another moment of an update in each round.
      await Bun.sleep(60 + ((round * 37) % 200))
      await bind.kill()
      // Acknowledged while there is no server.
      const device = {
        id: `n${round}`,
        name: `n${round}`,
        hostname: `n${round}.${ZONE}`,
        addresses: [{ ip: `10.253.0.${round}` }],
      }
      expect((await send('POST /api/devices', device)).status).toBe(201)
      if (round > 0) expect((await send(`DELETE /api/devices/n${round - 1}`)).status).toBe(204)
      isOver = true
      await changing
      await bind.start()
      // The lane tries again by itself, or because a user asks.
      if (round % 2 === 1) expect((await send(`POST /api/dns/zones/${zone}/sync`, {})).status).toBe(200)
      await inSync(send, zone)
      const there = await onServer(client)
      expect([round, there.get('foreign TXT'), there.get('taken A')]).toEqual([round, 'keep', '192.0.2.1'])
      expect([round, there.get(`n${round} A`), there.size]).toEqual([round, `10.253.0.${round}`, DEVICES + 3])
      await compare(send, known, { round, there })
    }
    await server.stop()
  },
  TIMEOUT_MS,
)
