/** Checks in the stores that credentials of long-lived responses are still valid, without renewing them. */

import { AppError } from '../../platform/contract/errors.ts'
import type { Db } from '../../platform/db/database.ts'
import type { Caller } from '../../platform/operation/caller.ts'
import { keysOf } from '../keys/keys.ts'
import type { Tables } from '../tables.ts'
import { type Account, accountsOf } from '../users/account.ts'
import type { Session, SessionStore } from './store.ts'

/** The credential of an admitted caller. */
export type Credential = Pick<Caller, 'via' | 'credentialId'>

export type Held = {
  readonly permissions: ReadonlySet<string>
  /** In ms since the epoch; infinite without an expiry. */
  readonly expiresMs: number
}

/** The valid credentials by id; no session while their store is away. @throws if the database is unavailable */
export type CheckCredentials = (credentials: readonly Credential[]) => Promise<ReadonlyMap<string, Held>>

type CheckOptions = { readonly db: Db<Tables>; readonly sessions: SessionStore; readonly now: () => Date }

/** The fields of a session or key that decide if it has ended. */
type Stored = {
  readonly id: string
  readonly userId: string
  /** The generation of the user; undefined for keys, which a new generation does not end. */
  readonly generation?: number
  readonly expiresMs: number
}

export const createCredentialCheck = ({ db, sessions, now }: CheckOptions): CheckCredentials => {
  const scope = { db: db.read }

  const allSessions = async (ids: readonly string[]): Promise<Session[]> => {
    try {
      return await sessions.getAll(ids)
    } catch (error) {
      if (!sessions.isInDatabase && error instanceof AppError && error.code === 'UNAVAILABLE') return []
      throw error
    }
  }

  const storedSessions = async (ids: readonly string[]): Promise<Stored[]> =>
    (await allSessions(ids)).map(({ id, userId, userGeneration, expiresAt }) => ({
      id,
      userId,
      generation: userGeneration,
      expiresMs: expiresAt.getTime(),
    }))

  const storedKeys = async (ids: readonly string[]): Promise<Stored[]> =>
    (await keysOf(scope, ids)).flatMap(({ id, user_id, expires_at }) =>
      user_id === null
        ? []
        : { id, userId: user_id, expiresMs: expires_at === null ? Infinity : Date.parse(expires_at) },
    )

  return async (credentials) => {
    const idsOf = (via: Caller['via']): string[] => [
      ...new Set(credentials.flatMap((one) => (one.via === via ? (one.credentialId ?? []) : []))),
    ]
    const stored = (await Promise.all([storedSessions(idsOf('session')), storedKeys(idsOf('key'))])).flat()
    const accounts = await accountsOf(scope, [...new Set(stored.map(({ userId }) => userId))])
    const atMs = now().getTime()
    const holds = ({ generation, expiresMs }: Stored, account: Account | undefined): account is Account =>
      account?.isActive === true && expiresMs > atMs && (generation ?? account.generation) === account.generation
    return new Map(
      stored.flatMap((one) => {
        const account = accounts.get(one.userId)
        if (!holds(one, account)) return []
        return [[one.id, { permissions: account.permissions, expiresMs: one.expiresMs }] as const]
      }),
    )
  }
}
