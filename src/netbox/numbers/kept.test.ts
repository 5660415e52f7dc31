// Numbers outlive what happens to a database: a restart, a kill, a backup, a copy to PostgreSQL and back, other instances, and no writes.
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { join } from 'node:path'
import { sql } from 'kysely'
import { type TestApp, testApp } from '../../../testing/app/app.ts'
import { openData, platIn, scratch } from '../../../testing/app/data-folders.ts'
import { estateKernel } from '../../../testing/app/estate-kernel.ts'
import { type Instance, instanceBeside } from '../../../testing/servers/instances.ts'
import { engines, postgresDatabase } from '../../../testing/servers/servers.ts'
import type { Db } from '../../database/database.ts'
import type { Tables } from '../../database/tables.ts'
import { findNames, saveName } from './names.ts'
import { assignNumbers, findKeys } from './numbers.ts'

const START_TIMEOUT_MS = 60_000
const FIRST = 1_000_000_001
const ROLE = { name: 'Core', slug: 'core', named_by: 'ann' }
const DEVICES = ['web-1', 'web-2', 'db-1']

/** Returns the numbers of devices, in their order. */
const assign = (db: Db<Tables>, keys: readonly string[] = DEVICES): Promise<number[]> =>
  estateKernel(db).read(async (ctx) => {
    const kind = 'dcim.device'
    const table = await assignNumbers(
      ctx,
      keys.map((key) => ({ kind, key })),
    )
    return keys.map((key) => table.get(kind, key))
  })

const fill = async (db: Db<Tables>): Promise<void> => {
  await assign(db)
  await estateKernel(db).write((tx) => saveName(tx, 'dcim.devicerole', 'core', ROLE))
}

/** Returns the numbers of the devices in another order, that of a new one, and the names. */
const read = async (db: Db<Tables>) => ({
  devices: await assign(db, [...DEVICES.toReversed(), 'new']),
  names: await estateKernel(db).read((ctx) => findNames(ctx, 'dcim.devicerole')),
})
const KEPT = {
  devices: [FIRST + 2, FIRST + 1, FIRST, FIRST + 3],
  names: [{ number: FIRST, key: 'core', attributes: ROLE }],
}

/** Creates a data folder with numbers. */
const createFolder = async (): Promise<{ readonly folder: string; readonly dataDir: string }> => {
  const folder = scratch()
  const dataDir = join(folder, 'data')
  const { db, close } = await openData(dataDir)
  await fill(db)
  await close()
  return { folder, dataDir }
}

const readFolder = async (dataDir: string) => {
  const { db, close } = await openData(dataDir)
  const found = await read(db)
  await close()
  return found
}

/** Runs a command that must succeed. */
const run = async (env: Readonly<Record<string, string>>, ...argv: readonly string[]): Promise<void> => {
  const { code, err } = await platIn(env, ...argv)
  if (code !== 0) throw new Error(err)
}

if (engines().includes('sqlite'))
  describe('the numbers of a data folder', () => {
    test('are the same after a restart', async () => {
      const { dataDir } = await createFolder()
      expect(await readFolder(dataDir)).toEqual(KEPT)
    })

    test('are those of the backup after a restore', async () => {
      const { folder, dataDir } = await createFolder()
      const file = join(folder, 'plat.backup')
      await run({}, 'backup', file, '--data-dir', dataDir)
      await run({}, 'restore', file, '--data-dir', join(folder, 'restored'))
      expect(await readFolder(join(folder, 'restored'))).toEqual(KEPT)
    })

    test('that an answer had are kept when the process is killed in the transaction after it', async () => {
      const { dataDir } = await createFolder()
      const path = (name: string): string => JSON.stringify(join(import.meta.dir, name))
      const script = `
        const { openData } = await import(${path('../../../testing/app/data-folders.ts')})
        const { estateKernel } = await import(${path('../../../testing/app/estate-kernel.ts')})
        const { assignNumbers } = await import(${path('numbers.ts')})
        const { db } = await openData(${JSON.stringify(dataDir)})
        const want = (ctx, key) => assignNumbers(ctx, [{ kind: 'dcim.device', key }])
        await estateKernel(db).read((ctx) => want(ctx, 'answered'))
        await estateKernel(db).write(async (tx) => {
          await want(tx, 'lost')
          process.kill(process.pid, 'SIGKILL')
        })`
      const child = Bun.spawn([process.execPath, '--no-env-file', '-e', script], { stderr: 'inherit' })
      await child.exited
      expect(child.signalCode).toBe('SIGKILL')
      const { db, close } = await openData(dataDir)
      const numbers = await assign(db, ['new', 'answered', ...DEVICES])
      await close()
      expect(numbers).toEqual([FIRST + 4, FIRST + 3, FIRST, FIRST + 1, FIRST + 2])
    })

    test('are answered while nothing can be written, and a new one is refused with 503', async () => {
      const { dataDir } = await createFolder()
      const { db, close } = await openData(dataDir)
      await db.write((tx) => sql`PRAGMA query_only = 1`.execute(tx.db))
      const [known, refused] = await Promise.allSettled([assign(db), assign(db, ['new'])])
      await close()
      expect(known).toEqual({ status: 'fulfilled', value: [FIRST, FIRST + 1, FIRST + 2] })
      expect(refused).toMatchObject({ status: 'rejected', reason: { status: 503, code: 'UNAVAILABLE' } })
    })
  })

