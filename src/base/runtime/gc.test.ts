// When garbage is collected. bench/discovery.ts measures what that does to memory during a scan.
import { describe, expect, test } from 'bun:test'
import { setImmediate as turn } from 'node:timers/promises'
import { createScanCollector } from './gc.ts'

describe('during a scan', () => {
  const watched = () => {
    const runs: string[] = []
    const collectAfter = createScanCollector({ young: () => runs.push('young'), all: () => runs.push('all') })
    /** Reports batches one after the other, as a scan does. Resolves after the collections that they trigger. */
    const report = async (...batches: readonly number[]) => {
      for (const devices of batches) {
        collectAfter(devices)
        await turn()
      }
      return runs.splice(0)
    }
    return { collectAfter, runs, report }
  }

  test('young objects are collected after each hundred devices, however few come at a time', async () => {
    const { report } = watched()
    expect(await report(99)).toEqual([])
    expect(await report(1)).toEqual(['young'])
    expect(await report(...Array(250).fill(1))).toEqual(['young', 'young'])
    expect(await report(49, 1, 5000)).toEqual(['young', 'young'])
  })

  test('all objects are collected after each ten thousand, and the count starts again', async () => {
    const { report } = watched()
    expect(await report(4000, 5000)).toEqual(['young', 'young'])
    expect(await report(1000, 9000)).toEqual(['all', 'young'])
    expect(await report(999)).toEqual(['young'])
    // The messages that fill the ten thousand, but not a hundred, wait for the rest.
    expect(await report(1, 99)).toEqual(['all'])
  })

  test('nothing is collected before the caller has released the batch', async () => {
    const { collectAfter, runs } = watched()
    collectAfter(100)
    await Promise.resolve()
    expect(runs).toEqual([])
    await turn()
    expect(runs).toEqual(['young'])
  })
})
