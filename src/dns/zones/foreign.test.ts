// Random zones that Plat adopts and then changes: each record that others have written stays as it is.
import { afterAll, beforeAll, expect, test } from 'bun:test'
import fc from 'fast-check'
import { type TestApp, type TestCaller, testApp } from '../../../testing/app/app.ts'
import { countCases } from '../../../testing/cases.ts'
import { ask } from '../../../testing/estates/inventory.ts'
import { DNS_KEYS, startNamed, type TestDnsServer } from '../../../testing/servers/dns-servers.ts'
import { until } from '../../../testing/until.ts'
import { createTargetRules } from '../../base/security/outbound-target.ts'
import { parseCidrOrThrow } from '../../net/cidr.ts'
import type { RrsetChange } from '../../net/dns/update.ts'
import { createDnsClient, type DnsClient } from '../client/client.ts'
import { createDnsConnector } from '../client/connector.ts'
import type { DnsRrset, DnsZone } from './schema.ts'

const ZONE = 'example.org'
const RUNS = process.env.PLAT_LONG === '1' ? 1000 : countCases(25)
const LIMIT_MS = 600_000
const KEY = DNS_KEYS.find(({ algorithm }) => algorithm === 'hmac-sha256')
if (KEY === undefined) throw new Error('no key')
const { connect } = createDnsConnector({ rules: createTargetRules(false), servers: [parseCidrOrThrow('127.0.0.1/32')] })

let server: TestDnsServer
let app: TestApp
let admin: TestCaller
let client: DnsClient
let providerId = ''
beforeAll(async () => {
  server = await startNamed()
  const env = { DNS_SERVERS: '127.0.0.1', ENCRYPTION_KEY: 'ab'.repeat(32), RATE_LIMIT_ENABLED: 'false' }
  app = await testApp({ dialect: 'sqlite', env })
  admin = await app.as('admin')
  client = createDnsClient({ connect, host: '127.0.0.1', port: server.port, key: KEY, timeoutMs: 30_000 })
  const provider = { name: 'bind', host: '127.0.0.1', port: server.port, tsig_name: KEY.name }
  providerId = await made('/api/dns/providers', {
    ...provider,
    tsig_secret: Buffer.from(KEY.secret).toString('base64'),
  })
}, LIMIT_MS)
afterAll(async () => {
  await app.close()
  await server.stop()
}, LIMIT_MS)

const send = (http: string, body?: unknown) => ask(admin, http, body)
const made = async (path: string, body: object): Promise<string> => {
  const answer = await send(`POST ${path}`, body)
  expect([answer.status, answer.body]).toMatchObject([201, {}])
  return (answer.body as unknown as { id: string }).id
}

/** The RRsets of the server except at its apex, as text by name and type. */
const onServer = async (): Promise<Map<string, string>> => {
  const values = new Map<string, string[]>()
  for await (const { name, type, ttl, value } of client.transfer(ZONE)) {
    if (name === ZONE) continue
    const key = `${name.slice(0, -ZONE.length - 1)} ${type}`
    values.set(key, [...(values.get(key) ?? []), `${ttl} ${value}`])
  }
  return new Map([...values].map(([key, all]) => [key, all.sort().join(', ')]))
}

const withoutTtl = (text: string): string[] => text.split(', ').map((one) => one.replace(/^\d+ /, ''))

const settled = (id: string): Promise<DnsZone> =>
  until('settled zone', async () => {
    const zone = (await send(`GET /api/dns/zones/${id}`)).body as unknown as DnsZone
    if (zone.status === 'failed') throw new Error(zone.status_message)
    return zone.pending_count === 0 ? zone : undefined
  })

