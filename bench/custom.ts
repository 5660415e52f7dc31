/**
 * Custom fields: `bun bench/custom.ts [--devices 100000] [--postgres]`. Devices with 20 values each are imported, found, ordered, counted
 * and written; then a field of all of them is renamed and deleted. Each list is asked for after a write of a tag and a value, because
 * what has not changed is not read again.
 */
import { parseArgs } from 'node:util'
import { SQL } from 'bun'
import { postgresAsItComes } from '../testing/servers/servers.ts'
import { authorized, plain, type Result } from './bench.ts'
import { customOf, FIELDS, imported, LISTS, OTHER_LISTS, OWNERS, serialOf, written } from './custom-rows.ts'
import { alternate, inTurn } from './load.ts'
import { median, milliseconds, quantile, times } from './numbers.ts'
import { publish } from './report.ts'
import { onServerWith, type Row, type Site } from './site.ts'

const { values } = parseArgs({
  options: { devices: { type: 'string', default: '100000' }, postgres: { type: 'boolean', default: false } },
})
const count = Number(values.devices)
/** How many times the goals of SQLite PostgreSQL may take. */
const FACTOR = values.postgres ? 3 : 1
const ROWS_AT_ONCE = 25_000
const ROUNDS = 15
const WARM = 3
const WRITES = 300
const READS = 300
const WRITERS = 1000
const GOAL_RATIO = 2
const GOAL_MS = 20 * FACTOR
const GOAL_WRITE_RATIO = 1.5
const GOAL_IMPORT_MS = 90_000
const GOAL_CHANGE_MS = values.postgres ? 20_000 : 10_000
const GOAL_BESIDE_MS = 50
const GOAL_PATTERN_MS = 50
const LONGEST_TEXT = 4096

const named = count.toLocaleString('en-US')

const results: Result[] = []

const within = (work: string, ms: number, goal: number): void => {
  results.push(
    plain({
      work,
      ours: milliseconds(ms),
      goal: `< ${milliseconds(goal)}`,
      isMet: ms < goal,
      numbers: { median_ms: ms },
    }),
  )
}

type Asked = {
  readonly site: Site
  readonly touch: () => Promise<void>
  /** The time of a list after a write. */
  readonly fresh: (path: string) => Promise<number>
}

const asking = (site: Site): Asked => {
  const request = authorized(site.key)
  let writes = 0
  const touch = async (): Promise<void> => {
    const custom = { note_0: `touched ${writes}` }
    const body = JSON.stringify({ tags: [`touched-${writes++}`], custom })
    await inTurn(site.server.port, [request({ method: 'PUT', path: '/api/devices/bench-0', body })])
  }
  const fresh = async (path: string): Promise<number> => {
    await touch()
    const [reply] = await inTurn(site.server.port, [request({ path })])
    return reply?.ms ?? Number.NaN
  }
  return { site, touch, fresh }
}

const define = async ({ call }: Site, field: Row): Promise<string> => {
  const response = await call('/api/custom-fields', JSON.stringify(field))
  if (response.status !== 201) throw new Error(await response.text())
  // The contract of a custom field.
  return ((await response.json()) as { id: string }).id
}

const importAll = async ({ load }: Site): Promise<void> => {
  let ms = 0
  for (let from = 0; from < count; from += ROWS_AT_ONCE) {
    const rows = Array.from({ length: Math.min(ROWS_AT_ONCE, count - from) }, (_, i) => imported(from + i))
    ms += await load('devices', rows, `"created":${rows.length}`)
  }
  within(`import of ${named} devices with ${FIELDS.length} values each`, ms, GOAL_IMPORT_MS)
}

const compareWithTags = async ({ fresh }: Asked): Promise<void> => {
  for (const [work, byValue, byTag] of [
    [
      `first page by a value of one in ${OWNERS}`,
      (i: number) => `custom.owner=team-${i % OWNERS}`,
      (i: number) => `tags=owner-${i % OWNERS}`,
    ],
    [
      'first page by a value of two devices',
      (i: number) => `custom.serial=${serialOf(i * 100)}`,
      (i: number) => `tags=serial-${(i * 100) >> 1}`,
    ],
  ] as const) {
    const ask = (query: string) => fresh(`/api/devices?limit=50&${query}`)
    for (let i = 0; i < WARM; i++) {
      await ask(byValue(ROUNDS + i))
      await ask(byTag(ROUNDS + i))
    }
    const { ours, baseline, ratio } = await alternate(
      ROUNDS,
      (round) => ask(byValue(round)),
      (round) => ask(byTag(round)),
    )
    results.push({
      work,
      ours: milliseconds(ours),
      baseline: `${milliseconds(baseline)}, by a tag`,
      ratio: times(ratio),
      goal: `<= ${GOAL_RATIO} x`,
      isMet: ratio <= GOAL_RATIO,
      numbers: { ours_ms: ours, baseline_ms: baseline, slower: ratio },
    })
  }
}

const medianOf = async ({ fresh }: Asked, queryOf: (round: number) => string): Promise<number> => {
  const taken: number[] = []
  for (let round = 0; round < ROUNDS + WARM; round++) taken.push(await fresh(`/api/devices?${queryOf(round)}`))
  return median(taken.slice(WARM))
}

const lists = async (asked: Asked): Promise<void> => {
  for (const [work, queryOf] of LISTS) within(work, await medianOf(asked, queryOf), GOAL_MS)
  for (const [work, queryOf] of OTHER_LISTS) {
    const ms = await medianOf(asked, queryOf)
    results.push(plain({ work, ours: milliseconds(ms), goal: '', isMet: undefined, numbers: { median_ms: ms } }))
  }
}

