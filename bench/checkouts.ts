/**
 * This checkout beside another one, such as the release before:
 * `bun bench/checkouts.ts --other ../plat-before [--devices 20000] [--only 'write|allocate'] [--starts 4] [--rounds 12] [--postgres]`.
 * The other one must be installed. It makes the data; each server gets a copy, and both do the same work in turn.
 *
 * Compares processor time per request: it differs by 1 to 3 % between two runs of the same code, the time on the clock by 10 %.
 * The last row compares the resident memory after all of the work.
 */
import { cpSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { SQL } from 'bun'
import { postgresAsItComes } from '../testing/servers/servers.ts'
import { authorized, type Result } from './bench.ts'
import { median, milliseconds, times } from './numbers.ts'
import { allWorks, type PairWork } from './pair.ts'
import { type Costs, compareCosts, type Subject, slowerIn } from './processor.ts'
import { publish } from './report.ts'
import { ROOT, type Server, startPlat } from './servers.ts'
import type { prepare as Prepare } from './setup.ts'

const { values } = parseArgs({
  options: {
    other: { type: 'string' },
    devices: { type: 'string', default: '20000' },
    only: { type: 'string', default: '' },
    starts: { type: 'string', default: '4' },
    rounds: { type: 'string', default: '12' },
    postgres: { type: 'boolean', default: false },
  },
})
if (values.other === undefined) throw new Error('--other names the checkout to compare with')
const root = resolve(values.other)

/** Counted rounds of each work and server. */
const ROUNDS = Number(values.rounds)

type Measured = Subject & { readonly memory: () => Promise<number> }

const MB = 2 ** 20

const memoryResult = (starts: readonly Costs[]): Result => {
  const ratios = starts.map(({ ours, other }) => ours / other).sort((a, b) => a - b)
  const [ours, other] = [median(starts.map(({ ours }) => ours)), median(starts.map(({ other }) => other))]
  return {
    work: 'resident memory after all of it',
    ours: `${Math.round(ours / MB)} MB`,
    baseline: `other ${Math.round(other / MB)} MB`,
    ratio: `${times(median(ratios))} (${ratios.map((ratio) => ratio.toFixed(2)).join(' ')})`,
    goal: '',
    isMet: undefined,
    numbers: { ours_bytes: ours, other_bytes: other, slower: median(ratios) },
  }
}

const resultOf = ({ name, unit }: PairWork, starts: readonly (readonly Costs[])[]): Result => {
  const rounds = starts.flat()
  const ratios = starts.map(slowerIn).sort((a, b) => a - b)
  const [ours, other] = [median(rounds.map(({ ours }) => ours)), median(rounds.map(({ other }) => other))]
  return {
    work: `${name}, processor time of ${unit === 'ms' ? 'a round' : 'each'}`,
    ours: milliseconds(ours),
    baseline: `other ${milliseconds(other)}`,
    ratio: `${times(median(ratios))} (${ratios.map((ratio) => ratio.toFixed(2)).join(' ')})`,
    goal: '',
    isMet: undefined,
    numbers: { ours_ms: ours, other_ms: other, slower: median(ratios) },
  }
}

// The other one's own, of its schema; the module is that of another checkout, and has the same type.
const { prepare } = (await import(join(root, 'bench', 'setup.ts'))) as { readonly prepare: typeof Prepare }
const workDir = mkdtempSync(join(tmpdir(), 'plat-bench-checkouts-'))
const running: Server[] = []

/** The option --postgres starts a cluster with the defaults of PostgreSQL. Each server gets a copy of the imported database in it. */
const cluster = values.postgres ? await postgresAsItComes() : undefined
const databaseUrl = (name: string): Record<string, string> => {
  if (cluster === undefined) return {}
  const url = new URL(cluster.url)
  url.pathname = `/${name}`
  return { DATABASE_URL: url.href }
}

/** Creates a database in the cluster. @param template the database that it is a copy of */
const createDatabase = async (name: string, template: string): Promise<void> => {
  if (cluster === undefined) return
  const client = new SQL(cluster.url, { max: 1 })
  await client.unsafe(`CREATE DATABASE "${name}" TEMPLATE "${template}"`)
  await client.close()
}

const stopAll = async (): Promise<void> => {
  for (const server of running.splice(0)) await server.stop()
}

try {
  await createDatabase('imported', 'template1')
  const { dataDir, key, deviceIds } = await prepare(workDir, Number(values.devices), databaseUrl('imported'))
  const works = allWorks(deviceIds).filter(({ name }) => values.only.split('|').some((part) => name.includes(part)))
  const memory: Costs[] = []
  const all = new Map<PairWork, Costs[][]>(works.map((work) => [work, []]))
  for (let start = 0; start < Number(values.starts); start++) {
    const serve = async (checkout: string, name: string): Promise<Measured> => {
      const copy = join(workDir, `${name}-${start}`)
      cpSync(dataDir, copy, { recursive: true })
      await createDatabase(`${name}-${start}`, 'imported')
      const startServer = () => startPlat(copy, databaseUrl(`${name}-${start}`), { root: checkout })
      // The first start migrates the database, and keeps some of the memory that this takes.
      await (await startServer()).stop()
      const server = await startServer()
      running.push(server)
      const { port, pid, memory } = server
      return { side: { port, request: authorized(key), deviceIds }, pids: () => [pid], memory }
    }
    // In turn: the second one that starts takes about 5 % longer for a write, of the same code too.
    const isFirst = start % 2 === 0
    const first = await (isFirst ? serve(ROOT, 'ours') : serve(root, 'other'))
    const second = await (isFirst ? serve(root, 'other') : serve(ROOT, 'ours'))
    const [ours, other] = isFirst ? [first, second] : [second, first]
    for (const work of works) {
      process.stderr.write(`${start + 1}: ${work.name} ...\n`)
      all.get(work)?.push(await compareCosts(work, { ours, other }, ROUNDS))
    }
    memory.push({ ours: await ours.memory(), other: await other.memory() })
    await stopAll()
  }
  publish([...[...all].map(([work, costs]) => resultOf(work, costs)), memoryResult(memory)])
} finally {
  await stopAll()
  await cluster?.remove()
  rmSync(workDir, { recursive: true, force: true })
}
process.exit()
