/**
 * Reads as of a proposal: `bun bench/futures.ts [--devices 100000] [--changed 1000] [--rounds 5] [--on sqlite]`. Devices are changed in
 * bulk, and proposals that take the changes back are put into the database. The same server then answers reads of now, as of a moment
 * before the changes, and as of a proposal, in turn: for the first time and again. Each round has a moment and a proposal of its own.
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { SQL } from 'bun'
import { postgresAsItComes } from '../testing/servers/servers.ts'
import { authorized, type Result } from './bench.ts'
import { inTurn } from './load.ts'
import { milliseconds, quantile, times } from './numbers.ts'
import { publish } from './report.ts'
import { startPlat } from './servers.ts'
import { prepare } from './setup.ts'

const { values } = parseArgs({
  options: {
    devices: { type: 'string', default: '100000' },
    changed: { type: 'string', default: '1000' },
    rounds: { type: 'string', default: '5' },
    on: { type: 'string', default: 'sqlite' },
  },
})
const [devices, changed, rounds] = [Number(values.devices), Number(values.changed), Number(values.rounds)]
const IN_BULK = 1000
/** A read as of a proposal, by the same as of a moment with as many changes. */
const PAST_GOAL = 1.3
/** The list of all devices, by that of now. */
const WHOLE_GOAL = 2
const ONE_GOAL_MS = 10

/** Puts proposals into a database that no server has open: each takes back all changes after a number. */
const fillProposals = async (url: string, since: readonly number[]): Promise<void> => {
  const isPostgres = url.startsWith('postgres')
  const database = new SQL(url, { max: 1 })
  for (const [i, seq] of since.entries()) {
    const number = i + 1
    const now = new Date().toISOString()
    // Drafts of the caller: a job runs open proposals again, and another one closes old proposals.
    await database.unsafe(`INSERT INTO proposals (id, number, state, title, description, author_id, author, operations, counts,
        created_at, updated_at, touched_at, previewed_at)
      SELECT 'p-${number}', ${number}, 'draft', 'Bench', '', id, username, '[]', '{"update":{"device":${changed}}}', '${now}', '${now}',
        '${now}', '${now}' FROM users ORDER BY created_at LIMIT 1`)
    await database.unsafe(`INSERT INTO proposal_effects
        (proposal, kind, id, position, name, change, document, sort_key, order_key, derived, child_id, hash)
      SELECT (SELECT seq FROM proposals WHERE number = ${number}), h.kind, h.id, 0, '', 'update', h.before, h.sort_key, h.order_key,
        h.derived, h.child_id, '' FROM history AS h WHERE h.seq > ${seq}
        AND NOT EXISTS (SELECT 1 FROM history AS e WHERE e.kind = h.kind AND e.id = h.id AND e.seq > ${seq} AND e.seq < h.seq)`)
  }
  if (isPostgres) await database.unsafe('VACUUM ANALYZE')
  await database.close()
}

