/**
 * Two instances on one PostgreSQL, one of them killed repeatedly under a mixed load. No acknowledged write is lost, and
 * no job runs twice. No delivery is sent by both at once, and only requests in progress at the killed one fail.
 */
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { z } from 'zod'
import { createLog } from '../../testing/app/job-log.ts'
import { type ServerChild, type ServerFolder, serverFolder } from '../../testing/app/server-child.ts'
import { type Receiver, startReceiver } from '../../testing/receiver.ts'
import { engines, postgresDatabase } from '../../testing/servers/servers.ts'

/** `npm run test:long`: a kill every ten seconds for five minutes, at a pace that a webhook keeps up with. */
const IS_LONG = process.env.PLAT_LONG === '1'
/** 2 in `npm test`, 20 in `npm run test:crash`. */
const ROUNDS = IS_LONG ? 30 : process.env.PLAT_CRASH_ROUNDS ? 20 : 1
const ROUND_MS = 10_000
const PACE_MS = IS_LONG ? 50 : 0
const WRITERS = 2
/** Writes of each writer, in a round that ends by their count. */
const WRITES = 60
/** Long enough for another instance to send it too, if the lease did not prevent that. */
const ANSWER_MS = 15
/**
 * A delivery in progress at a killed instance remains leased to it for 20 seconds, and a failed one is retried after a
 * second. A delivery that has not arrived long after that is lost.
 */
const DRAINED_MS = 240_000
const LOOK_MS = 100
const HOLD_S = 3

const Named = z.object({ id: z.string() })
const Scan = z.object({ id: z.string(), status: z.string(), error_message: z.string() })
const Body = z.object({ event: z.string(), delivery_id: z.string(), data: Named })

/** A server from its start to its end. */
type Life = { readonly child: ServerChild; killedMs: number | undefined }

