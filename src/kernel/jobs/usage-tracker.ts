/** Records the last use of credentials: in memory on the request path, in the database periodically. */
import type { Db, Tx } from '../../database/database.ts'

/** A use is recorded again only after this time, so the shown time is exact to a minute. */
const PRECISION_MS = 60_000

export type Use = {
  /** RFC 3339 in UTC with milliseconds. */
  readonly usedAt: string
  /** The address of the client; '' if it is unknown. */
  readonly client: string
}

export type LastUsed = {
  /**
   * Costs a map lookup; never waits and never fails.
   * @param clientOf returns the address of the client; called only for a use that is recorded
   */
  readonly note: (id: string, at: Date, clientOf?: () => string) => void
  /** Writes the uses since the last flush in one transaction; does nothing if there were none. */
  readonly flush: () => Promise<void>
}

type Noted = { readonly ms: number; readonly client: string }

/** @param record writes one use; the used object may no longer exist */
export const createLastUsed = <Tables>(
  db: Pick<Db<Tables>, 'write'>,
  record: (tx: Tx<Tables>, id: string, use: Use) => Promise<void>,
): LastUsed => {
  /** The last recorded use of each id, in milliseconds: at most one entry per id used within the precision. */
  const noted = new Map<string, number>()
  let pending = new Map<string, Noted>()

  const forgetOld = (newest: number): void => {
    for (const [id, at] of noted) if (newest - at >= PRECISION_MS) noted.delete(id)
  }

  return {
    note: (id, at, clientOf = () => '') => {
      const ms = at.getTime()
      const last = noted.get(id)
      if (last !== undefined && ms - last < PRECISION_MS) return
      noted.set(id, ms)
      pending.set(id, { ms, client: clientOf() })
    },
    flush: async () => {
      if (pending.size === 0) return
      const batch = pending
      pending = new Map()
      forgetOld(Math.max(...[...batch.values()].map(({ ms }) => ms)))
      try {
        await db.write(async (tx) => {
          // Sorted, so that two processes cannot deadlock.
          for (const [id, { ms, client }] of [...batch].sort(([a], [b]) => (a < b ? -1 : 1)))
            await record(tx, id, { usedAt: new Date(ms).toISOString(), client })
        })
      } catch (error) {
        // An entry noted during the write is newer.
        pending = new Map([...batch, ...pending])
        throw error
      }
    },
  }
}
