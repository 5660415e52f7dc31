/** Whom a request's credentials stand for: an API key or a session, its user, and what the user may do at this moment. */
import type { Config } from '../../platform/config.ts'
import type { Db } from '../../platform/db/database.ts'
import { createMemo, createRevisionCache } from '../../platform/db/revision-cache.ts'
import { AppError } from '../../platform/errors.ts'
import { credentialsOf } from '../../platform/http/credentials.ts'
import type { Caller, Identify, Identity } from '../../platform/kernel.ts'
import type { Logger } from '../../platform/log.ts'
import { secretHash } from '../../platform/secret-token.ts'
import { findKeyByHash } from '../keys/keys.ts'
import type { ApiKeyRow } from '../keys/table.ts'
import type { KeyUses } from '../keys/uses.ts'
import type { Tables } from '../tables.ts'
import { type Account, accountOf } from '../users/account.ts'
import { cookieFor } from './sessions.ts'
import type { Session, SessionStore } from './store.ts'

export type IdentifyOptions = {
  readonly db: Db<Tables>
  readonly config: Pick<Config, 'cookieSecure' | 'sessionTtlMs'>
  readonly sessions: SessionStore
  readonly keyUses: KeyUses
  readonly now: () => Date
  readonly log: Logger
}

/** A change to any of these may change who someone is. Uses of keys and expiries of sessions are kept elsewhere. */
const TABLES = ['users', 'roles', 'role_permissions', 'user_roles', 'api_keys', 'sessions'] as const
const MAX_ENTRIES = 10_000
/** A session's expiry moves no more often than this. */
const MAX_RENEW_AFTER_MS = 60_000

/** A session as this process last knew it: the expiry moves without a change of revision. */
type Live = { session: Session }

/** A key, and whom it stands for; nobody, where its user may not sign in. */
type Holder = { readonly key: ApiKeyRow; readonly identity: Identity | undefined }

const unauthorized = (message: string) => new AppError('UNAUTHORIZED', message)
const sessionEnded = () => unauthorized('The session has ended; sign in again')

const callerOf = (account: Account, via: Caller['via'], credentialId: string): Caller => ({
  userId: account.id,
  username: account.username,
  via,
  credentialId,
  permissions: account.permissions,
})

/**
 * @returns a function from a request's headers to its identity; undefined without credentials.
 * It throws AppError UNAUTHORIZED, EXPIRED_KEY or LEGACY_API_KEY_UNSUPPORTED for credentials that don't hold.
 */
export const createIdentify = (options: IdentifyOptions): Identify => {
  const { db, config, sessions, keyUses, now, log } = options
  const { sessionTtlMs } = config
  const renewAfterMs = Math.min(MAX_RENEW_AFTER_MS, sessionTtlMs / 10)
  const cookie = cookieFor(config)
  const scope = { db: db.read }

  const known = createRevisionCache({
    tables: TABLES,
    now,
    empty: () => ({
      holders: createMemo<Holder>(MAX_ENTRIES),
      sessions: createMemo<Live>(MAX_ENTRIES),
      accounts: createMemo<Account>(MAX_ENTRIES),
    }),
  })
  type Known = ReturnType<typeof known>

  const activeAccount = async ({ accounts }: Known, userId: string): Promise<Account | undefined> => {
    const account = await accounts(userId, () => accountOf(scope, userId))
    return account?.isActive ? account : undefined
  }

  const holderOf = async (current: Known, hash: string): Promise<Holder | undefined> => {
    const key = await findKeyByHash(scope, hash)
    if (!key) return undefined
    if (key.user_id === null) return { key, identity: undefined }
    const account = await activeAccount(current, key.user_id)
    return { key, identity: account && { caller: callerOf(account, 'key', key.id), isAmbient: false } }
  }

  const byKey = async (token: string, current: Known): Promise<Identity> => {
    const hash = secretHash(token)
    const holder = await current.holders(hash, () => holderOf(current, hash))
    if (!holder) throw unauthorized('The API key is not valid')
    const { key, identity } = holder
    if (key.user_id === null)
      throw new AppError('LEGACY_API_KEY_UNSUPPORTED', 'The API key belongs to no user; make a new one')
    const at = now()
    if (key.expires_at !== null && Date.parse(key.expires_at) <= at.getTime())
      throw new AppError('EXPIRED_KEY', 'The API key has expired')
    if (!identity) throw unauthorized('The API key is not valid')
    keyUses.note(key.id, at)
    return identity
  }

  /** Moves the expiry; undefined if another request does, or if it failed, which must not fail a request that is let in anyway. */
  const renew = async (live: Live, at: Date, token: string): Promise<string | undefined> => {
    const before = live.session
    // At once, so that the other requests of a page don't write it again.
    live.session = { ...before, renewedAt: at, expiresAt: new Date(at.getTime() + sessionTtlMs) }
    try {
      return (await sessions.renew(before, live.session)) ? cookie.set(token) : undefined
    } catch (error) {
      live.session = before
      log.warn('the expiry of a session could not be moved', { session_id: before.id, error })
      return undefined
    }
  }

  const liveSession = async ({ sessions: memo }: Known, hash: string, at: Date): Promise<Live | undefined> => {
    const read = async (): Promise<Live | undefined> => {
      const session = await sessions.find(hash)
      return session && { session }
    }
    const isOver = ({ session }: Live) => session.expiresAt <= at
    const remembered = sessions.isInDatabase ? await memo(hash, read) : await read()
    // Another process may have moved the expiry meanwhile.
    const live = remembered && isOver(remembered) ? await read() : remembered
    return live && !isOver(live) ? live : undefined
  }

  const bySession = async (token: string, current: Known): Promise<Identity> => {
    const at = now()
    const live = await liveSession(current, secretHash(token), at)
    if (!live) throw sessionEnded()
    const { id, userId, userGeneration } = live.session
    const account = await activeAccount(current, userId)
    if (account?.generation !== userGeneration) throw sessionEnded()
    // Read now: another request may have moved the expiry while this one waited.
    const isDue = at.getTime() - live.session.renewedAt.getTime() >= renewAfterMs
    const setCookie = isDue ? await renew(live, at, token) : undefined
    const identity: Identity = { caller: callerOf(account, 'session', id), isAmbient: true }
    return setCookie === undefined ? identity : { ...identity, setCookie }
  }

  return async (headers) => {
    const shown = credentialsOf(headers, cookie.name)
    if (!shown) return undefined
    const asked = db.standing()
    const standing = asked instanceof Promise ? await asked : asked
    const identity = await (shown.kind === 'bearer' ? byKey : bySession)(shown.token, known(standing))
    // Where the commits are this process's own, to ask again costs nothing.
    return db.sql.isInProcess ? identity : { ...identity, standing }
  }
}
