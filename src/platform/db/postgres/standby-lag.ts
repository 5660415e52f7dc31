/** Measures how far standbys are behind, by the time at which the primary had the position that they have replayed. */
import { bytesOf } from './wal-position.ts'

/** A standby that is further behind is not asked. */
const MOST_BEHIND_MS = 10_000

export type ReplayedPosition = { readonly host: string; readonly replayed: string }

export type StandbyLag = {
  /** Adds the positions of one moment. @param flushed that of the primary */
  readonly sample: (atMs: number, flushed: string, standbys: readonly ReplayedPosition[]) => void
  /** Returns true for a standby that was too far behind and has not caught up since. */
  readonly isLeft: (host: string) => boolean
  /** Forgets all positions: they are not comparable with those of another timeline. */
  readonly reset: () => void
}

export const createStandbyLag = (): StandbyLag => {
  /** Positions of the primary, oldest first. */
  let flushes: { readonly atMs: number; readonly bytes: bigint }[] = []
  const left = new Set<string>()

  return {
    sample: (atMs, flushed, standbys) => {
      const bytes = bytesOf(flushed)
      if (flushes.at(-1)?.bytes !== bytes) flushes.push({ atMs, bytes })
      // Of the older ones, one is enough.
      while (flushes.length > 1 && (flushes[1]?.atMs ?? atMs) < atMs - 2 * MOST_BEHIND_MS) flushes.shift()
      for (const { host, replayed } of standbys) {
        const has = bytesOf(replayed)
        const missing = flushes.findIndex((one) => one.bytes > has)
        const behindMs = missing < 0 ? 0 : atMs - (flushes[missing]?.atMs ?? atMs)
        if (behindMs > MOST_BEHIND_MS) left.add(host)
        // It has what the primary had at the look before this one, at least.
        else if (missing < 0 || missing === flushes.length - 1) left.delete(host)
      }
    },
    isLeft: (host) => left.has(host),
    reset: () => {
      flushes = []
      left.clear()
    },
  }
}
