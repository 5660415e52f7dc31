// When garbage is collected. bench/soak.ts measures what that does to memory over hours, bench/discovery.ts during a scan.
import { afterEach, beforeEach, describe, expect, jest, test } from 'bun:test'
import { setImmediate as turn } from 'node:timers/promises'
import { collectGarbageRegularly, createScanCollector } from './gc.ts'

const MEBIBYTE = 1024 * 1024
const LONG_MS = 60_000

describe('at an interval', () => {
  beforeEach(() => {
    jest.useFakeTimers()
  })
  afterEach(() => {
    jest.useRealTimers()
  })

  /** A heap of `size` mebibytes, of which a collection leaves `inUse`. */
  const watched = (inUse: number) => {
    const heap = { size: inUse, runs: 0 }
    const collecting = collectGarbageRegularly({
      size: () => heap.size * MEBIBYTE,
      collect: () => {
        heap.runs++
        heap.size = inUse
      },
    })
    return { heap, collecting }
  }

  test('accumulated garbage is collected once, and again when it has accumulated again', () => {
    const { heap, collecting } = watched(20)
    heap.size = 25
    jest.advanceTimersByTime(LONG_MS)
    expect(heap).toEqual({ size: 20, runs: 1 })
    heap.size = 21
    jest.advanceTimersByTime(LONG_MS)
    expect(heap).toEqual({ size: 20, runs: 2 })
    collecting.stop()
  })

  test('an idle server collects nothing', () => {
    const { heap, collecting } = watched(20)
    heap.size = 20.9
    jest.advanceTimersByTime(LONG_MS)
    expect(heap.runs).toBe(0)
    collecting.stop()
  })

  test('objects that survive a collection count as in use', () => {
    const { heap, collecting } = watched(40)
    heap.size = 50
    jest.advanceTimersByTime(LONG_MS)
    heap.size = 40.5
    jest.advanceTimersByTime(LONG_MS)
    expect(heap.runs).toBe(1)
    collecting.stop()
  })

  test('a collection of the engine counts too', () => {
    const heap = { size: 60, runs: 0 }
    const collecting = collectGarbageRegularly({ size: () => heap.size * MEBIBYTE, collect: () => heap.runs++ })
    heap.size = 20
    jest.advanceTimersByTime(LONG_MS)
    expect(heap.runs).toBe(0)
    heap.size = 25
    jest.advanceTimersByTime(LONG_MS)
    expect(heap.runs).toBe(1)
    collecting.stop()
  })

  test('after the end nothing is collected', () => {
    const { heap, collecting } = watched(20)
    collecting.stop()
    heap.size = 100
    jest.advanceTimersByTime(LONG_MS)
    expect(heap.runs).toBe(0)
  })
})

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