const names = fc.constantFrom('a', 'b', 'c', 'd.e')
const ips = fc.constantFrom('10.0.0.1', '10.0.0.2', '2001:db8::1')
const foreign = fc.uniqueArray(
  fc.oneof(
    fc.record({
      name: names,
      type: fc.constant('A'),
      values: fc.subarray(['10.0.0.1', '10.0.0.2', '10.0.0.3'], { minLength: 1 }),
    }),
    fc.record({ name: names, type: fc.constant('AAAA'), values: fc.constant(['2001:db8::1']) }),
    fc.record({ name: names, type: fc.constant('TXT'), values: fc.constant(['v=spf1 -all']) }),
    fc.record({ name: names, type: fc.constant('MX'), values: fc.constant(['10 mail.example.net']) }),
    fc.record({
      name: fc.constantFrom('a', 'cname'),
      type: fc.constant('CNAME'),
      values: fc.constant(['b.example.org']),
    }),
  ),
  { maxLength: 5, selector: ({ name, type }) => `${name} ${type}` },
)
const device = fc.record({
  hostname: fc.oneof(
    fc.constant(''),
    names.map((name) => `${name}.${ZONE}`),
  ),
  domains: fc.array(
    names.map((name) => `${name}.${ZONE}`),
    { maxLength: 1 },
  ),
  addresses: fc.array(
    fc.record({
      ip: ips,
      dns_name: fc.oneof(
        fc.constant(''),
        names.map((name) => `${name}.${ZONE}`),
      ),
    }),
    { maxLength: 2 },
  ),
})
const record = fc.oneof(
  fc.record({ name: names, type: fc.constant('TXT'), value: fc.constantFrom('v=spf1 -all', 'ours') }),
  fc.record({ name: names, type: fc.constant('A'), value: fc.constantFrom('10.0.0.1', '10.0.0.9') }),
)
const cases = fc.record({
  ...{ foreign, before: fc.array(device, { maxLength: 3 }), after: fc.array(device, { maxLength: 3 }) },
  records: fc.uniqueArray(record, { maxLength: 2, selector: ({ name, type }) => `${name} ${type}` }),
})

const fill = async (
  all: readonly { readonly name: string; readonly type: string; readonly values: readonly string[] }[],
) => {
  const left = [...(await onServer()).keys()].map((key) => key.split(' ', 1)[0] ?? '')
  const remove = [...new Set(left)].map(
    (name): RrsetChange => ({ kind: 'delete', name: `${name}.${ZONE}`, type: 'ANY' }),
  )
  // A CNAME beside other records is no zone.
  const alone = all.filter(
    ({ name, type }) => type === 'CNAME' || !all.some((one) => one.name === name && one.type === 'CNAME'),
  )
  const add = alone.map(
    ({ name, type, values }): RrsetChange => ({ kind: 'add', name: `${name}.${ZONE}`, type, ttl: 60, values }),
  )
  await client.update({ zone: ZONE, prerequisites: [], changes: [...remove, ...add] })
}

test(
  'records of others survive the adoption, changes of devices, syncs and the deletion of the zone',
  async () => {
    let kept = 0
    for (const one of fc.sample(cases, { seed: 5, numRuns: RUNS })) {
      await fill(one.foreign)
      const before = await onServer()
      const devices: string[] = []
      const add = async (all: typeof one.before) => {
        for (const each of all) devices.push(await made('/api/devices', { name: 'd', ...each }))
      }
      await add(one.before)
      const zone = await made('/api/dns/zones', { name: ZONE, provider_id: providerId })
      for (const each of one.records) await made('/api/dns/records', { zone_id: zone, ...each })
      /** RRsets with the values that Plat wants become its own. */
      const adopted = new Set<string>()
      const adopt = async () => {
        await settled(zone)
        const rrsets = (await send(`GET /api/dns/zones/${zone}/rrsets`)).body as unknown as DnsRrset[]
        for (const { state, name, type, values } of rrsets) {
          const text = before.get(`${name} ${type}`)
          const isEqual = text !== undefined && withoutTtl(text).join() === [...values].sort().join()
          if (state === 'published' && isEqual) adopted.add(`${name} ${type}`)
        }
      }
      await adopt()
      kept += before.size - adopted.size
      const check = async (moment: string) => {
        const now = await onServer()
        const others = [...before].filter(([key]) => !adopted.has(key))
        const context = `${moment} ${JSON.stringify(one)}`
        expect([context, others.map(([key]) => [key, now.get(key)])]).toEqual([context, others])
      }
      await check('after the adoption')
      const [first] = devices
      if (first)
        await send(`PUT /api/devices/${first}`, { hostname: `moved.${ZONE}`, addresses: [{ ip: '10.0.0.77' }] })
      await add(one.after)
      await adopt()
      await check('after a change')
      for (const id of devices) await send(`DELETE /api/devices/${id}`)
      await settled(zone)
      await send(`POST /api/dns/zones/${zone}/sync`, { force: true })
      await settled(zone)
      await check('after a forced sync')
      await send(`DELETE /api/dns/zones/${zone}`)
      await check('after the deletion of the zone')
    }
    expect(kept).toBeGreaterThan(RUNS / 2)
  },
  LIMIT_MS,
)