const writes = async ({ key, server }: Site): Promise<void> => {
  const request = authorized(key)
  const write = async (custom?: Row): Promise<number> => {
    const body = JSON.stringify(written(count, custom))
    const [reply] = await inTurn(server.port, [request({ method: 'POST', path: '/api/devices', body })], 201)
    return reply?.ms ?? Number.NaN
  }
  for (let i = 0; i < READS; i++) await write(i % 2 ? customOf(i) : undefined)
  const { ours, baseline, ratio } = await alternate(
    WRITES,
    (round) => write(customOf(round)),
    () => write(),
  )
  results.push({
    work: `write of a device with ${FIELDS.length} values`,
    ours: milliseconds(ours),
    baseline: `${milliseconds(baseline)}, without values`,
    ratio: times(ratio),
    goal: `< ${GOAL_WRITE_RATIO} x`,
    isMet: ratio < GOAL_WRITE_RATIO,
    numbers: { ours_ms: ours, baseline_ms: baseline, slower: ratio },
  })
}

/** Reads a device again and again until the work is over. */
const readsBeside = async (site: Site, work: () => Promise<number>): Promise<{ ms: number; reads: number[] }> => {
  const request = authorized(site.key)({ path: '/api/devices/bench-1' })
  const reads: number[] = []
  let isOver = false
  const reading = (async () => {
    while (!isOver) {
      const [reply] = await inTurn(site.server.port, [request])
      reads.push(reply?.ms ?? Number.NaN)
      await Bun.sleep(5)
    }
  })()
  const ms = await work()
  isOver = true
  await reading
  return { ms, reads }
}

const changes = async (site: Site, id: string): Promise<void> => {
  const path = `/api/custom-fields/${id}`
  const timed = (method: string, more: string, body: string, status: number) => async () => {
    const startedMs = performance.now()
    const response = await site.call(`${path}${more}`, body, 'application/json', method)
    if (response.status !== status) throw new Error(`${method} ${path}: ${await response.text()}`)
    return performance.now() - startedMs
  }
  const idle = await readsBeside(site, async () => {
    await Bun.sleep(READS * 10)
    return 0
  })
  const idleMs = quantile(idle.reads, 0.99)
  for (const [work, change] of [
    ['rename', timed('PUT', '', JSON.stringify({ name: 'renamed' }), 200)],
    ['forced delete', timed('DELETE', '?force=true', '', 204)],
  ] as const) {
    const { ms, reads } = await readsBeside(site, change)
    const besideMs = quantile(reads, 0.99)
    within(`${work} of a field that all have`, ms, GOAL_CHANGE_MS)
    results.push({
      work: `  p99 of reads of a device beside the ${work}`,
      ours: `${milliseconds(besideMs)}, longest ${milliseconds(Math.max(...reads))}`,
      baseline: `${milliseconds(idleMs)}, idle`,
      ratio: '',
      goal: `< idle + ${GOAL_BESIDE_MS} ms`,
      isMet: besideMs < idleMs + GOAL_BESIDE_MS,
      numbers: { p99_ms: besideMs, longest_ms: Math.max(...reads), idle_p99_ms: idleMs },
    })
  }
}

const pattern = async (site: Site): Promise<void> => {
  await define(site, { resource: 'datacenters', name: 'code', type: 'text', pattern: '(a+)+b' })
  const body = JSON.stringify({ name: 'a', custom: { code: 'a'.repeat(LONGEST_TEXT) } })
  const request = authorized(site.key)({ method: 'POST', path: '/api/datacenters', body })
  const replies = await inTurn(site.server.port, Array(WARM).fill(request), 400)
  const slowest = Math.max(...replies.map(({ ms }) => ms))
  within(`${LONGEST_TEXT.toLocaleString('en-US')} characters against the pattern (a+)+b`, slowest, GOAL_PATTERN_MS)
}

const unique = async (site: Site): Promise<void> => {
  await define(site, { resource: 'datacenters', name: 'asset', type: 'text', unique: true })
  const answers = await Promise.all(
    Array.from({ length: WRITERS }, async (_, i) => {
      const response = await site.call('/api/datacenters', JSON.stringify({ name: `d${i}`, custom: { asset: 'one' } }))
      await response.text()
      return response.status
    }),
  )
  const [won, lost] = [201, 409].map((status) => answers.filter((answer) => answer === status).length)
  results.push(
    plain({
      work: `${WRITERS.toLocaleString('en-US')} parallel writers of one unique value`,
      ours: `${won} won, ${lost} refused`,
      goal: '1 wins',
      isMet: won === 1 && lost === WRITERS - 1,
      numbers: { won: won ?? 0, refused: lost ?? 0 },
    }),
  )
}

const postgres = values.postgres ? await postgresAsItComes() : undefined

/** Does the work of autovacuum, which follows such an import within minutes. */
const analyze = async (): Promise<void> => {
  if (postgres === undefined) return
  const client = new SQL(postgres.url, { max: 1 })
  await client.unsafe('VACUUM ANALYZE')
  await client.close()
}

try {
  await onServerWith(postgres ? { DATABASE_URL: postgres.url } : {}, async (site) => {
    const ids: string[] = []
    for (const field of FIELDS) ids.push(await define(site, { ...field, resource: 'devices' }))
    const step = async (name: string, work: () => Promise<void>): Promise<void> => {
      process.stderr.write(`${name} ...\n`)
      await work()
    }
    await step('import', () => importAll(site))
    await analyze()
    const asked = asking(site)
    await step('by a value and by a tag', () => compareWithTags(asked))
    await step('lists', () => lists(asked))
    await step('writes', () => writes(site))
    await step('rename and delete', () => changes(site, ids.at(-1) ?? ''))
    await step('pattern and unique value', async () => {
      await pattern(site)
      await unique(site)
    })
  })
  publish(results)
} finally {
  await postgres?.remove()
}
process.exit()
