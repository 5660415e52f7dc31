// When the collector is asked to run; what that does to memory is measured by bench/discovery.ts.
import { expect, test } from 'bun:test'
import { setImmediate as turn } from 'node:timers/promises'
import { createRubbish } from './gc.ts'

const watched = () => {
  const runs: string[] = []
  const rubbish = createRubbish({ young: () => runs.push('young'), all: () => runs.push('all') })
  /** As a scan does, a batch after the other; what was asked for has been done when it resolves. */
  const leave = async (...batches: readonly number[]) => {
    for (const devices of batches) {
      rubbish.leave(devices)
      await turn()
    }
    return runs.splice(0)
  }
  return { rubbish, runs, leave }
}

test('the young are collected after each hundred devices, however few come at a time', async () => {
  const { leave } = watched()
  expect(await leave(99)).toEqual([])
  expect(await leave(1)).toEqual(['young'])
  expect(await leave(...Array(250).fill(1))).toEqual(['young', 'young'])
  expect(await leave(49, 1, 5000)).toEqual(['young', 'young'])
})

test('all are collected after each ten thousand, and are counted anew from there', async () => {
  const { leave } = watched()
  expect(await leave(4000, 5000)).toEqual(['young', 'young'])
  expect(await leave(1000, 9000)).toEqual(['all', 'young'])
  expect(await leave(999)).toEqual(['young'])
  // Those that fill the ten thousand, but not a hundred, wait for the rest.
  expect(await leave(1, 99)).toEqual(['all'])
})

test('nothing is collected before whoever calls is through with what it left', async () => {
  const { rubbish, runs } = watched()
  rubbish.leave(100)
  await Promise.resolve()
  expect(runs).toEqual([])
  await turn()
  expect(runs).toEqual(['young'])
})
