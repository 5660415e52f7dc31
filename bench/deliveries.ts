/**
 * Deliveries of a webhook by one and by two instances on PostgreSQL, beside another checkout of Plat:
 * `bun bench/deliveries.ts --other FOLDER [--count 3000] [--rounds 5] [--answer-ms 0] [--only 'one object']`. The same deliveries of one object, and of 1,000, are
 * made due again and again, and sent by each checkout in turn.
 */
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { SQL } from 'bun'
import { postgresAsItComes } from '../testing/servers/servers.ts'
import type { Result } from './bench.ts'
import { median, rate, times } from './numbers.ts'
import { publish } from './report.ts'
import { ROOT, type Server, startPlat } from './servers.ts'

const { values } = parseArgs({
  options: {
    other: { type: 'string' },
    count: { type: 'string', default: '3000' },
    rounds: { type: 'string', default: '5' },
    'answer-ms': { type: 'string', default: '0' },
    only: { type: 'string', default: '' },
  },
})
const OTHER = values.other
if (OTHER === undefined) throw new Error('--other FOLDER is missing: another checkout of Plat, installed')

const OBJECTS = 1000
const COUNT = Math.ceil(Number(values.count) / OBJECTS) * OBJECTS
const ROUNDS = Number(values.rounds)
const INSTANCES = [1, 2]
const AT_ONCE = 500
const LOOK_MS = 200
const NEVER_MS = Number.MAX_SAFE_INTEGER
/** The part of the other checkout's rate that is reached at least. */
const GOAL = 0.9

type Told = { readonly port?: number; readonly per_second: number; readonly overtaken: number }

const startPeer = async () => {
  const heard: ((message: Told) => void)[] = []
  const child = Bun.spawn([process.execPath, join(import.meta.dir, 'deliveries-peer.ts'), values['answer-ms']], {
    stdio: ['ignore', 'inherit', 'inherit'],
    ipc: (message: Told) => heard.shift()?.(message),
  })
  const next = () => new Promise<Told>((resolve) => heard.push(resolve))
  const { port } = await next()
  return {
    url: `http://127.0.0.5:${port}/`,
    /** Counts from now on. Resolves when all have arrived. */
    expect: (count: number): Promise<Told> => {
      const told = next()
      child.send(count)
      return told
    },
    stop: () => child.kill(),
  }
}
type Peer = Awaited<ReturnType<typeof startPeer>>

type Work = { readonly name: string; readonly event: 'device.updated' | 'network.updated' }
const WORKS: readonly Work[] = [
  { name: '1,000 objects', event: 'device.updated' },
  { name: 'one object', event: 'network.updated' },
]

const workDir = mkdtempSync(join(tmpdir(), 'plat-bench-deliveries-'))
const cluster = await postgresAsItComes()
const admin = new SQL(cluster.url, { max: 1 })
const peers: Peer[] = []

/** One checkout, with a database, its instances, and a peer for each webhook. */
class Side {
  readonly #servers: Server[] = []
  readonly #url: string
  readonly #dataDir: string
  readonly #sql: SQL
  readonly #hooks = new Map<Work, { readonly id: string; readonly peer: Peer }>()
  #key = ''

  constructor(
    readonly name: string,
    readonly root: string,
  ) {
    const url = new URL(cluster.url)
    url.pathname = `/${name}`
    this.#url = url.href
    this.#dataDir = join(workDir, name)
    this.#sql = new SQL(this.#url, { max: 1 })
  }

