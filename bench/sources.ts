/**
 * Runs of a source beside an apply of the same rows: `bun bench/sources.ts [--machines 10000]`. A document of machines, each with what
 * contains it, is pushed: the first time, unchanged, and with one machine of a hundred changed. Then the cost of a source for a write.
 */
import { parseArgs } from 'node:util'
import { plain, type Result } from './bench.ts'
import { megabytes, milliseconds, quantile, times } from './numbers.ts'
import { publish } from './report.ts'
import { onServer, peakOf, type Row, type Site } from './site.ts'

const { values } = parseArgs({ options: { machines: { type: 'string', default: '10000' } } })
const count = Number(values.machines)
const PER_HOST = 250
const CHANGED = Math.floor(count / 100)
const GOAL_WAIT_MS = 25
const GOAL_BYTES = 250_000_000
const LINKED = 10
const UPDATES = 400
const LOOK_MS = 20

const hosts = Math.ceil(count / PER_HOST)
const nameHost = (i: number): string => `host-${i % hosts}`

const buildMachine = (i: number, os: string): Row => ({
  name: `vm-${i}`,
  hostname: `vm-${i}.example.net`,
  os,
  tags: ['vm'],
  addresses: [{ ip: `10.${(i >> 16) & 255}.${(i >> 8) & 255}.${i & 255}` }],
  refs: { bench: `vm/${i}` },
})
const buildHost = (i: number): Row => ({ name: nameHost(i), tags: ['hypervisor'], refs: { bench: `host/${i}` } })
const buildDocument = (n: number, changed = 0, os = 'Debian 13') => ({
  devices: [
    ...Array.from({ length: hosts }, (_, i) => buildHost(i)),
    ...Array.from({ length: n }, (_, i) => buildMachine(i, i < changed ? os : 'Debian 12')),
  ],
  relationships: Array.from({ length: n }, (_, i) => ({
    parent: nameHost(i),
    type: 'contains',
    child: `vm-${i}`,
  })),
})

type Run = { readonly id: string; readonly status: string; readonly result: string; readonly message: string }

