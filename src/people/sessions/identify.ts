/** Identifies the caller of a request: by an API key or a session, with its user and the user's current permissions. */

import type { Config } from '../../base/config/config.ts'
import type { Logger } from '../../base/runtime/log.ts'
import { hashSecret } from '../../base/security/secret-token.ts'
import { AppError } from '../../contract/errors.ts'
import { memoized } from '../../database/cache/revision-cache.ts'
import type { Db, ReadPoint, Tx } from '../../database/database.ts'
import type { Tables } from '../../database/tables.ts'
import type { Caller } from '../../kernel/caller.ts'
import type { Identify, Identity, RequestOrigin } from '../../kernel/request.ts'
import { ForeignAddressError } from '../../kernel/rights/access.ts'
import { createRights } from '../../kernel/rights/read-rights.ts'
import type { Rights } from '../../kernel/rights/rights.ts'
import { readCredentials } from '../../surfaces/http/credentials.ts'
import type { Requirement } from '../factors/requirement.ts'
import { type FoundKey, findKeyByHash } from '../keys/keys.ts'
import { isClientAllowed, isNarrow, type KeyLimits, limitRights, toLimits } from '../keys/limits.ts'
import type { KeyUses } from '../keys/uses.ts'
import { type Account, ASLEEP, findAccount } from '../users/account.ts'
import { findAreasOfScopes } from '../users/grants.ts'
import { createCookie } from './sessions.ts'
import { computeExpiry } from './start.ts'
import type { Session, SessionStore } from './store.ts'

export type IdentifyOptions = {
  readonly db: Db<Tables>
  readonly config: Pick<Config, 'cookieSecure' | 'sessionTtlMs'>
  readonly sessions: SessionStore
  readonly requirement: Requirement
  readonly keyUses: KeyUses
  readonly now: () => Date
  readonly log: Logger
}

/** The tables that determine the identity of a caller; uses of keys and expiries are in others. */
const TABLES = [
  ...(['users', 'roles', 'role_permissions', 'grants', 'group_members', 'area_scopes'] as const),
  ...(['api_keys', 'sessions'] as const),
  ...(['identities', 'sso_providers', 'totp', 'passkeys'] as const),
] as const
const COMMON = ['roles', 'role_permissions', 'grants', 'group_members', 'area_scopes'] as const
/** The shortest time between two renewals of a session, in ms. */
const MAX_RENEW_AFTER_MS = 60_000
/** A write reads a session from an external store again if the last answer is older than this. */
export const ASK_AGAIN_MS = 100

/** A session as this process last read it. Its expiry moves without a change of the revision. */
type Live = {
  session: Session
  readMs: number
  rights?: Rights
  /** When a session by passkey is refused, whatever its expiry, in ms. */
  refusedMs?: number
}

/** A key, its limits and its rights; without rights if its user may not sign in. */
type Holder = FoundKey & {
  readonly limits: KeyLimits
  readonly rights: Rights | undefined
  /** When it is refused until the next sign-in of its user, in ms. */
  readonly sleepsMs: number
}

type ActiveHolder = Holder & { readonly rights: Rights }

const isActive = (holder: Holder): holder is ActiveHolder => holder.rights !== undefined

type KeyCaller = Pick<Holder, 'key' | 'limits'> & {
  readonly hash: string
  /** The areas of the scope of the key. */
  readonly areas: ReadonlySet<number> | undefined
}

/** Looks up credentials. */
type Source = {
  /** Undefined in a transaction. */
  readonly readPoint: ReadPoint | undefined
  readonly holder: (hash: string) => Promise<Holder | undefined>
  readonly live: (hash: string, read: () => Promise<Live | undefined>) => Promise<Live | undefined>
  readonly session: (hash: string) => Promise<Session | undefined>
  readonly account: (userId: string) => Promise<Account | undefined>
  /** Returns true for a user who must set up a second factor. */
  readonly needsFactor: (userId: string) => Promise<boolean>
}

const buildUnauthorizedError = (message: string) => new AppError('UNAUTHORIZED', message)
const buildSessionEndedError = () => buildUnauthorizedError('The session has ended; sign in again')

const buildCaller = (
  account: Omit<Account, 'scopedPermissions'> & Pick<Caller, 'scopedPermissions'>,
  via: Caller['via'],
  credentialId: string,
): Caller => ({
  userId: account.id,
  username: account.username,
  via,
  credentialId,
  permissions: account.permissions,
  ...(account.scopedPermissions && { scopedPermissions: account.scopedPermissions }),
})

