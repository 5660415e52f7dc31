/** Smoothed round-trip time, as TCP keeps it (RFC 6298 section 2), and the wait that follows from it. Pure. */

const FEWEST_SAMPLES = 8

export type RoundTrip = {
  readonly add: (ms: number) => void
  readonly samples: () => number
  /** Undefined until there are enough answers to go by. */
  readonly timeoutMs: (bounds: { readonly leastMs: number; readonly mostMs: number }) => number | undefined
}

export const createRoundTrip = (): RoundTrip => {
  let smoothed = 0
  let variation = 0
  let samples = 0
  return {
    add: (ms) => {
      if (samples++ === 0) {
        smoothed = ms
        variation = ms / 2
        return
      }
      variation += (Math.abs(smoothed - ms) - variation) / 4
      smoothed += (ms - smoothed) / 8
    },
    samples: () => samples,
    timeoutMs: ({ leastMs, mostMs }) =>
      samples < FEWEST_SAMPLES ? undefined : Math.min(mostMs, Math.max(leastMs, 3 * (smoothed + 4 * variation))),
  }
}
