/** Measures how fast a client takes an answer, only while the answer waits for the client. Pure. */

export type PaceLimits = {
  /** A client that takes nothing for this many ms counts as silent. */
  readonly silentMs: number
  /** The window over which the minimum pace is measured, in ms. */
  readonly windowMs: number
  /** The minimum number of bytes that a client takes in a window. */
  readonly leastBytes: number
  /** The longest pause of a client that was faster before, in ms. */
  readonly longestPauseMs: number
}

/** 16 KiB/s over 10 s. `curl --limit-rate 40k` begins with up to 9 MB, and then pauses for some minutes. */
export const PACE_LIMITS: PaceLimits = {
  silentMs: 1000,
  windowMs: 10_000,
  leastBytes: 160 * 1024,
  longestPauseMs: 300_000,
}

type Sample = { readonly ms: number; readonly taken: number }

export type Pace = {
  /** @param elapsedMs time in which the answer waited @param taken bytes of the whole answer taken at its end */
  readonly waited: (elapsedMs: number, taken: number) => void
  /** Records that the client has taken everything. Measuring starts again with the next interval. */
  readonly caughtUp: () => void
  /** Returns true if the client has taken nothing for at least `silentMs`. */
  readonly isSilent: () => boolean
  /** Returns true if the client took less than `leastBytes` in the last `windowMs`, and not enough more than that before. */
  readonly isTooSlow: () => boolean
}

/** @example const pace = createPace(PACE_LIMITS); pace.waited(1000, 0); pace.isTooSlow() */
export const createPace = ({ silentMs, windowMs, leastBytes, longestPauseMs }: PaceLimits): Pace => {
  const leastBytesPerMs = leastBytes / windowMs
  let samples: Sample[] = []
  /** Totals of all samples but the first, which only marks the start of the second. */
  let totalMs = 0
  let unchangedMs = 0
  let takenBefore = 0
  /** Bytes taken beyond the minimum pace, since the start of the answer. */
  let aheadBytes = 0
  let hasMoved = false

  const noteAhead = (elapsedMs: number, taken: number): void => {
    const sum = aheadBytes + taken - takenBefore - leastBytesPerMs * elapsedMs
    aheadBytes = Math.min(sum, leastBytesPerMs * longestPauseMs)
    takenBefore = taken
  }

  const last = (): Sample | undefined => samples.at(-1)

  return {
    waited: (elapsedMs, taken) => {
      const before = last()
      noteAhead(before ? elapsedMs : 0, taken)
      if (before) {
        hasMoved ||= taken !== before.taken
        totalMs += elapsedMs
        unchangedMs = taken === before.taken ? unchangedMs + elapsedMs : 0
      }
      samples.push({ ms: elapsedMs, taken })
      // The window begins with the oldest sample that it needs.
      for (let second = samples[1]; second && totalMs - second.ms >= windowMs; second = samples[1]) {
        totalMs -= second.ms
        samples.shift()
      }
    },
    caughtUp: () => {
      if (samples.length > 0) samples = []
      totalMs = 0
      unchangedMs = 0
    },
    isSilent: () => unchangedMs >= silentMs,
    isTooSlow: () => {
      if (totalMs < windowMs || (last()?.taken ?? 0) - (samples[0]?.taken ?? 0) >= leastBytes) return false
      // The system reports what a client takes late and in large steps, and the last piece as not taken at all.
      return aheadBytes + (hasMoved ? leastBytes : 0) < 0
    },
  }
}
