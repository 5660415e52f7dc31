/** Records the last use of credentials: in memory on the request path, in the database periodically. */
import type { Db, Tx } from '../db/database.ts'

/** A use is recorded again only after this time, so the shown time is exact to a minute. */
const PRECISION_MS = 60_000

export type LastUsed = {
  /** Costs a map lookup; never waits and never fails. */
  readonly note: (id: string, at: Date) => void
  /** Writes the uses since the last flush in one transaction; does nothing if there were none. */
  readonly flush: () => Promise<void>
}

/** @param record writes one use; the used object may no longer exist */
export const createLastUsed = <Tables>(
  db: Pick<Db<Tables>, 'write'>,
  record: (tx: Tx<Tables>, id: string, usedAt: string) => Promise<void>,
): LastUsed => {
  /** The last recorded use of each id, in milliseconds: at most one entry per id used within the precision. */
  const noted = new Map<string, number>()
  let pending = new Map<string, number>()

  const forgetOld = (newest: number): void => {
    for (const [id, at] of noted) if (newest - at >= PRECISION_MS) noted.delete(id)
  }

  return {
    note: (id, at) => {
      const ms = at.getTime()
      const last = noted.get(id)
      if (last !== undefined && ms - last < PRECISION_MS) return
      noted.set(id, ms)
      pending.set(id, ms)
    },
    flush: async () => {
      if (pending.size === 0) return
      const batch = pending
      pending = new Map()
      forgetOld(Math.max(...batch.values()))
      try {
        await db.write(async (tx) => {
          // Sorted, so that two processes cannot deadlock.
          for (const [id, ms] of [...batch].sort(([a], [b]) => (a < b ? -1 : 1)))
            await record(tx, id, new Date(ms).toISOString())
        })
      } catch (error) {
        // An entry noted during the write is newer.
        pending = new Map([...batch, ...pending])
        throw error
      }
    },
  }
}
