/** The estate to measure on: generated, imported by the command line into a fresh server, and copied for the baseline. */
import { copyFileSync, mkdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { openDatabase } from '../src/app/compose.ts'
import { loadConfig } from '../src/base/config/config.ts'
import { createLogger } from '../src/base/runtime/log.ts'
import { INVENTORY, type Resource } from '../src/inventory/resources.ts'
import { createUser, keyFor } from '../testing/estates/identities.ts'
import { plain, type Result } from './bench.ts'
import { type Estate, generateEstate } from './estate/estate.ts'
import { writeRows } from './estate/files.ts'
import { milliseconds } from './numbers.ts'
import { processorTime } from './processor.ts'
import { ROOT, type Server, startPlat } from './servers.ts'

const GOAL_IMPORT_MS = 60_000
const ROWS_AT_ONCE = 250_000
/** The network that the benchmark's own devices name. */
export const WRITTEN_NETWORK = 'net-written'

export type Prepared = {
  readonly dataDir: string
  /** The baseline's copy of the data file, where there is one. */
  readonly bareFile: string
  readonly key: string
  readonly deviceIds: readonly string[]
  readonly results: readonly Result[]
  /** The cost of the import of all of it: processor time in ms, and the most memory that the server took, in bytes. */
  readonly cost: { readonly processorMs: number; readonly peakBytes: number }
}

/** A database with an administrator and a key, as after the first start and a sign-in. */
export const createKey = async (dataDir: string, env: Readonly<Record<string, string>> = {}): Promise<string> => {
  const config = loadConfig({ env: { DATA_DIR: dataDir, ...env }, cwd: dataDir })
  const log = createLogger({ level: 'error', format: 'json' })
  const { db, close } = await openDatabase({ config, log, now: () => new Date() })
  const { id } = await createUser(db, { username: 'bench', roles: ['admin'] })
  const key = await keyFor(db, id)
  await close()
  return key
}

type Import = { readonly port: number; readonly key: string }

/** Runs `plat import` on a new terminal. @returns how often it showed its progress */
const runImport = async (path: string, { port, key }: Import): Promise<number> => {
  let shown = 0
  let screen = ''
  const child = Bun.spawn([process.execPath, join(ROOT, 'src/main.ts'), 'import', path], {
    env: { PATH: process.env.PATH ?? '', PLAT_URL: `http://127.0.0.1:${port}`, PLAT_TOKEN: key },
    terminal: {
      cols: 120,
      rows: 40,
      data: (_, bytes) => {
        const text = new TextDecoder().decode(bytes)
        screen += text
        shown += text.split('\r\u001b[K').length - 1
      },
    },
  })
  if ((await child.exited) !== 0) throw new Error(`plat import failed: ${screen.slice(-2000)}`)
  return shown
}

const timed = async <T>(work: () => Promise<T>): Promise<{ value: T; ms: number }> => {
  const start = performance.now()
  const value = await work()
  return { value, ms: performance.now() - start }
}

/** The resources of the generated estate. */
type Generated = Extract<Resource, keyof Estate>
const isGenerated = (estate: Estate, resource: Resource): resource is Generated => resource in estate

/** The files of a resource: one, or several where the server would not take it at once. */
const filesOf = async (folder: string, resource: Generated, estate: Estate): Promise<string[]> => {
  const files: string[] = []
  const rows = [...estate[resource]]
  for (let from = 0; from === 0 || from < rows.length; from += ROWS_AT_ONCE) {
    const part = join(folder, String(files.length))
    mkdirSync(part, { recursive: true })
    files.push(join(part, `${resource}.json`))
    await writeRows(files.at(-1) ?? '', rows.slice(from, from + ROWS_AT_ONCE))
  }
  return files
}

const importAll = async (folder: string, into: Import, estate: Estate): Promise<Result[]> => {
  const load = async (resource: Generated) => {
    const files = await filesOf(folder, resource, estate)
    return timed(async () => {
      let shown = 0
      for (const file of files) shown += await runImport(file, into)
      return shown
    })
  }
  let whole = 0
  let own = { value: 0, ms: 0 }
  for (const resource of INVENTORY) {
    if (!isGenerated(estate, resource)) continue
    const one = await load(resource)
    whole += one.ms
    if (resource === 'devices') own = one
  }
  return [
    plain({
      work: `plat import of ${[...estate.devices].length.toLocaleString('en-US')} devices`,
      ours: `${milliseconds(own.ms)}, progress shown ${own.value} times`,
      goal: `< ${milliseconds(GOAL_IMPORT_MS)}, progress shown`,
      isMet: own.ms < GOAL_IMPORT_MS && own.value > 2,
      numbers: { ms: own.ms, progress_shown: own.value },
    }),
    plain({
      work: '  of the whole estate',
      ours: milliseconds(whole),
      goal: '',
      isMet: undefined,
      numbers: { ms: whole },
    }),
  ]
}

/** Adds the network that the written devices belong to. Used on both databases. */
export const addNetwork = async ({ port, key }: Import): Promise<void> => {
  const response = await fetch(`http://127.0.0.1:${port}/api/networks`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', Authorization: `Bearer ${key}` },
    body: JSON.stringify({ id: WRITTEN_NETWORK, name: 'Written by the benchmark', subnet: '100.64.0.0/10' }),
  })
  if (!response.ok) throw new Error(await response.text())
}

/** The most that was resident since the process began (proc(5), VmHWM), in bytes. */
export const peakOf = ({ pid }: Pick<Server, 'pid'>): number =>
  Number(/VmHWM:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? Number.NaN) * 1024

/**
 * @param env settings of the server that it is imported into, `DATABASE_URL` for another database
 * @param pidsOfDatabase further processes with time that counts
 */
export const prepare = async (
  workDir: string,
  devices: number,
  env: Readonly<Record<string, string>> = {},
  pidsOfDatabase: () => readonly number[] = () => [],
): Promise<Prepared> => {
  const dataDir = join(workDir, 'data')
  const folder = join(workDir, 'estate')
  mkdirSync(dataDir, { recursive: true })
  mkdirSync(folder)
  const estate = generateEstate({ devices })
  const key = await createKey(dataDir, env)
  const server = await startPlat(dataDir, env)
  const into = { port: server.port, key }
  const pids = () => [server.pid, ...pidsOfDatabase()]
  let results: Result[] = []
  const processorMs = await processorTime({ pids }, async () => {
    results = await importAll(folder, into, estate)
  })
  const cost = { processorMs, peakBytes: peakOf(server) }
  await addNetwork(into)
  await server.stop()
  const bareFile = join(workDir, 'bare.db')
  if (env.DATABASE_URL === undefined) copyFileSync(join(dataDir, 'plat.db'), bareFile)
  return { dataDir, bareFile, key, deviceIds: [...estate.devices].map(({ id }) => id), results, cost }
}
