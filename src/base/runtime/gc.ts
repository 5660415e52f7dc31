/** Garbage collection during a scan: docs/decisions/build.md#garbage-collection. */
import { fullGC } from 'bun:jsc'

/** Stored devices between two collections of young objects (about 1 ms each). */
const YOUNG_AFTER = 100
/** Stored devices between two collections of all objects. */
const ALL_AFTER = 10_000

/**
 * Returns a function that counts the devices that a scan stores: the engine itself collects after 100 MB of garbage. It collects in a
 * later turn of the event loop, when the caller has released the batch: objects that are in use become old ones.
 */
export const createScanCollector = (
  // `all` is not `Bun.gc(true)`, which also discards compiled code: compiling it again takes more memory than is freed.
  collect = { young: () => Bun.gc(false), all: fullGC },
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
