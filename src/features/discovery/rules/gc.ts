/** Triggers garbage collection while a scan is stored: on its own the collector runs only after 100 MB of garbage. */
import { collectGarbage } from '../../../platform/runtime/gc.ts'

/** Devices between two collections of the young generation (about 1 ms each). */
const YOUNG_AFTER = 100
/** Devices between two full collections. Each blocks the event loop for about 30 ms. */
const ALL_AFTER = 10_000

export type GcTrigger = {
  /** Counts devices that were stored. Collects in a later turn of the event loop. */
  readonly processed: (devices: number) => void
}

type Collector = { readonly young: () => void; readonly all: () => void }

const own: Collector = { young: () => Bun.gc(false), all: collectGarbage }

export const createGcTrigger = (collector = own): GcTrigger => {
  let left = 0
  // A slow scan reports a few devices at a time; they add up.
  let young = 0

  const collect = (devices: number): void => {
    left += devices
    young += devices
    if (young < YOUNG_AFTER) return
    young = 0
    if (left >= ALL_AFTER) {
      left = 0
      collector.all()
    } else collector.young()
  }

  return {
    // Deferred until the caller has released the batch: objects it still holds would be promoted to the old generation.
    processed: (devices) => {
      setImmediate(collect, devices)
    },
  }
}
