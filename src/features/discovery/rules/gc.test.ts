// When garbage collection is triggered. bench/discovery.ts measures its effect on memory.
import { expect, test } from 'bun:test'
import { setImmediate as turn } from 'node:timers/promises'
import { createGcTrigger } from './gc.ts'

const watched = () => {
  const runs: string[] = []
  const gcTrigger = createGcTrigger({ young: () => runs.push('young'), all: () => runs.push('all') })
  /** Reports batches one after the other, as a scan does. Resolves after the collections that they trigger. */
  const leave = async (...batches: readonly number[]) => {
    for (const devices of batches) {
      gcTrigger.processed(devices)
      await turn()
    }
    return runs.splice(0)
  }
  return { gcTrigger, runs, leave }
}

test('the young are collected after each hundred devices, however few come at a time', async () => {
  const { leave } = watched()
  expect(await leave(99)).toEqual([])
  expect(await leave(1)).toEqual(['young'])
  expect(await leave(...Array(250).fill(1))).toEqual(['young', 'young'])
  expect(await leave(49, 1, 5000)).toEqual(['young', 'young'])
})

test('all are collected after each ten thousand, and the count starts again', async () => {
  const { leave } = watched()
  expect(await leave(4000, 5000)).toEqual(['young', 'young'])
  expect(await leave(1000, 9000)).toEqual(['all', 'young'])
  expect(await leave(999)).toEqual(['young'])
  // Those that fill the ten thousand, but not a hundred, wait for the rest.
  expect(await leave(1, 99)).toEqual(['all'])
})

test('nothing is collected before the caller has released the batch', async () => {
  const { gcTrigger, runs } = watched()
  gcTrigger.processed(100)
  await Promise.resolve()
  expect(runs).toEqual([])
  await turn()
  expect(runs).toEqual(['young'])
})
