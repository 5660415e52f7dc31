/**
 * The ages of the snapshots that streams hold on PostgreSQL: each holds a connection, and keeps the server from removing old rows. One that
 * is too old is due back, and so is a younger one that others wait for.
 */

/** An older one is due back. With the time that it takes to be given back, it is less than 30 s. */
const OLDEST_MS = 15_000
/** Where all connections are taken. */
const OLDEST_WANTED_MS = 1000
const LOOK_MS = 500

type Listener = (beforeMs: number) => void

export type SnapshotAges = {
  readonly listen: (listener: Listener) => void
  /** Counts one more. @returns to be called when it has ended */
  readonly enter: () => () => void
  readonly close: () => void
}

/** @param most how many there may be at one time; the others wait */
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
