/** Identifies the caller of a request: by an API key or a session, with its user and the user's current permissions. */

import { AppError } from '../../platform/contract/errors.ts'
import { memoized } from '../../platform/db/cache/revision-cache.ts'
import type { Db, ReadPoint, Tx } from '../../platform/db/database.ts'
import { credentialsOf } from '../../platform/http/credentials.ts'
import type { Caller } from '../../platform/operation/caller.ts'
import { createRights } from '../../platform/operation/read-rights.ts'
import type { Identify, Identity } from '../../platform/operation/request.ts'
import type { Rights } from '../../platform/operation/rights.ts'
import type { Config } from '../../platform/runtime/config/config.ts'
import type { Logger } from '../../platform/runtime/log.ts'
import { secretHash } from '../../platform/security/secret-token.ts'
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

/** The tables that determine the identity of a caller; uses of keys and expiries are in others. */
const TABLES = ['users', 'roles', 'role_permissions', 'user_roles', 'api_keys', 'sessions'] as const
const COMMON = ['roles', 'role_permissions', 'user_roles'] as const
/** The shortest time between two renewals of a session, in ms. */
const MAX_RENEW_AFTER_MS = 60_000
/** A write reads a session from an external store again if the last answer is older than this. */
const ASK_AGAIN_MS = 100

/** A session as this process last read it. Its expiry moves without a change of the revision. */
type Live = { session: Session; readMs: number; rights?: Rights }

/** A key and its rights; without rights if its user may not sign in. */
type Holder = { readonly key: ApiKeyRow; readonly rights: Rights | undefined }

/** Looks up credentials. */
type Source = {
  /** Undefined in a transaction. */
  readonly readPoint: ReadPoint | undefined
  readonly holder: (hash: string) => Promise<Holder | undefined>
  readonly live: (hash: string, read: () => Promise<Live | undefined>) => Promise<Live | undefined>
  readonly session: (hash: string) => Promise<Session | undefined>
  readonly account: (userId: string) => Promise<Account | undefined>
}

const unauthorized = (message: string) => new AppError('UNAUTHORIZED', message)
const sessionEnded = () => unauthorized('The session has ended; sign in again')

const callerOf = (account: Account, via: Caller['via'], credentialId: string): Caller => ({
  userId: account.id,
  username: account.username,
  via,
  credentialId,
  permissions: account.permissions,
})

