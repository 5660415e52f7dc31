/** When keys were last used: noted in memory on the request path, written now and then away from it. */
import type { Db } from '../../platform/db/database.ts'
import type { Tables } from '../tables.ts'
import { recordKeyUse } from './keys.ts'

/** A use is noted again only after this time: what is shown is true to the minute. */
const PRECISION_MS = 60_000

export type KeyUses = {
  /** Takes a map lookup; never waits and never fails. */
  readonly note: (keyId: string, at: Date) => void
  /** Writes what was noted since the last flush, in one transaction; none if there is nothing. */
  readonly flush: () => Promise<void>
}

export const createKeyUses = (db: Db<Tables>): KeyUses => {
  /** The last use noted of each key, in milliseconds: at most one entry per key used within the precision. */
  const noted = new Map<string, number>()
  let pending = new Map<string, number>()

  const forgetOld = (newest: number): void => {
    for (const [id, at] of noted) if (newest - at >= PRECISION_MS) noted.delete(id)
  }

  return {
    note: (keyId, at) => {
      const ms = at.getTime()
      const last = noted.get(keyId)
      if (last !== undefined && ms - last < PRECISION_MS) return
      noted.set(keyId, ms)
      pending.set(keyId, ms)
    },
    flush: async () => {
      if (pending.size === 0) return
      const batch = pending
      pending = new Map()
      forgetOld(Math.max(...batch.values()))
      try {
        await db.write(async (tx) => {
          // Sorted, so that two processes never wait for each other crosswise.
          for (const [id, ms] of [...batch].sort(([a], [b]) => (a < b ? -1 : 1)))
            await recordKeyUse(tx, id, new Date(ms).toISOString())
        })
      } catch (error) {
        // What was noted meanwhile is newer.
        pending = new Map([...batch, ...pending])
        throw error
      }
    },
  }
}
