/**
 * The cost of proposals: `bun bench/proposals.ts [--devices 10000] [--rounds 9] [--on sqlite]`. The baseline is the same write as a dry
 * run, or by hand, of the same server in turn. The lists are read among 10,000 closed proposals and 100 open ones.
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { SQL } from 'bun'
import { postgresAsItComes } from '../testing/servers/servers.ts'
import { authorized, plain, type Result } from './bench.ts'
import { Connection, type RequestParts } from './connection.ts'
import { alternate } from './load.ts'
import { median, milliseconds, quantile, times } from './numbers.ts'
import { publish } from './report.ts'
import { startPlat } from './servers.ts'
import { prepare } from './setup.ts'
import { toolCall } from './tool-call.ts'

const { values } = parseArgs({
  options: {
    devices: { type: 'string', default: '10000' },
    rounds: { type: 'string', default: '9' },
    on: { type: 'string', default: 'sqlite' },
  },
})
const [devices, rounds] = [Number(values.devices), Number(values.rounds)]
const IN_BULK = 1000
const OPERATIONS = 100
const CLOSED = 10_000
const OPEN = 100
const READS = 40

const workDir = mkdtempSync(join(tmpdir(), 'plat-bench-proposals-'))
const postgres = values.on === 'postgres' ? await postgresAsItComes() : undefined
const env = postgres ? { DATABASE_URL: postgres.url } : {}
const results: Result[] = []

/** Puts copies of the proposal 1 into a database that no server has open: closed ones, and open ones by another user. */
const fillProposals = async (url: string): Promise<void> => {
  const database = new SQL(url, { max: 1 })
  const columns = `title, description, co_authors, operations, input_bytes, next_operation, errors, fingerprint, counts, version,
    base_seq, scopes_revision, previewed_at, close_reason, closed_by, created_at, opened_at, touched_at, updated_at`
  const copy = (from: number, count: number, state: string, author: string) =>
    database.unsafe(`WITH RECURSIVE numbers (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < ${count})
      INSERT INTO proposals (id, number, state, author_id, author, ${columns})
      SELECT 'filled-' || (${from} + n), ${from} + n, '${state}', ${author}, ${columns} FROM numbers, proposals WHERE number = 1`)
  await copy(1_000_000, CLOSED, 'closed', 'author_id, author')
  await copy(2_000_000, OPEN, 'open', "'another', 'another'")
  await database.unsafe(`INSERT INTO proposal_effects (proposal, kind, id, position, operation, name, change, before, document, sort_key,
      order_key, derived, child_id, hash, places)
    SELECT p.seq, e.kind, e.id, e.position, e.operation, e.name, e.change, e.before, e.document, e.sort_key, e.order_key, e.derived,
      e.child_id, e.hash, e.places
    FROM proposals AS p, proposal_effects AS e
    WHERE p.number > 2000000 AND e.proposal = (SELECT seq FROM proposals WHERE number = 1)`)
  if (postgres) await database.unsafe('VACUUM ANALYZE')
  await database.close()
}