// Left out rather than skipped, because a run on SQLite only is intended.
if (engines().includes('postgres')) {
  let database: Awaited<ReturnType<typeof postgresDatabase>>
  let folder: ServerFolder
  let to: Receiver
  beforeAll(async () => {
    database = await postgresDatabase()
    const env = {
      RATE_LIMIT_ENABLED: 'false',
      DATABASE_URL: database.url,
      LOG_LEVEL: 'debug',
      DISCOVERY_ALLOWED_SUBNETS: '127.0.0.0/8',
      DISCOVERY_ALLOW_LOCAL: 'true',
    }
    folder = await serverFolder(env)
    to = await startReceiver()
  }, 60_000)
  afterAll(async () => {
    await folder.remove()
    await to.close()
    await database.drop()
  })

  const jobs = createLog()
  const begin = async (): Promise<Life> => ({
    child: await folder.start({ reachesReceivers: true, onLog: jobs.reader() }),
    killedMs: undefined,
  })

  const broken: { readonly life: Life; readonly startedMs: number }[] = []
  const refused: string[] = []
  let answered = 0
  /** Returns undefined if there was no answer, and records that. */
  const ask = async (life: Life, http: string, body?: object): Promise<unknown> => {
    const [method = 'GET', path = '/'] = http.split(' ')
    const headers = { Authorization: `Bearer ${folder.key}`, 'Content-Type': 'application/json' }
    const startedMs = performance.now()
    const init = { method, headers, ...(body && { body: JSON.stringify(body) }) }
    const response = await fetch(life.child.url + path, init).catch(() => undefined)
    const text = await response?.text().catch(() => undefined)
    if (!response || text === undefined) return void broken.push({ life, startedMs })
    answered++
    if (!response.ok) return void refused.push(`${http}: ${response.status} ${text}`)
    return text === '' ? {} : JSON.parse(text)
  }
  const idOf = (answer: unknown): string | undefined => Named.safeParse(answer).data?.id

  const acked = new Set<string>()

  type Writer = { readonly name: string; readonly most: number; readonly isOver: { readonly value: boolean } }
  /**
   * Creates, changes and reads devices, and reserves addresses that expire, until its server is killed or the round is
   * over.
   */
  const write = async (life: Life, { name, most, isOver }: Writer): Promise<void> => {
    const goesOn = () => life.killedMs === undefined && !isOver.value
    for (let n = 0; n < most && goesOn(); n++) {
      const id = idOf(await ask(life, 'POST /api/devices', { name: `${name}-${n}` }))
      if (id === undefined) continue
      acked.add(id)
      if (goesOn()) await ask(life, `GET /api/devices/${id}`)
      if (n % 5 === 0 && goesOn()) await ask(life, `PUT /api/devices/${id}`, { os: 'Debian' })
      if (n % 10 === 0 && goesOn())
        await ask(life, 'POST /api/pools/pool/allocate', { purpose: name, ttl_seconds: HOLD_S })
      if (PACE_MS > 0) await Bun.sleep(PACE_MS)
    }
  }

  const scans: string[] = []
  const round = async (number: number, instances: Life[]): Promise<void> => {
    const victim = instances[number % instances.length]
    const survivor = instances[(number + 1) % instances.length]
    if (!victim || !survivor) throw new Error('there are two instances')
    const scan = idOf(await ask(survivor, 'POST /api/discovery/networks/net/scan', {}))
    if (scan !== undefined) scans.push(scan)
    const most = IS_LONG ? Number.POSITIVE_INFINITY : WRITES
    const isOver = { value: false }
    const writing = [victim, survivor].flatMap((life, i) =>
      Array.from({ length: WRITERS }, (_, writer) => write(life, { name: `r${number}i${i}w${writer}`, most, isOver })),
    )
    const wanted = acked.size + WRITERS * WRITES
    const enough = new Promise<void>((resolve) => {
      const look = () => (acked.size >= wanted ? resolve() : setImmediate(look))
      if (IS_LONG) setTimeout(resolve, ROUND_MS)
      else look()
    })
    await Promise.race([enough, Promise.all(writing)])
    victim.killedMs = performance.now()
    await victim.child.kill()
    isOver.value = true
    await Promise.all(writing)
    instances[number % instances.length] = await begin()
  }

  test(
    `one of two instances is killed ${ROUNDS} times`,
    async () => {
      // Stored unparsed: a receiver that is busy with parsing answers too late.
      const told = new Map<string, Set<string>>()
      const open = new Set<string>()
      const twiceAtOnce: string[] = []
      to.answer('/all', (response) => {
        const { event, delivery_id: id, data } = Body.parse(JSON.parse(to.received.at(-1)?.body ?? ''))
        told.set(`${event} ${data.id}`, (told.get(`${event} ${data.id}`) ?? new Set()).add(id))
        if (open.has(id)) twiceAtOnce.push(id)
        open.add(id)
        response.once('close', () => open.delete(id))
        setTimeout(() => response.writeHead(204).end(), ANSWER_MS)
      })
      const instances = [await begin(), await begin()]
      const [first] = instances
      if (!first) throw new Error('there are two instances')
      await ask(first, 'POST /api/networks', { id: 'net', name: 'net', subnet: '127.77.0.0/29' })
      await ask(first, 'POST /api/networks', { id: 'wide', name: 'wide', subnet: '10.0.0.0/16' })
      const range = { start_ip: '10.0.0.1', end_ip: '10.0.255.254' }
      await ask(first, 'POST /api/networks/wide/pools', { id: 'pool', name: 'pool', ...range })
      const events = ['device.created', 'discovery.completed']
      await ask(first, 'POST /api/webhooks', { name: 'all', url: to.url('/all'), events })
      for (let number = 0; number < ROUNDS; number++) await round(number, instances)

      const [alive] = instances
      if (!alive) throw new Error('there are two instances')
      const openScans = async (): Promise<string[]> => {
        const all = z.array(Scan).parse(await ask(alive, 'GET /api/discovery/scans'))
        return all.filter(({ status }) => status === 'pending' || status === 'running').map(({ id }) => id)
      }
      const missing = () => [
        ...[...acked].filter((id) => !told.has(`device.created ${id}`)),
        ...scans.filter((id) => !told.has(`discovery.completed ${id}`)),
      ]
      const until = performance.now() + DRAINED_MS
      while ((missing().length > 0 || (await openScans()).length > 0) && performance.now() < until)
        await Bun.sleep(LOOK_MS)
      const stored = new Set(
        z
          .array(Named)
          .parse(await ask(alive, 'GET /api/devices'))
          .map(({ id }) => id),
      )
      const ended = z.array(Scan).parse(await ask(alive, 'GET /api/discovery/scans'))

      expect(acked.size).toBeGreaterThanOrEqual(ROUNDS * WRITERS * WRITES)
      expect({
        lost: [...acked].filter((id) => !stored.has(id)),
        untold: missing(),
        twiceAtOnce,
        // Each change has one event, even if its instance was killed.
        toldAnew: [...told].filter(([, ids]) => ids.size > 1),
        failedScans: ended.filter(({ status }) => status !== 'completed'),
        refused,
        // Every request has an answer unless its instance was killed.
        brokenForNothing: broken.filter(
          ({ life, startedMs }) => life.killedMs === undefined || startedMs > life.killedMs,
        ),
      }).toEqual({
        lost: [],
        untold: [],
        twiceAtOnce: [],
        toldAnew: [],
        failedScans: [],
        refused: [],
        brokenForNothing: [],
      })

      const bytes = new Map<string, Set<string>>()
      for (const { body } of to.received) {
        const { delivery_id } = Body.parse(JSON.parse(body))
        bytes.set(delivery_id, (bytes.get(delivery_id) ?? new Set()).add(body))
      }
      expect([...bytes.values()].filter((bodies) => bodies.size > 1)).toEqual([])
      for (const { child } of instances) expect(await child.stop()).toBe(0)

      const { runs, twice, tooSoon } = jobs.judge({
        'reservations.expire': 10_000,
        'discovery.start-due': 5000,
      })
      expect(runs).toBeGreaterThan(0)
      expect({ twice, tooSoon }).toEqual({ twice: [], tooSoon: [] })
      if (IS_LONG)
        console.log(
          `kills ${ROUNDS}, answered ${answered}, acknowledged devices ${acked.size}, broken off by a kill ${broken.length}, ` +
            `deliveries ${bytes.size}, sent again ${to.received.length - bytes.size}, scans ${ended.length}, runs of jobs ${runs}`,
        )
    },
    DRAINED_MS + ROUNDS * 30_000,
  )
}
