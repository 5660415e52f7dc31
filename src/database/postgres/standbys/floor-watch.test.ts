import { expect, test } from 'bun:test'
import { until } from '../../../../testing/until.ts'
import { createFloorWatch } from './floor-watch.ts'

const KNOWN = ['0058-a', '0059-b']
const REFUSAL = 'The database needs a newer Plat'

/** Watches a database. The test sets its floor; an error stands for an unreachable database. */
const watched = (everyMs?: number) => {
  const database: { floor: string | Error; looks: number } = { floor: '0058-a', looks: 0 }
  const watch = createFloorWatch(async () => {
    database.looks++
    if (database.floor instanceof Error) throw database.floor
    return database.floor
  }, everyMs)
  return { database, watch }
}
const work = async () => 'done'

test('nothing is checked before its start', async () => {
  const { database, watch } = watched()
  database.floor = '0060-c'
  await watch.check()
  expect(await watch.whenKnown(work)).toBe('done')
})

test('work runs while the floor is known, or there is none', async () => {
  const { database, watch } = watched()
  watch.start(KNOWN, () => {})
  for (database.floor of ['0058-a', '0059-b', '']) await watch.check()
  expect(await watch.whenKnown(work)).toBe('done')
  watch.stop()
})

test('an unknown floor is reported once, and work is refused from then on', async () => {
  const { database, watch } = watched()
  let told = 0
  watch.start(KNOWN, () => told++)
  database.floor = '0060-c'
  const checks = await Promise.allSettled([watch.check(), watch.check()])
  database.floor = '0058-a'
  const later = await Promise.allSettled([watch.check(), watch.whenKnown(work)])
  const reasons = [...checks, ...later].map((result) => result.status === 'rejected' && String(result.reason.message))
  expect(reasons).toEqual(Array(4).fill(REFUSAL))
  expect(told).toBe(1)
})

test('it is noticed without a request, also after the database was away', async () => {
  const { database, watch } = watched(1)
  const { promise: told, resolve } = Promise.withResolvers<void>()
  database.floor = new Error('away')
  watch.start(KNOWN, resolve)
  await until('second check while it is away', () => database.looks > 1 || undefined)
  expect(await watch.whenKnown(work)).toBe('done')
  database.floor = '0060-c'
  await told
  expect(watch.whenKnown(work)).rejects.toThrow(REFUSAL)
})
