/** Finds standbys that are too far behind, by the time at which the primary had the position that they have replayed. */
import type { HostState } from '../../../base/hosts/primary.ts'
import { parsePosition } from './wal-position.ts'

/** A standby that is further behind is not asked. */
const MOST_BEHIND_MS = 10_000

export type StandbyLag = {
  /** Adds the answers of the hosts at a moment. */
  readonly sample: (atMs: number, states: readonly Pick<HostState, 'host' | 'replayedLsn' | 'lagBytes'>[]) => void
  /** Returns true for a standby that was too far behind and has not caught up since. */
  readonly isLeft: (host: string) => boolean
  /** Forgets all positions: they cannot be compared with positions of another timeline. */
  readonly reset: () => void
}

/** Positions of the primary beside positions of one standby, oldest first. */
type Flushed = { readonly atMs: number; readonly bytes: bigint }[]

export const createStandbyLag = (): StandbyLag => {
  const flushedBeside = new Map<string, Flushed>()
  const left = new Set<string>()

  const checkLag = (atMs: number, host: string, replayed: bigint, flushed: bigint): void => {
    const flushes = flushedBeside.get(host) ?? []
    flushedBeside.set(host, flushes)
    if (flushes.at(-1)?.bytes !== flushed) flushes.push({ atMs, bytes: flushed })
    // One of the older positions is enough.
    while (flushes.length > 1 && (flushes[1]?.atMs ?? atMs) < atMs - 2 * MOST_BEHIND_MS) flushes.shift()
    const missing = flushes.findIndex(({ bytes }) => bytes > replayed)
    const sinceMs = flushes[missing]?.atMs ?? atMs
    if (atMs - sinceMs > MOST_BEHIND_MS) left.add(host)
    else if (missing < 0 || missing === flushes.length - 1) left.delete(host)
  }

  return {
    sample: (atMs, states) => {
      for (const { host, replayedLsn, lagBytes } of states) {
        if (replayedLsn === undefined || lagBytes === undefined) continue
        const replayed = parsePosition(replayedLsn)
        checkLag(atMs, host, replayed, replayed + BigInt(lagBytes))
      }
    },
    isLeft: (host) => left.has(host),
    reset: () => {
      flushedBeside.clear()
      left.clear()
    },
  }
}
