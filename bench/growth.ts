/**
 * Measures growth with the size of the estate: `bun bench/growth.ts [--sizes 10000,100000,500000] [--databases sqlite,postgres]`. Each
 * size is imported into a fresh server. Its memory, bytes on the disk, connections and processor time of requests are measured, together
 * with the database.
 */
import { mkdirSync, mkdtempSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { SQL } from 'bun'
import { postgresAsItComes } from '../testing/servers/servers.ts'
import { authorized, type Bench, type Result } from './bench.ts'
import { commonTexts } from './common-texts.ts'
import { inTurn } from './load.ts'
import { megabytes, milliseconds, times } from './numbers.ts'
import { processesOf, processorTime } from './processor.ts'
import { publish } from './report.ts'
import { startPlat } from './servers.ts'
import { prepare } from './setup.ts'
import { device } from './works/write.ts'

const { values } = parseArgs({
  options: {
    sizes: { type: 'string', default: '10000,100000,500000' },
    databases: { type: 'string', default: 'sqlite,postgres' },
  },
})
const sizes = values.sizes.split(',').map(Number)
const NAMES: Readonly<Record<string, string>> = { sqlite: 'SQLite', postgres: 'PostgreSQL' }

type Asked = { readonly name: string; readonly requests: readonly Uint8Array[]; readonly status?: number }

/** Takes each `step`th, so that they are spread over all. */
const spread = <T>(all: readonly T[], count: number): T[] => {
  const step = Math.max(1, Math.floor(all.length / count))
  return all.filter((_, at) => at % step === 0).slice(0, count)
}

/** A first search is asked for once; the others are asked for before as well, in which the runtime compiles hot code. */
const worksOf = (request: Bench['request'], ids: readonly string[]): { once: Asked[]; hot: Asked[] } => {
  const get = (paths: readonly string[]) => paths.map((path) => request({ path }))
  const page = (offset: number) => `/api/devices?limit=50&offset=${offset}`
  const search = (text: string) => `/api/devices/search?limit=50&q=${encodeURIComponent(text)}`
  const update = (id: string, at: number) =>
    request({ method: 'PUT', path: `/api/devices/${id}`, body: JSON.stringify({ description: `updated ${at}` }) })
  return {
    once: [
      {
        name: 'search for three texts that nearly all have, for the first time',
        requests: get(commonTexts().slice(0, 20).map(search)),
      },
    ],
    hot: [
      { name: 'GET one device', requests: get(spread(ids, 1000).map((id) => `/api/devices/${id}`)) },
      { name: 'first page of 50', requests: get(Array.from({ length: 200 }, () => page(0))) },
      {
        name: 'page of 50 in the middle',
        requests: get(Array.from({ length: 20 }, (_, at) => page(Math.floor(ids.length / 2) + at))),
      },
      { name: 'search for one name', requests: get(spread(ids, 200).map(search)) },
      { name: 'update of a device', requests: spread(ids, 200).map(update) },
    ],
  }
}

/** Figures of one size, by what they are of. */
type Measured = ReadonlyMap<string, number>

const BYTES = 'bytes on the disk for each device'
const IMPORT_MS = 'import, for 1,000 devices'
const IMPORT_PEAK = 'memory of the server during the import, at most'
const IDLE = 'memory of the server before any request'
const BUSY = 'memory of the server after these requests'
const CONNECTIONS = 'connections to the database'

const textOf = (name: string, value: number): string => {
  if (name === BYTES) return `${(value / 1000).toFixed(1)} KB`
  if (name === CONNECTIONS) return String(value)
  return [IMPORT_PEAK, IDLE, BUSY].includes(name) ? megabytes(value) : milliseconds(value)
}

type Database = {
  readonly env: Readonly<Record<string, string>>
  readonly pids: () => readonly number[]
  readonly bytes: (dataDir: string) => Promise<number>
  readonly connections: () => Promise<number>
  readonly close: () => Promise<void>
}

const onSqlite = async (): Promise<Database> => ({
  env: {},
  pids: () => [],
  bytes: async (dataDir) => statSync(join(dataDir, 'plat.db')).size,
  connections: async () => 0,
  close: async () => {},
})

const onPostgres = async (): Promise<Database> => {
  const cluster = await postgresAsItComes()
  const client = new SQL(cluster.url, { max: 1 })
  const numberOf = async (query: string): Promise<number> => {
    const [{ n }] = (await client.unsafe(query)) as [{ n: string }]
    return Number(n)
  }
  return {
    env: { DATABASE_URL: cluster.url },
    pids: await processesOf(cluster.url),
    bytes: async () => {
      // The work of autovacuum, which follows such an import within minutes.
      await client.unsafe('VACUUM ANALYZE')
      return numberOf('SELECT pg_database_size(current_database()) AS n')
    },
    connections: () =>
      numberOf('SELECT count(*) AS n FROM pg_stat_activity WHERE datname IS NOT NULL AND pid <> pg_backend_pid()'),
    close: async () => {
      await client.close()
      await cluster.remove()
    },
  }
}

const measure = async (folder: string, devices: number, database: Database): Promise<Measured> => {
  const measured = new Map<string, number>()
  const { dataDir, key, deviceIds, cost } = await prepare(folder, devices, database.env, database.pids)
  measured.set(IMPORT_MS, (cost.processorMs * 1000) / devices)
  measured.set(IMPORT_PEAK, cost.peakBytes)
  measured.set(BYTES, (await database.bytes(dataDir)) / devices)
  const server = await startPlat(dataDir, database.env)
  try {
    measured.set(IDLE, await server.memory())
    const request = authorized(key)
    const { once, hot } = worksOf(request, deviceIds)
    const pids = () => [server.pid, ...database.pids()]
    const take = async ({ name, requests, status }: Asked) => {
      const ms = await processorTime({ pids }, () => inTurn(server.port, requests, status))
      measured.set(name, ms / requests.length)
    }
    for (const asked of hot) await inTurn(server.port, asked.requests, asked.status)
    for (const asked of [...hot, ...once]) await take(asked)
    const creating = (count: number): Asked => ({
      name: 'creation of a device',
      requests: Array.from({ length: count }, () =>
        request({ method: 'POST', path: '/api/devices', body: JSON.stringify(device()) }),
      ),
      status: 201,
    })
    for (const count of [50, 200]) await take(creating(count))
    measured.set(CONNECTIONS, await database.connections())
    measured.set(BUSY, await server.memory())
  } finally {
    await server.stop()
  }
  return measured
}

const resultsOf = (called: string, all: readonly (readonly [number, Measured])[]): Result[] => {
  const [smallest] = all
  const largest = all.at(-1)
  if (!smallest || !largest) return []
  const at = ([size, measured]: readonly [number, Measured], name: string) =>
    `${textOf(name, measured.get(name) ?? Number.NaN)} at ${size.toLocaleString('en-US')}`
  return [...largest[1]].map(([name, value]) => {
    const first = smallest[1].get(name) ?? Number.NaN
    const unit = [IMPORT_PEAK, IDLE, BUSY, BYTES].includes(name) ? 'bytes' : name === CONNECTIONS ? 'count' : 'ms'
    return {
      work: `${called}: ${name}`,
      ours: at(largest, name),
      baseline: all
        .slice(0, -1)
        .map((one) => at(one, name))
        .join(', '),
      ratio: name === CONNECTIONS ? '' : times(value / first),
      goal: '',
      isMet: undefined,
      numbers: {
        [`ours_${unit}`]: value,
        [`baseline_${unit}`]: first,
        ...(unit !== 'count' && { slower: value / first }),
      },
    }
  })
}

const workDir = mkdtempSync(join(tmpdir(), 'plat-bench-growth-'))
try {
  const results: Result[] = []
  for (const kind of values.databases.split(',')) {
    const called = NAMES[kind]
    if (called === undefined) throw new Error(`--databases: there is no "${kind}"; there are sqlite and postgres`)
    const all: [number, Measured][] = []
    for (const size of sizes) {
      process.stderr.write(`${size.toLocaleString('en-US')} devices on ${called} ...\n`)
      const folder = join(workDir, `${kind}-${size}`)
      mkdirSync(folder)
      const database = await (kind === 'sqlite' ? onSqlite() : onPostgres())
      try {
        all.push([size, await measure(folder, size, database)])
      } finally {
        await database.close()
        rmSync(folder, { recursive: true, force: true })
      }
    }
    results.push(...resultsOf(called, all))
  }
  publish(results)
} finally {
  rmSync(workDir, { recursive: true, force: true })
}
process.exit()
