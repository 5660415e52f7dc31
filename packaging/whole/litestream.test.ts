/**
 * Litestream beside a server under load, by the shipped configuration. Both are killed at once, again and again; each
 * time the replica is restored elsewhere.
 */
import { Database } from 'bun:sqlite'
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { existsSync, mkdirSync, openSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { parse, stringify } from 'yaml'
import { goTool } from '../../scripts/go-tools.mjs'
import { type ServerChild, type ServerFolder, serverFolder } from '../../testing/app/server-child.ts'
import { mustRun, ROOT, tempFolder } from '../trial.ts'

setDefaultTimeout(60 * 60_000)
const ROUNDS = 20
const WRITERS = 8
/** The number of writes of each writer that stays below the checkpoints of Litestream (`min-checkpoint-page-count` is 1000). */
const WRITES_WITHIN_LOG = 15
/** Writes go on for this long, at least and at most: longer than a change may take to the replica (LOST_MS). */
const LOAD_MS = [2500, 4500] as const
/** The age of the oldest lost write. `sync-interval` is a second, and the transfer takes its time. */
const LOST_MS = 2000
const PATIENCE_MS = 120_000
const LOOK_MS = 20

const litestream = goTool('litestream')
const folder = tempFolder()
const replica = join(folder.path, 'replica')
const configFile = join(folder.path, 'litestream.yml')

/** A created device, and the time of its answer. */
type Write = { readonly name: string; readonly ackedMs: number }

const newestIn = (path: string): number =>
  readdirSync(path, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.name.endsWith('.ltx'))
    // A file may be compacted between the two calls.
    .map((entry) => statSync(join(entry.parentPath, entry.name), { throwIfNoEntry: false })?.mtimeMs ?? 0)
    .reduce((a, b) => Math.max(a, b), 0)

const until = async (subject: string, isSo: () => boolean): Promise<void> => {
  const endMs = performance.now() + PATIENCE_MS
  while (!isSo()) {
    if (performance.now() > endMs) throw new Error(`no ${subject}`)
    await Bun.sleep(LOOK_MS)
  }
}

const namesIn = (dataDir: string): Set<string> => {
  const database = new Database(join(dataDir, 'plat.db'), { readonly: true })
  const rows = database.query<{ name: string }, []>('SELECT name FROM devices').all()
  database.close()
  return new Set(rows.map(({ name }) => name))
}

describe.skipIf(!existsSync(litestream))('with Litestream', () => {
  let server: ServerFolder
  const running = new Set<Bun.Subprocess>()
  const database = (): string => join(server.dir, 'plat.db')

  beforeAll(async () => {
    server = await serverFolder({ RATE_LIMIT_ENABLED: 'false' })
    const config = parse(readFileSync(join(ROOT, 'packaging', 'litestream', 'litestream.yml'), 'utf8'))
    const [{ replica: shipped, ...shippedDatabase }] = config.dbs
    const to = { type: 'file', path: replica, 'sync-interval': shipped['sync-interval'] }
    writeFileSync(configFile, stringify({ ...config, dbs: [{ ...shippedDatabase, path: database(), replica: to }] }))
    mkdirSync(replica)
  })
  afterAll(async () => {
    for (const child of running) {
      child.kill('SIGKILL')
      await child.exited
    }
    await server?.remove()
    folder.remove()
  })

  const replicate = (): Bun.Subprocess => {
    const log = openSync(join(folder.path, 'log'), 'a')
    const child = Bun.spawn([litestream, 'replicate', '-config', configFile], { stdout: log, stderr: log })
    running.add(child)
    void child.exited.then(() => running.delete(child))
    return child
  }

  const acked: Write[] = []
  const refused: string[] = []
  const load = (child: ServerChild, round: string, most = Number.POSITIVE_INFINITY) => {
    let isOver = false
    const write = async (writer: number): Promise<void> => {
      for (let n = 0; !isOver && n < most; n++) {
        const name = `${round}-${writer}-${n}`
        const response = await fetch(`${child.url}/api/devices`, {
          method: 'POST',
          headers: { Authorization: `Bearer ${server.key}`, 'Content-Type': 'application/json' },
          body: JSON.stringify({ name }),
        }).catch(() => undefined)
        if (response?.ok) acked.push({ name, ackedMs: performance.now() })
        else if (response) refused.push(`${name}: ${response.status} ${await response.text()}`)
        if (!response) return
      }
    }
    const writing = Promise.all(Array.from({ length: WRITERS }, (_, writer) => write(writer)))
    const end = () => {
      isOver = true
      return writing
    }
    return { writing, end }
  }

  /** Writes for a random time, and until Litestream has sent changes. */
  const writeFor = async (child: ServerChild, round: string) => {
    const before = newestIn(replica)
    const writers = load(child, round)
    await Bun.sleep(LOAD_MS[0] + Math.random() * (LOAD_MS[1] - LOAD_MS[0]))
    await until('file of this round in the replica', () => newestIn(replica) > before)
    return writers
  }

  /** The restore of the documentation. @returns the data folder */
  const restore = async (name: string): Promise<string> => {
    const [file, dataDir] = [join(folder.path, `${name}.db`), join(folder.path, name)]
    await mustRun([litestream, 'restore', '-config', configFile, '-o', file, database()])
    await mustRun([join(ROOT, 'plat'), 'restore', file, '--data-dir', dataDir])
    rmSync(file)
    return dataDir
  }

  const failures: string[] = []
  const ages: number[] = []
  let lostWrites = 0
  const round = async (number: number): Promise<void> => {
    const from = acked.length
    const [beside, child] = [replicate(), await server.start()]
    const { end } = await writeFor(child, `r${number}`)
    const killedMs = performance.now()
    beside.kill('SIGKILL')
    await Promise.all([child.kill(), beside.exited])
    await end()
    try {
      const dataDir = await restore(`restored-${number}`)
      const stored = namesIn(dataDir)
      rmSync(dataDir, { recursive: true })
      const lost = acked.filter(({ name }) => !stored.has(name))
      if (acked.slice(0, from).some(({ name }) => !stored.has(name)))
        failures.push(`round ${number}: a write of an earlier round`)
      // An answer may have come between the reading of the clock and the kill.
      ages.push(Math.max(0, ...lost.map(({ ackedMs }) => killedMs - ackedMs)))
      lostWrites += lost.length
    } catch (error) {
      failures.push(`round ${number}: ${error instanceof Error ? error.message : error}`)
    }
    // The next round goes on with the data of the killed server, in which nothing is lost.
  }

  test(`both are killed ${ROUNDS} times, and each time the replica is restored`, async () => {
    for (let number = 1; number <= ROUNDS; number++) await round(number)
    const oldest = Math.max(...ages)
    console.log(
      `kills ${ROUNDS}, restored ${ages.length}, acknowledged ${acked.length}, lost in all ${lostWrites}, ` +
        `the oldest ${Math.round(oldest)} ms before its kill`,
    )
    expect({ failures, refused, tooOld: ages.filter((age) => age > LOST_MS) }).toEqual({
      failures: [],
      refused: [],
      tooOld: [],
    })
  })

  /** Returns the salts of SQLite's log, which change when it is reset. */
  const saltsNow = (): string => readFileSync(`${database()}-wal`).subarray(16, 24).toString('hex')

  // Few writes after a reset do not overwrite the last frame that Litestream has copied.
  test.each(['before', 'just after', 'long after'])(
    'only Litestream is killed, and is back %s a reset of the log: nothing is missing',
    async (when) => {
      const [beside, child] = [replicate(), await server.start()]
      const name = when.replace(' ', '-')
      await (await writeFor(child, name)).end()
      // Its checkpoint after these writes resets the log. It copies the next ones without another.
      await Bun.sleep(LOST_MS)
      await load(child, `${name}-few`, WRITES_WITHIN_LOG).writing
      await Bun.sleep(LOST_MS)
      beside.kill('SIGKILL')
      await beside.exited
      const salts = saltsNow()
      const { end } = load(child, `${name}-alone`)
      if (when === 'before') await Bun.sleep(LOAD_MS[0] / 10)
      else await until('reset of the log', () => saltsNow() !== salts)
      if (when !== 'long after') await end()
      const again = replicate()
      await Bun.sleep(LOAD_MS[0])
      await end()
      await child.stop()
      again.kill('SIGTERM')
      expect(await again.exited).toBe(0)
      const stored = namesIn(await restore(name))
      expect(acked.filter((write) => !stored.has(write.name))).toEqual([])
      expect(refused).toEqual([])
    },
  )

  test('restored data goes on with the same replica, and ended in order nothing is lost', async () => {
    const dataDir = await restore('restored')
    await mustRun([join(ROOT, 'plat'), 'restore', join(dataDir, 'plat.db'), '--data-dir', server.dir, '--force'])
    const kept = namesIn(server.dir)
    const from = acked.length
    const [beside, child] = [replicate(), await server.start()]
    const { end } = await writeFor(child, 'last')
    await end()
    await child.stop()
    beside.kill('SIGTERM')
    expect(await beside.exited).toBe(0)
    const stored = namesIn(await restore('last'))
    const wanted = [...kept, ...acked.slice(from).map(({ name }) => name)]
    expect(wanted.filter((name) => !stored.has(name))).toEqual([])
    expect(refused).toEqual([])
  })
})
