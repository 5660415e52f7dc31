/** Checks in the stores that credentials of long-lived responses are still valid, without renewing them. */

import { AppError } from '../../contract/errors.ts'
import type { Db } from '../../database/database.ts'
import type { Tables } from '../../database/tables.ts'
import type { Caller } from '../../kernel/caller.ts'
import type { Requirement } from '../factors/requirement.ts'
import { findKeysByIds } from '../keys/keys.ts'
import { type KeyLimits, limitRights, toLimits } from '../keys/limits.ts'
import { type Account, findAccounts } from '../users/account.ts'
import type { Session, SessionStore } from './store.ts'

/** The credential of an admitted caller. */
export type Credential = Pick<Caller, 'via' | 'credentialId' | 'keyHash'>

/** Names a credential: a session by its id, and a key by its value, of which it may have two. */
export const getCredentialName = ({ credentialId, keyHash }: Credential): string => keyHash ?? credentialId ?? ''

export type Held = {
  readonly permissions: ReadonlySet<string>
  /** The others, with the scopes in which they are held. */
  readonly scopedPermissions?: NonNullable<Caller['scopedPermissions']>
  /** In ms since the epoch; infinite without an expiry. */
  readonly expiresMs: number
}

/** The valid credentials by `getCredentialName`; no session while their store is away. @throws if the database is unavailable */
export type CheckCredentials = (credentials: readonly Credential[]) => Promise<ReadonlyMap<string, Held>>

type CheckOptions = {
  readonly db: Db<Tables>
  readonly sessions: SessionStore
  readonly requirement: Requirement
  readonly now: () => Date
}

/** The fields of a session or key that decide if it has ended. */
type Stored = {
  readonly name: string
  readonly userId: string
  /** The generation of the user; undefined for keys, which a new generation does not end. */
  readonly generation?: number
  readonly expiresMs: number
  /** Set for a key. */
  readonly limits?: KeyLimits
  /** Set for a session. */
  readonly method?: Session['method']
}

export const createCredentialCheck = ({ db, sessions, requirement, now }: CheckOptions): CheckCredentials => {
  const scope = { db: db.read }

  const findSessions = async (ids: readonly string[]): Promise<Session[]> => {
    try {
      return await sessions.getAll(ids)
    } catch (error) {
      if (!sessions.isInDatabase && error instanceof AppError && error.code === 'UNAVAILABLE') return []
      throw error
    }
  }

  const findStoredSessions = async (ids: readonly string[]): Promise<Stored[]> =>
    (await findSessions(ids)).map(({ id, userId, userGeneration, expiresAt, method }) => ({
      name: id,
      userId,
      generation: userGeneration,
      expiresMs: expiresAt.getTime(),
      method,
    }))

  const findStoredKeys = async (ids: readonly string[]): Promise<Stored[]> =>
    (await findKeysByIds(scope, ids)).flatMap((key) => {
      const { user_id, key_hash, previous_hash, previous_expires_at } = key
      if (user_id === null) return []
      const expiresMs = key.expires_at === null ? Infinity : Date.parse(key.expires_at)
      const one = { name: key_hash, userId: user_id, expiresMs, limits: toLimits(key) }
      if (previous_hash === null || previous_expires_at === null) return one
      return [one, { ...one, name: previous_hash, expiresMs: Math.min(expiresMs, Date.parse(previous_expires_at)) }]
    })

  return async (credentials) => {
    const listIds = (via: Caller['via']): string[] => [
      ...new Set(credentials.flatMap((one) => (one.via === via ? (one.credentialId ?? []) : []))),
    ]
    const stored = (await Promise.all([findStoredSessions(listIds('session')), findStoredKeys(listIds('key'))])).flat()
    const accounts = await findAccounts(scope, [...new Set(stored.map(({ userId }) => userId))])
    const incomplete = new Set<string>()
    for (const { method, userId } of stored)
      if (method === 'password' && (await requirement.isMissing(scope, userId))) incomplete.add(userId)
    const atMs = now().getTime()
    /** Returns when the credential is refused because its user has not signed in by a provider. */
    const getRefusedMs = ({ generation, method }: Stored, account: Account): number => {
      // Keys sleep, and sessions do not.
      if (generation === undefined) return account.sleepsMs
      return method === 'passkey' ? account.passkeysUntilMs : Infinity
    }
    const holds = (one: Stored, account: Account | undefined): account is Account =>
      account?.isActive === true &&
      Math.min(one.expiresMs, getRefusedMs(one, account)) > atMs &&
      (one.generation === undefined || one.generation === account.generation)
    return new Map(
      stored.flatMap((one) => {
        const account = accounts.get(one.userId)
        if (!holds(one, account) || (one.method === 'password' && incomplete.has(one.userId))) return []
        const { name, limits, expiresMs } = one
        // Their areas are not compared.
        const { permissions, scopedPermissions } = limits ? limitRights(account, limits) : account
        const held = { permissions, ...(scopedPermissions && { scopedPermissions }) }
        return [[name, { ...held, expiresMs: Math.min(expiresMs, getRefusedMs(one, account)) }] as const]
      }),
    )
  }
}