const workDir = mkdtempSync(join(tmpdir(), 'plat-bench-futures-'))
const postgres = values.on === 'postgres' ? await postgresAsItComes() : undefined
const env = postgres ? { DATABASE_URL: postgres.url } : {}
const results: Result[] = []
try {
  const { dataDir, key, deviceIds } = await prepare(workDir, devices, env)
  const url = postgres?.url ?? `sqlite://${join(dataDir, 'plat.db')}`
  const request = authorized(key)
  const first = await startPlat(dataDir, env)
  const change = async (ids: readonly string[], location: string): Promise<string> => {
    const operations = ids.map((id) => ({ op: 'update', id, device: { location } }))
    const body = JSON.stringify({ operations })
    const [reply] = await inTurn(first.port, [request({ method: 'POST', path: '/api/devices/bulk', body })])
    return /^x-change-id: (\S+)/im.exec(reply?.head ?? '')?.[1] ?? ''
  }
  const moments: string[] = []
  for (let i = 0; i < rounds; i++) moments.push(await change(deviceIds.slice(i, i + 1), `round ${i}`))
  const some = deviceIds.filter((_, i) => i % Math.floor(devices / changed) === 0).slice(0, changed)
  for (let at = 0; at < some.length; at += IN_BULK) await change(some.slice(at, at + IN_BULK), 'moved')
  await first.stop()

  const database = new SQL(url, { max: 1 })
  const since: number[] = []
  for (const id of moments) {
    const [row] = await database.unsafe(`SELECT seq FROM changes WHERE id = '${id}'`)
    since.push(Number(row.seq))
  }
  await database.close()
  await fillProposals(url, since)
  const server = await startPlat(dataDir, env)

  const timeOf = async (path: string, asOf?: string): Promise<number> => {
    const moment = asOf === undefined ? '' : `${path.includes('?') ? '&' : '?'}as_of=${asOf}`
    const start = performance.now()
    const [reply] = await inTurn(server.port, [request({ path: path + moment })])
    if (reply?.status !== 200) throw new Error(`${path}${moment} was answered with ${reply?.status}`)
    return performance.now() - start
  }
  const middle = (took: readonly number[]): number => quantile(took, 0.5)
  const compare = async (work: string, path: string, isWhole = false): Promise<void> => {
    const took = {
      now: [] as number[],
      past: [] as number[],
      future: [] as number[],
      again: [] as number[],
      kept: [] as number[],
    }
    await timeOf(path)
    for (let i = 0; i < rounds; i++) {
      const [moment = '', proposal] = [moments[i], `proposal:${i + 1}`]
      // In turn, so that neither always finds the pages that the other has read.
      if (i % 2 === 0) took.past.push(await timeOf(path, moment))
      took.future.push(await timeOf(path, proposal))
      if (i % 2 === 1) took.past.push(await timeOf(path, moment))
      took.kept.push(await timeOf(path, moment))
      took.again.push(await timeOf(path, proposal))
      took.now.push(await timeOf(path))
    }
    const [now, past, future] = [middle(took.now), middle(took.past), middle(took.future)]
    const [kept, again] = [middle(took.kept), middle(took.again)]
    const ratio = Math.max(future / past, again / kept)
    results.push({
      work,
      ours: `${milliseconds(future)}, again ${milliseconds(again)}`,
      baseline: `moment ${milliseconds(past)}, again ${milliseconds(kept)}, now ${milliseconds(now)}`,
      ratio: `${times(future / past)}, ${times(again / kept)}, of now ${times(future / now)}`,
      goal: `<= ${PAST_GOAL} x${isWhole ? `, of now <= ${WHOLE_GOAL} x` : ''}`,
      isMet: ratio <= PAST_GOAL && (!isWhole || future / now <= WHOLE_GOAL),
      numbers: { ours_ms: future, again_ms: again, past_ms: past, kept_ms: kept, now_ms: now, ratio },
    })
  }
  await compare(`all devices, ${changed.toLocaleString('en-US')} in the proposal`, '/api/devices', true)
  await compare('  its first 100', '/api/devices?limit=100')
  await compare('  100 from the middle', `/api/devices?limit=100&offset=${Math.floor(devices / 2)}`)
  await compare('  100 of a tag', '/api/devices?tags=prod&limit=100')
  await compare('  100 that hold a word', '/api/devices/search?q=web&limit=100')
  await compare('  utilization of all networks', '/api/networks?include=utilization')
  await compare('  a lookup of a block', '/api/lookup/10.0.0.0%2F16')
  const took: number[] = []
  const some100 = deviceIds.filter((_, i) => i % Math.ceil(devices / 200) === 0)
  for (const id of some100) took.push(await timeOf(`/api/devices/${id}`, 'proposal:1'))
  const p95 = quantile(took, 0.95)
  results.push({
    work: '  one device',
    ours: `${milliseconds(middle(took))}, p95 ${milliseconds(p95)}`,
    baseline: '',
    ratio: '',
    goal: `p95 < ${ONE_GOAL_MS} ms`,
    isMet: p95 < ONE_GOAL_MS,
    numbers: { median_ms: middle(took), p95_ms: p95 },
  })
  await server.stop()
  publish(results)
} finally {
  await postgres?.remove()
  rmSync(workDir, { recursive: true, force: true })
}
process.exit()