try {
  const { dataDir, key, deviceIds } = await prepare(workDir, devices, env)
  let server = await startPlat(dataDir, env)
  let connection = await Connection.open(server.port)
  const request = authorized(key)
  type Asked = { readonly ms: number; readonly body: string; readonly proposal: string }
  const ask = async (parts: RequestParts, wanted: number): Promise<Asked> => {
    const bytes = request(parts)
    const start = performance.now()
    const { status, head, body } = await connection.send(bytes, { keepBody: true })
    const ms = performance.now() - start
    if (status !== wanted)
      throw new Error(`${parts.path} was answered with ${head.split('\r\n')[0]}: ${body.slice(0, 500)}`)
    return { ms, body, proposal: /^x-proposal: (\d+)/im.exec(head)?.[1] ?? '' }
  }
  let written = 0
  const update = (query: string, id = deviceIds[0]): RequestParts => ({
    method: 'PUT',
    path: `/api/devices/${id}?${query}`,
    body: JSON.stringify({ location: `write ${written++}` }),
  })
  const close = (number: string) => ask({ method: 'POST', path: `/api/proposals/${number}/close` }, 200)
  const propose = async (): Promise<number> => {
    const { ms, proposal } = await ask(update('proposal=draft'), 202)
    await close(proposal)
    return ms
  }
  const dryRun = async (): Promise<number> => (await ask(update('dry_run=true'), 200)).ms
  const compare = async (
    work: string,
    goal: number,
    run: { readonly ours: () => Promise<number>; readonly baseline: () => Promise<number>; readonly name: string },
    most = rounds,
  ): Promise<void> => {
    for (let i = 0; i < 2; i++) await run.ours().then(run.baseline)
    const { ours, baseline, ratio } = await alternate(most, run.ours, run.baseline)
    results.push({
      ...{ work, ours: milliseconds(ours), baseline: `${run.name} ${milliseconds(baseline)}`, ratio: times(ratio) },
      ...{ goal: `<= ${goal} x`, isMet: ratio <= goal, numbers: { ours_ms: ours, baseline_ms: baseline, ratio } },
    })
  }
  await compare(
    'an update proposed, in a draft of its own',
    3,
    { ours: propose, baseline: dryRun, name: 'dry run' },
    rounds * 10,
  )

  const growth: { readonly first: number; readonly last: number }[] = []
  for (let round = 0; round < Math.ceil(rounds / 3); round++) {
    const first = await ask(update('proposal=draft'), 202)
    let last = 0
    for (let i = 1; i < OPERATIONS; i++) last = (await ask(update(`proposal=${first.proposal}`, deviceIds[i]), 202)).ms
    await close(first.proposal)
    growth.push({ first: first.ms, last })
  }
  const [first, last] = [median(growth.map((one) => one.first)), median(growth.map((one) => one.last))]
  results.push({
    ...{
      work: `operation ${OPERATIONS} of a draft`,
      ours: milliseconds(last),
      baseline: `the first ${milliseconds(first)}`,
    },
    ...{ ratio: times(last / first), goal: '<= 120 x', isMet: last / first <= 120 },
    numbers: { first_ms: first, last_ms: last, ratio: last / first },
  })

  const bulk = (): object => {
    const location = `bulk ${written++}`
    return { operations: deviceIds.slice(0, IN_BULK).map((id) => ({ op: 'update', id, device: { location } })) }
  }
  const bulkParts = (query = ''): RequestParts => ({
    method: 'POST',
    path: `/api/devices/bulk${query}`,
    body: JSON.stringify(bulk()),
  })
  const byHand = async (): Promise<number> => (await ask(bulkParts(), 200)).ms
  const merge = async (): Promise<number> => {
    const { proposal } = await ask(bulkParts('?proposal=open'), 202)
    return (await ask({ method: 'POST', path: `/api/proposals/${proposal}/merge` }, 200)).ms
  }
  await compare('merge of a bulk of 1,000 updates', 1.3, { ours: merge, baseline: byHand, name: 'by hand' })

  type Answer = {
    readonly result: { readonly structuredContent?: { readonly plan_id?: string }; readonly isError?: boolean }
  }
  const call = async (name: string, args: object) => {
    const { ms, body } = await ask(toolCall(name, args), 200)
    const { result }: Answer = JSON.parse(body)
    if (result.isError) throw new Error(`${name}: ${JSON.stringify(result).slice(0, 500)}`)
    return { ms, plan_id: result.structuredContent?.plan_id }
  }
  const planned: number[] = []
  const applied: number[] = []
  for (let i = 0; i < rounds; i++) {
    const { ms, plan_id } = await call('call_operation', { operation: 'devices.bulk', input: bulk() })
    planned.push(ms)
    applied.push((await call('apply_plan', { plan_id })).ms)
  }
  for (const [work, took] of [
    ['plan of a bulk of 1,000 updates', planned],
    ['  apply_plan', applied],
  ] as const) {
    const ms = median(took)
    results.push(plain({ work, ours: milliseconds(ms), goal: '', isMet: undefined, numbers: { median_ms: ms } }))
  }

  // The first proposal is the model of the others.
  connection.close()
  await server.stop()
  await fillProposals(postgres?.url ?? `sqlite://${join(dataDir, 'plat.db')}`)
  server = await startPlat(dataDir, env)
  connection = await Connection.open(server.port)
  const read = async (work: string, path: string, goal: number): Promise<void> => {
    const took: number[] = []
    for (let i = 0; i < READS; i++) took.push((await ask({ path }, 200)).ms)
    const [ms, p95] = [median(took), quantile(took, 0.95)]
    results.push(
      plain({
        ...{ work, ours: `${milliseconds(ms)}, p95 ${milliseconds(p95)}, first ${milliseconds(took[0] ?? 0)}` },
        ...{ goal: `< ${goal} ms`, isMet: ms < goal, numbers: { median_ms: ms, p95_ms: p95 } },
      }),
    )
  }
  await read('10,000 closed proposals, first 100', '/api/proposals?state=closed&limit=100', 20)
  await read('100 open ones to review', '/api/proposals?to_review=true&limit=100', 50)
  connection.close()
  await server.stop()
  publish(results)
} finally {
  await postgres?.remove()
  rmSync(workDir, { recursive: true, force: true })
}
process.exit()
