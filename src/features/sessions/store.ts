/** Where sessions live: the interface that the rules know. */
import type { Kysely } from 'kysely'
import type { Tables } from '../tables.ts'

export type Session = {
  readonly id: string
  readonly userId: string
  /** The user's generation at sign-in; a user of another one has ended this session. */
  readonly userGeneration: number
  readonly createdAt: Date
  /** When the expiry was last moved. */
  readonly renewedAt: Date
  readonly expiresAt: Date
  /** Whence the sign-in came; '' where nobody knows. */
  readonly ipAddress: string
  readonly userAgent: string
}

/** Any of these throws AppError UNAVAILABLE while the store can't be reached. */
export type SessionStore = {
  /** Whether a change of a session is a change of revision of the tables `sessions` and `users`, so that answers may be kept until then. */
  readonly isInDatabase: boolean
  readonly create: (session: Session, tokenHash: string) => Promise<void>
  /** Also one that has expired. As that transaction sees it, where sessions are in the database. */
  readonly find: (tokenHash: string, tx?: Kysely<Tables>) => Promise<Session | undefined>
  readonly get: (id: string) => Promise<Session | undefined>
  /** Those of the ids that there are, also where they have expired. */
  readonly getAll: (ids: readonly string[]) => Promise<Session[]>
  /** Those that have expired or are of another generation may be among them. */
  readonly list: (userId: string) => Promise<Session[]>
  /** Answers whether it moved the expiry of the session as it was found: of requests at one time, one does. */
  readonly renew: (found: Session, to: Pick<Session, 'renewedAt' | 'expiresAt'>) => Promise<boolean>
  /** In that transaction, where sessions are in the database. */
  readonly remove: (id: string, tx?: Kysely<Tables>) => Promise<void>
  /** Removes what has expired, and answers how many that were. Given a job's way to write it is kept from writing as that is. */
  readonly purge: (now: Date, write?: Write) => Promise<number>
  readonly close: () => void
}

/** Runs work in a transaction. */
export type Write = (work: (tx: Kysely<Tables>) => Promise<void>) => Promise<void>
