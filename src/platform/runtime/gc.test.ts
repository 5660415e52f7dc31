// When all is collected; what that does to memory over hours is measured by bench/soak.ts.
import { afterEach, beforeEach, expect, jest, test } from 'bun:test'
import { collectGarbageRegularly } from './gc.ts'

const MEBIBYTE = 1024 * 1024
const LONG_MS = 60_000

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

test('what has piled up is collected once, and again when it has piled up again', () => {
  const { heap, collecting } = watched(20)
  heap.size = 25
  jest.advanceTimersByTime(LONG_MS)
  expect(heap).toEqual({ size: 20, runs: 1 })
  heap.size = 21
  jest.advanceTimersByTime(LONG_MS)
  expect(heap).toEqual({ size: 20, runs: 2 })
  collecting.stop()
})

test('who has nothing to do collects nothing', () => {
  const { heap, collecting } = watched(20)
  heap.size = 20.9
  jest.advanceTimersByTime(LONG_MS)
  expect(heap.runs).toBe(0)
  collecting.stop()
})

test('what is kept after a collection counts as in use', () => {
  const { heap, collecting } = watched(40)
  heap.size = 50
  jest.advanceTimersByTime(LONG_MS)
  heap.size = 40.5
  jest.advanceTimersByTime(LONG_MS)
  expect(heap.runs).toBe(1)
  collecting.stop()
})

test('what the engine has collected by itself counts as collected', () => {
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
