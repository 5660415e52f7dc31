/** The interface of session stores. */
import type { Kysely } from 'kysely'
import type { Valkey } from '../../base/runtime/valkey.ts'
import type { Tables } from '../../database/tables.ts'
import type { SignInMethod } from './api.ts'

export type Session = {
  readonly id: string
  readonly userId: string
  /** The user's generation at sign-in. A new generation of the user ends the session. */
  readonly userGeneration: number
  readonly createdAt: Date
  /** The time of the last renewal. */
  readonly renewedAt: Date
  readonly expiresAt: Date
  /** The address of the sign-in; '' if unknown. */
  readonly ipAddress: string
  readonly userAgent: string
  readonly method: SignInMethod
  /** The provider of a sign-in by single sign-on. */
  readonly providerId: string | null
  /** When it ends, used or not; null without such a limit. */
  readonly endsAt: Date | null
}

/** All methods throw AppError UNAVAILABLE while the store is unavailable. */
export type SessionStore = {
  /** True if a change of a session changes the revisions of the tables `sessions` and `users`. */
  readonly isInDatabase: boolean
  /** The server that stores the sessions, unless they are in the database. */
  readonly server?: Pick<Valkey, 'check' | 'isUp'>
  readonly create: (session: Session, tokenHash: string) => Promise<void>
  /** Includes expired sessions. Reads in the given transaction if sessions are in the database. */
  readonly find: (tokenHash: string, tx?: Kysely<Tables>) => Promise<Session | undefined>
  readonly get: (id: string) => Promise<Session | undefined>
  /** Returns the existing sessions of the ids, also expired ones. */
  readonly getAll: (ids: readonly string[]) => Promise<Session[]>
  /** May include sessions that have expired or are of another generation. Reads in the given transaction as `find` does. */
  readonly list: (userId: string, tx?: Kysely<Tables>) => Promise<Session[]>
  /** Renews the session if it is unchanged since it was found. @returns false if a concurrent request was first */
  readonly renew: (found: Session, to: Pick<Session, 'renewedAt' | 'expiresAt'>) => Promise<boolean>
  /** Removes in the given transaction if sessions are in the database. */
  readonly remove: (id: string, tx?: Kysely<Tables>) => Promise<void>
  /** Removes expired sessions. @param write the fenced write of a job @returns their number */
  readonly purge: (now: Date, write?: Write) => Promise<number>
  readonly close: () => void
}

/** Runs work in a transaction. */
export type Write = (work: (tx: Kysely<Tables>) => Promise<void>) => Promise<void>
