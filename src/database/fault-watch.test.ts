import { describe, expect, test } from 'bun:test'
import { until } from '../../testing/until.ts'
import type { Fault } from '../base/disk/fault.ts'
import { createLogger } from '../base/runtime/log.ts'
import { AppError } from '../contract/errors.ts'
import { createFaultWatch } from './fault-watch.ts'

const FULL: Fault = { kind: 'full', reason: 'the disk is full', remedy: 'free some' }
const FAILING: Fault = { kind: 'failing', reason: 'the disk fails', remedy: 'replace it' }

class Failure extends Error {
  constructor(readonly fault: Fault) {
    super(fault.reason)
  }
}

/** A watch of a database whose next probes end as told; without an end it lasts. */
const watchOf = (...ends: readonly (Error | undefined)[]) => {
  const entries: string[] = []
  const left = [...ends]
  let tries = 0
  const watch = createFaultWatch({
    getFault: (error) => (error instanceof Failure ? error.fault : undefined),
    probe: async () => {
      tries++
      const error = left.length > 1 ? left.shift() : left[0]
      if (error) throw error
    },
    log: createLogger({ level: 'info', format: 'text', write: (entry) => entries.push(entry) }),
    everyMs: 5,
  })
  return {
    watch,
    tries: () => tries,
    ended: () => until('an end of the fault', () => (watch.current() === undefined ? true : undefined)),
    logged: () => entries.map((entry) => /(ERROR|INFO) +(.*?) (error|fault)=/s.exec(entry)?.slice(1, 3).join(' ')),
  }
}

describe('a fault of a database', () => {
  test('is known from its first error to the first write that succeeds, and logged once each', async () => {
    const { watch, ended, logged, tries } = watchOf(new Failure(FULL), new Failure(FULL), undefined)
    for (let i = 0; i < 10; i++) watch.noticed(new Failure(FULL))
    expect(watch.current()).toBe(FULL)
    await ended()
    expect(tries()).toBe(3)
    expect(logged()).toEqual(['ERROR the disk is full; free some', 'INFO changes are taken again'])
  })

  test('does not begin with an error of another kind, and is not probed without one', async () => {
    const { watch, tries } = watchOf(undefined)
    watch.noticed(new Error('a constraint'))
    watch.noticed(new AppError('NOT_FOUND', 'nothing'))
    await Bun.sleep(20)
    expect([watch.current(), tries()]).toEqual([undefined, 0])
  })

  test('lasts while the server does not answer', async () => {
    const { watch, tries } = watchOf(new AppError('UNAVAILABLE', 'nobody'))
    watch.noticed(new Failure(FULL))
    await until('three tries', () => (tries() >= 3 ? true : undefined))
    expect(watch.current()).toBe(FULL)
    watch.close()
  })

  test('that becomes another one is logged once more, and not at each change', async () => {
    const { watch, logged } = watchOf(new Failure(FULL))
    for (let i = 0; i < 4; i++) {
      watch.noticed(new Failure(FULL))
      watch.noticed(new Failure(FAILING))
    }
    watch.close()
    expect(logged()).toEqual(['ERROR the disk is full; free some', 'ERROR the disk fails; replace it'])
  })

  test('that returns soon is probed less often', async () => {
    const { watch, ended } = watchOf(undefined)
    const durations: number[] = []
    for (let i = 0; i < 4; i++) {
      const beganMs = performance.now()
      watch.noticed(new Failure(FULL))
      await ended()
      durations.push(performance.now() - beganMs)
    }
    expect(durations[3]).toBeGreaterThan(39)
  })
})
