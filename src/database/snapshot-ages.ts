/**
 * Tracks the ages of the snapshots that streams hold on PostgreSQL. Each holds a connection and prevents the server
 * from removing old rows. A snapshot that is too old is recalled, and a younger one as well if other streams wait.
 */

/** Older snapshots are recalled. Including the time until they are released, they last less than 30 s. */
const OLDEST_MS = 15_000
/** The limit if all connections are in use. */
const OLDEST_WANTED_MS = 1000
const LOOK_MS = 500

type Listener = (beforeMs: number) => void

export type SnapshotAges = {
  readonly listen: (listener: Listener) => void
  /** Adds a snapshot. @returns a function to call when it has ended */
  readonly enter: () => () => void
  readonly close: () => void
}

/** @param most maximum number at a time; further ones wait */
export const createSnapshotAges = (most: number, oldestMs = OLDEST_MS): SnapshotAges => {
  const open = new Set<{ readonly sinceMs: number }>()
  let listener: Listener = () => {}
  let timer: ReturnType<typeof setInterval> | undefined

  const look = (): void => {
    const [oldest] = open
    if (!oldest) return
    const beforeMs = performance.now() - (open.size > most ? OLDEST_WANTED_MS : oldestMs)
    if (oldest.sinceMs < beforeMs) listener(beforeMs)
  }

  const stop = (): void => {
    clearInterval(timer)
    timer = undefined
  }

  return {
    listen: (other) => {
      listener = other
    },
    enter: () => {
      const one = { sinceMs: performance.now() }
      open.add(one)
      if (!timer) {
        timer = setInterval(look, LOOK_MS)
        timer.unref()
      }
      return () => {
        open.delete(one)
        if (open.size === 0) stop()
      }
    },
    close: stop,
  }
}
