/**
 * An upgrade instance by instance: two releases on one PostgreSQL under load. `npm run test:upgrade` runs it with the previous release
 * out of git. `npm test` runs it with this release and a later one with a made-up migration.
 */
import { afterAll, afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { SQL } from 'bun'
import { z } from 'zod'
import { type Spawned, type StartOptions, spawnServer } from '../../testing/app/server-child.ts'
import { testAll } from '../../testing/cases.ts'
import { engines, postgresDatabase, type TestDatabase } from '../../testing/servers/servers.ts'
import { until as untilSoon } from '../../testing/until.ts'

/** The folder of the previous release. */
const BEFORE = process.env.PLAT_UPGRADE_FROM
const TIMEOUT_MS = 300_000
/** A step, with the start of a program, on a busy machine. */
const PATIENCE_MS = 120_000
const OWN = join(import.meta.dir, '../../src/main.ts')
const NEWER = join(import.meta.dir, '../../testing/servers/newer-main.ts')
const SERVE = 'serve'

const DEVICES = BEFORE ? 5000 : 500
const AT_ONCE = 500
const WRITERS = 2
/** Writes of each writer between two steps of the upgrade. */
const WRITES = BEFORE ? 50 : 10
/** A list that is read through the migration: time between two pieces of it. */
const PIECE_MS = 20
/** How long the migration waits for the list: more than one attempt. */
const HELD_MS = BEFORE ? 4000 : 2500
const LONGEST_WRITE_MS = 3000
const PASSWORD = 'sesame open sesame 1'

const Made = z.object({ id: z.string(), name: z.string() })
const Key = z.object({ key: z.string() })

const until = <T>(what: string, look: () => Promise<T | undefined> | T | undefined): Promise<T> =>
  untilSoon(what, look, PATIENCE_MS)

type Answer = { readonly status: number; readonly body: string }

// Left out rather than skipped, because a run on SQLite only is intended.
if (engines().includes('postgres')) {
  let database: TestDatabase
  let observer: SQL
  let dir: string
  const running = new Set<Bun.Subprocess>()
  beforeEach(async () => {
    database = await postgresDatabase()
    observer = new SQL({ url: database.url, max: 1 })
    dir = mkdtempSync(join(tmpdir(), 'plat-upgrade-'))
  })
  const clear = async () => {
    for (const child of running) {
      child.kill('SIGKILL')
      await child.exited
    }
    running.clear()
  }
  afterEach(async () => {
    await clear()
    await observer.close()
    await database.drop()
    rmSync(dir, { recursive: true, force: true })
  })
  afterAll(clear)

  const start = (program: readonly string[], options: Omit<StartOptions, 'program'> = {}): Promise<Spawned> =>
    spawnServer(
      {
        DATABASE_URL: database.url,
        DATA_DIR: dir,
        RATE_LIMIT_ENABLED: 'false',
        INITIAL_ADMIN_PASSWORD: PASSWORD,
        ...options.env,
      },
      { ...options, program },
      (child) => {
        running.add(child)
        void child.exited.then(() => running.delete(child))
      },
    )
  /** Starts a program that must end by itself. @returns its exit code and its log */
  const startInVain = async (program: readonly string[]): Promise<{ code: number; log: string }> => {
    let child: Bun.Subprocess | undefined
    const [outcome] = await Promise.allSettled([
      spawnServer({ DATABASE_URL: database.url, DATA_DIR: dir }, { program }, (spawned) => {
        child = spawned
        running.add(spawned)
      }),
    ])
    if (outcome.status === 'fulfilled') throw new Error('the program started')
    return { code: (await child?.exited) ?? 0, log: String(outcome.reason) }
  }

  const load = () => {
    let key = ''
    let at = 0
    const inService: string[] = []
    const underWay = new Map<string, number>()
    const failures: string[] = []
    const made = new Set<string>()
    let longestMs = 0
    let isOver = false
    let written = 0

    /** Asks an instance. An answer of 5xx, or none, is a failure. */
    const ask = async (url: string, http: string, body?: object): Promise<Answer> => {
      const [method = 'GET', path = '/'] = http.split(' ')
      underWay.set(url, (underWay.get(url) ?? 0) + 1)
      try {
        const response = await fetch(url + path, {
          method,
          headers: { Authorization: `Bearer ${key}`, 'Content-Type': 'application/json' },
          ...(body && { body: JSON.stringify(body) }),
        })
        const answer = { status: response.status, body: await response.text() }
        if (answer.status >= 500) failures.push(`${http} at ${url}: ${answer.status} ${answer.body}`)
        return answer
      } catch (error) {
        failures.push(`${http} at ${url}: ${error}`)
        return { status: 0, body: '' }
      } finally {
        underWay.set(url, (underWay.get(url) ?? 1) - 1)
      }
    }
    /** The instances in turn. */
    const next = (): string => inService[at++ % inService.length] ?? ''
    const expected = (answer: Answer, status: number, what: string): Answer => {
      if (answer.status !== status) failures.push(`${what}: ${answer.status} ${answer.body}`)
      return answer
    }

    const writer = async (n: number): Promise<void> => {
      for (let i = 0; !isOver; i++) {
        const name = `w${n}-${i}`
        const startedMs = performance.now()
        const created = expected(await ask(next(), 'POST /api/devices', { name }), 201, `create ${name}`)
        longestMs = Math.max(longestMs, performance.now() - startedMs)
        if (created.status !== 201) continue
        const { id } = Made.parse(JSON.parse(created.body))
        made.add(id)
        // The next two are other instances, if there are several.
        const found = expected(await ask(next(), `GET /api/devices/${id}`), 200, `read ${name}`)
        if (found.status === 200 && Made.parse(JSON.parse(found.body)).name !== name) failures.push(`${name} differs`)
        expected(await ask(next(), `PUT /api/devices/${id}`, { description: 'seen' }), 200, `update ${name}`)
        written++
      }
    }

    return {
      ask,
      failures,
      made,
      longestMs: () => longestMs,
      add: (url: string) => void inService.push(url),
      /** Takes an instance out of service, and waits for its answers. */
      remove: async (url: string) => {
        inService.splice(inService.indexOf(url), 1)
        await until('end of its requests', () => !underWay.get(url) || undefined)
      },
      /** Signs in, and makes a key and devices. */
      begin: async (url: string) => {
        const login = await fetch(`${url}/api/auth/login`, {
          method: 'POST',
          headers: { 'Content-Type': 'application/json' },
          body: JSON.stringify({ username: 'admin', password: PASSWORD }),
        })
        const cookie = login.headers
          .getSetCookie()
          .map((one) => one.split(';')[0])
          .join('; ')
        const response = await fetch(`${url}/api/keys`, {
          method: 'POST',
          headers: { 'Content-Type': 'application/json', 'X-Requested-With': 'XMLHttpRequest', Cookie: cookie },
          body: JSON.stringify({ name: 'load' }),
        })
        key = Key.parse(await response.json()).key
        for (let from = 0; from < DEVICES; from += AT_ONCE) {
          const devices = Array.from({ length: Math.min(AT_ONCE, DEVICES - from) }, (_, i) => ({
            name: `d${from + i}`,
          }))
          await Promise.all(devices.map((device) => ask(url, 'POST /api/devices', device)))
        }
      },
      run: () => {
        const writers = Array.from({ length: WRITERS }, (_, n) => writer(n))
        return async () => {
          isOver = true
          await Promise.all(writers)
        }
      },
      /** Waits until each step of the upgrade has met writes. */
      writes: async () => {
        const enough = written + WRITERS * WRITES
        await until('more writes', () => written >= enough || failures.length > 0 || undefined)
      },
      /** Reads the whole list piece by piece. @returns the number of devices */
      list: async (url: string): Promise<number> => {
        const response = await fetch(`${url}/api/devices`, { headers: { Authorization: `Bearer ${key}` } })
        const pieces: Uint8Array[] = []
        for await (const piece of response.body ?? []) {
          pieces.push(piece)
          await Bun.sleep(PIECE_MS)
        }
        return z.array(Made).parse(JSON.parse(Buffer.concat(pieces).toString())).length
      },
    }
  }

  const knowsFloors = async (): Promise<boolean> => {
    const rows =
      await observer`SELECT 1 FROM pg_attribute WHERE attrelid = 'migrations'::regclass AND attname = 'floor'`
    return rows.length > 0
  }

  /** Reads a table as a list does, for as long as the migration waits for it. */
  const holdDevices = async (isStarted: () => boolean): Promise<void> => {
    const list = new SQL({ url: database.url, max: 1 })
    await list.unsafe('BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY')
    await list.unsafe('SELECT id FROM devices LIMIT 1')
    const waits = async () =>
      (
        await observer`SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock' AND query LIKE 'ALTER TABLE%'`
      ).length > 0
    await until('migration', async () => isStarted() || (await waits()) || undefined)
    if (!isStarted()) await Bun.sleep(HELD_MS)
    await list.unsafe('COMMIT')
    await list.close()
  }

  const upgrade = async (old: readonly string[], newer: readonly string[]): Promise<'rolled' | 'refused'> => {
    const { add, ask, begin, failures, list, longestMs, made, remove, run, writes } = load()
    const olds = [await start(old)]
    for (const { url } of olds) await begin(url)
    olds.push(await start(old))
    for (const { url } of olds) add(url)
    const restarts = await knowsFloors()
    const end = run()
    await writes()

    const [first] = olds
    const listed = list(first?.url ?? '')
    let isStarted = false
    const starting = start(newer).finally(() => {
      isStarted = true
    })
    const [[outcome]] = await Promise.all([Promise.allSettled([starting]), holdDevices(() => isStarted)])
    const hasRolled = outcome.status === 'fulfilled'
    let last = hasRolled ? outcome.value : undefined
    if (!last)
      expect(String(outcome.status === 'rejected' && outcome.reason)).toContain('cannot be done beside older Plats')
    else add(last.url)
    await writes()
    expect(await listed).toBeGreaterThanOrEqual(DEVICES)

    if (last && first) {
      await remove(first.url)
      await first.stop()
      if (restarts) {
        const again = await start(old)
        add(again.url)
        await writes()
        olds.push(again)
      } else expect((await startInVain(old)).log).toContain('written by a newer Plat')
    }
    if (!last) {
      await end()
      for (const { stop } of olds) await stop()
      await until('end of their connections', async () => {
        const rows =
          await observer`SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()`
        return rows.length === 0 || undefined
      })
      last = await start(newer)
    } else {
      for (const one of olds.filter(({ child }) => child.exitCode === null && child.signalCode === null)) {
        await remove(one.url)
        await one.stop()
      }
      await writes()
      await end()
    }

    expect(failures).toEqual([])
    const { body } = await ask(last.url, 'GET /api/devices')
    const ids = new Set(
      z
        .array(Made)
        .parse(JSON.parse(body))
        .map(({ id }) => id),
    )
    expect([...made].filter((id) => !ids.has(id))).toEqual([])
    if (BEFORE) {
      console.log(`${made.size} devices written; the longest write took ${Math.round(longestMs())} ms`)
      expect(longestMs()).toBeLessThan(LONGEST_WRITE_MS)
    }
    return hasRolled ? 'rolled' : 'refused'
  }

  if (BEFORE)
    test(
      'the previous release and this one work side by side, or this one refuses',
      async () => {
        const outcome = await upgrade([join(BEFORE, 'src', 'main.ts'), SERVE], [OWN, SERVE])
        console.log(`The upgrade from the previous release has ${outcome}.`)
      },
      TIMEOUT_MS,
    )
  else
    describe('an upgrade under load', () => {
      test(
        'rolls, if the migration only adds: both releases answer, and the older one may start again',
        async () => {
          expect(await upgrade([OWN, SERVE], [NEWER, 'unchanged', SERVE])).toBe('rolled')
        },
        TIMEOUT_MS,
      )

      testAll(
        'is refused, if the older release could not go on, which is not disturbed',
        async () => {
          expect(await upgrade([OWN, SERVE], [NEWER, 'this', SERVE])).toBe('refused')
          const { code, log } = await startInVain([OWN, SERVE])
          expect(code).toBe(1)
          expect(log).toContain('it has the migration 9990-later')
        },
        TIMEOUT_MS,
      )
    })
}
