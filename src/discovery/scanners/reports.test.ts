// Reports of scanners: each request counts once and in order, of their own scans, only hosts of their network; the server completes the scan.
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { z } from 'zod'
import { type TestApp, type TestCaller, testApp } from '../../../testing/app/app.ts'
import { fetchFrom } from '../../../testing/servers/instances.ts'
import { host } from '../../../testing/servers/scripted-scanner.ts'
import { engines } from '../../../testing/servers/servers.ts'
import { createScanner } from '../../../testing/servers/wire-scanner.ts'
import { until } from '../../../testing/until.ts'

const Refusal = z.object({ code: z.string(), details: z.array(z.object({ field: z.string() })) })
const PROGRESS = { stage: 'liveness', scanned: 127, total: 254, found: 1, probesPerSecond: 10 }
const CHECKPOINT = { version: 1, mark: 'half-way' }
const batch = (hosts: readonly object[], progress: object = PROGRESS) => ({
  ...{ type: 'batch', progress, hosts, checkpoint: CHECKPOINT },
})

describe.each(engines())('reports on %s', (dialect) => {
  let app: TestApp
  let admin: TestCaller
  let count = 0

  beforeAll(async () => {
    app = await testApp({ dialect, withJobs: false })
    admin = await app.as('admin')
  }, 60_000)
  afterAll(() => app.close(), 60_000)

  const connect = async () => {
    const name = `scanner ${++count}`
    return { ...(await createScanner(fetchFrom(app.plat), admin, { name })), name }
  }
  type Setting = { readonly exclude_ips?: string; readonly subnet?: string }
  const begin = async ({ exclude_ips = '', subnet }: Setting = {}) => {
    const scanner = await connect()
    const third = ++count
    const network = await admin.api.networks.create({
      ...{ name: `n ${third}`, subnet: subnet ?? `127.3.${third}.0/24`, scanner: scanner.name },
    })
    await admin.api.scans.start({ id: network.id, exclude_ips })
    const taken = await scanner.take()
    const at = (last: number) => `127.3.${third}.${last}`
    const report = (seq: number, reports: readonly object[] = []) => scanner.report(taken, seq, reports)
    return { scanner, network, taken, at, report, id: taken.scan_id }
  }
  const getScan = (id: string) => admin.api.scans.get({ id })
  const listIps = async (network_id: string) => (await admin.api.discovery.list({ network_id })).map(({ ip }) => ip)
  const finish = async (id: string) => {
    await app.plat.runJob('discovery.run-scans')
    await until('the end of the scan', async () => ((await getScan(id)).status === 'running' ? undefined : true))
    return getScan(id)
  }
  const read = async (answer: Promise<Response> | Response) => {
    const { status, body } = { status: (await answer).status, body: await (await answer).json() }
    return [status, body] as const
  }
  const ack = (number: number, cancel = false): readonly [number, unknown] => [200, { ack: number, cancel }]
  const refusal = async (answer: Promise<Response>) => {
    const [status, body] = await read(answer)
    return { status, fields: Refusal.parse(body).details.map(({ field }) => field) }
  }

  describe('a request', () => {
    test('stores hosts, progress, privileges, notes and the checkpoint', async () => {
      const { report, at, id, network } = await begin()
      const privilege = { icmp: true, arp: true, neighbours: true, advice: 'setcap' }
      const notes = [
        { type: 'ready', privilege },
        { type: 'note', text: 'halved the rate' },
      ]
      expect(await read(report(1, [...notes, batch([host(at(7))])]))).toEqual(ack(1))
      expect(await listIps(network.id)).toEqual([at(7)])
      const { log, ...scan } = await getScan(id)
      expect(scan).toMatchObject({
        ...{
          status: 'running',
          stage: 'liveness',
          scanned_hosts: 127,
          found_hosts: 1,
          progress_percent: 50,
          privilege,
        },
      })
      expect(log.map(({ text }) => text)).toEqual(['More privileges: setcap', 'halved the rate'])
    })

    test('that is repeated is acknowledged, and does nothing again', async () => {
      const { report, at, id, network } = await begin()
      await report(1, [{ type: 'note', text: 'once' }, batch([host(at(7))])])
      expect(await read(report(1, [{ type: 'note', text: 'twice' }, batch([host(at(8))])]))).toEqual(ack(1))
      expect(await listIps(network.id)).toEqual([at(7)])
      expect((await getScan(id)).log.map(({ text }) => text)).toEqual(['once'])
    })

    test('that comes late is acknowledged with the number of the last one', async () => {
      const { report } = await begin()
      for (const seq of [1, 2, 3]) await report(seq)
      expect(await read(report(2))).toEqual(ack(3))
    })

    test('that skips a number is 400 on seq, and nothing of it is stored', async () => {
      const { report, at, network } = await begin()
      expect(await refusal(report(2, [batch([host(at(7))])]))).toEqual({ status: 400, fields: ['seq'] })
      expect(await listIps(network.id)).toEqual([])
      expect(await read(report(1))).toEqual(ack(1))
    })

    test('that comes many times at once is taken in once', async () => {
      const { report, at, id, network } = await begin()
      const all = Array.from({ length: 8 }, () => report(1, [{ type: 'note', text: 'once' }, batch([host(at(7))])]))
      expect(await Promise.all((await Promise.all(all)).map((one) => read(one)))).toEqual(Array(8).fill(ack(1)))
      expect((await getScan(id)).log.map(({ text }) => text)).toEqual(['once'])
      expect(await listIps(network.id)).toEqual([at(7)])
    })

    test.each([
      ['with another lease', { lease: 'other' }],
      ['of an unknown scan', { scan_id: 'other' }],
    ])('%s is 404', async (_, other) => {
      const { scanner, taken } = await begin()
      expect((await scanner.report({ ...taken, ...other }, 1, [])).status).toBe(404)
    })

    test('of the scan of another scanner is 404, even with its lease', async () => {
      const { taken, at, network } = await begin()
      const other = await connect()
      expect((await other.report(taken, 1, [batch([host(at(7))])])).status).toBe(404)
      expect(await listIps(network.id)).toEqual([])
    })

    test('of a scan of the server is 404', async () => {
      const { scanner } = await begin()
      const own = await admin.api.networks.create({ name: `n ${++count}`, subnet: `127.3.${count}.0/24` })
      const scan = await admin.api.scans.start({ id: own.id })
      const scan_id = 'id' in scan ? scan.id : ''
      expect((await scanner.report({ scan_id, lease: 'x' }, 1, [])).status).toBe(404)
    })

    test('of a cancelled scan says so, and nothing is taken in', async () => {
      const { report, at, id, network } = await begin()
      await report(1)
      await admin.api.scans.cancel({ id })
      expect(await read(report(2, [batch([host(at(7))])]))).toEqual(ack(1, true))
      expect(await listIps(network.id)).toEqual([])
    })

    test('of a deleted network is 404', async () => {
      const { report, network } = await begin()
      await admin.api.networks.delete({ id: network.id })
      expect((await report(1)).status).toBe(404)
    })

    test('may lack progress, checkpoint, and all of a host but its address', async () => {
      const { report, at, id, network } = await begin()
      expect(await read(report(1, [{ type: 'batch', hosts: [{ ip: at(9) }], more: 1 }]))).toEqual(ack(1))
      expect(await listIps(network.id)).toEqual([at(9)])
      expect(await getScan(id)).toMatchObject({ status: 'running', scanned_hosts: 0, found_hosts: 0 })
    })
  })

  describe('hosts', () => {
    test('outside of the network are dropped, and the log says how many', async () => {
      const { report, at, id, network } = await begin()
      const hosts = [host(at(7)), host('10.0.0.1'), host('127.99.0.1'), host('2001:db8::1')]
      expect(await read(report(1, [batch(hosts)]))).toEqual(ack(1))
      expect(await listIps(network.id)).toEqual([at(7)])
      const { log } = await getScan(id)
      expect(log.map(({ text }) => text)).toEqual(['3 hosts were dropped: they are not in the network, or excluded'])
    })

    test('that are excluded are dropped', async () => {
      const third = count + 2
      const { report, at, network } = await begin({ exclude_ips: `127.3.${third}.8-127.3.${third}.20` })
      await report(1, [batch([host(at(7)), host(at(8)), host(at(20))])])
      expect(await listIps(network.id)).toEqual([at(7)])
    })

    test('with the same address are stored once: the last one', async () => {
      const { report, at, network } = await begin()
      await report(1, [batch([host(at(7), { os: 'one' }), host(at(7), { os: 'other', osConfidence: 50 })])])
      expect((await admin.api.discovery.list({ network_id: network.id })).map(({ ip }) => ip)).toEqual([at(7)])
    })

    test('of two networks with one subnet stay apart', async () => {
      const subnet = '127.77.0.0/24'
      const [one, other] = await Promise.all(
        ['one', 'other'].map(async (name) => {
          const space = await admin.api.spaces.create({ name: `${name} ${++count}`, reachable: false })
          const scanner = await connect()
          const network = await admin.api.networks.create({
            ...{ name: `n ${++count}`, subnet, space_id: space.id, scanner: scanner.name },
          })
          await admin.api.scans.start({ id: network.id })
          return { scanner, network, taken: await scanner.take() }
        }),
      )
      if (!one || !other) throw new Error('there are two')
      await one.scanner.report(one.taken, 1, [batch([host('127.77.0.1')])])
      await other.scanner.report(other.taken, 1, [batch([host('127.77.0.2')])])
      expect([await listIps(one.network.id), await listIps(other.network.id)]).toEqual([['127.77.0.1'], ['127.77.0.2']])
    })
  })

  describe('progress', () => {
    test('only rises', async () => {
      const { report, id } = await begin()
      await report(1, [batch([], { ...PROGRESS, stage: 'ports', scanned: 200, found: 5 })])
      await report(2, [batch([], { ...PROGRESS, stage: 'liveness', scanned: 10, found: 2 })])
      expect(await getScan(id)).toMatchObject({ stage: 'ports', scanned_hosts: 200, found_hosts: 5 })
    })

    test('is cut to the total', async () => {
      const { report, id } = await begin()
      await report(1, [batch([], { ...PROGRESS, scanned: 1e15, total: 1, found: 1e15 })])
      expect(await getScan(id)).toMatchObject({ scanned_hosts: 254, found_hosts: 254, progress_percent: 100 })
    })
  })

  describe('the end', () => {
    test('`done` is on record when it is acknowledged, and the server completes the scan', async () => {
      const { report, at, id, network } = await begin()
      await report(1, [batch([host(at(7))]), { type: 'done' }])
      expect((await getScan(id)).status).toBe('running')
      expect(await finish(id)).toMatchObject({ status: 'completed', scanned_hosts: 254, progress_percent: 100 })
      await admin.api.scans.start({ id: network.id })
      expect((await getScan(id)).log.map(({ text }) => text)).toEqual([])
    })

    test('`done` is acknowledged again, also after the completion', async () => {
      const { report, id } = await begin()
      await report(1, [{ type: 'done' }])
      expect(await read(report(1, [{ type: 'done' }]))).toEqual(ack(1))
      await finish(id)
      expect(await read(report(1, [{ type: 'done' }]))).toEqual(ack(1))
    })

    test('nothing follows it: the next number is 404', async () => {
      const { report, at, id, network } = await begin()
      await report(1, [{ type: 'done' }, batch([host(at(8))])])
      expect((await report(2, [batch([host(at(9))])])).status).toBe(404)
      await finish(id)
      expect(await listIps(network.id)).toEqual([])
    })

    test('a completed scan marks who is missing as down', async () => {
      const { scanner, report, at, id, network } = await begin()
      await report(1, [batch([host(at(7)), host(at(8))]), { type: 'done' }])
      await finish(id)
      await admin.api.scans.start({ id: network.id })
      const next = await scanner.take()
      await scanner.report(next, 1, [batch([host(at(8))]), { type: 'done' }])
      await finish(next.scan_id)
      const devices = await admin.api.discovery.list({ network_id: network.id })
      expect(devices.map(({ ip, status }) => [ip, status]).toSorted()).toEqual([
        [at(7), 'down'],
        [at(8), 'up'],
      ])
    })

    test('`failed` fails the scan with its message, and what it found stays', async () => {
      const { report, at, id, network } = await begin()
      expect(await read(report(1, [batch([host(at(7))]), { type: 'failed', message: 'no\u0000 route' }]))).toEqual(
        ack(1),
      )
      expect(await getScan(id)).toMatchObject({ status: 'failed', error_message: 'no  route' })
      expect(await listIps(network.id)).toEqual([at(7)])
      expect((await report(2)).status).toBe(404)
    })

    test('`cancelled` puts it on record that the scanner has given up', async () => {
      const { report, id, scanner } = await begin()
      await report(1, [{ type: 'cancelled' }])
      const { status, log } = await getScan(id)
      expect([status, log.map(({ text }) => text)]).toEqual(['cancelled', [`cancelled by the scanner ${scanner.name}`]])
      expect((await scanner.poll()).start).toEqual([])
    })
  })

  describe('a report is refused, and nothing is stored,', () => {
    const cases: readonly (readonly [string, (at: (last: number) => string) => readonly object[], string])[] = [
      ['of an unknown kind', () => [{ type: 'other' }], 'reports[0].type'],
      ['with an address that is none', () => [batch([{ ip: '1.2.3' }])], 'reports[0].hosts[0].ip'],
      ['without an address', () => [batch([{}])], 'reports[0].hosts[0].ip'],
      ['with names that are no list', (at) => [batch([{ ip: at(1), names: 'x' }])], 'reports[0].hosts[0].names'],
      [
        'with a port that is none',
        (at) => [batch([{ ip: at(1), openPorts: [70_000] }])],
        'reports[0].hosts[0].openPorts[0]',
      ],
      ['with a text that is a number', (at) => [batch([{ ip: at(1), os: 1 }])], 'reports[0].hosts[0].os'],
      [
        'with an unknown source',
        (at) => [batch([{ ip: at(1), evidence: [{ source: 'x', weight: 1 }] }])],
        'reports[0].hosts[0].evidence[0].source',
      ],
      ['with a stage that is none', () => [batch([], { ...PROGRESS, stage: 'x' })], 'reports[0].progress.stage'],
      [
        'with a checkpoint of another version',
        () => [{ type: 'batch', checkpoint: { version: 2 } }],
        'reports[0].checkpoint.version',
      ],
      ['that is no object', () => [[]], 'reports[0]'],
      ['as one of 51', () => Array(51).fill({ type: 'note', text: '' }), 'reports'],
      [
        'with more than 2,000 hosts',
        (at) => [batch(Array(1001).fill(host(at(1)))), batch(Array(1000).fill(host(at(1))))],
        'reports',
      ],
    ]
    test.each(cases)('%s', async (_, build, field) => {
      const { report, at, network } = await begin()
      expect(
        await refusal(
          report(
            1,
            [...build(at)].map((one) => one),
          ),
        ),
      ).toEqual({ status: 400, fields: [field] })
      expect(await listIps(network.id)).toEqual([])
      expect(await read(report(1))).toEqual(ack(1))
    })
  })

  test('texts and lists are cut to their bounds', async () => {
    const { report, at, network, id } = await begin()
    const long = 'x'.repeat(10_000)
    const service = {
      port: 22,
      protocol: 'tcp',
      banner: `a\u0001${long}`,
      details: Object.fromEntries(Array.from({ length: 100 }, (_, i) => [`k${i}`, long])),
    }
    const found = {
      ...{ ip: at(7), mac: 'no MAC', vendor: long, os: `\ud800${long}`, rttMs: -1, ttl: 1e9, osConfidence: 1e9 },
      names: Array.from({ length: 100 }, (_, i) => ({ name: `name-${i}`, source: 'ptr' })),
      services: Array.from({ length: 300 }, (_, i) => ({
        ...service,
        port: i + 1,
        ...(i > 0 && { banner: '', details: {} }),
      })),
      openPorts: Array.from({ length: 5000 }, (_, i) => i + 1),
      evidence: Array.from({ length: 100 }, () => ({ source: 'icmp', weight: 7, detail: long })),
    }
    const checkpoint = { version: 1, told: 'x'.repeat(70_000) }
    expect(
      await read(
        report(1, [
          { type: 'note', text: long },
          { ...batch([found]), checkpoint },
        ]),
      ),
    ).toEqual(ack(1))
    const [row] = await app.db.read
      .selectFrom('discovered_addresses')
      .select('observation')
      .where('ip', '=', at(7))
      .execute()
    const kept = JSON.parse(row?.observation ?? '{}')
    expect({
      names: kept.names.length,
      services: kept.services.length,
      details: Object.keys(kept.services[0].details).length,
      detail: kept.services[0].details.k0.length,
      banner: [kept.services[0].banner.length, kept.services[0].banner.slice(0, 3)],
      mac: kept.mac,
      numbers: [kept.rttMs, kept.ttl, kept.osConfidence],
      isWellFormed: kept.os.isWellFormed(),
    }).toEqual({
      ...{
        names: 32,
        services: 256,
        details: 32,
        detail: 1024,
        banner: [2048, 'a x'],
        mac: '',
        numbers: [0, 255, 100],
      },
      isWellFormed: true,
    })
    expect(kept.openPorts.length).toBe(4096)
    expect((await getScan(id)).log.map(({ text }) => text.length)).toEqual([500])
    expect(await listIps(network.id)).toEqual([at(7)])
    const state = await app.db.read
      .selectFrom('discovery_scan_states')
      .select('checkpoint')
      .where('scan_id', '=', id)
      .execute()
    expect(state).toEqual([{ checkpoint: '' }])
  })

  test('a body of more than 4 MiB is 413', async () => {
    const { scanner, taken } = await begin()
    const answer = await scanner.report(taken, 1, [{ type: 'note', text: 'x'.repeat(4 * 1024 * 1024) }])
    expect([answer.status, Refusal.parse(await answer.json()).code]).toEqual([413, 'INVALID_INPUT'])
  })

  test('a lease that is replaced while a request is stored takes in no more of it', async () => {
    const { scanner, taken, at, network } = await begin()
    const hosts = Array.from({ length: 120 }, (_, i) => host(at(i + 1)))
    const storing = scanner.report(taken, 1, [batch(hosts)])
    const again = await until('the scan, under another lease', async () => (await scanner.poll()).start[0])
    const status = (await storing).status
    expect([200, 404]).toContain(status)
    // Whatever came first: the new lease begins with 1, and stores all of it.
    expect((await scanner.report(again, 1, [batch(hosts)])).status).toBe(200)
    expect(await admin.api.discovery.list({ network_id: network.id, limit: 500 })).toHaveLength(120)
  })
})
