/**
 * The apply of an estate document beside the import of the same rows: `bun bench/apply.ts [--devices 20000] [--large 100000]`. Each
 * measurement has a server on SQLite of its own, in the same run.
 */
import { parseArgs } from 'node:util'
import { plain, type Result } from './bench.ts'
import { megabytes, milliseconds, quantile, times } from './numbers.ts'
import { publish } from './report.ts'
import { type Lists, onServer, peakOf, type Row, type Site } from './site.ts'

const { values } = parseArgs({
  options: { devices: { type: 'string', default: '20000' }, large: { type: 'string', default: '100000' } },
})
const count = Number(values.devices)
const large = Number(values.large)
/** Relationships for each device. */
const LINKS = 1.25
const CHANGED = Math.floor(count / 2)
const GOAL_BYTES = 700_000_000
const GOAL_P99_MS = 250

const deviceRow = (i: number, more: Row = {}): Row => ({
  name: `device-${i}`,
  hostname: `device-${i}.example.net`,
  os: 'Debian 12',
  tags: ['rack', `row-${i % 40}`],
  addresses: [{ ip: `10.${(i >> 16) & 255}.${(i >> 8) & 255}.${i & 255}` }],
  domains: ['example.net'],
  ...more,
})
const devicesOf = (n: number, more?: Row): Row[] => Array.from({ length: n }, (_, i) => deviceRow(i, more))
/** The ends of a relationship. */
const endsOf = (i: number, n: number): readonly [number, number] => [i % n, (i * 7 + 1 + Math.floor(i / n)) % n]
const linksOf = (n: number, row: (parent: number, child: number) => Row): Row[] =>
  Array.from({ length: Math.floor(n * LINKS) }, (_, i) => endsOf(i, n))
    .filter(([parent, child]) => parent !== child)
    .map(([parent, child]) => ({ ...row(parent, child), type: 'depends_on' }))

const results: Result[] = []
const compared = (work: string, ours: number, baseline: number, goal: number): void => {
  const ratio = ours / baseline
  results.push({
    work,
    ours: milliseconds(ours),
    baseline: `${milliseconds(baseline)}, the import`,
    ratio: times(ratio),
    goal: `<= ${goal} x`,
    isMet: ratio <= goal,
    numbers: { ours_ms: ours, import_ms: baseline, ratio },
  })
}

const named = (i: number): string => `device-${i}`
const documentOf = (n: number, more?: Row): Lists => ({
  devices: devicesOf(n, more),
  relationships: linksOf(n, (parent, child) => ({ parent: named(parent), child: named(child) })),
})
const best = async (work: () => Promise<number>): Promise<number> => Math.min(await work(), await work())

process.stderr.write('creates ...\n')
let [created, applied] = [0, 0]
await onServer(async ({ load }) => {
  created = await load('devices', devicesOf(CHANGED), `"created":${CHANGED}`)
})
await onServer(async ({ apply }) => {
  applied = await apply({ devices: devicesOf(CHANGED) }, `"created":${CHANGED}`)
})
compared(`create ${CHANGED} devices`, applied, created, 1.3)

process.stderr.write('unchanged and changed ...\n')
await onServer(async (site) => {
  const { load, apply } = site
  await apply(documentOf(count), `"created":${count}`)
  const listed = await fetch(`http://127.0.0.1:${site.server.port}/api/devices`, { headers: site.headers })
  const ids = new Map(((await listed.json()) as { id: string; name: string }[]).map(({ id, name }) => [name, id]))
  const links = linksOf(count, (parent, child) => ({
    parent_id: ids.get(named(parent)),
    child_id: ids.get(named(child)),
  }))
  const devices = devicesOf(count)
  const imports = await best(
    async () =>
      (await load('devices', devices, `"unchanged":${count}`)) +
      (await load('relationships', links, `"unchanged":${links.length}`)),
  )
  const document = documentOf(count)
  const dry = await best(() => apply(document, '"changed":false', '?dry_run=true'))
  compared(`dry run of ${count} unchanged devices and ${links.length} relationships`, dry, imports, 0.5)
  const changedRows = (os: string) => devicesOf(CHANGED, { os })
  const loaded = await load('devices', changedRows('Debian 13'), `"updated":${CHANGED}`)
  const rehearsed = await apply({ devices: changedRows('Debian 14') }, `"changes_total":${CHANGED}`, '?dry_run=true')
  const done = await apply({ devices: changedRows('Debian 14') }, `"updated":${CHANGED}`)
  compared(`apply of ${CHANGED} changed devices`, done, loaded, 1.2)
  compared(`its dry run`, rehearsed, loaded, 2)
})

process.stderr.write('a large document ...\n')
let [small, whole] = [0, 0]
const wholeDryRun = (apply: Site['apply']) => apply({ devices: devicesOf(large) }, '"changed":false', '?dry_run=true')
await onServer(
  async ({ apply }) => {
    await apply({ devices: devicesOf(large) }, `"created":${large}`)
    small = await best(() => apply({ devices: devicesOf(count) }, '"changed":false', '?dry_run=true'))
  },
  async ({ server, apply }) => {
    whole = await wholeDryRun(apply)
    const ratio = whole / small
    const peak = peakOf(server)
    const goal = (large / count) * 1.2
    results.push({
      work: `dry run of ${large} unchanged devices`,
      ours: `${milliseconds(whole)}, peak ${megabytes(peak)}`,
      baseline: `${milliseconds(small)}, ${count} devices`,
      ratio: times(ratio),
      goal: `<= ${goal} x, peak < ${megabytes(GOAL_BYTES)}`,
      isMet: ratio <= goal && peak < GOAL_BYTES,
      numbers: { ms: whole, small_ms: small, ratio, peak_bytes: peak },
    })
  },
  async ({ apply, call }) => {
    let isOver = false
    const writes: number[] = []
    const writing = async () => {
      for (let i = 0; !isOver; i++) {
        const startedMs = performance.now()
        const put = JSON.stringify({ name: 'written', location: `place ${i}` })
        await (await call('/api/devices/bench:written', put, 'application/json', 'PUT')).text()
        writes.push(performance.now() - startedMs)
      }
    }
    const writer = writing()
    await wholeDryRun(apply)
    isOver = true
    await writer
    const p99 = quantile(writes, 0.99)
    results.push(
      plain({
        work: `  p99 of ${writes.length} device updates beside it`,
        ours: `${milliseconds(p99)}, longest ${milliseconds(Math.max(...writes))}`,
        goal: `< ${milliseconds(GOAL_P99_MS)}`,
        isMet: p99 < GOAL_P99_MS,
        numbers: { p99_ms: p99, longest_ms: Math.max(...writes) },
      }),
    )
  },
)
publish(results)
