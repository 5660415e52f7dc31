// Leases of jobs: timed by the clock of the database, and refused to a holder that has lost its lease.
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'bun:test'
import { sql } from 'kysely'
import { type ThingsKernel, thingsKernel } from '../../../testing/app/kernel.ts'
import { engines } from '../../../testing/servers/servers.ts'
import { until } from '../../../testing/until.ts'
import type { Db } from '../../database/database.ts'
import { getDdl } from '../../database/migrate.ts'
import { instances } from '../../database/migrations/0018-instances.ts'
import type { Job } from '../context.ts'
import { createJobLeases, type JobTables, type StartedJob } from './job-leases.ts'
import { startScheduler } from './jobs.ts'
import { createLeases } from './leases.ts'

const TIMEOUT_MS = 60_000
const SHORT_MS = 300
const LONG_MS = 60_000

// Left out rather than skipped, because a run on SQLite only is intended. There one process has the database.
if (engines().includes('postgres')) {
  let things: ThingsKernel
  let db: Db<JobTables>
  beforeAll(async () => {
    things = await thingsKernel([], 'postgres')
    // The tables of the migration and the tables of the test.
    db = things.db as unknown as Db<JobTables>
    const [table = ''] = instances.statements(getDdl('postgres'))
    await sql.raw(table).execute(db.read)
  }, TIMEOUT_MS)
  beforeEach(() => db.write((tx) => tx.db.deleteFrom('job_leases').execute()))
  afterAll(() => things.close())

  const newJob = async (name: string, isDue = true) => {
    const one = createJobLeases(db, LONG_MS)
    await one.register([{ name, isDue }])
    return one
  }
  const seen = async (name: string) => {
    const state = (await createJobLeases(db).list()).find((one) => one.name === name)
    if (!state) throw new Error(`there is no job ${name}`)
    return state
  }

  const renew = ({ held }: StartedJob) =>
    db.write((tx) =>
      createLeases('job_leases', 'name', { lastsMs: LONG_MS }).renew(
        { db: tx.db, store: db, now: new Date().toISOString() },
        held,
      ),
    )

  describe('a lease', () => {
    test('goes to one of several concurrent claimants', async () => {
      await newJob('sweep')
      const state = await seen('sweep')
      const taken = await Promise.all(Array.from({ length: 8 }, () => createJobLeases(db, LONG_MS).take(state)))
      expect(taken.filter((lease) => lease !== undefined)).toHaveLength(1)
    })

    test('cannot be taken while it lasts', async () => {
      const one = await newJob('sweep')
      await one.take(await seen('sweep'))
      expect(await createJobLeases(db, LONG_MS).take(await seen('sweep'))).toBeUndefined()
    })

    test('can be taken after its holder was silent', async () => {
      await newJob('sweep')
      await createJobLeases(db, SHORT_MS).take(await seen('sweep'))
      const state = await until('the end of the lease', async () => {
        const now = await seen('sweep')
        return now.isLeft ? now : undefined
      })
      expect(await createJobLeases(db, LONG_MS).take(state)).toMatchObject({ fence: 2 })
    })

    test('that is renewed lasts', async () => {
      await newJob('sweep')
      const one = createJobLeases(db, LONG_MS)
      const lease = await one.take(await seen('sweep'))
      if (!lease) throw new Error('nobody else wanted it')
      expect(await renew(lease)).toBe(true)
    })

    test('that another has taken is not renewed', async () => {
      await newJob('sweep')
      const one = createJobLeases(db, 1)
      const lease = await one.take(await seen('sweep'))
      if (!lease) throw new Error('nobody else wanted it')
      await until('another holder', async () => createJobLeases(db, LONG_MS).take(await seen('sweep')))
      expect(await renew(lease)).toBe(false)
    })

    test('tells its holder that another has taken it', async () => {
      await newJob('sweep')
      const one = createJobLeases(db, 1)
      const lease = await one.take(await seen('sweep'))
      if (!lease) throw new Error('nobody else wanted it')
      await until('another holder', async () => createJobLeases(db, LONG_MS).take(await seen('sweep')))
      const { promise: lost, resolve } = Promise.withResolvers<void>()
      const stop = one.keep(lease.held, resolve)
      await lost
      stop()
      expect([...lease.held.keys]).toEqual([])
    })

    test('is measured by the clock of the database, whatever that of a process says', async () => {
      const one = await newJob('sweep')
      await one.take(await seen('sweep'))
      const { now_ms } = await db.read
        .selectFrom('job_leases')
        .select(db.sql.nowMs(Date.now() + 24 * 60 * LONG_MS).as('now_ms'))
        .executeTakeFirstOrThrow()
      expect(Math.abs(Number(now_ms) - Date.now())).toBeLessThan(LONG_MS)
    })

    test('can be taken once it is returned', async () => {
      const one = await newJob('sweep')
      const lease = await one.take(await seen('sweep'))
      if (!lease) throw new Error('nobody else wanted it')
      await one.release(lease.held)
      expect(await createJobLeases(db).take(await seen('sweep'))).toMatchObject({ fence: 2 })
    })
  })

  test('a job that is known is not put down again', async () => {
    const one = await newJob('sweep', false)
    const before = await seen('sweep')
    await one.register([{ name: 'sweep', isDue: true }])
    expect((await seen('sweep')).sinceMs).toBeLessThan(before.sinceMs + LONG_MS)
  })

  describe('two schedulers on one database', () => {
    type Run = Job<never>['run']
    const start = (name: string, run: Run, { everyMs = LONG_MS, lastsMs = LONG_MS, onEveryInstance = false } = {}) =>
      startScheduler({
        kernel: things.kernel as never,
        jobs: [{ name, summary: '', everyMs, runsAtStart: true, ...(onEveryInstance && { onEveryInstance }), run }],
        leases: createJobLeases(db, lastsMs),
        log: things.log,
        now: () => new Date(),
      })

    test.each([-25, 25])('give a job the time of the database: a clock that is %d h ahead', async (hours) => {
      const now = () => new Date(Date.now() + hours * 3_600_000)
      let at: string | undefined
      const run: Run = async (ctx) => {
        at = ctx.now
      }
      const scheduler = startScheduler({
        kernel: things.kernel.over({ now }) as never,
        jobs: [{ name: `skewed ${hours}`, summary: '', everyMs: LONG_MS, runsAtStart: true, run }],
        leases: createJobLeases(db, LONG_MS),
        log: things.log,
        now,
      })
      const found = await until('the time of the job', () => at)
      await scheduler.stop()
      expect(Math.abs(Date.parse(found) - Date.now())).toBeLessThan(60_000)
    })

    test('run a job that is due once', async () => {
      let runs = 0
      const both = [start('once', async () => void runs++), start('once', async () => void runs++)]
      await until('a tick of both', () => (both.every(({ lastTick }) => lastTick() > 0) && runs > 0 ? true : undefined))
      // Jobs that have begun by now have ended after this.
      await Promise.all(both.map(({ stop }) => stop()))
      expect([runs, (await seen('once')).fence]).toEqual([1, 1])
    })

    test('both run one that is for every instance', async () => {
      const runs = new Set<number>()
      const both = [0, 1].map((n) => start('own', async () => void runs.add(n), { onEveryInstance: true }))
      expect(await until('a run of each', () => (runs.size === 2 ? runs.size : undefined))).toBe(2)
      await Promise.all(both.map(({ stop }) => stop()))
    })

    test('one takes over a job of the other, which writes nothing any more', async () => {
      const { promise: resumed, resolve: resume } = Promise.withResolvers<void>()
      const outcomes: string[] = []
      const { promise: ended, resolve: end } = Promise.withResolvers<void>()
      // Like a process that was suspended: it does not renew, and later continues.
      const stalled = createJobLeases(db, 1)
      await stalled.register([{ name: 'left', isDue: true }])
      const lease = await stalled.take(await seen('left'))
      if (!lease) throw new Error('nobody else wanted it')
      const running = things.kernel.runJob(
        {
          name: 'left',
          summary: '',
          everyMs: LONG_MS,
          run: async (ctx) => {
            await resumed
            await ctx.write((inner) =>
              inner.db.insertInto('things').values({ id: 'late', n: 0, owner_id: null }).execute(),
            )
          },
        },
        { fence: stalled.fence(lease.held) },
      )
      const other = start('left', async () => {
        outcomes.push('done by the other')
        end()
      })
      await ended
      resume()
      await expect(running).rejects.toThrow('was taken over by another instance')
      await other.stop()
      expect([outcomes, await things.ids()]).toEqual([['done by the other'], []])
    })
  })
}