/** Fetches JSON. @throws Error for any status but those of a success */
const fetchJson = async <T>(site: Site, path: string, body?: string, method = body === undefined ? 'GET' : 'POST') => {
  const response = await fetch(`http://127.0.0.1:${site.server.port}${path}`, {
    method,
    headers: { ...site.headers, 'Content-Type': 'application/json' },
    ...(body !== undefined && { body }),
  })
  const text = await response.text()
  if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${text.slice(0, 500)}`)
  // The contract of the path.
  return (text === '' ? undefined : JSON.parse(text)) as T
}

const createSource = (site: Site, mode: string): Promise<{ id: string }> =>
  fetchJson(
    site,
    '/api/sources',
    JSON.stringify({ name: 'bench', kind: 'document', mode, interval_minutes: 0, ref: 'bench' }),
  )

/** Pushes a document. @returns the time to the end of the run, in milliseconds */
const push = async (site: Site, id: string, document: object, wanted: string): Promise<number> => {
  const body = JSON.stringify(document)
  const startedMs = performance.now()
  let run = await fetchJson<Run>(site, `/api/sources/${id}/push`, body)
  while (run.status === 'pending' || run.status === 'running') {
    await Bun.sleep(LOOK_MS)
    run = await fetchJson<Run>(site, `/api/sources/${id}/runs/${run.id}`)
  }
  if (run.result !== wanted) throw new Error(`the run is ${run.status} "${run.result}", not ${wanted}: ${run.message}`)
  return performance.now() - startedMs
}

const results: Result[] = []
const compare = (work: string, ours: number, { baseline, goal }: { baseline: number; goal: number }): void => {
  const ratio = ours / baseline
  results.push({
    work,
    ours: milliseconds(ours),
    baseline: `${milliseconds(baseline)}, an apply`,
    ratio: times(ratio),
    goal: `<= ${goal} x`,
    isMet: ratio <= goal,
    numbers: { ours_ms: ours, apply_ms: baseline, ratio },
  })
}

/** Reads one device again and again until `work` ends. @returns the times in milliseconds */
const readBeside = async (site: Site, path: string, work: () => Promise<unknown>): Promise<number[]> => {
  let isOver = false
  const found: number[] = []
  const reading = (async () => {
    while (!isOver) {
      const startedMs = performance.now()
      await fetchJson(site, path)
      found.push(performance.now() - startedMs)
      await Bun.sleep(1)
    }
  })()
  await work()
  isOver = true
  await reading
  return found
}

process.stderr.write('applies ...\n')
let [first, again, changed] = [0, 0, 0]
await onServer(async ({ apply }) => {
  first = await apply(buildDocument(count), '"changed":true')
  again = Math.min(
    await apply(buildDocument(count), '"changed":false'),
    await apply(buildDocument(count), '"changed":false'),
  )
  changed = Math.min(
    await apply(buildDocument(count, CHANGED), `"updated":${CHANGED}`),
    await apply(buildDocument(count, CHANGED, 'Debian 14'), `"updated":${CHANGED}`),
  )
})

process.stderr.write('runs ...\n')
await onServer(async (site) => {
  const { id } = await createSource(site, 'auto')
  const beforeBytes = await site.server.memory()
  compare(`first run of ${count} machines`, await push(site, id, buildDocument(count), 'applied'), {
    baseline: first,
    goal: 1.5,
  })
  const unchanged = Math.min(
    await push(site, id, buildDocument(count), 'unchanged'),
    await push(site, id, buildDocument(count), 'unchanged'),
  )
  compare(`unchanged run`, unchanged, { baseline: again, goal: 0.3 })
  const some = Math.min(
    await push(site, id, buildDocument(count, CHANGED), 'applied'),
    await push(site, id, buildDocument(count, CHANGED, 'Debian 14'), 'applied'),
  )
  compare(`run with ${CHANGED} changed machines`, some, { baseline: changed, goal: 0.6 })
  const peak = peakOf(site.server) - beforeBytes
  results.push(
    plain({
      work: `memory of the server above idle, at most`,
      ours: megabytes(peak),
      goal: `< ${megabytes(GOAL_BYTES)}`,
      isMet: peak < GOAL_BYTES,
      numbers: { peak_bytes: peak },
    }),
  )
})

process.stderr.write('requests beside a judged run ...\n')
await onServer(async (site) => {
  const { id } = await createSource(site, 'review')
  const { id: device } = await fetchJson<{ id: string }>(site, '/api/devices', JSON.stringify({ name: 'read' }))
  const path = `/api/devices/${device}`
  const idle = quantile(await readBeside(site, path, () => Bun.sleep(3000)), 0.99)
  const busy = await readBeside(site, path, () => push(site, id, buildDocument(count), 'read'))
  const p99 = quantile(busy, 0.99)
  results.push(
    plain({
      work: `p99 of ${busy.length} reads of a device while ${count} machines are judged`,
      ours: `${milliseconds(p99)}, longest ${milliseconds(Math.max(...busy))}`,
      goal: `< idle (${milliseconds(idle)}) + ${GOAL_WAIT_MS} ms`,
      isMet: p99 < idle + GOAL_WAIT_MS,
      numbers: { p99_ms: p99, idle_ms: idle },
    }),
  )
})

process.stderr.write('writes of a device ...\n')
/** Returns the median time of an update of a device, in milliseconds. */
const measureUpdates = async (site: Site, path: string): Promise<number> => {
  const found: number[] = []
  for (let i = 0; i < UPDATES; i++) {
    const startedMs = performance.now()
    await fetchJson(site, path, JSON.stringify({ location: `place ${i}` }), 'PUT')
    found.push(performance.now() - startedMs)
  }
  return quantile(found, 0.5)
}
const updates = { none: 0, others: 0, linked: 0 }
await onServer(async (site) => {
  const { id } = await fetchJson<{ id: string }>(site, '/api/devices', JSON.stringify({ name: 'written' }))
  const path = `/api/devices/${id}`
  await measureUpdates(site, path)
  updates.none = await measureUpdates(site, path)
  for (let i = 0; i < LINKED; i++)
    await fetchJson(
      site,
      '/api/sources',
      JSON.stringify({ name: `idle ${i}`, kind: 'document', interval_minutes: 0, enabled: false }),
    )
  updates.others = await measureUpdates(site, path)
  const source = await fetchJson<{ id: string }>(
    site,
    '/api/sources',
    JSON.stringify({ name: 'linked', kind: 'document', mode: 'auto', interval_minutes: 0, ref: 'linked' }),
  )
  await fetchJson(site, path, JSON.stringify({ refs: { linked: 'one' } }), 'PUT')
  await push(site, source.id, { devices: [{ name: 'written', os: 'Debian 12', refs: { linked: 'one' } }] }, 'applied')
  updates.linked = await measureUpdates(site, path)
})
for (const [work, ours, goal] of [
  ['update of a device with ten sources, linked to none', updates.others, 1.03],
  ['update of a device that a source says', updates.linked, 1.15],
] as const) {
  const ratio = ours / updates.none
  results.push({
    work,
    ours: milliseconds(ours),
    baseline: `${milliseconds(updates.none)}, without a source`,
    ratio: times(ratio),
    goal: `<= ${goal} x`,
    isMet: ratio <= goal,
    numbers: { ours_ms: ours, none_ms: updates.none, ratio },
  })
}
publish(results)
