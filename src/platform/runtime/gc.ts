/** Collects what has piled up, so that a server takes no more memory after a month than in its first hour: docs/decisions/collecting.md. */
import { fullGC, heapSize } from 'bun:jsc'

const EVERY_MS = 10_000
/** Less than this is left to the engine: who has nothing to do stays idle. In bytes. */
const WORTH = 1024 * 1024

type Heap = {
  /** What lived through the last look at what is young, in bytes. */
  readonly size: () => number
  /** Blocks the event loop for 20 to 30 ms. */
  readonly collect: () => void
}

/** Not `Bun.gc(true)`, which also discards compiled code: compiling it again takes more memory than is freed. */
export const collectGarbage = (): void => {
  fullGC()
}

const own: Heap = { size: heapSize, collect: collectGarbage }

/** Left to itself, the engine lets what is old and no longer in use lie until it is as much again as what is in use. */
export const collectGarbageRegularly = (heap = own): { readonly stop: () => void } => {
  let kept = heap.size()
  const timer = setInterval(() => {
    const size = heap.size()
    // The engine collects by itself as well.
    kept = Math.min(kept, size)
    if (size - kept < WORTH) return
    heap.collect()
    kept = heap.size()
  }, EVERY_MS)
  timer.unref()
  return { stop: () => clearInterval(timer) }
}
