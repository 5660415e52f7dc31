// Zones on BIND, Knot and PowerDNS: devices are followed, foreign records stay, and drift is found and settled.
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { type TestApp, type TestCaller, testApp } from '../../../testing/app/app.ts'
import { takeOneIn, testAll } from '../../../testing/cases.ts'
import { ask, failure, refusal } from '../../../testing/estates/inventory.ts'
import {
  DNS_KEYS,
  READ_KEY,
  startKnot,
  startNamed,
  startPowerDns,
  type TestDnsServer,
  ZONES,
} from '../../../testing/servers/dns-servers.ts'
import { engines } from '../../../testing/servers/servers.ts'
import { until } from '../../../testing/until.ts'
import { createTargetRules } from '../../base/security/outbound-target.ts'
import { parseCidrOrThrow } from '../../net/cidr.ts'
import type { Prerequisite, RrsetChange } from '../../net/dns/update.ts'
import { createDnsClient, type DnsClient } from '../client/client.ts'
import { createDnsConnector } from '../client/connector.ts'
import type { DnsRrset, DnsZone, DriftReport } from './schema.ts'

const [ZONE, SLASH] = ZONES
const KEY = DNS_KEYS.find(({ algorithm }) => algorithm === 'hmac-sha256')
if (KEY === undefined) throw new Error('no key')
const { connect } = createDnsConnector({ rules: createTargetRules(false), servers: [parseCidrOrThrow('127.0.0.1/32')] })
const base64 = (bytes: Uint8Array): string => Buffer.from(bytes).toString('base64')
const ENV = { DNS_SERVERS: '127.0.0.1', ENCRYPTION_KEY: 'ab'.repeat(32) }
const START_MS = 60_000

const [FIRST = 'sqlite'] = engines()
/** Each server once, and the first of them on each database. */
const CASES = [
  ...engines().map((dialect) => ['BIND', startNamed, dialect] as const),
  ['Knot', startKnot, FIRST] as const,
  ['PowerDNS', startPowerDns, FIRST] as const,
]

