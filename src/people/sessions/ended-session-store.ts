/**
 * The sessions of an external store that were ended before they expired. An older copy of that store cannot revive them. The only
 * writer of its table.
 */
import type { Kysely } from 'kysely'
import type { Db } from '../../database/database.ts'
import { preparedKeys } from '../../database/query/prepared-lists.ts'
import type { Tables } from '../../database/tables.ts'
import type { Write } from './store.ts'

/** The number of rows deleted in one transaction. */
const PURGE_BATCH = 500

const selectEnded = preparedKeys<Tables, { id: string }>((db, ids) =>
  db.selectFrom('ended_sessions').select('id').where('id', 'in', ids),
)

/** Returns the ids of ended sessions. Takes no connection that a writer needs. */
export const findEnded = async (db: Db<Tables>, ids: readonly string[]): Promise<ReadonlySet<string>> =>
  new Set((await selectEnded({ db: db.quick, store: db }, ids)).map(({ id }) => id))

/** @param expiresAt from when on the session would be invalid by itself */
export const recordEnd = (db: Db<Tables>, id: string, expiresAt: Date): Promise<unknown> =>
  db.write((tx) =>
    tx.db
      .insertInto('ended_sessions')
      .values({ id, expires_at: expiresAt.toISOString() })
      .onConflict((conflict) => conflict.column('id').doNothing())
      .execute(),
  )

const deleteEnds = (tx: Kysely<Tables>, ids: readonly string[]) =>
  tx.deleteFrom('ended_sessions').where('id', 'in', ids).execute()

/** Deletes what is not needed any more. @returns the number of deleted rows */
export const removeExpiredEnds = async (db: Db<Tables>, now: Date, write: Write): Promise<number> => {
  let purged = 0
  for (;;) {
    const rows = await db.read
      .selectFrom('ended_sessions')
      .select('id')
      .where('expires_at', '<=', now.toISOString())
      .limit(PURGE_BATCH)
      .execute()
    const ids = rows.map(({ id }) => id)
    if (ids.length > 0) await write(async (tx) => void (await deleteEnds(tx, ids)))
    purged += ids.length
    if (ids.length < PURGE_BATCH) return purged
  }
}
