/** Where sessions live: the interface that the rules know, and the main database behind it; the only writer of its tables. */
import { type Config, ConfigError } from '../../platform/config.ts'
import type { Db } from '../../platform/db/database.ts'
import { violationOf } from '../../platform/db/violations.ts'
import { isSameHash } from '../../platform/secret-token.ts'
import type { Tables } from '../tables.ts'

export type Session = {
  readonly id: string
  readonly userId: string
  readonly userGeneration: number
  /** When the expiry was last moved. */
  readonly renewedAt: Date
  readonly expiresAt: Date
}

export type SessionStore = {
  readonly create: (session: Session, tokenHash: string) => Promise<void>
  /** Also one that has expired. A change of the store's tables in the main database tells that an answer may be outdated. */
  readonly find: (tokenHash: string) => Promise<Session | undefined>
  readonly renew: (session: Pick<Session, 'id' | 'renewedAt' | 'expiresAt'>) => Promise<void>
  readonly remove: (id: string) => Promise<void>
  /** Removes what has expired, and answers how many that were. */
  readonly purge: (now: Date) => Promise<number>
}

/** Sessions removed in one transaction. */
const PURGE_BATCH = 500

/** The store that SESSION_STORE_TYPE names. */
export const createSessionStore = (
  db: Db<Tables>,
  { sessionStoreType }: Pick<Config, 'sessionStoreType'>,
): SessionStore => {
  if (sessionStoreType !== 'sqlite')
    throw new ConfigError([`SESSION_STORE_TYPE: ${sessionStoreType} is not supported yet`])

  const remove = async (ids: readonly string[]): Promise<void> => {
    await db.write((tx) => tx.db.deleteFrom('sessions').where('id', 'in', ids).execute())
  }

  return {
    create: async (session, token_hash) => {
      const { id, userId, userGeneration, renewedAt, expiresAt } = session
      const created_at = renewedAt.toISOString()
      const row = { id, token_hash, user_id: userId, user_generation: userGeneration, created_at }
      const expiry = { session_id: id, renewed_at: created_at, expires_at: expiresAt.toISOString() }
      try {
        await db.write(async (tx) => {
          await tx.db.insertInto('sessions').values(row).execute()
          await tx.db.insertInto('session_expiries').values(expiry).execute()
        })
      } catch (error) {
        // The user was deleted a moment ago: the session is as void as one of an earlier generation.
        if (violationOf(error)?.kind !== 'foreign_key') throw error
      }
    },
    find: async (tokenHash) => {
      const row = await db.read
        .selectFrom('sessions')
        .innerJoin('session_expiries', 'session_expiries.session_id', 'sessions.id')
        .select(['id', 'token_hash', 'user_id', 'user_generation', 'renewed_at', 'expires_at'])
        .where('token_hash', '=', tokenHash)
        .executeTakeFirst()
      if (!row || !isSameHash(row.token_hash, tokenHash)) return undefined
      return {
        id: row.id,
        userId: row.user_id,
        userGeneration: row.user_generation,
        renewedAt: new Date(row.renewed_at),
        expiresAt: new Date(row.expires_at),
      }
    },
    renew: async ({ id, renewedAt, expiresAt }) => {
      await db.write((tx) =>
        tx.db
          .updateTable('session_expiries')
          .set({ renewed_at: renewedAt.toISOString(), expires_at: expiresAt.toISOString() })
          .where('session_id', '=', id)
          .execute(),
      )
    },
    remove: (id) => remove([id]),
    purge: async (now) => {
      let purged = 0
      for (;;) {
        const rows = await db.read
          .selectFrom('session_expiries')
          .select('session_id')
          .where('expires_at', '<=', now.toISOString())
          .limit(PURGE_BATCH)
          .execute()
        if (rows.length > 0) await remove(rows.map(({ session_id }) => session_id))
        purged += rows.length
        if (rows.length < PURGE_BATCH) return purged
      }
    },
  }
}
