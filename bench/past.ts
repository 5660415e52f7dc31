/**
 * Reads as of a moment: `bun bench/past.ts [--devices 100000] [--rounds 5] [--on sqlite]`. Devices are changed in bulk, a tenth first and
 * then all. The same server then answers the reads as of before the changes and as of now, in turn. At last the list of 200,000 changes
 * is read, with the objects of each.
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { SQL } from 'bun'
import { postgresAsItComes } from '../testing/servers/servers.ts'
import { authorized, type Result } from './bench.ts'
import { alternate, inTurn } from './load.ts'
import { megabytes, milliseconds, quantile, times } from './numbers.ts'
import { fillChanges, measureHistory } from './past-history.ts'
import { publish } from './report.ts'
import { startPlat } from './servers.ts'
import { prepare } from './setup.ts'

const { values } = parseArgs({
  options: {
    devices: { type: 'string', default: '100000' },
    rounds: { type: 'string', default: '5' },
    on: { type: 'string', default: 'sqlite' },
  },
})
const devices = Number(values.devices)
const rounds = Number(values.rounds)
const IN_BULK = 1000
const STALL_GOAL_MS = 50
const ONE_GOAL_MS = 5
const MEMORY_GOAL = 100 * 2 ** 20
/** The changes of one device each that are added for the list of changes. */
const CHANGES = 200_000
const DIFF_GOAL_MS = 2000
/** The goal is for this number of changed devices. */
const DIFF_GOAL_CHANGED = 10_000

const workDir = mkdtempSync(join(tmpdir(), 'plat-bench-past-'))
const postgres = values.on === 'postgres' ? await postgresAsItComes() : undefined
const env = postgres ? { DATABASE_URL: postgres.url } : {}
const results: Result[] = []
try {
  const { dataDir, key, deviceIds } = await prepare(workDir, devices, env)
  const server = await startPlat(dataDir, env)
  const request = authorized(key)
  const post = (body: unknown) =>
    inTurn(server.port, [request({ method: 'POST', path: '/api/devices/bulk', body: JSON.stringify(body) })])
  const change = async (ids: readonly string[]): Promise<void> => {
    for (let at = 0; at < ids.length; at += IN_BULK)
      await post({
        operations: ids
          .slice(at, at + IN_BULK)
          .map((id) => ({ op: 'update', id, device: { location: `moved ${at}` } })),
      })
    if (postgres) {
      const client = new SQL(postgres.url, { max: 1 })
      await client.unsafe('VACUUM ANALYZE')
      await client.close()
    }
  }
  await Bun.sleep(20)
  const moment = new Date().toISOString()
  await Bun.sleep(20)

  const timeOf = async (path: string, asOf: boolean): Promise<number> => {
    const bytes = request({ path: asOf ? `${path}${path.includes('?') ? '&' : '?'}as_of=${moment}` : path })
    const start = performance.now()
    await inTurn(server.port, [bytes])
    return performance.now() - start
  }
  const compare = async (work: string, path: string, goal?: number): Promise<void> => {
    for (const asOf of [true, false]) await timeOf(path, asOf)
    const before = await server.memory()
    await server.watchStalls()
    await timeOf(path, true)
    const stall = await server.longestStallMs()
    const added = (await server.memory()) - before
    const { ours, baseline, ratio } = await alternate(
      rounds,
      () => timeOf(path, true),
      () => timeOf(path, false),
    )
    const isMet =
      goal === undefined
        ? undefined
        : ratio <= goal && (postgres !== undefined || stall <= STALL_GOAL_MS) && added <= MEMORY_GOAL
    results.push({
      work,
      ours: `${milliseconds(ours)}, stall ${milliseconds(stall)}, ${megabytes(added)} added`,
      baseline: `now ${milliseconds(baseline)}`,
      ratio: times(ratio),
      goal: goal === undefined ? '' : `<= ${goal} x, stall <= ${STALL_GOAL_MS} ms`,
      isMet,
      numbers: { ours_ms: ours, now_ms: baseline, ratio, stall_ms: stall, added_bytes: added },
    })
  }
  const one = async (work: string): Promise<void> => {
    const paths = deviceIds.filter((_, i) => i % 101 === 0).map((id) => `/api/devices/${id}`)
    const took: number[] = []
    for (const path of paths) took.push(await timeOf(path, true))
    const p95 = quantile(took, 0.95)
    results.push({
      work,
      ours: `${milliseconds(quantile(took, 0.5))}, p95 ${milliseconds(p95)}`,
      baseline: '',
      ratio: '',
      goal: `p95 < ${ONE_GOAL_MS} ms`,
      isMet: p95 < ONE_GOAL_MS,
      numbers: { median_ms: quantile(took, 0.5), p95_ms: p95 },
    })
  }
  /** The difference of then and now, beside the list of all devices of now. */
  const diff = async (changed: number): Promise<void> => {
    const path = `/api/history/diff?kind=device&from=${moment}`
    const [reply] = await inTurn(server.port, [request({ path })])
    const found = Number(/^x-total-count: (\d+)/im.exec(reply?.head ?? '')?.[1])
    if (found !== changed) throw new Error(`${found} devices differ, and not ${changed}`)
    const { ours, baseline, ratio } = await alternate(
      rounds,
      () => timeOf(path, false),
      () => timeOf('/api/devices', false),
    )
    results.push({
      work: `  difference of the two moments, ${changed.toLocaleString('en-US')} devices`,
      ours: milliseconds(ours),
      baseline: `all devices now ${milliseconds(baseline)}`,
      ratio: times(ratio),
      goal: changed <= DIFF_GOAL_CHANGED ? `< ${milliseconds(DIFF_GOAL_MS)}` : '',
      isMet: changed <= DIFF_GOAL_CHANGED ? ours < DIFF_GOAL_MS : undefined,
      numbers: { ours_ms: ours, now_ms: baseline, ratio },
    })
  }
  const measure = async (changed: string, goal: number): Promise<void> => {
    process.stderr.write(`${changed} ...\n`)
    await compare(`all devices, ${changed} changed since`, '/api/devices', goal)
    await compare('  its first 100', '/api/devices?limit=100')
    await compare('  100 from the middle', `/api/devices?limit=100&offset=${Math.floor(devices / 2)}`)
    await compare('  100 of a tag', '/api/devices?tags=prod&limit=100')
    await compare('  100 that hold a word', '/api/devices/search?q=web&limit=100')
    await compare('  utilization of all networks', '/api/networks?include=utilization')
    await compare('  a lookup of a block', '/api/lookup/10.0.0.0%2F16')
    await one('  one device')
  }
  const tenth = deviceIds.filter((_, i) => i % 10 === 0)
  await change(tenth)
  await measure(tenth.length.toLocaleString('en-US'), 3)
  await diff(tenth.length)
  await change(deviceIds.filter((_, i) => i % 10 !== 0))
  await measure(`all ${deviceIds.length.toLocaleString('en-US')}`, 6)
  await diff(deviceIds.length)
  await server.stop()
  await fillChanges(postgres?.url ?? `sqlite://${join(dataDir, 'plat.db')}`, CHANGES)
  const filled = await startPlat(dataDir, env)
  const answer = await fetch(`http://127.0.0.1:${filled.port}/api/devices/${deviceIds[0]}`, {
    headers: { authorization: `Bearer ${key}` },
  })
  const { name } = (await answer.json()) as { readonly name: string }
  results.push(...(await measureHistory(filled, request, { few: name, many: 'web' })))
  await filled.stop()
  publish(results)
} finally {
  await postgres?.remove()
  rmSync(workDir, { recursive: true, force: true })
}
process.exit()
