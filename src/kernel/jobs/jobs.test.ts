import { afterEach, beforeEach, expect, jest, test } from 'bun:test'
import { type ThingsKernel, thingsKernel } from '../../../testing/app/kernel.ts'
import type { ThingTables } from '../../../testing/servers/database.ts'
import { AppError } from '../../contract/errors.ts'
import type { Job } from '../context.ts'
import { startScheduler } from './jobs.ts'

let things: ThingsKernel
beforeEach(async () => {
  things = await thingsKernel()
  jest.useFakeTimers()
})
afterEach(async () => {
  jest.useRealTimers()
  await things.close()
})

type Run = Job<ThingTables>['run']
const job = (run: Run, everyMs = 5000, name = 'test'): Job<ThingTables> => ({ name, summary: '', everyMs, run })
const start = (...jobs: readonly Job<ThingTables>[]) =>
  startScheduler({ kernel: things.kernel, jobs, leases: undefined, log: things.log, now: things.now })

/** Advances the clock second by second, and runs the ready work. */
const pass = async (seconds: number) => {
  for (let i = 0; i < seconds; i++) {
    things.clock.ms += 1000
    jest.advanceTimersByTime(1000)
    for (let turn = 0; turn < 20; turn++) await Promise.resolve()
  }
}

test('a job runs first after its interval, not at the start', async () => {
  let runs = 0
  const scheduler = start(job(async () => void runs++))
  await pass(4)
  expect(runs).toBe(0)
  await pass(1)
  expect(runs).toBe(1)
  await scheduler.stop()
})

test('a job runs again after each interval', async () => {
  let runs = 0
  const scheduler = start(job(async () => void runs++))
  await pass(20)
  expect(runs).toBe(4)
  await scheduler.stop()
})

test('a job that takes long never runs beside itself', async () => {
  const { promise, resolve } = Promise.withResolvers<void>()
  let runs = 0
  const slow: Run = () => {
    runs++
    return promise
  }
  const scheduler = start(job(slow))
  await pass(30)
  expect(runs).toBe(1)
  resolve()
  await pass(2)
  expect(runs).toBe(2)
  await scheduler.stop()
})

test('a long job delays no other', async () => {
  const { promise, resolve } = Promise.withResolvers<void>()
  let runs = 0
  const scheduler = start(
    job(() => promise, 5000, 'slow'),
    job(async () => void runs++, 5000, 'quick'),
  )
  await pass(15)
  expect(runs).toBe(3)
  resolve()
  await scheduler.stop()
})

test.each<[string, Run]>([
  ['rejects', () => Promise.reject(new Error('out of paper'))],
  [
    'throws at once',
    () => {
      throw new Error('out of paper')
    },
  ],
])('a job that %s is logged by its name and runs again', async (_, run) => {
  let runs = 0
  const scheduler = start(
    job((ctx) => {
      runs++
      return run(ctx)
    }),
  )
  await pass(10)
  expect([
    runs,
    things.entries.join('').includes('job=test'),
    things.entries.join('').includes('out of paper'),
  ]).toEqual([2, true, true])
  await scheduler.stop()
})

test('the scheduler reports its last tick', async () => {
  const scheduler = start()
  await pass(7)
  expect(scheduler.lastTick()).toBe(things.clock.ms)
  await scheduler.stop()
})

test('a stopped scheduler starts nothing', async () => {
  let runs = 0
  const scheduler = start(job(async () => void runs++))
  await scheduler.stop()
  await pass(20)
  expect(runs).toBe(0)
})

test('stopping waits for running jobs', async () => {
  const { promise, resolve } = Promise.withResolvers<void>()
  const scheduler = start(job(() => promise))
  await pass(5)
  let isStopped = false
  const stopping = scheduler.stop().then(() => {
    isStopped = true
  })
  await pass(1)
  expect(isStopped).toBe(false)
  resolve()
  await stopping
  expect(isStopped).toBe(true)
})

test('a job that fails because the database is away says so once, until it succeeds again', async () => {
  let isAway = true
  const scheduler = start(
    job(async () => {
      if (isAway) throw new AppError('UNAVAILABLE', 'nobody there')
    }),
  )
  const count = () => things.entries.filter((entry) => entry.includes('job failed')).length
  await pass(15)
  const first = count()
  isAway = false
  await pass(5)
  isAway = true
  await pass(10)
  expect([first, count()]).toEqual([1, 2])
  await scheduler.stop()
})
