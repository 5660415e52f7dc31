/** Regular garbage collection, so that memory does not grow with the age of the process: docs/decisions/collecting.md. */
import { fullGC, heapSize } from 'bun:jsc'

const EVERY_MS = 10_000
/** Growth since the last collection that starts the next one, in bytes. An idle server does not collect. */
const MIN_GROWTH = 1024 * 1024

type Heap = {
  /** Size of the objects that survived the last collection of young objects, in bytes. */
  readonly size: () => number
  /** Blocks the event loop for 20 to 30 ms. */
  readonly collect: () => void
}

/** Not `Bun.gc(true)`, which also discards compiled code: compiling it again takes more memory than is freed. */
export const collectGarbage = (): void => {
  fullGC()
}

const own: Heap = { size: heapSize, collect: collectGarbage }

/** Collects old objects at an interval. The engine alone would wait until the heap has doubled. */
export const collectGarbageRegularly = (heap = own): { readonly stop: () => void } => {
  let kept = heap.size()
  const timer = setInterval(() => {
    const size = heap.size()
    // The engine also collects without this timer.
    kept = Math.min(kept, size)
    if (size - kept < MIN_GROWTH) return
    heap.collect()
    kept = heap.size()
  }, EVERY_MS)
  timer.unref()
  return { stop: () => clearInterval(timer) }
}