// Left out rather than skipped, because a run on SQLite only is intended.
if (engines().includes('postgres')) {
  test(
    'a copy of the database to PostgreSQL and back keeps the numbers',
    async () => {
      const { folder, dataDir } = await createFolder()
      const { url, drop } = await postgresDatabase()
      const back = join(folder, 'back')
      await run({ DATA_DIR: dataDir }, 'database', 'copy', '--to', url)
      await run({ DATABASE_URL: url }, 'database', 'copy', '--to', `sqlite:${back}`)
      const app = await testApp({ env: { DATABASE_URL: url }, withJobs: false })
      const onPostgres = await read(app.db)
      await app.close()
      await drop()
      expect([onPostgres, await readFolder(back)]).toEqual([KEPT, KEPT])
    },
    START_TIMEOUT_MS,
  )

  describe('two instances', () => {
    let app: TestApp
    let second: Instance
    beforeAll(async () => {
      app = await testApp({ dialect: 'postgres', withJobs: false })
      second = await instanceBeside(app, { withJobs: false, withFirstAdmin: false })
    }, START_TIMEOUT_MS)
    afterAll(async () => {
      await second.close()
      await app.close()
    }, START_TIMEOUT_MS)

    test('give an object one number, and a number to one object', async () => {
      const keys = Array.from({ length: 400 }, (_, n) => `both-${n}`)
      const slice = (n: number): string[] => Array.from({ length: 40 }, (_, at) => keys[(n * 20 + at * 7) % 400] ?? '')
      const answers = await Promise.all(
        Array.from({ length: 40 }, async (_, n) => {
          const own = slice(n)
          const numbers = await assign((n % 2 === 0 ? app : second.plat).db, own)
          return own.map((key, at) => `${key} ${numbers[at]}`)
        }),
      )
      const pairs = new Set(answers.flat())
      const [used, numbers] = [0, 1].map((at) => new Set([...pairs].map((pair) => pair.split(' ')[at])))
      expect([pairs.size, numbers?.size]).toEqual([used?.size, used?.size])
    })

    test('read only the rows of the numbers that they need, without statistics of the table', async () => {
      const keys = Array.from({ length: 3000 }, (_, n) => `read-${n}`)
      await assign(app.db, keys)
      const rows = await estateKernel(app.db).write(async (tx) => {
        const wanted = keys.slice(0, 256).map((key) => ({ kind: 'dcim.device' as const, key }))
        await assignNumbers(tx, wanted)
        const { rows } = await sql<{ n: number }>`
          SELECT (seq_tup_read + idx_tup_fetch)::int AS n FROM pg_stat_xact_user_tables WHERE relname = 'netbox_ids'`.execute(
          tx.db,
        )
        return rows[0]?.n
      })
      // The statistics may have a few rows of an earlier transaction.
      expect(rows).toBeWithin(256, 1000)
    })

    test('see the numbers that the other one has just made', async () => {
      const [number = 0] = await assign(app.db, ['fresh'])
      const found = await estateKernel(second.plat.db).read((ctx) => findKeys(ctx, 'dcim.device', [number]))
      expect([...found]).toEqual([[number, 'fresh']])
    })
  })
}
