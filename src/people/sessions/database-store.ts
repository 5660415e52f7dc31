/** Sessions in the main database; the only writer of its tables. */
import type { Kysely } from 'kysely'
import { isSameHash } from '../../base/security/secret-token.ts'
import type { Db } from '../../database/database.ts'
import { splitBatches } from '../../database/query/batches.ts'
import type { Tables } from '../../database/tables.ts'
import { getViolation } from '../../database/violations.ts'
import type { Session, SessionStore } from './store.ts'
import type { SessionExpiryRow, SessionRow } from './table.ts'

/** The number of sessions deleted in one transaction. */
const PURGE_BATCH = 500

const toSession = (row: SessionRow & SessionExpiryRow): Session => ({
  id: row.id,
  userId: row.user_id,
  userGeneration: row.user_generation,
  createdAt: new Date(row.created_at),
  renewedAt: new Date(row.renewed_at),
  expiresAt: new Date(row.expires_at),
  ipAddress: row.ip_address,
  userAgent: row.user_agent,
  method: row.method,
  providerId: row.provider_id,
  endsAt: row.ends_at === null ? null : new Date(row.ends_at),
})

export const createDatabaseStore = (db: Db<Tables>): SessionStore => {
  // Uses an index, and not a connection that a writer needs, because a write may call this while it holds one.
  const query = (from: Kysely<Tables> = db.quick) =>
    from.selectFrom('sessions').innerJoin('session_expiries', 'session_expiries.session_id', 'sessions.id').selectAll()

  const remove = async (ids: readonly string[], tx: Kysely<Tables>): Promise<void> => {
    await tx.deleteFrom('sessions').where('id', 'in', ids).execute()
  }

  return {
    isInDatabase: true,
    create: async (session, token_hash) => {
      const row: SessionRow = {
        id: session.id,
        token_hash,
        user_id: session.userId,
        user_generation: session.userGeneration,
        created_at: session.createdAt.toISOString(),
        ip_address: session.ipAddress,
        user_agent: session.userAgent,
        method: session.method,
        provider_id: session.providerId,
        ends_at: session.endsAt?.toISOString() ?? null,
      }
      const expiry: SessionExpiryRow = {
        session_id: session.id,
        renewed_at: session.renewedAt.toISOString(),
        expires_at: session.expiresAt.toISOString(),
      }
      try {
        await db.write(async (tx) => {
          await tx.db.insertInto('sessions').values(row).execute()
          await tx.db.insertInto('session_expiries').values(expiry).execute()
        })
      } catch (error) {
        // The user was just deleted: the session is as invalid as one of an earlier generation.
        if (getViolation(error)?.kind !== 'foreign_key') throw error
      }
    },
    find: async (tokenHash, tx) => {
      const row = await query(tx).where('token_hash', '=', tokenHash).executeTakeFirst()
      return row && isSameHash(row.token_hash, tokenHash) ? toSession(row) : undefined
    },
    get: async (id) => {
      const row = await query().where('id', '=', id).executeTakeFirst()
      return row && toSession(row)
    },
    getAll: async (ids) => {
      const found: Session[] = []
      for (const some of splitBatches(ids))
        found.push(...(await query().where('id', 'in', some).execute()).map(toSession))
      return found
    },
    list: async (userId, tx) => (await query(tx).where('user_id', '=', userId).execute()).map(toSession),
    // Within a process, `identify` ensures that only one request renews it.
    renew: async ({ id }, { renewedAt, expiresAt }) => {
      await db.write((tx) =>
        tx.db
          .updateTable('session_expiries')
          .set({ renewed_at: renewedAt.toISOString(), expires_at: expiresAt.toISOString() })
          .where('session_id', '=', id)
          .execute(),
      )
      return true
    },
    remove: (id, tx) => (tx ? remove([id], tx) : db.write((own) => remove([id], own.db))),
    purge: async (now, write = (work) => db.write((tx) => work(tx.db))) => {
      let purged = 0
      for (;;) {
        const rows = await db.read
          .selectFrom('session_expiries')
          .select('session_id')
          .where('expires_at', '<=', now.toISOString())
          .limit(PURGE_BATCH)
          .execute()
        const ids = rows.map(({ session_id }) => session_id)
        if (ids.length > 0) await write((tx) => remove(ids, tx))
        purged += rows.length
        if (rows.length < PURGE_BATCH) return purged
      }
    },
    close: () => {},
  }
}