/** @throws AppError UNAUTHORIZED, EXPIRED_KEY or LEGACY_API_KEY_UNSUPPORTED for invalid credentials */
export const createIdentify = (options: IdentifyOptions): Identify => {
  const { db, config, sessions, keyUses, now, log } = options
  const { sessionTtlMs } = config
  const renewAfterMs = Math.min(MAX_RENEW_AFTER_MS, sessionTtlMs / 10)
  const cookie = cookieFor(config)

  /** Caches the lookups of one revision. */
  const committed = (revision: string, readPoint: ReadPoint): Source => {
    const holders = memoized<Holder | undefined>(db.cache.at('key holders', revision))
    const lives = memoized<Live | undefined>(db.cache.at('live sessions', revision))
    const accounts = memoized<Account | undefined>(db.cache.at('user accounts', revision))
    // A write may call this while it holds a connection, so it must not wait for another one.
    const scope = { db: db.quick }
    const source: Source = {
      readPoint,
      holder: (hash) => holders(hash, () => holderOf(scope, source, hash)),
      live: (hash, read) => (sessions.isInDatabase ? lives(hash, read) : read()),
      session: (hash) => sessions.find(hash),
      account: (userId) => accounts(userId, () => accountOf(scope, userId)),
    }
    return source
  }

  const within = (tx: Tx<Tables>): Source => {
    const source: Source = {
      readPoint: undefined,
      holder: (hash) => holderOf(tx, source, hash),
      live: (_, read) => read(),
      session: (hash) => sessions.find(hash, tx.db),
      account: (userId) => accountOf(tx, userId),
    }
    return source
  }

  const { sourceAt, rightsOf } = createRights<Tables, Source>({
    db,
    tables: TABLES,
    common: COMMON,
    now,
    committed,
    within,
  })

  const activeAccount = async ({ account: find }: Source, userId: string): Promise<Account | undefined> => {
    const account = await find(userId)
    return account?.isActive ? account : undefined
  }

  const isExpired = ({ expires_at }: ApiKeyRow): boolean =>
    expires_at !== null && Date.parse(expires_at) <= now().getTime()

  const holderOf = async (scope: Pick<Tx<Tables>, 'db'>, source: Source, hash: string): Promise<Holder | undefined> => {
    const key = await findKeyByHash(scope, hash)
    if (!key) return undefined
    if (key.user_id === null) return { key, rights: undefined }
    const account = await activeAccount(source, key.user_id)
    const rights =
      account &&
      rightsOf({
        caller: {
          ...callerOf(account, 'key', key.id),
          keyName: key.name,
          ...(key.feed_id !== null && { feedId: key.feed_id }),
        },
        readPoint: source.readPoint,
        rows: [
          { table: 'users', where: { id: account.id, is_active: 1 } },
          { table: 'api_keys', where: { id: key.id, expires_at: key.expires_at } },
        ],
        isOver: () => isExpired(key),
        again: (from) => byKey(hash, from),
      })
    return { key, rights }
  }

  const byKey = async (hash: string, source: Source): Promise<Rights> => {
    const holder = await source.holder(hash)
    if (!holder) throw unauthorized('The API key is not valid')
    const { key, rights } = holder
    if (key.user_id === null)
      throw new AppError('LEGACY_API_KEY_UNSUPPORTED', 'The API key belongs to no user; make a new one')
    if (isExpired(key)) throw new AppError('EXPIRED_KEY', 'The API key has expired')
    if (!rights) throw unauthorized('The API key is not valid')
    return rights
  }

  /** Renews the expiry. Undefined if another request does, or after a failure, which must not fail the request. */
  const renew = async (live: Live, at: Date, token: string): Promise<string | undefined> => {
    const before = live.session
    // Set at once, so that concurrent requests of a page don't write it again.
    live.session = { ...before, renewedAt: at, expiresAt: new Date(at.getTime() + sessionTtlMs) }
    try {
      return (await sessions.renew(before, live.session)) ? cookie.set(token) : undefined
    } catch (error) {
      live.session = before
      log.warn('the expiry of a session could not be moved', { session_id: before.id, error })
      return undefined
    }
  }

  const isOver = ({ session }: Live): boolean => session.expiresAt <= now()

  const liveSession = async (source: Source, hash: string): Promise<Live> => {
    const read = async (): Promise<Live | undefined> => {
      const session = await source.session(hash)
      return session && { session, readMs: performance.now() }
    }
    const remembered = await source.live(hash, read)
    // Another process may have renewed it, so an expired copy is read again.
    const live = remembered && isOver(remembered) ? await read() : remembered
    if (!live || isOver(live)) throw sessionEnded()
    return live
  }

  const rightsIn = async (live: Live, hash: string, source: Source): Promise<Rights> => {
    if (live.rights) return live.rights
    const { id, userId, userGeneration } = live.session
    const account = await activeAccount(source, userId)
    if (account?.generation !== userGeneration) throw sessionEnded()
    const caller = callerOf(account, 'session', id)
    const { readPoint } = source
    const user = { table: 'users', where: { id: userId, is_active: 1, generation: userGeneration } }
    const found = { caller, readPoint, isOver: () => isOver(live) }
    if (sessions.isInDatabase) {
      live.rights = rightsOf({
        ...found,
        rows: [user, { table: 'sessions', where: { id } }],
        again: async (from) => rightsIn(await liveSession(from, hash), hash, from),
      })
      return live.rights
    }
    return rightsOf({
      ...found,
      rows: [user],
      // A transaction does not query the external store: its last answer counts.
      again: async (from) => {
        if (isOver(live)) throw sessionEnded()
        return rightsIn(live, hash, from)
      },
      ask: async () => {
        if (performance.now() - live.readMs < ASK_AGAIN_MS) return
        const { session, readMs } = await liveSession(source, hash)
        live.session = session
        live.readMs = readMs
      },
    })
  }

  const bySession = async (token: string, source: Source): Promise<Identity> => {
    const at = now()
    const hash = secretHash(token)
    const live = await liveSession(source, hash)
    const rights = await rightsIn(live, hash, source)
    // Read after the wait, because another request may have renewed the expiry.
    const isDue = at.getTime() - live.session.renewedAt.getTime() >= renewAfterMs
    const setCookie = isDue ? await renew(live, at, token) : undefined
    const identity: Identity = { caller: rights.caller, isAmbient: true, rights }
    return setCookie === undefined ? identity : { ...identity, setCookie }
  }

  const byBearer = async (token: string, source: Source): Promise<Identity> => {
    const rights = await byKey(secretHash(token), source)
    const { caller } = rights
    if (caller.credentialId !== undefined) keyUses.note(caller.credentialId, now())
    return { caller, isAmbient: false, rights }
  }

  return async (headers) => {
    const shown = credentialsOf(headers, cookie.name)
    if (!shown) return undefined
    const asked = db.readPoint()
    const readPoint = asked instanceof Promise ? await asked : asked
    const identity = await (shown.kind === 'bearer' ? byBearer : bySession)(shown.token, sourceAt(readPoint))
    // When this process makes all commits, checking again costs nothing.
    return db.sql.isInProcess ? identity : { ...identity, readPoint }
  }
}
