/** Limits the rate of probes: a token bucket, read in ticks. Independent of the kind of probe. */

export const TICK_MS = 2
/** No more than this much leaves at once: a burst loses more probes than it saves time. */
const MAX_BURST_MS = 20
/** And no more than this much is caught up after a stall, a burst at a time. */
const MAX_DEBT_MS = 100
const LEAST_PER_SECOND = 20

export type Pacer = {
  /** Number of probes that may be sent now; they count as sent. */
  readonly take: () => number
  /** Returns unused tokens. */
  readonly giveBack: (count: number) => void
  /** @returns the new rate */
  readonly halve: () => number
  readonly perSecond: () => number
}

export const createPacer = (perSecond: number, now: () => number = () => performance.now()): Pacer => {
  let rate = perSecond
  let tokens = 0
  let last = now()
  return {
    take: () => {
      const at = now()
      tokens = Math.min(tokens + ((at - last) * rate) / 1000, Math.max(1, (rate * MAX_DEBT_MS) / 1000))
      last = at
      const whole = Math.floor(Math.min(tokens, Math.max(1, (rate * MAX_BURST_MS) / 1000)))
      tokens -= whole
      return whole
    },
    giveBack: (count) => {
      tokens += count
    },
    halve: () => {
      // One that is slower than that by plan stays as it is.
      rate = Math.min(rate, Math.max(LEAST_PER_SECOND, Math.round(rate / 2)))
      return rate
    },
    perSecond: () => rate,
  }
}

/** Resolves at the next tick. */
export const waitForTick = (): Promise<void> => Bun.sleep(TICK_MS)
