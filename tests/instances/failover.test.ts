// The primary of the database fails, and a standby takes its place: Plat goes on by itself, and nothing that was lost is confirmed.
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { createLogger } from '../../src/base/runtime/log.ts'
import { type TestApp, type TestCaller, testApp } from '../../testing/app/app.ts'
import { follow } from '../../testing/feed.ts'
import { type Receiver, startReceiver } from '../../testing/receiver.ts'
import { type ReplicaServer, type Replicas, replicasProblem, startReplicas } from '../../testing/servers/replicas.ts'
import { host, scriptedScanner } from '../../testing/servers/scripted-scanner.ts'
import { engines } from '../../testing/servers/servers.ts'
import { until } from '../../testing/until.ts'

const TIMEOUT_MS = 180_000
const PATIENCE_MS = 60_000
const title = replicasProblem ? `failover (${replicasProblem})` : 'failover'

describe.skipIf(!engines().includes('postgres') || replicasProblem !== undefined)(title, () => {
  let cluster: Replicas
  let app: TestApp
  let admin: TestCaller
  let receiver: Receiver
  let database: string
  /** They change their roles from test to test. */
  let [primary, standby]: ReplicaServer[] = []
  const scanner = scriptedScanner()
  const logged: string[] = []
  const log = createLogger({ level: 'warn', format: 'text', write: (entry) => logged.push(entry) })

  beforeAll(async () => {
    cluster = await startReplicas(1)
    ;[primary, standby] = cluster.servers
    database = await cluster.createDatabase()
    receiver = await startReceiver()
    app = await testApp({
      log,
      outbound: receiver.outbound,
      startScan: scanner.startScan,
      env: { DATABASE_URL: cluster.url(database), REQUEST_TIMEOUT: '20s' },
    })
    admin = await app.as('admin')
  }, TIMEOUT_MS)
  afterAll(async () => {
    await app?.close()
    await receiver?.close()
    await cluster?.close()
  }, TIMEOUT_MS)

  const serverOf = (server: ReplicaServer | undefined): ReplicaServer => {
    if (!server) throw new Error('the cluster has two servers')
    return server
  }
  const stateOf = (server: ReplicaServer | undefined) =>
    app.db.cluster?.states().find(({ host }) => host === server?.address)
  const patiently = <T>(what: string, look: () => Promise<T | undefined> | T | undefined) =>
    until(what, look, PATIENCE_MS)
  const isServed = (by: ReplicaServer | undefined) =>
    patiently(`an answer by ${by?.name}`, async () => {
      const response = await admin.request('GET', '/readyz')
      await response.text()
      return (response.status === 200 && app.db.cluster?.primary()?.name === by?.address) || undefined
    })
  const caughtUp = () => cluster.caughtUp(primary, [serverOf(standby)])
  /** The old primary, which may run or not, becomes a standby of the new one. */
  const swap = async (): Promise<void> => {
    ;[primary, standby] = [standby, primary]
    await serverOf(standby).follow(serverOf(primary))
    await patiently('a standby', () => stateOf(standby)?.role === 'standby' || undefined)
  }
  const devices = async (etag?: string) => {
    const response = await admin.request('GET', '/api/devices', undefined, etag ? { 'If-None-Match': etag } : {})
    const text = await response.text()
    return { status: response.status, etag: response.headers.get('etag') ?? '', text }
  }
  const create = async (name: string): Promise<number> => {
    const response = await admin.request('POST', '/api/devices', { name })
    await response.text()
    return response.status
  }

  test(
    'a start without a primary ends, and says why for each host',
    async () => {
      const url = `postgres://postgres@${serverOf(standby).address},127.0.0.1:1/${database}`
      const started = testApp({ env: { DATABASE_URL: url } })
      await expect(started).rejects.toThrow(
        new RegExp(
          `^none of ${standby?.address}, 127.0.0.1:1 is a primary: ${standby?.address} is a standby; 127.0.0.1:1 does not answer: `,
        ),
      )
    },
    TIMEOUT_MS,
  )

  test(
    'after a killed primary, requests, scans, deliveries, jobs and the live feed go on with the promoted standby',
    async () => {
      await admin.api.webhooks.create({ name: 'all', url: receiver.url('/hook'), events: ['device.created'] })
      const network = await admin.api.networks.create({ name: 'scanned', subnet: '127.5.5.0/24' })
      const started = await admin.api.scans.start({ id: network.id })
      if (!('id' in started)) throw new Error('a scan that is no dry run has an id')
      const scan = await scanner.next()
      await scan.found([host('127.5.5.1')], { mark: 'half-way' })
      expect(await create('before')).toBe(201)
      const before = await devices()
      const feed = await follow(admin)
      await feed.opened()
      await caughtUp()

      await serverOf(primary).kill()
      await patiently('the loss of the primary', () => !app.db.cluster?.primary() || undefined)
      const refused = await admin.request('POST', '/api/devices', { name: 'nowhere' })
      expect([refused.status, refused.headers.get('retry-after'), await refused.json()]).toEqual([
        503,
        '1',
        { code: 'UNAVAILABLE', error: 'The database has no primary at the moment; try again in a moment', details: [] },
      ])
      expect((await app.guest('GET', '/healthz')).status).toBe(200)
      expect((await app.guest('GET', '/readyz')).status).toBe(503)
      await scan.found([host('127.5.5.2')], { mark: 'never stored' }).catch(() => {})
      scan.end('failed', 'a batch that could not be stored ends it')

      await serverOf(standby).promote()
      await isServed(standby)
      const after = await devices(before.etag)
      expect([after.status, after.text]).toEqual([200, before.text])
      // Events before this marker need not be sent: its listener reads everything again.
      await patiently('the marker of missed events', () => feed.heard().find(({ event }) => event === 'reset'))
      expect(await create('after')).toBe(201)
      await patiently('its delivery', () => receiver.received.find(({ body }) => body.includes('"after"')))
      const heard = await patiently('its event', () => {
        const all = feed.heard()
        return all.some(({ data }) => JSON.stringify(data).includes('"after"')) ? all : undefined
      })
      expect(heard.filter(({ event }) => event === 'reset')).toHaveLength(1)
      await app.plat.runJob('events.remove-old')
      const again = await patiently('the scan again', () =>
        scanner.all.at(-1) !== scan ? scanner.all.at(-1) : undefined,
      )
      again.end('done')
      await patiently('the end of the scan', async () =>
        (await admin.api.scans.get({ id: started.id })).status === 'completed' ? true : undefined,
      )
      expect(again.plan.checkpoint).toEqual({ version: 1, mark: 'half-way' })
      await feed.stop()
      await swap()
    },
    TIMEOUT_MS,
  )

  test(
    'an asynchronous standby is promoted without the last writes: no ETag and no event number of them is confirmed',
    async () => {
      await caughtUp()
      const feed = await follow(admin)
      await feed.opened()
      await serverOf(standby).kill()
      expect(await create('lost')).toBe(201)
      const lost = await devices()
      const heard = await patiently('the lost event', () =>
        feed.heard().find(({ event }) => event === 'device.created'),
      )
      await serverOf(primary).kill()
      await serverOf(standby).start()
      await serverOf(standby).promote()
      await isServed(standby)

      // The events that are not there yet have the numbers of the lost ones.
      const early = await follow(admin, '', { 'Last-Event-ID': String(heard.id) })
      await patiently('the marker of missed events', () => early.heard().find(({ event }) => event === 'reset'))
      await patiently('the same for a listener of before', () => feed.heard().find(({ event }) => event === 'reset'))
      expect(await create('other')).toBe(201)
      const after = await devices(lost.etag)
      expect(after.status).toBe(200)
      expect([after.text.includes('"other"'), after.text.includes('"lost"')]).toEqual([true, false])
      await patiently('the next event', () => feed.heard().find(({ data }) => JSON.stringify(data).includes('"other"')))
      expect((await devices(after.etag)).status).toBe(304)
      await feed.stop()
      await early.stop()
      await swap()
    },
    TIMEOUT_MS,
  )

  test(
    'a frozen primary is left: waiting requests are refused, and the standby answers after its promotion',
    async () => {
      await caughtUp()
      serverOf(primary).freeze()
      const waiting = await Promise.all([create('frozen-1'), create('frozen-2'), devices()])
      expect([waiting[0], waiting[1], waiting[2].status]).toEqual([503, 503, 503])
      await patiently('the loss of the primary', () => !app.db.cluster?.primary() || undefined)
      await serverOf(standby).promote()
      await isServed(standby)
      expect(await create('thawed')).toBe(201)

      // It still accepts writes, which would be lost.
      serverOf(primary).thaw()
      await patiently('the old primary', () => stateOf(primary)?.role === 'foreign' || undefined)
      expect(await create('not at the old one')).toBe(201)
      const stored = await serverOf(primary).execute(
        "select name from devices where name in ('thawed', 'not at the old one')",
        database,
      )
      expect(stored).toEqual([])
      expect(logged.some((line) => line.includes('is not used') && line.includes(primary?.address ?? ''))).toBe(true)
    },
    TIMEOUT_MS,
  )

  test(
    'an old primary that comes back as a standby gets no writes',
    async () => {
      await swap()
      expect([stateOf(primary)?.role, stateOf(standby)?.role]).toEqual(['primary', 'standby'])
      const statuses = await Promise.all(['one', 'two', 'three'].map(create))
      expect(statuses).toEqual([201, 201, 201])
    },
    TIMEOUT_MS,
  )
})
