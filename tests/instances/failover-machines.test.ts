/**
 * Two instances on three machines with Patroni, as `packaging/ha/` has them. Primaries are killed and frozen under load.
 * No acknowledged write is lost, nothing is done twice, and all goes on without a restart.
 */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { z } from 'zod'
import { createLog } from '../../testing/app/job-log.ts'
import { type ServerChild, type ServerFolder, serverFolder } from '../../testing/app/server-child.ts'
import { type Receiver, startReceiver } from '../../testing/receiver.ts'
import { type Machine, type Machines, patroniProblem, startMachines } from '../../testing/servers/patroni.ts'
import { engines } from '../../testing/servers/servers.ts'
import { until } from '../../testing/until.ts'

/** 20 in `npm run test:long`. Each takes half a minute, because Patroni replaces a primary after 20 seconds at the earliest. */
const ROUNDS = Number(process.env.PLAT_FAILOVER_ROUNDS ?? 20)
const IS_WANTED = process.env.PLAT_LONG === '1' || process.env.PLAT_FAILOVER_ROUNDS !== undefined
const WRITERS = 2
const PAUSE_MS = 100
const RETRY_MS = 50
/** Before a failure, and after both instances write again. */
const CALM_MS = 1500
const DRAINED_MS = 240_000
const PATIENCE_MS = 120_000

const Named = z.object({ id: z.string(), name: z.string() })
const Scan = z.object({ id: z.string(), status: z.string(), error_message: z.string() })
const Body = z.object({ event: z.string(), delivery_id: z.string(), data: z.object({ id: z.string() }) })
const ways = ['kill', 'freeze', 'crash'] as const