/** @throws AppError UNAUTHORIZED, EXPIRED_KEY or LEGACY_API_KEY_UNSUPPORTED for invalid credentials */
export const createIdentify = (options: IdentifyOptions): Identify => {
  const { db, config, sessions, requirement, keyUses, now, log } = options
  const { sessionTtlMs } = config
  const renewAfterMs = Math.min(MAX_RENEW_AFTER_MS, sessionTtlMs / 10)
  const cookie = createCookie(config)

  /** Caches the lookups of one revision. */
  const createCommittedSource = (revision: string, readPoint: ReadPoint): Source => {
    const holders = memoized<Holder | undefined>(db.cache.at('key holders', revision))
    const lives = memoized<Live | undefined>(db.cache.at('live sessions', revision))
    const accounts = memoized<Account | undefined>(db.cache.at('user accounts', revision))
    // A write may call this while it holds a connection, so it must not wait for another one.
    const scope = { db: db.quick }
    const source: Source = {
      readPoint,
      holder: (hash) => holders(hash, () => findHolder(scope, source, hash)),
      live: (hash, read) => (sessions.isInDatabase ? lives(hash, read) : read()),
      session: (hash) => sessions.find(hash),
      account: (userId) => accounts(userId, () => findAccount(scope, userId)),
      needsFactor: (userId) => requirement.isMissing(scope, userId),
    }
    return source
  }

  const createTransactionSource = (tx: Tx<Tables>): Source => {
    const source: Source = {
      readPoint: undefined,
      holder: (hash) => findHolder(tx, source, hash),
      live: (_, read) => read(),
      session: (hash) => sessions.find(hash, tx.db),
      account: (userId) => findAccount(tx, userId),
      needsFactor: (userId) => requirement.isMissing(tx, userId),
    }
    return source
  }

  const { sourceAt, rightsOf } = createRights<Tables, Source>({
    db,
    tables: TABLES,
    common: COMMON,
    now,
    committed: createCommittedSource,
    within: createTransactionSource,
  })

  const findActiveAccount = async ({ account: find }: Source, userId: string): Promise<Account | undefined> => {
    const account = await find(userId)
    return account?.isActive ? account : undefined
  }

  const hasPassed = (moment: string | null): boolean => moment !== null && Date.parse(moment) <= now().getTime()
  const isReplaced = ({ key, isPrevious }: FoundKey): boolean => isPrevious && hasPassed(key.previous_expires_at)
  const isExpired = (found: FoundKey): boolean => hasPassed(found.key.expires_at) || isReplaced(found)

  /** Returns the values of the row that must stay unchanged. After a rotation the hash is in the other column. */
  const toKeyRow = ({ key, isPrevious }: FoundKey) => ({
    ...{ id: key.id, expires_at: key.expires_at },
    ...(isPrevious
      ? { previous_hash: key.previous_hash, previous_expires_at: key.previous_expires_at }
      : { key_hash: key.key_hash }),
  })

  const buildKeyCaller = (account: Account, { key, limits, hash, areas }: KeyCaller): Caller => ({
    ...buildCaller({ ...account, ...limitRights(account, limits, areas) }, 'key', key.id),
    ...{ keyName: key.name, keyHash: hash },
    ...(key.feed_id !== null && { feedId: key.feed_id }),
    ...(isNarrow(limits) && { isNarrow: true, keyPermissions: limits.permissions, keyScope: limits.scopeId }),
  })

  const isAsleep = (sleepsMs: number): boolean => sleepsMs <= now().getTime()

  const findHolder = async (
    scope: Pick<Tx<Tables>, 'db'>,
    source: Source,
    hash: string,
  ): Promise<Holder | undefined> => {
    const found = await findKeyByHash(scope, hash)
    if (!found) return undefined
    const { key } = found
    const limits = toLimits(key)
    if (key.user_id === null) return { ...found, limits, rights: undefined, sleepsMs: Infinity }
    const account = await findActiveAccount(source, key.user_id)
    const sleepsMs = account?.sleepsMs ?? Infinity
    const areas =
      limits.scopeId === undefined
        ? undefined
        : new Set((await findAreasOfScopes(scope, [limits.scopeId])).map(({ area_id }) => area_id))
    const rights =
      account &&
      rightsOf({
        caller: buildKeyCaller(account, { key, limits, hash, areas }),
        readPoint: source.readPoint,
        rows: [
          { table: 'users', where: { id: account.id, is_active: 1 } },
          { table: 'api_keys', where: toKeyRow(found) },
        ],
        isOver: () => isExpired(found) || isAsleep(sleepsMs),
        again: async (from) => (await getKeyHolderOrThrow(hash, from)).rights,
      })
    return { ...found, limits, rights, sleepsMs }
  }

  const getKeyHolderOrThrow = async (hash: string, source: Source): Promise<ActiveHolder> => {
    const holder = await source.holder(hash)
    if (!holder) throw buildUnauthorizedError('The API key is not valid')
    if (holder.key.user_id === null)
      throw new AppError('LEGACY_API_KEY_UNSUPPORTED', 'The API key belongs to no user; make a new one')
    if (isReplaced(holder)) throw new AppError('EXPIRED_KEY', 'The API key was rotated, and this value has ended')
    if (isExpired(holder)) throw new AppError('EXPIRED_KEY', 'The API key has expired')
    if (!isActive(holder)) throw buildUnauthorizedError('The API key is not valid')
    if (isAsleep(holder.sleepsMs)) throw buildUnauthorizedError(ASLEEP)
    return holder
  }

  /** Renews the expiry. Undefined if another request does, or after a failure, which must not fail the request. */
  const renew = async (live: Live, at: Date, token: string): Promise<string | undefined> => {
    const before = live.session
    // Set at once, so that concurrent requests of a page don't write it again.
    live.session = {
      ...before,
      renewedAt: at,
      expiresAt: computeExpiry(at, { ttlMs: sessionTtlMs, endsAt: before.endsAt }),
    }
    try {
      return (await sessions.renew(before, live.session)) ? cookie.set(token) : undefined
    } catch (error) {
      live.session = before
      // A server that is away has its own entry, once per outage.
      if (sessions.server?.isUp() !== false)
        log.warn('the expiry of a session could not be moved', { session_id: before.id, error })
      return undefined
    }
  }

  const isOver = ({ session, refusedMs = Infinity }: Live): boolean =>
    Math.min(session.expiresAt.getTime(), refusedMs) <= now().getTime()

  const getLiveSessionOrThrow = async (source: Source, hash: string): Promise<Live> => {
    const read = async (): Promise<Live | undefined> => {
      const session = await source.session(hash)
      return session && { session, readMs: performance.now() }
    }
    const remembered = await source.live(hash, read)
    // Another process may have renewed it, so an expired copy is read again.
    const live = remembered && isOver(remembered) ? await read() : remembered
    if (!live || isOver(live)) throw buildSessionEndedError()
    return live
  }

  const buildSessionCaller = async (
    { id, createdAt, method }: Session,
    account: Account,
    source: Source,
  ): Promise<Caller> => {
    const caller = { ...buildCaller(account, 'session', id), signedInMs: createdAt.getTime() }
    // A passkey is two factors, and a provider has asked for what it must.
    if (method !== 'password' || !(await source.needsFactor(account.id))) return caller
    const { scopedPermissions: _, ...bare } = caller
    return { ...bare, permissions: new Set(), needsFactor: true }
  }

  const getRights = async (live: Live, hash: string, source: Source): Promise<Rights> => {
    if (live.rights) return live.rights
    const { id, userId, userGeneration } = live.session
    const account = await findActiveAccount(source, userId)
    if (account?.generation !== userGeneration) throw buildSessionEndedError()
    if (live.session.method === 'passkey') live.refusedMs = account.passkeysUntilMs
    if (isOver(live)) throw buildSessionEndedError()
    const caller = await buildSessionCaller(live.session, account, source)
    const { readPoint } = source
    const user = { table: 'users', where: { id: userId, is_active: 1, generation: userGeneration } }
    const found = { caller, readPoint, isOver: () => isOver(live) }
    if (sessions.isInDatabase) {
      live.rights = rightsOf({
        ...found,
        rows: [user, { table: 'sessions', where: { id } }],
        again: async (from) => getRights(await getLiveSessionOrThrow(from, hash), hash, from),
      })
      return live.rights
    }
    return rightsOf({
      ...found,
      rows: [user],
      // A transaction does not query the external store: its last answer counts.
      again: async (from) => {
        if (isOver(live)) throw buildSessionEndedError()
        return getRights(live, hash, from)
      },
      ask: async () => {
        if (performance.now() - live.readMs < ASK_AGAIN_MS) return
        const { session, readMs } = await getLiveSessionOrThrow(source, hash)
        live.session = session
        live.readMs = readMs
      },
    })
  }

  const identifySession = async (token: string, source: Source): Promise<Identity> => {
    const at = now()
    const hash = hashSecret(token)
    const live = await getLiveSessionOrThrow(source, hash)
    const rights = await getRights(live, hash, source)
    // Read after the wait, because another request may have renewed the expiry.
    const isDue = at.getTime() - live.session.renewedAt.getTime() >= renewAfterMs
    const setCookie = isDue ? await renew(live, at, token) : undefined
    const identity: Identity = { caller: rights.caller, isAmbient: true, rights }
    return setCookie === undefined ? identity : { ...identity, setCookie }
  }

  const identifyBearer = async (
    token: string,
    source: Source,
    origin: RequestOrigin | undefined,
  ): Promise<Identity> => {
    const { key, limits, rights } = await getKeyHolderOrThrow(hashSecret(token), source)
    const { caller } = rights
    const getClient = () => origin?.client ?? ''
    if (limits.cidrs.length > 0 && !isClientAllowed(limits, getClient()))
      throw new ForeignAddressError(caller, getClient())
    keyUses.note(key.id, now(), getClient)
    return { caller, isAmbient: false, rights }
  }

  return async (headers, origin) => {
    const shown = readCredentials(headers, cookie.name)
    if (!shown) return undefined
    const asked = db.readPoint()
    const readPoint = asked instanceof Promise ? await asked : asked
    const source = sourceAt(readPoint)
    const identity = await (shown.kind === 'bearer'
      ? identifyBearer(shown.token, source, origin)
      : identifySession(shown.token, source))
    const reused = db.sql.reusable(readPoint)
    return reused ? { ...identity, readPoint: reused } : identity
  }
}
