/**
 * Garbage collection, so that memory grows neither with the age of the process nor with a scan:
 * docs/decisions/build.md#garbage-collection.
 */
import { fullGC, heapSize } from 'bun:jsc'

const EVERY_MS = 10_000
/** Growth since the last collection that starts the next one, in bytes. An idle server does not collect. */
const MIN_GROWTH = 1024 * 1024
/** Stored devices between two collections of young objects (about 1 ms each). */
const YOUNG_AFTER = 100
/** Stored devices between two collections of all objects. */
const ALL_AFTER = 10_000

type Heap = {
  /** Size of the objects that survived the last collection of young objects, in bytes. */
  readonly size: () => number
  /** Blocks the event loop for 20 to 30 ms. */
  readonly collect: () => void
}

/** Not `Bun.gc(true)`, which also discards compiled code: compiling it again takes more memory than is freed. */
const own: Heap = { size: heapSize, collect: fullGC }

/** Collects old objects at an interval. The engine itself would wait until the heap has doubled. */
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

/**
 * Returns a function that counts the devices that a scan stores: the engine itself collects after 100 MB of garbage. It collects in a
 * later turn of the event loop, when the caller has released the batch: objects that are in use become old ones.
 */
export const createScanCollector = (
  collect = { young: () => Bun.gc(false), all: own.collect },
): ((devices: number) => void) => {
  let sinceAll = 0
  // A slow scan reports a few devices at a time; they add up.
  let sinceYoung = 0
  const add = (devices: number): void => {
    sinceAll += devices
    sinceYoung += devices
    if (sinceYoung < YOUNG_AFTER) return
    sinceYoung = 0
    if (sinceAll >= ALL_AFTER) {
      sinceAll = 0
      collect.all()
    } else collect.young()
  }
  return (devices) => void setImmediate(add, devices)
}
