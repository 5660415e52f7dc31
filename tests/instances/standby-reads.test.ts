/**
 * Two instances that read on standbys: no answer is older than its question, whichever instance wrote, however far a standby is behind, and
 * while it is killed. The statistics of the servers show which of them has read the rows.
 */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { type TestApp, type TestCaller, testApp } from '../../testing/app/app.ts'
import { rowsReadBy } from '../../testing/rows-read.ts'
import { type Instance, instanceBeside } from '../../testing/servers/instances.ts'
import { type ReplicaServer, type Replicas, replicasProblem, startReplicas } from '../../testing/servers/replicas.ts'
import { engines } from '../../testing/servers/servers.ts'
import { until } from '../../testing/until.ts'

const IS_LONG = process.env.PLAT_LONG === '1'
/** Writes that are read back: in all, and by one writer after the other. */
const WRITES = IS_LONG ? 10_000 : 160
const WRITERS = IS_LONG ? 16 : 4
const DELAYS_MS = [0, 0, 1, 5, 15, 40, 400]
const TIMEOUT_MS = IS_LONG ? 3_600_000 : 120_000

const problem = engines().includes('postgres') ? replicasProblem : 'not on PostgreSQL'

describe.skipIf(problem !== undefined)(problem ? `reads on standbys (${problem})` : 'reads on standbys', () => {
  let set: Replicas
  let database: string
  let app: TestApp
  let second: Instance
  let admin: TestCaller
  beforeAll(async () => {
    set = await startReplicas(2)
    database = await set.createDatabase()
    const env = { DATABASE_URL: set.url(database), DATABASE_READS: 'standbys' }
    app = await testApp({ env, withJobs: false })
    second = await instanceBeside(app, { withJobs: false, withFirstAdmin: false })
    admin = await app.as('admin')
    await set.caughtUp()
  }, TIMEOUT_MS)
  afterAll(async () => {
    await second?.close()
    await app?.close()
    await set?.close()
  }, TIMEOUT_MS)

  /** Sends a request to one of the two instances. */
  const ask = async (instance: 0 | 1, method: string, path: string, body?: unknown) => {
    const headers = { Authorization: `Bearer ${admin.key}` }
    const response =
      instance === 0 ? await admin.request(method, path, body) : await second.fetch(method, path, headers, body)
    const text = await response.text()
    if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${text}`)
    return text === '' ? undefined : JSON.parse(text)
  }
  const either = (): 0 | 1 => (Math.random() < 0.5 ? 0 : 1)
  const standbys = (): readonly ReplicaServer[] => set.servers.slice(1)
  const answersOf = (host: string): number => app.db.readHosts.answers().get(host) ?? 0

  /** A streamed list, a page, and two searches. */
  const READS: readonly ((tag: string) => Promise<{ name: string }[]>)[] = [
    (tag) => ask(either(), 'GET', `/api/devices?tags=${tag}`),
    (tag) => ask(either(), 'GET', `/api/devices?tags=${tag}&limit=10`),
    (tag) => ask(either(), 'GET', `/api/devices/search?q=${tag}&limit=10`),
    async (tag) => (await ask(either(), 'GET', `/api/search?q=${tag}`)).results,
  ]
  const namesBy = async (read: (typeof READS)[number], tag: string): Promise<string[]> =>
    (await read(tag)).map(({ name }) => name)

  /** Writes, renames and deletes a device, and reads it after each. */
  const wrongAnswers = async (n: number, read: (typeof READS)[number]): Promise<string[]> => {
    // No text that another one contains.
    const tag = `tag-${n}-`
    const wrong: string[] = []
    const check = async (what: string, expected: readonly string[]) => {
      const found = await namesBy(read, tag)
      if (!Bun.deepEquals(found, expected)) wrong.push(`${what} ${n}: ${found.join()} and not ${expected.join()}`)
    }
    const { id } = await ask(either(), 'POST', '/api/devices', { name: `device-${n}`, tags: [tag] })
    await check('new', [`device-${n}`])
    await ask(either(), 'PUT', `/api/devices/${id}`, { name: `renamed-${n}` })
    await check('renamed', [`renamed-${n}`])
    if (n % 4 !== 0) return wrong
    await ask(either(), 'DELETE', `/api/devices/${id}`)
    await check('deleted', [])
    return wrong
  }

  let written = 0
  const writeAndRead = async (count: number): Promise<string[]> => {
    const wrong: string[] = []
    const end = written + count
    const writer = async () => {
      while (written < end) {
        const n = ++written
        const read = READS[n % READS.length]
        if (read) wrong.push(...(await wrongAnswers(n, read)))
      }
    }
    await Promise.all(Array.from({ length: WRITERS }, writer))
    return wrong
  }

  test(
    'each write is seen by the next read at either instance, while the standbys are behind at random',
    async () => {
      let isOver = false
      const disturb = async () => {
        const [delayed, other] = standbys()
        while (!isOver) {
          const delay = DELAYS_MS[Math.floor(Math.random() * DELAYS_MS.length)]
          await delayed?.set('recovery_min_apply_delay', `${delay}ms`)
          if (Math.random() < 0.2) {
            await other?.pauseReplay()
            await Bun.sleep(30)
            await other?.resumeReplay()
          }
          await Bun.sleep(100)
        }
        await delayed?.set('recovery_min_apply_delay', '0')
      }
      const disturbing = disturb()
      const wrong = await writeAndRead(WRITES).finally(() => {
        isOver = true
      })
      await disturbing
      expect(wrong).toEqual([])
      for (const { address } of standbys()) expect(answersOf(address)).toBeGreaterThan(0)
    },
    TIMEOUT_MS,
  )

  test(
    'while no standby replays anything, the primary answers',
    async () => {
      for (const standby of standbys()) await standby.pauseReplay()
      const before = answersOf(set.servers[0].address)
      expect(await writeAndRead(12)).toEqual([])
      expect(answersOf(set.servers[0].address)).toBeGreaterThan(before)
      for (const standby of standbys()) await standby.resumeReplay()
      await set.caughtUp()
    },
    TIMEOUT_MS,
  )

  test(
    'a standby that is killed during reads fails none of them, and is asked again when it is back',
    async () => {
      const [killed] = standbys()
      if (!killed) throw new Error('there is a standby')
      let isOver = false
      let reads = 0
      const wrong: string[] = []
      const { id } = await ask(0, 'POST', '/api/devices', { name: 'steady', tags: ['steady'] })
      const reader = async () => {
        for (; !isOver; reads++)
          for (const read of READS) if ((await namesBy(read, 'steady')).join() !== 'steady') wrong.push(`read ${reads}`)
      }
      const readers = Promise.all([reader(), reader(), reader()])
      const more = async () => {
        const from = reads
        await until('further reads', () => reads > from + 3 || undefined)
      }
      await more()
      await killed.kill()
      await more()
      await killed.start()
      const before = answersOf(killed.address)
      await until('answers of the standby', () => answersOf(killed.address) > before || undefined)
      isOver = true
      await readers
      expect(wrong).toEqual([])
      await ask(0, 'DELETE', `/api/devices/${id}`)
    },
    TIMEOUT_MS,
  )

  test(
    'the primary reads less than a tenth of the rows of lists and searches',
    async () => {
      const networks = Array.from({ length: 40 }, (_, n) => ({
        op: 'create',
        network: { name: `net-${n}`, subnet: `10.${n}.0.0/16` },
      }))
      await ask(0, 'POST', '/api/networks/bulk', { operations: networks })
      const devices = Array.from({ length: 300 }, (_, n) => ({
        op: 'create',
        device: { name: `rack-${n}`, tags: ['many'], addresses: [{ ip: `10.${n % 40}.0.${1 + (n % 200)}` }] },
      }))
      await ask(0, 'POST', '/api/devices/bulk', { operations: devices })
      await set.caughtUp()
      await second.close()
      await app.close()
      const rows = () => Promise.all(set.servers.map((server) => rowsReadBy(server, database)))
      const before = await rows()
      const reading = await instanceBeside(app, { withJobs: false, withFirstAdmin: false })
      const request = async (method: string, path: string, body?: unknown) => {
        const response = await reading.fetch(method, path, { Authorization: `Bearer ${admin.key}` }, body)
        await response.text()
        expect([path, response.ok]).toEqual([path, true])
      }
      for (let round = 0; round < 3; round++) {
        // Nothing stays cached.
        await request('POST', '/api/devices', { name: `rack-more-${round}`, tags: ['many'] })
        await request('POST', '/api/networks', { name: `more-${round}`, subnet: `172.16.${round}.0/24` })
        for (const path of PATHS) await request('GET', path)
      }
      await reading.close()
      const [primary = 0, ...others] = (await rows()).map((n, at) => n - (before[at] ?? 0))
      const standby = others.reduce((sum, n) => sum + n, 0)
      expect(standby).toBeGreaterThan(1000)
      expect(primary / (primary + standby)).toBeLessThan(0.1)
    },
    TIMEOUT_MS,
  )
})

const PATHS = [
  '/api/devices',
  '/api/devices?limit=50',
  '/api/devices?tags=many&limit=50',
  '/api/devices/search?q=rack&limit=50',
  '/api/networks',
  '/api/networks?include=utilization',
  '/api/networks?include=tree',
  '/api/search?q=rack',
  '/api/dashboard',
  '/api/estate/export?format=json',
]