/** Left out of `npm test` rather than skipped. */
const whole = IS_WANTED && engines().includes('postgres') ? describe.skipIf(patroniProblem !== undefined) : () => {}
whole(patroniProblem ? `failover (${patroniProblem})` : 'failover', () => {
  let machines: Machines
  let folder: ServerFolder
  let to: Receiver
  let instances: readonly ServerChild[] = []
  const jobs = createLog()
  beforeAll(async () => {
    machines = await startMachines()
    to = await startReceiver()
    folder = await serverFolder({
      RATE_LIMIT_ENABLED: 'false',
      DATABASE_URL: machines.url,
      LOG_LEVEL: 'debug',
      DISCOVERY_ALLOWED_SUBNETS: '127.0.0.0/8',
      DISCOVERY_ALLOW_LOCAL: 'true',
    })
    const start = () => folder.start({ reachesReceivers: true, onLog: jobs.reader() })
    instances = [await start(), await start()]
  }, 300_000)
  afterAll(async () => {
    await folder?.remove()
    await to?.close()
    await machines?.close()
  }, 60_000)

  type Answer = { readonly status: number; readonly text: string; readonly headers: Headers }
  const unexpected: string[] = []
  /** Returns undefined without an answer, and for a 503. */
  const ask = async (
    { url }: ServerChild,
    http: string,
    { body, headers: more = {} }: { body?: object; headers?: Record<string, string> } = {},
  ): Promise<Answer | undefined> => {
    const [method = 'GET', path = '/'] = http.split(' ')
    const headers = { Authorization: `Bearer ${folder.key}`, 'Content-Type': 'application/json', ...more }
    const response = await fetch(url + path, { method, headers, ...(body && { body: JSON.stringify(body) }) })
    const { status } = response
    const text = await response.text()
    if (status === 503) return undefined
    if (status >= 400) unexpected.push(`${http}: ${status} ${text}`)
    return { status, text, headers: response.headers }
  }
  /** Repeats a request, with one key, until it is answered. */
  const insist = async (instance: ServerChild, http: string, body?: object): Promise<Answer> => {
    const headers = { 'Idempotency-Key': crypto.randomUUID() }
    const endMs = performance.now() + PATIENCE_MS
    for (;;) {
      const answer = await ask(instance, http, { headers, ...(body && { body }) })
      if (answer) return answer
      if (performance.now() > endMs) throw new Error(`${http} was not answered within ${PATIENCE_MS} ms`)
      await Bun.sleep(RETRY_MS)
    }
  }

  /** The names by their acknowledged ids. */
  const acked = new Map<string, string>()
  const vanished: string[] = []
  /** The last acknowledgment of each instance of a request that was sent at this time or later. */
  const lastSentMs = new Map<ServerChild, number>()
  const write = async (instance: ServerChild, name: string, isOver: () => boolean): Promise<void> => {
    const headers = { 'Idempotency-Key': name }
    while (!isOver()) {
      const sentMs = performance.now()
      const answer = await ask(instance, 'POST /api/devices', { body: { name }, headers })
      if (!answer) {
        await Bun.sleep(RETRY_MS)
        continue
      }
      const { id } = Named.parse(JSON.parse(answer.text))
      acked.set(id, name)
      lastSentMs.set(instance, sentMs)
      const read = await ask(instance, `GET /api/devices/${id}`)
      if (read && read.status !== 200) vanished.push(name)
      return
    }
  }
  const writer = async (instance: ServerChild, name: string, isOver: () => boolean): Promise<void> => {
    for (let n = 0; !isOver(); n++) {
      await write(instance, `${name}-${n}`, isOver)
      await Bun.sleep(PAUSE_MS)
    }
  }

  type Failure = { readonly how: string; readonly failoverMs: number; readonly writesMs: number }
  const failures: Failure[] = []
  /** Waits until each instance has had a write acknowledged that it was sent after this time. */
  const writesAgain = async (sinceMs: number): Promise<number> => {
    const endMs = performance.now() + PATIENCE_MS
    while (instances.some((one) => (lastSentMs.get(one) ?? 0) < sinceMs)) {
      if (performance.now() > endMs) throw new Error(`no write was acknowledged within ${PATIENCE_MS} ms`)
      await Bun.sleep(10)
    }
    return performance.now()
  }

  const fail = async (how: (typeof ways)[number] | 'switchover', victim: Machine): Promise<void> => {
    const failedMs = performance.now()
    if (how === 'kill') await victim.kill()
    else if (how === 'freeze') victim.freeze()
    else if (how === 'crash') victim.killPostgres()
    else await machines.switchover()
    await machines.primary(how === 'crash' || how === 'switchover' ? undefined : victim)
    const primaryMs = performance.now()
    const writesMs = (await writesAgain(primaryMs)) - primaryMs
    failures.push({ how, failoverMs: primaryMs - failedMs, writesMs })
    await Bun.sleep(CALM_MS)
    if (how === 'kill') await victim.start()
    if (how === 'freeze') victim.thaw()
    await machines.healthy()
  }

  const [a, b] = [() => instances[0] as ServerChild, () => instances[1] as ServerChild]
  const deliveries = new Map<string, Set<string>>()
  const bodies = new Map<string, Set<string>>()

  test(
    `the primary is killed or frozen ${ROUNDS} times`,
    async () => {
      to.answer('/all', (response) => {
        const { body = '' } = to.received.at(-1) ?? {}
        const { event, delivery_id: id, data } = Body.parse(JSON.parse(body))
        deliveries.set(`${event} ${data.id}`, (deliveries.get(`${event} ${data.id}`) ?? new Set()).add(id))
        bodies.set(id, (bodies.get(id) ?? new Set()).add(body))
        response.writeHead(204).end()
      })
      await insist(a(), 'POST /api/networks', { id: 'net', name: 'net', subnet: '127.77.0.0/29' })
      const events = ['device.created', 'discovery.completed']
      await insist(a(), 'POST /api/webhooks', { name: 'all', url: to.url('/all'), events })
      let isOver = false
      const writing = instances.flatMap((instance, i) =>
        Array.from({ length: WRITERS }, (_, w) => writer(instance, `i${i}w${w}`, () => isOver)),
      )
      const scans: string[] = []
      for (let round = 0; round < ROUNDS; round++) {
        const { text } = await insist(a(), 'POST /api/discovery/networks/net/scan', {})
        scans.push(z.object({ id: z.string() }).parse(JSON.parse(text)).id)
        await Bun.sleep(CALM_MS)
        await fail(ways[round % ways.length] ?? 'kill', await machines.primary())
        if (round % 5 === 4) await fail('switchover', await machines.primary())
      }
      isOver = true
      await Promise.all(writing)
      report(failures, acked.size)

      const missing = () => [
        ...[...acked.keys()].filter((id) => !deliveries.has(`device.created ${id}`)),
        ...scans.filter((id) => !deliveries.has(`discovery.completed ${id}`)),
      ]
      const endMs = performance.now() + DRAINED_MS
      while (missing().length > 0 && performance.now() < endMs) await Bun.sleep(100)
      const stored = z.array(Named).parse(JSON.parse((await insist(b(), 'GET /api/devices')).text))
      const names = stored.map(({ name }) => name)
      const ended = z.array(Scan).parse(JSON.parse((await insist(b(), 'GET /api/discovery/scans')).text))
      const storedIds = new Set(stored.map(({ id }) => id))
      expect(acked.size).toBeGreaterThan(ROUNDS * WRITERS)
      expect({
        lost: [...acked].filter(([id]) => !storedIds.has(id)),
        vanished,
        twice: names.filter((name, at) => names.indexOf(name) !== at),
        undelivered: missing(),
        deliveredAnew: [...deliveries].filter(([, ids]) => ids.size > 1),
        changed: [...bodies.values()].filter((all) => all.size > 1),
        scans: ended.filter(({ status }) => status !== 'completed'),
        unexpected,
      }).toEqual({
        lost: [],
        vanished: [],
        twice: [],
        undelivered: [],
        deliveredAnew: [],
        changed: [],
        scans: [],
        unexpected: [],
      })
      const { runs, twice, tooSoon } = jobs.judge({ 'reservations.expire': 10_000, 'discovery.start-due': 5000 })
      expect(runs).toBeGreaterThan(0)
      expect({ twice, tooSoon }).toEqual({ twice: [], tooSoon: [] })
    },
    ROUNDS * 240_000 + DRAINED_MS,
  )

  test('no list has an ETag of before, after an asynchronous standby was promoted without the last writes', async () => {
    await machines.configure({ synchronous_mode: false, synchronous_mode_strict: false })
    const primary = await machines.primary()
    const create = async (instance: ServerChild, name: string): Promise<void> => {
      await insist(instance, 'POST /api/devices', { name })
    }
    await create(a(), 'kept')
    await until('commits that wait for no standby', async () => {
      const [row] = await primary.execute<{ names: string }>(
        `select current_setting('synchronous_standby_names') as names`,
      )
      return row?.names === '' || undefined
    })
    await machines.caughtUp(primary)
    primary.holdReplication()
    for (const n of [1, 2, 3]) await create(a(), `lost-${n}`)
    const etags = await Promise.all(
      instances.map(async (one) => (await insist(one, 'GET /api/devices')).headers.get('etag') ?? ''),
    )
    await primary.kill()
    await machines.primary(primary)
    const statuses: number[] = []
    // Until an instance knows the new primary, it answers 503.
    const statusOf = async (one: ServerChild, etag: string): Promise<number> =>
      until(
        'an answer',
        async () => (await ask(one, 'GET /api/devices', { headers: { 'If-None-Match': etag } }))?.status,
      )
    for (const n of [1, 2, 3, 4]) {
      await create(b(), `other-${n}`)
      for (const one of instances) for (const etag of etags) statuses.push(await statusOf(one, etag))
    }
    const text = (await insist(b(), 'GET /api/devices?limit=1000&q=lost')).text
    expect([z.array(Named).parse(JSON.parse(text)), new Set(statuses)]).toEqual([[], new Set([200])])
    await primary.start()
    await machines.healthy()
  }, 300_000)

  test('at the end, both instances are ready and stop in order', async () => {
    for (const one of instances) expect(await ask(one, 'GET /readyz')).toMatchObject({ status: 200 })
    expect(await Promise.all(instances.map((one) => one.stop()))).toEqual([0, 0])
  }, 60_000)

  const report = (all: readonly Failure[], writes: number): void => {
    for (const { how, failoverMs, writesMs } of all)
      console.log(
        `${how}: new primary after ${seconds(failoverMs)}, writes at both instances ${seconds(writesMs)} later`,
      )
    const most = Math.max(...all.map(({ writesMs }) => writesMs))
    console.log(`failures ${all.length}, acknowledged devices ${writes}, writes back after ${seconds(most)} at most`)
  }
})

const seconds = (ms: number): string => `${(ms / 1000).toFixed(1)} s`
