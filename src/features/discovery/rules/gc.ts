/** Asks the collector to run where a scan leaves much behind: left to itself, it lets 100 MB pile up first. */
import { collectGarbage } from '../../../platform/runtime/gc.ts'

/** After so many devices it is worth a look at what is young, which takes a millisecond. */
const YOUNG_AFTER = 100
/** What has lived through some of those is looked at once after so many: it takes 30 ms, in which nobody is answered. */
const ALL_AFTER = 10_000

export type Rubbish = { readonly leave: (devices: number) => void }

type Collector = { readonly young: () => void; readonly all: () => void }

const own: Collector = { young: () => Bun.gc(false), all: collectGarbage }

export const createRubbish = (collector = own): Rubbish => {
  let left = 0
  // A slow scan tells of a few at a time: they add up.
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
    // Only when whoever calls is through with them: what is still held then counts as something that lasts.
    leave: (devices) => {
      setImmediate(collect, devices)
    },
  }
}
