/**
 * Events: `bun bench/events.ts [--seconds 20] [--backlog 20000] [--baseline FOLDER] [--only latency]`. Measures the delay of webhooks
 * and the live feed at 100 events a second, the speed of a backlog, and the time that an event adds to its write. `--baseline` compares
 * writes with another installed checkout of Plat.
 */
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { authorized, plain, type Result } from './bench.ts'
import { alternate, throughputOnce } from './load.ts'
import { megabytes, milliseconds, percent, rate } from './numbers.ts'
import { publish } from './report.ts'
import { ROOT, type Server, startPlat } from './servers.ts'
import { addNetwork, createKey } from './setup.ts'
import { device } from './works/write.ts'

const { values } = parseArgs({
  options: {
    seconds: { type: 'string', default: '20' },
    backlog: { type: 'string', default: '20000' },
    rounds: { type: 'string', default: '15' },
    baseline: { type: 'string' },
    only: { type: 'string' },
  },
})

const PER_SECOND = 100
const LISTENERS = 200
const LOOK_MS = 20
const workDir = mkdtempSync(join(tmpdir(), 'plat-bench-events-'))

const startPeer = async (args: readonly string[]) => {
  const heard: ((message: Record<string, number>) => void)[] = []
  const child = Bun.spawn([process.execPath, join(import.meta.dir, 'events-peer.ts'), ...args], {
    stdio: ['ignore', 'inherit', 'inherit'],
    ipc: (message: Record<string, number>) => heard.shift()?.(message),
  })
  const next = () => new Promise<Record<string, number>>((resolve) => heard.push(resolve))
  const first = await next()
  const ask = (question: string) => {
    const answer = next()
    child.send(question)
    return answer
  }
  return {
    first,
    ask,
    stop: async () => {
      child.kill()
      await child.exited
    },
  }
}

const start = async (name: string): Promise<{ server: Server; key: string }> => {
  const dataDir = join(workDir, name)
  mkdirSync(dataDir)
  const key = await createKey(dataDir)
  // All listeners of this benchmark are one user.
  const env = { FEEDS_PER_USER: String(LISTENERS) }
  return { server: await startPlat(dataDir, env, { main: 'testing/servers/reaching-main.ts' }), key }
}

const send = async ({ port }: Server, key: string, method: string, path: string, body?: object): Promise<unknown> => {
  const response = await fetch(`http://127.0.0.1:${port}${path}`, {
    method,
    headers: { Authorization: `Bearer ${key}`, 'Content-Type': 'application/json' },
    ...(body ? { body: JSON.stringify(body) } : {}),
  })
  const text = await response.text()
  if (!response.ok) throw new Error(text)
  return text === '' ? undefined : JSON.parse(text)
}

const hook = async (server: Server, key: string, url: string, more: object = {}): Promise<string> => {
  const draft = { name: url, url, events: ['device.created'], ...more }
  return ((await send(server, key, 'POST', '/api/webhooks', draft)) as { id: string }).id
}

/** Makes devices at an even pace. */
const pace = async (server: Server, key: string, seconds: number): Promise<number> => {
  const count = seconds * PER_SECOND
  const begin = performance.now()
  const all: Promise<unknown>[] = []
  for (let i = 0; i < count; i++) {
    const wait = begin + (i * 1000) / PER_SECOND - performance.now()
    if (wait > 0) await Bun.sleep(wait)
    all.push(send(server, key, 'POST', '/api/devices', { name: `paced ${i}` }))
  }
  await Promise.all(all)
  return count
}

