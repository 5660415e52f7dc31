/**
 * Feeds of many devices beside the list of them: `bun bench/feeds.ts [--devices 100000]`. Each device has one address and port. Every
 * content is fetched after a write, because unchanged content is not made again.
 */
import { parseArgs } from 'node:util'
import { authorized, plain, type Result } from './bench.ts'
import { alternate, inTurn } from './load.ts'
import { megabytes, milliseconds, quantile, times } from './numbers.ts'
import { publish } from './report.ts'
import { onServer, type Site } from './site.ts'

const { values } = parseArgs({ options: { devices: { type: 'string', default: '100000' } } })
const count = Number(values.devices)
const ROUNDS = 5
const READS = 200
const ADDED_GOAL_BYTES = 100e6
const UNCHANGED_GOAL_MS = 5
const TEMPLATE_GOAL_MS = 10_000
const BESIDE_GOAL_MS = 25

const TEMPLATE =
  '{% for device in devices %}{% for address in device.addresses %}{{ address.ip }}\t{{ address.names | join: " " }}\n{% endfor %}{% endfor %}'

const rowOf = (i: number) => ({
  id: `bench-${i}`,
  name: `device-${i}`,
  hostname: `device-${i}.example.net`,
  os: 'Debian 12',
  tags: ['bench', `rack-${i % 100}`],
  addresses: [{ ip: `10.${i >> 16}.${(i >> 8) & 255}.${i & 255}`, port: 9100 }],
})

const results: Result[] = []

const measure = async ({ server, load, call, key }: Site): Promise<void> => {
  const request = authorized(key)
  await load(
    'devices',
    Array.from({ length: count }, (_, i) => rowOf(i)),
    `"created":${count}`,
  )
  for (const feed of [
    { id: 'prometheus', name: 'p', format: 'prometheus' },
    { id: 'ansible', name: 'a', format: 'ansible' },
    { id: 'template', name: 't', format: 'template', template: TEMPLATE },
  ])
    await (await call('/api/feeds', JSON.stringify(feed))).text()

  const timeOf = async (path: string, headers: Record<string, string> = {}, status = 200): Promise<number> => {
    const startedMs = performance.now()
    await inTurn(server.port, [request({ path, headers })], status)
    return performance.now() - startedMs
  }
  const contentOf = (feed: string): string => `/api/feeds/${feed}/content`
  let writes = 0
  const touch = async (): Promise<void> => {
    const body = JSON.stringify({ location: `place ${writes++}` })
    await (await call('/api/devices/bench-0', body, 'application/json', 'PUT')).text()
  }

  for (const [feed, goal] of [
    ['prometheus', 4],
    ['ansible', 5],
  ] as const) {
    await timeOf('/api/devices')
    const before = await server.memory()
    await touch()
    await timeOf(contentOf(feed))
    const added = (await server.memory()) - before
    const fresh = async (path: string): Promise<number> => {
      await touch()
      return timeOf(path)
    }
    const { ours, baseline, ratio } = await alternate(
      ROUNDS,
      () => fresh(contentOf(feed)),
      () => fresh('/api/devices'),
    )
    const hasMemoryGoal = feed === 'prometheus'
    results.push({
      work: `feed for ${feed === 'ansible' ? 'Ansible' : 'Prometheus'} of ${count.toLocaleString('en-US')} devices`,
      ours: `${milliseconds(ours)}, ${megabytes(added)} added`,
      baseline: `${milliseconds(baseline)}, list of the devices`,
      ratio: times(ratio),
      goal: hasMemoryGoal ? `<= ${goal} x, ${megabytes(ADDED_GOAL_BYTES)} added` : `<= ${goal} x`,
      isMet: ratio <= goal && (!hasMemoryGoal || added <= ADDED_GOAL_BYTES),
      numbers: { ours_ms: ours, list_ms: baseline, ratio, added_bytes: added },
    })
  }

  const etag =
    (
      await fetch(`http://127.0.0.1:${server.port}${contentOf('prometheus')}`, {
        headers: { Authorization: `Bearer ${key}` },
      })
    ).headers.get('etag') ?? ''
  const unchanged: number[] = []
  for (let i = 0; i < READS; i++) unchanged.push(await timeOf(contentOf('prometheus'), { 'If-None-Match': etag }, 304))
  const [unchangedMs, unchangedP95] = [quantile(unchanged, 0.5), quantile(unchanged, 0.95)]
  results.push(
    plain({
      work: '  the same unchanged: 304',
      ours: `${milliseconds(unchangedMs)}, p95 ${milliseconds(unchangedP95)}`,
      goal: `< ${milliseconds(UNCHANGED_GOAL_MS)}`,
      isMet: unchangedMs < UNCHANGED_GOAL_MS,
      numbers: { median_ms: unchangedMs, p95_ms: unchangedP95 },
    }),
  )

  const readOne = () => timeOf('/api/devices/bench-1')
  const idle: number[] = []
  for (let i = 0; i < READS; i++) idle.push(await readOne())
  let isOver = false
  const beside: number[] = []
  const reading = (async () => {
    while (!isOver) {
      beside.push(await readOne())
      await Bun.sleep(5)
    }
  })()
  await touch()
  const templateMs = await timeOf(contentOf('template'))
  isOver = true
  await reading
  const [idleP99, besideP99] = [quantile(idle, 0.99), quantile(beside, 0.99)]
  results.push(
    plain({
      work: `template over ${count.toLocaleString('en-US')} devices`,
      ours: milliseconds(templateMs),
      goal: `< ${milliseconds(TEMPLATE_GOAL_MS)}`,
      isMet: templateMs < TEMPLATE_GOAL_MS,
      numbers: { ms: templateMs },
    }),
    {
      work: `  p99 of ${beside.length} reads of a device beside it`,
      ours: milliseconds(besideP99),
      baseline: `${milliseconds(idleP99)}, idle`,
      ratio: '',
      goal: `< idle + ${milliseconds(BESIDE_GOAL_MS)}`,
      isMet: besideP99 < idleP99 + BESIDE_GOAL_MS,
      numbers: { p99_ms: besideP99, idle_p99_ms: idleP99 },
    },
  )
}

await onServer(measure)
publish(results)
