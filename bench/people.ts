/**
 * Rights in a part of the estate:
 * `bun bench/people.ts [--devices 100000] [--postgres] [--overlaps] [--only 'unscoped|scoped|change|sign-in'] [--starts 2] [--rounds 6]`.
 * A server with 200 scopes beside one with none, callers limited to scopes of 1, 10 and 50 % beside an unlimited one, a change of a scope, and
 * a sign-in by an identity provider. All times are processor time of the server, with PostgreSQL that of the database as well.
 */
import { cpSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { SQL } from 'bun'
import { postgresAsItComes } from '../testing/servers/servers.ts'
import { authorized, plain, type Result } from './bench.ts'
import { inTurn } from './load.ts'
import { median, milliseconds, times } from './numbers.ts'
import { asking, deviceSearches, FIRST, type PairWork, readAll, readOne, updating, writing } from './pair.ts'
import { addOthers, clientOf, type Layout, layoutOf, listsOf, viewerIn } from './people-scopes.ts'
import { signInResult } from './people-sign-in.ts'
import {
  alternateCosts,
  type Costs,
  compareCosts,
  processesOf,
  processorTime,
  type Subject,
  slowerIn,
} from './processor.ts'
import { publish } from './report.ts'
import { type Server, startPlat } from './servers.ts'
import { prepare } from './setup.ts'
import { device } from './works/write.ts'

const { values } = parseArgs({
  options: {
    devices: { type: 'string', default: '100000' },
    postgres: { type: 'boolean', default: false },
    overlaps: { type: 'boolean', default: false },
    only: { type: 'string', default: '' },
    starts: { type: 'string', default: '2' },
    rounds: { type: 'string', default: '6' },
  },
})
const PARTS = ['unscoped', 'scoped', 'change', 'sign-in'] as const
const chosen = (part: (typeof PARTS)[number]): boolean => values.only.split('|').some((one) => part.startsWith(one))

const SCOPES = 200
const SHARES = [0.01, 0.1, 0.5]
const CHANGED_SHARE = 0.05
const STARTS = Number(values.starts)
const ROUNDS = Number(values.rounds)
/** Requests of a round of works of a few milliseconds. */
const REPEATS = 40
const REPEATS_AFTER_WRITES = 10
const GOAL_READ = 1.03
const GOAL_WRITE = 1.08
const GOAL_LIST = 1.2
const GOAL_FIRST = 2
const GOAL_FIRST_MS = 5
const GOAL_SEARCH = 3
const GOAL_ONE = 1.5
const GOAL_CHANGE_MS = 500

const results: Result[] = []
const workDir = mkdtempSync(join(tmpdir(), 'plat-bench-people-'))
const running: Server[] = []
const cluster = values.postgres ? await postgresAsItComes() : undefined
/** The processes of the database. */
const others = cluster ? await processesOf(cluster.url) : () => []
const note = (text: string): void => void process.stderr.write(`${text} ...\n`)

const databaseUrl = (name: string): Record<string, string> =>
  cluster ? { DATABASE_URL: new URL(`/${name}`, cluster.url).href } : {}

const onCluster = async (statement: string, database = 'postgres'): Promise<void> => {
  if (!cluster) return
  const client = new SQL(new URL(`/${database}`, cluster.url).href, { max: 1 })
  await client.unsafe(statement)
  await client.close()
}

/** The data without scopes, and with them. */
type Data = { readonly none: string; readonly scoped: string }

const serve = async (data: string): Promise<Server> => {
  const server = await startPlat(join(workDir, data), { ...databaseUrl(data), REQUEST_TIMEOUT: '5m' })
  running.push(server)
  return server
}

const stopAll = async (): Promise<void> => {
  for (const server of running.splice(0)) await server.stop()
}

const copy = async (from: string, to: string): Promise<void> => {
  cpSync(join(workDir, from), join(workDir, to), { recursive: true })
  await onCluster(`CREATE DATABASE "${to}" TEMPLATE "${from}"`)
}

const first = (limit: number): PairWork => asking(`first ${limit} devices`, () => [`/api/devices?limit=${limit}`])

/** Compares the processor time of an unlimited caller on a server with scopes and on one without. */
const unscoped = async ({ none, scoped }: Data, { key, deviceIds }: { key: string; deviceIds: readonly string[] }) => {
  const reads = [readOne, first(100), readAll, ...deviceSearches(deviceIds, FIRST)]
  const works = [...reads, writing(1, 300), writing(32, 1500), updating]
  const all = new Map<PairWork, Costs[][]>(works.map((work) => [work, []]))
  for (let start = 0; start < STARTS; start++) {
    const subjectOf = async (from: string): Promise<Subject> => {
      const name = `${from}-${start}`
      await copy(from, name)
      const { port, pid } = await serve(name)
      return { side: { port, request: authorized(key), deviceIds }, pids: () => [pid, ...others()] }
    }
    // In turn: the second one that starts takes longer for a write, of the same code too.
    const pair: Subject[] = []
    for (const name of start % 2 === 0 ? [scoped, none] : [none, scoped]) pair.push(await subjectOf(name))
    const [ours, other] = start % 2 === 0 ? pair : pair.reverse()
    if (!ours || !other) throw new Error('two servers run')
    for (const work of works) {
      note(`${start + 1}: ${work.name}`)
      all.get(work)?.push(await compareCosts(work, { ours, other }, ROUNDS))
    }
    await stopAll()
  }
  for (const [work, starts] of all) {
    const slower = median(starts.map(slowerIn))
    const goal = reads.includes(work) ? GOAL_READ : GOAL_WRITE
    const [ours, other] = [
      median(starts.flat().map((cost) => cost.ours)),
      median(starts.flat().map((cost) => cost.other)),
    ]
    results.push({
      work: `no scope, ${work.name}`,
      ours: milliseconds(ours),
      baseline: `without scopes ${milliseconds(other)}`,
      ratio: times(slower),
      goal: `<= ${goal} x`,
      isMet: slower <= goal,
      numbers: { ours_ms: ours, baseline_ms: other, slower },
    })
  }
}

/** A caller limited to a part, and an unlimited one, on one server. */
type Callers = { readonly scoped: Subject; readonly whole: Subject; readonly named: string }

type Compared = {
  readonly work: string
  readonly pathOf: (subject: Subject) => string
  /** Requests of a round. */
  readonly repeats?: number
  readonly isAfterWrite?: boolean
  readonly goal: number
  readonly goalMs?: number
}

const compare = async ({ scoped, whole, named }: Callers, compared: Compared): Promise<void> => {
  const { work, pathOf, isAfterWrite = false, goal, goalMs } = compared
  const { repeats = isAfterWrite ? REPEATS_AFTER_WRITES : REPEATS } = compared
  note(`${named}, ${work}`)
  const one = (subject: Subject) => {
    const { port, request } = subject.side
    return processorTime(subject, () => inTurn(port, [request({ path: pathOf(subject) })]))
  }
  const { port, request } = whole.side
  const write = () =>
    inTurn(port, [request({ method: 'POST', path: '/api/devices', body: JSON.stringify(device()) })], 201)
  /** Returns the time of one request. */
  const cost = async (subject: Subject): Promise<number> => {
    let taken = 0
    for (let i = 0; i < repeats; i++) {
      if (isAfterWrite) await write()
      taken += await one(subject)
    }
    return taken / repeats
  }
  const costs = await alternateCosts({ ours: scoped, other: whole }, ROUNDS, cost)
  const slower = slowerIn(costs)
  const [ours, other] = [median(costs.map((pair) => pair.ours)), median(costs.map((pair) => pair.other))]
  results.push({
    work: `${named}, ${work}`,
    ours: milliseconds(ours),
    baseline: `no scope ${milliseconds(other)}`,
    ratio: times(slower),
    goal: `<= ${goal} x${goalMs === undefined ? '' : `, < ${goalMs} ms`}`,
    isMet: slower <= goal && (goalMs === undefined || ours < goalMs),
    numbers: { ours_ms: ours, baseline_ms: other, slower },
  })
}

/** Words of devices of each part. */
const WORDS = ['production', 'payments', 'debian']

const limited = async (callers: Callers): Promise<void> => {
  const { scoped } = callers
  const { deviceIds } = scoped.side
  const listOf = (subject: Subject) => (subject === scoped ? '/api/devices' : `/api/devices?limit=${deviceIds.length}`)
  await compare(callers, { work: 'whole list', pathOf: listOf, repeats: 1, goal: GOAL_LIST })
  const first = { pathOf: () => '/api/devices?limit=100', goal: GOAL_FIRST, goalMs: GOAL_FIRST_MS }
  await compare(callers, { work: 'first 100', ...first })
  await compare(callers, { work: 'first 100, each after a write', ...first, isAfterWrite: true })
  const turns = new Map<Subject, number>()
  const turnOf = (subject: Subject): number => {
    const turn = turns.get(subject) ?? 0
    turns.set(subject, turn + 1)
    return turn
  }
  const searchOf = (subject: Subject) => `/api/devices/search?limit=100&q=${WORDS[turnOf(subject) % WORDS.length]}`
  await compare(callers, { work: 'search, first 100', pathOf: searchOf, goal: GOAL_SEARCH })
  await compare(callers, {
    work: 'search, first 100, each after a write',
    pathOf: searchOf,
    isAfterWrite: true,
    goal: GOAL_SEARCH,
  })
  const oneOf = (subject: Subject) => `/api/devices/${deviceIds[(turnOf(subject) * 7) % deviceIds.length]}`
  await compare(callers, { work: 'GET one device', pathOf: oneOf, goal: GOAL_ONE })
}

const scopedCallers = async (data: string, key: string, layout: Layout): Promise<void> => {
  const server = await serve(data)
  const api = clientOf(server, key)
  for (const share of SHARES) {
    const named = `scope of ${share * 100} %`
    const { id } = await api.scopes.create({ name: named, ...listsOf(layout, share) })
    const ownKey = await viewerIn(server, api, id)
    const deviceIds = (await clientOf(server, ownKey).devices.list({})).map((one) => one.id)
    const { devices } = await api.scopes.counts({ id })
    if (deviceIds.length !== devices) throw new Error(`${deviceIds.length} devices of ${devices}`)
    const side = { port: server.port, deviceIds }
    const pids = () => [server.pid, ...others()]
    const scoped: Subject = { side: { ...side, request: authorized(ownKey) }, pids }
    const whole: Subject = { side: { ...side, request: authorized(key) }, pids }
    await limited({ scoped, whole, named: `${named} (${deviceIds.length.toLocaleString('en-US')})` })
  }
  await stopAll()
}

/** Takes the devices of a twentieth into a scope and out of it again, each as one change. */
const changeOfScope = async (data: string, key: string, layout: Layout): Promise<void> => {
  const server = await serve(data)
  const api = clientOf(server, key)
  const lists = listsOf(layout, CHANGED_SHARE)
  const nothing = { datacenter_ids: [], subnets: [], tags: [] }
  const { id } = await api.scopes.create({ name: 'changed', ...nothing })
  const taken: number[] = []
  for (let i = 0; i < 2 * ROUNDS; i++) {
    const change = () => api.scopes.update({ id, ...nothing, ...(i % 2 === 0 ? lists : {}) })
    taken.push(await processorTime({ pids: () => [server.pid, ...others()] }, change))
  }
  await api.scopes.update({ id, ...lists })
  const { devices } = await api.scopes.counts({ id })
  const ms = median(taken)
  results.push(
    plain({
      work: `a change of a scope by ${(devices ?? 0).toLocaleString('en-US')} devices`,
      ours: `${milliseconds(ms)} (longest ${milliseconds(Math.max(...taken))})`,
      goal: `< ${milliseconds(GOAL_CHANGE_MS)}`,
      isMet: ms < GOAL_CHANGE_MS,
      numbers: { median_ms: ms, longest_ms: Math.max(...taken) },
    }),
  )
  await stopAll()
}

try {
  await onCluster('CREATE DATABASE "data"')
  note(`importing ${Number(values.devices).toLocaleString('en-US')} devices`)
  const { key, deviceIds } = await prepare(workDir, Number(values.devices), databaseUrl('data'))
  // Does the work of autovacuum, which follows such an import within minutes.
  await onCluster('VACUUM ANALYZE', 'data')
  await copy('data', 'scoped')
  const server = await serve('scoped')
  const api = clientOf(server, key)
  const layout = await layoutOf(api)
  note(`adding ${SCOPES} scopes`)
  await addOthers(api, layout, { count: SCOPES, overlaps: values.overlaps })
  await stopAll()
  await onCluster('VACUUM ANALYZE', 'scoped')
  if (chosen('unscoped')) await unscoped({ none: 'data', scoped: 'scoped' }, { key, deviceIds })
  if (chosen('change')) await changeOfScope('scoped', key, layout)
  if (chosen('scoped')) await scopedCallers('scoped', key, layout)
  if (chosen('sign-in'))
    results.push(await signInResult({ env: databaseUrl('data'), dataDir: join(workDir, 'data'), key, others }))
  publish(results)
} finally {
  await stopAll()
  await cluster?.remove()
  rmSync(workDir, { recursive: true, force: true })
}
process.exit()