const latency = async (seconds: number): Promise<Result[]> => {
  const { server, key } = await start('latency')
  const peer = await startPeer(['receive'])
  const at = (path: string, port = peer.first.port) => `http://127.0.0.5:${port}${path}`
  await hook(server, key, at('/fast'))
  await hook(server, key, at('/slow'), { timeout_seconds: 60 })
  // No server listens there.
  await hook(server, key, at('/dead', 9))
  const count = await pace(server, key, seconds)
  while (((await peer.ask('count')).count ?? 0) < count) await Bun.sleep(LOOK_MS)
  const { p50 = 0, p99 = 0 } = await peer.ask('times')
  await peer.stop()
  await server.stop()
  return [
    plain({
      work: `change to first attempt, ${PER_SECOND} events/s beside a dead and a slow target`,
      ours: `p50 ${milliseconds(p50)}, p99 ${milliseconds(p99)}`,
      goal: 'p50 < 50 ms, p99 < 500 ms',
      isMet: p50 < 50 && p99 < 500,
      numbers: { p50_ms: p50, p99_ms: p99 },
    }),
  ]
}

const backlog = async (count: number): Promise<Result[]> => {
  const { server, key } = await start('backlog')
  const peer = await startPeer(['receive'])
  const nowhere = 'http://127.0.0.5:9/fast'
  const id = await hook(server, key, nowhere, { retry_count: 1 })
  // Refused at once: each is to be sent again in a minute, by when all of them are due.
  const rows = 500
  for (let made = 0; made < count; made += rows) {
    const operations = Array.from({ length: rows }, (_, i) => ({
      op: 'create',
      device: { name: `queued ${made + i}` },
    }))
    await send(server, key, 'POST', '/api/devices/bulk', { operations })
  }
  const open = async (): Promise<number> => {
    const query = `/api/webhooks/${id}/deliveries?status=pending&limit=1`
    const response = await fetch(`http://127.0.0.1:${server.port}${query}`, {
      headers: { Authorization: `Bearer ${key}` },
    })
    await response.text()
    return Number(response.headers.get('x-total-count'))
  }
  while ((await open()) > 0) await Bun.sleep(500)
  await send(server, key, 'PUT', `/api/webhooks/${id}`, { url: `http://127.0.0.5:${peer.first.port}/fast` })
  const counted = async () => (await peer.ask('count')).count ?? 0
  // From a tenth of it on: the first are not all due at the same moment.
  const from = count / 10
  while ((await counted()) < from) await Bun.sleep(LOOK_MS)
  const begin = performance.now()
  const already = await counted()
  while ((await counted()) < count) await Bun.sleep(LOOK_MS)
  const perSecond = (count - already) / ((performance.now() - begin) / 1000)
  await peer.stop()
  await server.stop()
  return [
    plain({
      work: `a backlog of ${count.toLocaleString('en-US')} to one target`,
      ours: `${rate(perSecond)} deliveries`,
      goal: '>= 1,000/s',
      isMet: perSecond >= 1000,
      numbers: { per_second: perSecond },
    }),
  ]
}

const feed = async (seconds: number): Promise<Result[]> => {
  const { server, key } = await start('feed')
  const before = await server.memory()
  const peer = await startPeer(['listen', String(server.port), key, String(LISTENERS)])
  const count = await pace(server, key, seconds)
  await Bun.sleep(1000)
  const { p99 = 0, least = 0 } = await peer.ask('times')
  const growth = (await server.memory()) - before
  await peer.stop()
  await server.stop()
  return [
    plain({
      work: `live feed, ${LISTENERS} listeners, ${PER_SECOND} events/s`,
      ours: `p99 ${milliseconds(p99)} of the slowest; each had ${least} of ${count}; + ${megabytes(growth)}`,
      goal: 'p99 < 200 ms',
      isMet: p99 < 200 && least === count,
      numbers: { p99_ms: p99, least, growth_bytes: growth },
    }),
  ]
}

/** Made by the measured program, because schemas differ. */
const keyIn = async (root: string, dataDir: string): Promise<string> => {
  const script = `import { createKey } from './bench/setup.ts'; console.log(await createKey(${JSON.stringify(dataDir)}))`
  const text = await new Response(Bun.spawn([process.execPath, '-e', script], { cwd: root }).stdout).text()
  return text.trim().split('\n').at(-1) ?? ''
}

type Subject = { readonly server: Server; readonly key: string; readonly request: ReturnType<typeof authorized> }

