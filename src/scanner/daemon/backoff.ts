/** Waits between attempts and between requests, and wakes of loops that wait. */

const FIRST_MS = 1000
const LONGEST_MS = 60_000

/** Returns 1, 2, 4 ... 60 s with jitter: a half to the whole of it. @param attempt 0 for the first wait */
export const computeBackoff = (attempt: number, random: () => number = Math.random): number => {
  const fullMs = Math.min(LONGEST_MS, FIRST_MS * 2 ** Math.min(attempt, 16))
  return fullMs * (0.5 + random() / 2)
}

export type Wakes = {
  /** Resolves at the next `wake`, or after the time. */
  readonly wait: (ms?: number) => Promise<void>
  readonly wake: () => void
}

/** A wake before a wait ends that at once. */
export const createWakes = (): Wakes => {
  let isWoken = false
  let resume: (() => void) | undefined
  return {
    wait: (ms) =>
      new Promise((resolve) => {
        if (isWoken) {
          isWoken = false
          resolve()
          return
        }
        const finish = (): void => {
          clearTimeout(timer)
          resume = undefined
          resolve()
        }
        const timer = ms === undefined ? undefined : setTimeout(finish, ms)
        resume = () => {
          isWoken = false
          finish()
        }
      }),
    wake: () => {
      isWoken = true
      resume?.()
    },
  }
}

export type Pacer = () => Promise<void>

export type PacerClock = { readonly nowMs: () => number; readonly sleep: (ms: number) => Promise<void> }

const CLOCK: PacerClock = { nowMs: () => performance.now(), sleep: (ms) => Bun.sleep(ms) }

/** Returns a function that resolves at most once in this time, in the order of the calls. */
export const createPacer = (everyMs: number, { nowMs, sleep }: PacerClock = CLOCK): Pacer => {
  let nextAtMs = Number.NEGATIVE_INFINITY
  return async () => {
    const now = nowMs()
    const atMs = Math.max(now, nextAtMs)
    nextAtMs = atMs + everyMs
    if (atMs > now) await sleep(atMs - now)
  }
}
