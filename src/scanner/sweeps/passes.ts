/** Number of passes of a sweep: more, and slower, when earlier passes have lost many replies. */

import type { ScanContext } from '../scan-context.ts'
import type { Pacer } from './pacer.ts'

/** That may be added. */
const MOST_MORE = 3
/** Share of new hosts in a pass that indicates a limited reply rate, and not chance loss. */
const LIMITED_SHARE = 0.15
const FEWEST_LIMITED = 8

export type Passes = {
  readonly count: () => number
  /** Evaluates a finished pass; `before` is the number of hosts known at its start. */
  readonly after: (pass: number, before: number) => void
}

export type PassesOptions = {
  readonly tries: number
  /** Continues until a pass finds no new host, up to a limit. */
  readonly isThorough: boolean
  readonly pacer: Pacer
}

export const createPasses = (
  { findings, reporter, signal }: ScanContext,
  { tries, isThorough, pacer }: PassesOptions,
): Passes => {
  let count = tries
  return {
    count: () => count,
    after: (pass, before) => {
      if (signal.aborted) return
      const found = findings.up.count() - before
      const isLimited = pass > 0 && found >= Math.max(FEWEST_LIMITED, before * LIMITED_SHARE)
      if (isLimited)
        reporter.note(`halved the rate to ${pacer.halve()} probes a second: pass ${pass + 1} found ${found} more hosts`)
      const wantsMore = isLimited || (isThorough && found > 0)
      if (wantsMore && pass === count - 1 && pass < tries + MOST_MORE - 1) count++
    },
  }
}