const subjectOf = async (
  name: string,
  program: { readonly root?: string; readonly main?: string },
): Promise<Subject> => {
  const dataDir = join(workDir, name)
  mkdirSync(dataDir)
  const key = await keyIn(program.root ?? ROOT, dataDir)
  const server = await startPlat(dataDir, { BENCH_WITHOUT: 'events' }, program)
  await addNetwork({ port: server.port, key })
  return { server, key, request: authorized(key) }
}

const LOADS = [
  [1, 400],
  [32, 2000],
] as const

/** How much longer `now` takes for the same. */
const compare = async (
  [now, then]: readonly [Subject, Subject],
  {
    name,
    status,
    send: sendOf,
  }: {
    readonly name: string
    readonly status: number
    readonly send: (subject: Subject, at: number) => Uint8Array
  },
  rounds: number,
): Promise<Result[]> => {
  const results: Result[] = []
  for (const [callers, count] of LOADS) {
    const round = (subject: Subject) => () => {
      const requests = Array.from({ length: count }, (_, at) => sendOf(subject, at))
      return throughputOnce({ port: subject.server.port, callers, requests, status })
    }
    for (let warm = 0; warm < 3; warm++) {
      await round(now)()
      await round(then)()
    }
    const { ours, baseline, ratio } = await alternate(rounds, round(now), round(then))
    const more = 1 / ratio - 1
    results.push({
      work: `${name}, ${callers === 1 ? 'one caller' : `${callers} callers`}`,
      ours: rate(ours),
      baseline: `${rate(baseline)} without`,
      ratio: `+ ${percent(more)} time`,
      goal: '<= 15 % more time',
      isMet: more <= 0.15,
      numbers: { per_second: ours, baseline_per_second: baseline, cost: more },
    })
  }
  return results
}

/** Against the same server with nothing put on record. */
const cost = async (rounds: number): Promise<Result[]> => {
  const now = await subjectOf('recorded', {})
  const then = await subjectOf('unrecorded', { main: 'bench/without-main.ts' })
  const ids = new Map<Subject, string[]>()
  for (const subject of [now, then]) {
    const made: string[] = []
    for (let i = 0; i < 200; i++) {
      const { id } = (await send(subject.server, subject.key, 'POST', '/api/devices', device())) as { id: string }
      made.push(id)
    }
    ids.set(subject, made)
  }
  let turn = 0
  const results = await compare(
    [now, then],
    {
      name: 'an event of a device update',
      status: 200,
      send: (subject, at) => {
        const own = ids.get(subject) ?? []
        const body = JSON.stringify({ description: `turn ${++turn}` })
        return subject.request({ method: 'PUT', path: `/api/devices/${own[at % own.length]}`, body })
      },
    },
    rounds,
  )
  await now.server.stop()
  await then.server.stop()
  return results
}

/** Against another release. */
const since = async (folder: string, rounds: number): Promise<Result[]> => {
  const now = await subjectOf('now', {})
  const then = await subjectOf('then', { root: folder })
  const work = {
    name: 'write a device, against the release there',
    status: 201,
    send: ({ request }: Subject) => request({ method: 'POST', path: '/api/devices', body: JSON.stringify(device()) }),
  }
  const results = await compare([now, then], work, rounds)
  await now.server.stop()
  await then.server.stop()
  return results.map((result) => ({ ...result, goal: '', isMet: undefined }))
}

try {
  const seconds = Number(values.seconds)
  const results: Result[] = []
  if (values.baseline) results.push(...(await since(values.baseline, Number(values.rounds))))
  const parts = {
    cost: () => cost(Number(values.rounds)),
    latency: () => latency(seconds),
    feed: () => feed(seconds),
    backlog: () => backlog(Number(values.backlog)),
  }
  for (const [name, part] of Object.entries(parts))
    if (values.only === undefined || values.only === name) results.push(...(await part()))
  publish(results)
} finally {
  rmSync(workDir, { recursive: true, force: true })
}
process.exit()