describe.each(takeOneIn(2, CASES))('%s', (name, start, dialect) => {
  let [server, app, admin]: [TestDnsServer | undefined, TestApp | undefined, TestCaller | undefined] = [
    undefined,
    undefined,
    undefined,
  ]
  let client: DnsClient | undefined
  let providerId = ''
  beforeAll(async () => {
    server = await start()
    client = createDnsClient({ connect, host: '127.0.0.1', port: server.port, key: KEY, timeoutMs: 30_000 })
    app = await testApp({ dialect, env: ENV })
    admin = await app.as('admin')
    providerId = await provider('server')
  }, START_MS)
  afterAll(async () => {
    await app?.close()
    await server?.stop()
  }, START_MS)

  const there = <T>(value: T | undefined): T => {
    if (value === undefined) throw new Error('not started')
    return value
  }
  const api = () => there(admin).api
  const send = (http: string, body?: unknown) => ask(there(admin), http, body)
  const provider = async (title: string, given: object = {}): Promise<string> => {
    const { body } = await send('POST /api/dns/providers', {
      ...{
        name: title,
        host: '127.0.0.1',
        port: there(server).port,
        tsig_name: KEY.name,
        tsig_secret: base64(KEY.secret),
      },
      ...given,
    })
    return (body as { id: string }).id
  }
  const zone = async (given: object = {}): Promise<string> => {
    const { status, body } = await send('POST /api/dns/zones', { name: ZONE, provider_id: providerId, ...given })
    expect([status, body]).toMatchObject([201, {}])
    return (body as DnsZone).id
  }
  const zoneOf = async (id: string) => (await send(`GET /api/dns/zones/${id}`)).body as DnsZone
  const reached = (id: string, ...statuses: string[]): Promise<DnsZone> =>
    until(`zone ${statuses.join(' or ')}`, async () => {
      const one = await zoneOf(id)
      return statuses.includes(one.status) ? one : undefined
    })
  const inSync = (id: string) => reached(id, 'in_sync')
  const rrsets = async (id: string): Promise<string[]> => {
    const all = (await send(`GET /api/dns/zones/${id}/rrsets`)).body as DnsRrset[]
    return all.map(({ name, type, values, state }) => `${name} ${type} ${values.join(',')} ${state}`)
  }
  /** Writes to the server as another program would. */
  const write = (changes: readonly RrsetChange[], prerequisites: readonly Prerequisite[] = []) =>
    there(client).update({ zone: ZONE, prerequisites, changes })
  const add = (name: string, type: string, values: readonly string[], ttl = 3600): RrsetChange => ({
    ...{ kind: 'add', name: `${name}.${ZONE}`, type, ttl, values },
  })
  const drop = (name: string, type: string): RrsetChange => ({ kind: 'delete', name: `${name}.${ZONE}`, type })
  /** The records of the server except at its apex. */
  const onServer = async (): Promise<string[]> => {
    const found: string[] = []
    for await (const { name, type, ttl, value } of there(client).transfer(ZONE))
      if (name !== ZONE) found.push(`${name.slice(0, -ZONE.length - 1)} ${ttl} ${type} ${value}`)
    return found.sort()
  }
  const check = async (id: string): Promise<DriftReport> =>
    (await send(`POST /api/dns/zones/${id}/check`)).body as DriftReport
  const entries = ({ entries: all }: DriftReport): string[] =>
    all.map(({ name, type, kind }) => `${name} ${type} ${kind}`)
  const device = (id: string, given: object) => api().devices.create({ id, name: id, ...given })
  /** Deletes the zone, all devices, and all on the server. */
  const clear = async (id: string) => {
    await send(`DELETE /api/dns/zones/${id}`)
    for (const one of await api().devices.list({})) await api().devices.delete({ id: one.id })
    const names = new Set((await onServer()).map((line) => line.split(' ', 1)[0] ?? ''))
    for (const name of names) await write([drop(name, 'ANY')])
    expect(await onServer()).toEqual([])
  }

  test('the test of a server shows the serial, and each error', async () => {
    const path = (id: string) => `POST /api/dns/providers/${id}/test`
    expect(await send(path(providerId))).toMatchObject({ status: 200, body: { serial: null } })
    const { status, body } = await send(path(providerId), { zone: ZONE })
    expect([status, (body as { serial: number }).serial]).toEqual([200, await there(client).serial(ZONE)])
    const bad = failure(502, 'PROVIDER_UNREACHABLE')
    expect(await send(path(providerId), { zone: 'example.net' })).toMatchObject(bad)
    const wrong = await provider('wrong', { tsig_secret: base64(new Uint8Array(32)) })
    expect(await send(path(wrong), { zone: ZONE })).toMatchObject(bad)
    const away = await provider('away', { port: 1 })
    expect(await send(path(away))).toMatchObject(bad)
    for (const id of [wrong, away]) await send(`DELETE /api/dns/providers/${id}`)
  })

  test('follows a device that is made, renamed, moved and deleted, and touches no foreign record', async () => {
    await write([add('foreign', 'TXT', ['mine'], 60), add('taken', 'A', ['198.51.100.1'], 60)])
    const foreign = ['foreign 60 TXT mine', 'taken 60 A 198.51.100.1']
    const id = await zone({ is_default: true })
    await device('web', { hostname: 'web', addresses: [{ ip: '10.0.0.1' }, { ip: '2001:db8::1' }] })
    await inSync(id)
    expect(await onServer()).toEqual([...foreign, 'web 3600 A 10.0.0.1', 'web 3600 AAAA 2001:db8::1'])
    await api().devices.update({ id: 'web', hostname: 'www' })
    await inSync(id)
    expect(await onServer()).toEqual([...foreign, 'www 3600 A 10.0.0.1', 'www 3600 AAAA 2001:db8::1'])
    await api().devices.update({ id: 'web', addresses: [{ ip: '10.0.0.2' }] })
    await send(`PUT /api/dns/zones/${id}`, { ttl: 120 })
    await inSync(id)
    expect(await onServer()).toEqual([...foreign, 'www 120 A 10.0.0.2'])
    await api().devices.update({ id: 'web', hostname: 'taken' })
    await inSync(id)
    expect(await onServer()).toEqual(foreign)
    expect((await send(`GET /api/dns/zones/${id}/rrsets`)).body).toMatchObject([
      { name: 'taken', state: 'blocked', values: [], wanted: ['10.0.0.2'], message: 'the server holds 198.51.100.1' },
    ])
    await api().devices.delete({ id: 'web' })
    await inSync(id)
    expect([await onServer(), await rrsets(id)]).toEqual([foreign, []])
    await clear(id)
  })

  testAll('follows PTR records in a zone of RFC 2317', async () => {
    const ptr = async (): Promise<string[]> => {
      const found: string[] = []
      for await (const { name: owner, type, value } of there(client).transfer(SLASH))
        if (type === 'PTR') found.push(`${owner} ${value}`)
      return found.sort()
    }
    const id = await zone({ name: undefined, subnet: '192.0.2.0/26' })
    await device('p', { hostname: `p.${ZONE}`, addresses: [{ ip: '192.0.2.5' }, { ip: '192.0.2.70' }] })
    await inSync(id)
    expect(await ptr()).toEqual([`5.${SLASH} p.${ZONE}`])
    await api().devices.update({ id: 'p', hostname: `q.${ZONE}`, addresses: [{ ip: '192.0.2.6' }] })
    await inSync(id)
    expect(await ptr()).toEqual([`6.${SLASH} q.${ZONE}`])
    await api().devices.delete({ id: 'p' })
    await inSync(id)
    expect(await ptr()).toEqual([])
    await clear(id)
  })

  test('leaves names to the servers to which its server delegates them', async () => {
    const own = [add('dev', 'NS', ['ns1.dev.example.org', 'ns2.example.net']), add('ns1.dev', 'A', ['10.0.0.53'])]
    await write(own)
    const id = await zone()
    for (const [at, name] of ['dev', 'host.dev', 'deep.host.dev', 'ns1.dev', 'device'].entries())
      await device(`d${at}`, {
        hostname: `${name}.${ZONE}`,
        addresses: [{ ip: name === 'ns1.dev' ? '10.0.0.53' : `10.0.0.${at + 1}` }],
      })
    await check(id)
    const settled = (conflicts: number) =>
      until(`${conflicts} conflicts`, async () => {
        const { conflict_count, pending_count } = await zoneOf(id)
        return conflict_count === conflicts && pending_count === 0 ? true : undefined
      })
    await settled(3)
    const shown = (await send(`GET /api/dns/zones/${id}/rrsets`)).body as DnsRrset[]
    expect(shown.map(({ name, state }) => `${name} ${state}`).sort()).toEqual([
      ...['deep.host.dev conflict', 'dev conflict', 'device published', 'host.dev conflict', 'ns1.dev published'],
    ])
    const { message } = shown.find(({ name }) => name === 'host.dev') ?? {}
    expect(message).toBe(
      'dev.example.org is delegated to ns1.dev.example.org, ns2.example.net: only they serve the name',
    )
    await device('late', { hostname: `late.dev.${ZONE}`, addresses: [{ ip: '10.0.0.99' }] })
    await settled(4)
    expect((await onServer()).filter((line) => line.startsWith('late.dev'))).toEqual([])
    await write([drop('dev', 'NS')])
    await check(id)
    await inSync(id)
    expect((await onServer()).filter((line) => line.includes('.dev '))).toEqual([
      ...['deep.host.dev 3600 A 10.0.0.3', 'host.dev 3600 A 10.0.0.2', 'late.dev 3600 A 10.0.0.99'],
      'ns1.dev 3600 A 10.0.0.53',
    ])
    await clear(id)
  })

  testAll('holds own records of each kind, and a CNAME in place of addresses', async () => {
    const id = await zone()
    await device('c', { hostname: `c.${ZONE}`, addresses: [{ ip: '10.0.0.1' }] })
    const own = async (name: string, type: string, value: string) =>
      (await send('POST /api/dns/records', { zone_id: id, name, type, value })).body as { id: string }
    await own('mail', 'MX', '10 mx.example.net')
    await own('text', 'TXT', 'a "b"; é')
    await own('_sip._tcp', 'SRV', '0 5 5060 sip.example.net')
    await inSync(id)
    const others = [
      '_sip._tcp 3600 SRV 0 5 5060 sip.example.net',
      'mail 3600 MX 10 mx.example.net',
      'text 3600 TXT a "b"; é',
    ]
    expect(await onServer()).toEqual(['c 3600 A 10.0.0.1', ...others].sort())
    const cname = await own('c', 'CNAME', 'other.example.net')
    await inSync(id)
    expect(await onServer()).toEqual(['c 3600 CNAME other.example.net', ...others].sort())
    await send(`DELETE /api/dns/records/${cname.id}`)
    await inSync(id)
    expect(await onServer()).toEqual(['c 3600 A 10.0.0.1', ...others].sort())
    await clear(id)
  })

  test('adopts equal records, adds absent ones, and leaves different ones', async () => {
    await write([add('same', 'A', ['10.0.0.1']), add('ttl', 'A', ['10.0.0.2'], 60), add('other', 'A', ['10.9.9.9'])])
    await write([add('alias', 'CNAME', ['x.example.net'])])
    for (const [at, name] of ['same', 'ttl', 'other', 'alias', 'absent'].entries())
      await device(name, { hostname: `${name}.${ZONE}`, addresses: [{ ip: `10.0.0.${at + 1}` }] })
    const id = await zone()
    await inSync(id)
    expect(await rrsets(id)).toEqual([
      ...['absent A 10.0.0.5 published', 'alias A  blocked', 'other A  blocked'],
      ...['same A 10.0.0.1 published', 'ttl A 10.0.0.2 published'],
    ])
    expect(await onServer()).toEqual([
      ...['absent 3600 A 10.0.0.5', 'alias 3600 CNAME x.example.net', 'other 3600 A 10.9.9.9'],
      ...['same 3600 A 10.0.0.1', 'ttl 3600 A 10.0.0.2'],
    ])
    // The next check looks again.
    await write([drop('other', 'A')])
    await check(id)
    await until(
      'the RRset that has room now',
      async () => (await onServer()).includes('other 3600 A 10.0.0.3') || undefined,
    )
    await clear(id)
  })

  test('drift of each kind is found, pushed and pulled', async () => {
    for (const [at, name] of ['gone', 'changed', 'ttl', 'blocked'].entries())
      await device(name, { hostname: `${name}.${ZONE}`, addresses: [{ ip: `10.0.0.${at + 1}` }] })
    await write([add('blocked', 'A', ['10.9.9.9'])])
    const id = await zone()
    await inSync(id)
    expect(entries(await check(id))).toEqual(['blocked A blocked'])
    await write([
      drop('gone', 'A'),
      drop('changed', 'A'),
      add('changed', 'A', ['10.8.8.8']),
      drop('ttl', 'A'),
      add('ttl', 'A', ['10.0.0.3'], 60),
    ])
    await write([add('alien', 'TXT', ['hello'], 60)])
    const report = await check(id)
    expect(entries(report)).toEqual([
      'alien TXT foreign',
      'blocked A blocked',
      'changed A changed',
      'gone A missing',
      'ttl A changed',
    ])
    expect(report).toMatchObject({ missing: 1, changed: 2, blocked: 1, foreign: 1, is_cut: false })
    expect(report.entries.find(({ name }) => name === 'ttl')).toMatchObject({
      plat: ['10.0.0.3'],
      server: ['10.0.0.3'],
      plat_ttl: 3600,
      server_ttl: 60,
    })
    expect(await zoneOf(id)).toMatchObject({ status: 'drift', drift_count: 3 })
    const resolve = async (body: object) => (await send(`POST /api/dns/zones/${id}/resolve`, body)).body
    // Pull: the server is right.
    expect(
      await resolve({
        direction: 'pull',
        entries: [
          { name: 'changed', type: 'A' },
          { name: 'alien', type: 'TXT' },
          { name: 'gone', type: 'A' },
          { name: 'none', type: 'A' },
        ],
      }),
    ).toMatchObject({
      resolved: 2,
      failed: [
        { name: 'none', type: 'A', error: 'is not in the last report; check the zone again' },
        { name: 'gone', type: 'A', error: 'a device gives it: change the device, or push it' },
      ],
    })
    // Push: Plat is right.
    for (const kind of ['changed', 'missing', 'blocked'])
      expect(await resolve({ direction: 'push', kind })).toEqual({ resolved: 1, failed: [] } as never)
    await inSync(id)
    expect(await onServer()).toEqual([
      ...[
        'alien 60 TXT hello',
        'blocked 3600 A 10.0.0.4',
        'changed 3600 A 10.8.8.8',
        'gone 3600 A 10.0.0.1',
        'ttl 3600 A 10.0.0.3',
      ],
    ])
    expect(entries(await check(id))).toEqual([])
    expect(await rrsets(id)).toEqual([
      ...['alien TXT hello published', 'blocked A 10.0.0.4 published', 'changed A 10.8.8.8 published'],
      ...['gone A 10.0.0.1 published', 'ttl A 10.0.0.3 published'],
    ])
    const events = await there(app)
      .db.read.selectFrom('events')
      .select('event')
      .where('event', 'like', 'dns.%')
      .orderBy('seq')
      .execute()
    expect(events.map(({ event }) => event)).toEqual(['dns.drift_detected', 'dns.drift_resolved'])
    // The RRsets of Plat follow it.
    const [record] = (await send(`GET /api/dns/records?zone_id=${id}&type=TXT`)).body as { id: string }[]
    await send(`DELETE /api/dns/records/${record?.id}`)
    await write([add('alien2', 'TXT', ['x'])])
    await inSync(id)
    await check(id)
    expect(await resolve({ direction: 'push', kind: 'foreign' })).toEqual({ resolved: 1, failed: [] } as never)
    expect((await onServer()).filter((line) => line.startsWith('alien'))).toEqual([])
    await clear(id)
  })

  testAll('a zone that repairs itself writes missing and changed RRsets again', async () => {
    await device('r', { hostname: `r.${ZONE}`, addresses: [{ ip: '10.0.0.1' }] })
    const id = await zone({ repair: true })
    await inSync(id)
    await write([drop('r', 'A'), add('r', 'A', ['10.8.8.8'])])
    expect(entries(await check(id))).toEqual([])
    expect(await onServer()).toEqual(['r 3600 A 10.0.0.1'])
    await clear(id)
  })

  testAll('a watched zone is compared, and never written', async () => {
    await device('w', { hostname: `w.${ZONE}`, addresses: [{ ip: '10.0.0.1' }] })
    const id = await zone({ mode: 'watched' })
    await reached(id, 'in_sync', 'drift')
    expect(entries(await check(id))).toEqual(['w A missing'])
    expect([await onServer(), await rrsets(id)]).toEqual([[], ['w A  watched']])
    expect(await send(`POST /api/dns/zones/${id}/sync`)).toMatchObject(refusal('mode'))
    expect(await send(`POST /api/dns/zones/${id}/resolve`, { direction: 'push', kind: 'missing' })).toMatchObject(
      refusal('mode'),
    )
    expect((await send(`POST /api/dns/zones/${id}/sync?dry_run=true`)).body).toMatchObject({ creates: 1 })
    await send(`PUT /api/dns/zones/${id}`, { mode: 'managed' })
    await inSync(id)
    expect(await onServer()).toEqual(['w 3600 A 10.0.0.1'])
    await clear(id)
  })

  test('one name that a server refuses does not stop the others', async () => {
    // BIND only permits addresses of host names.
    await device('u', {
      addresses: [
        { ip: '10.0.0.1', dns_name: `_u.${ZONE}` },
        { ip: '10.0.0.2', dns_name: `v.${ZONE}` },
      ],
    })
    const id = await zone()
    await inSync(id)
    const isTaken = name !== 'BIND'
    expect(await onServer()).toEqual([...(isTaken ? ['_u 3600 A 10.0.0.1'] : []), 'v 3600 A 10.0.0.2'])
    expect(await rrsets(id)).toEqual([isTaken ? '_u A 10.0.0.1 published' : '_u A  blocked', 'v A 10.0.0.2 published'])
    await clear(id)
  })

  test('a key without rights makes the zone fail, and another key ends that', async () => {
    const reader = await provider('reader', { tsig_name: READ_KEY.name, tsig_secret: base64(READ_KEY.secret) })
    await device('k', { hostname: `k.${ZONE}`, addresses: [{ ip: '10.0.0.1' }] })
    const id = await zone({ provider_id: reader })
    const { status_message } = await reached(id, 'failed')
    expect(status_message).not.toBe('')
    expect(await send(`POST /api/dns/zones/${id}/sync`)).toMatchObject(failure(502, 'PROVIDER_UNREACHABLE'))
    await send(`PUT /api/dns/providers/${reader}`, { tsig_name: KEY.name, tsig_secret: base64(KEY.secret) })
    expect((await send(`POST /api/dns/zones/${id}/sync`)).body).toMatchObject({ status: 'in_sync' })
    expect(await onServer()).toEqual(['k 3600 A 10.0.0.1'])
    await clear(id)
    await send(`DELETE /api/dns/providers/${reader}`)
  })
})