  async #call<T>(method: string, path: string, body: object): Promise<T> {
    const response = await fetch(`http://127.0.0.1:${this.#servers[0]?.port}${path}`, {
      method,
      headers: { Authorization: `Bearer ${this.#key}`, 'Content-Type': 'application/json' },
      body: JSON.stringify(body),
    })
    const text = await response.text()
    if (!response.ok) throw new Error(text)
    return JSON.parse(text) as T
  }

  async addInstance(): Promise<void> {
    const main = 'testing/servers/reaching-main.ts'
    this.#servers.push(await startPlat(this.#dataDir, { DATABASE_URL: this.#url }, { main, root: this.root }))
  }

  /** Stores the deliveries of each webhook, all of which have failed once. */
  async prepare(): Promise<void> {
    mkdirSync(this.#dataDir)
    await admin.unsafe(`CREATE DATABASE "${this.name}"`)
    const script = `import { createKey } from './bench/setup.ts'
      console.log(await createKey(${JSON.stringify(this.#dataDir)}, ${JSON.stringify({ DATABASE_URL: this.#url })}))`
    // By the measured program, because schemas differ.
    const text = await new Response(Bun.spawn([process.execPath, '-e', script], { cwd: this.root }).stdout).text()
    this.#key = text.trim().split('\n').at(-1) ?? ''
    await this.addInstance()
    for (const work of WORKS) {
      const peer = await startPeer()
      peers.push(peer)
      const draft = { name: work.event, url: peer.url, events: [work.event], retry_count: 10 }
      const { id } = await this.#call<{ id: string }>('POST', '/api/webhooks', draft)
      this.#hooks.set(work, { id, peer })
    }
    const ids = Array.from({ length: OBJECTS }, (_, i) => `device-${i}`)
    const bulk = async (buildOperation: (id: string) => object): Promise<void> => {
      for (let from = 0; from < OBJECTS; from += AT_ONCE)
        await this.#call('POST', '/api/devices/bulk', {
          operations: ids.slice(from, from + AT_ONCE).map(buildOperation),
        })
    }
    await bulk((id) => ({ op: 'create', device: { id, name: id } }))
    for (let turn = 0; turn < COUNT / OBJECTS; turn++)
      await bulk((id) => ({ op: 'update', id, device: { description: `turn ${turn}` } }))
    const { id } = await this.#call<{ id: string }>('POST', '/api/networks', { name: 'hot', subnet: '10.9.0.0/24' })
    for (let turn = 0; turn < COUNT; turn++)
      await this.#call('PUT', `/api/networks/${id}`, { description: `turn ${turn}` })
    // None is tried again before it is measured.
    for (let put = 0; put < COUNT * WORKS.length; await Bun.sleep(LOOK_MS)) {
      await this.#sql`UPDATE webhook_deliveries SET due_ms = ${NEVER_MS} WHERE status = 'retrying' AND until_ms = 0`
      const [row] = await this.#sql`SELECT count(*)::int AS n FROM webhook_deliveries WHERE due_ms = ${NEVER_MS}`
      put = row.n
    }
    await this.#sql.unsafe('VACUUM ANALYZE')
  }

  /** Makes all deliveries due, and returns the rate at which they arrive. */
  async measure(work: Work): Promise<Told> {
    const hook = this.#hooks.get(work)
    if (!hook) throw new Error(`no webhook for ${work.name}`)
    const all = hook.peer.expect(COUNT)
    await this.#sql`UPDATE webhook_deliveries SET status = 'pending', due_ms = 1, next_retry = NULL, attempt_number = 0,
      attempts_left = 11, attempts = '[]' WHERE webhook_id = ${hook.id}`
    const told = await all
    for (;;) {
      const [row] = await this.#sql`SELECT count(*)::int AS n FROM webhook_deliveries
        WHERE webhook_id = ${hook.id} AND status <> 'success'`
      if (row.n === 0) return told
      await Bun.sleep(LOOK_MS)
    }
  }

  async stop(): Promise<void> {
    for (const server of this.#servers) await server.stop()
    await this.#sql.close()
  }
}

const sides: Side[] = []
try {
  const [ours, other] = [new Side('ours', ROOT), new Side('other', OTHER)]
  sides.push(ours, other)
  for (const side of sides) await side.prepare()
  const results: Result[] = []
  for (const instances of INSTANCES) {
    if (instances > 1) for (const side of sides) await side.addInstance()
    for (const work of WORKS.filter(({ name }) => name.includes(values.only))) {
      const rounds: { readonly ours: Told; readonly other: Told }[] = []
      for (let round = -1; round < ROUNDS; round++) {
        process.stderr.write(`${work.name}, ${instances}: round ${round + 1}\n`)
        const isFirst = round % 2 === 0
        const first = await (isFirst ? ours : other).measure(work)
        const second = await (isFirst ? other : ours).measure(work)
        // The first round warms up.
        if (round >= 0) rounds.push(isFirst ? { ours: first, other: second } : { ours: second, other: first })
      }
      const rates = (side: 'ours' | 'other') => rounds.map((round) => round[side].per_second)
      const overtaken = (side: 'ours' | 'other') => rounds.reduce((sum, round) => sum + round[side].overtaken, 0)
      const ratio = median(rounds.map((round) => round.ours.per_second / round.other.per_second))
      results.push({
        work: `${COUNT.toLocaleString('en-US')} deliveries of ${work.name}, ${instances} instance${instances > 1 ? 's' : ''}`,
        ours: `${rate(median(rates('ours')))}, ${overtaken('ours')} overtaken`,
        baseline: `${rate(median(rates('other')))}, ${overtaken('other')} overtaken`,
        ratio: times(ratio),
        goal: `>= ${GOAL} x the rate`,
        isMet: ratio >= GOAL,
        numbers: { per_second: median(rates('ours')), baseline_per_second: median(rates('other')), ratio },
      })
    }
  }
  publish(results)
} finally {
  for (const side of sides) await side.stop()
  for (const peer of peers) peer.stop()
  await admin.close()
  await cluster.remove()
  rmSync(workDir, { recursive: true, force: true })
}
process.exit()
