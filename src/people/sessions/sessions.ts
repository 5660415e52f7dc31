/** The rules of sessions: sign-in, sign-out, the current user, and the other sessions of a user. */

import type { Config } from '../../base/config/config.ts'
import { AppError, notFound } from '../../contract/errors.ts'
import { computeEtag } from '../../contract/etag.ts'
import { createViewedDb } from '../../database/scoped-db.ts'
import { findShownKinds } from '../../inventory/kinds/store.ts'
import { toTableName } from '../../inventory/resources.ts'
import { type Ctx, type DbScope, type Feature, implement } from '../../kernel/ctx.ts'
import { JsonList } from '../../kernel/handler-result.ts'
import type { ParsedInputOf } from '../../kernel/operation.ts'
import { getViews } from '../../resource/scoped/scoped-db.ts'
import { createSessionCookie, type OwnCookie } from '../../surfaces/http/credentials.ts'
import type { Requirement } from '../factors/requirement.ts'
import type { SignInFactors } from '../factors/sign-in-factor.ts'
import { findAccount, findUser, requireChargeById } from '../users/account.ts'
import { findEffectiveGrants } from '../users/grants.ts'
import type { Grant } from '../users/grants-api.ts'
import { hasSignedIn } from '../users/store.ts'
import { findPinned } from '../views/views.ts'
import {
  type Me,
  OPTIONAL,
  type Optional,
  type Session as SentSession,
  type SignInOptions,
  sessionRoutes,
  sessions,
} from './api.ts'
import { handleLogin } from './login.ts'
import { handlePasskeySignIn } from './passkey-sign-in.ts'
import type { SignIn } from './sign-in.ts'
import type { SessionTerms } from './start.ts'
import type { Session, SessionStore } from './store.ts'

export type SessionsOptions = {
  readonly config: Pick<Config, 'cookieSecure' | 'sessionTtlMs' | 'passwordSignIn'>
  readonly signIn: SignIn
  readonly sessions: SessionStore
  /** Returns the providers of single sign-on that are enabled. */
  readonly signInProviders: (scope: DbScope) => Promise<SignInOptions['providers']>
  readonly signInFactors: SignInFactors
  readonly requirement: Requirement
}

export const createCookie = ({
  cookieSecure,
  sessionTtlMs,
}: Pick<Config, 'cookieSecure' | 'sessionTtlMs'>): OwnCookie =>
  createSessionCookie({ isSecure: cookieSecure, ttlMs: sessionTtlMs })

/** Returns the table of a resource, with the permission that shows that it has objects. */
const getTable = (resource: Optional) => {
  if (resource === 'dns-zones') return { table: 'dns_zones', permission: 'dns:list' } as const
  if (resource === 'sources') return { table: 'sources', permission: 'sources:list' } as const
  return { table: toTableName(resource), permission: `${resource}:list` } as const
}

const findUsed = async ({ caller, db, store }: Ctx): Promise<Optional[]> => {
  const used: Optional[] = []
  for (const resource of OPTIONAL) {
    const { table, permission } = getTable(resource)
    const scopeSet = caller.scopedPermissions?.get(permission)
    const seen = caller.permissions.has(permission) ? db : scopeSet && createViewedDb(db, getViews(store, scopeSet))
    if (await seen?.selectFrom(table).select('id').limit(1).executeTakeFirst()) used.push(resource)
  }
  return used
}

/** False for a key with limits, a client, and a user who must first set up a second factor. */
const hasAllRights = ({ caller: { isNarrow, client, needsFactor } }: Ctx): boolean =>
  !isNarrow && !client && !needsFactor

/** Undefined if the roles of the user say the same. A key with limits and a client have a part of the rights, in other hands. */
const findOwnGrants = async (ctx: Ctx, userId: string): Promise<Grant[] | undefined> => {
  if (!hasAllRights(ctx)) return undefined
  const grants = await findEffectiveGrants(ctx, userId)
  return grants.some(({ group_id, scope_id }) => group_id !== null || scope_id !== null) ? grants : undefined
}

const showMe = async (ctx: Ctx): Promise<Me> => {
  const { userId, permissions, scopedPermissions, needsFactor } = ctx.caller
  const user = userId === undefined ? undefined : await findUser(ctx, userId)
  if (!user) throw new AppError('UNAUTHORIZED', 'Your account is gone')
  const grants = await findOwnGrants(ctx, user.id)
  const in_use = await findUsed(ctx)
  // Kinds are in no scope: who may list them sees all.
  const kinds = in_use.includes('kinds') ? await findShownKinds(ctx) : []
  const pinned_views = hasAllRights(ctx) ? await findPinned(ctx, user.id) : []
  return {
    ...user,
    permissions: [...permissions, ...(scopedPermissions?.keys() ?? [])].sort(),
    ...(scopedPermissions && { is_scoped: true }),
    ...(grants && { grants }),
    ...(in_use.length > 0 && { in_use }),
    ...(kinds.length > 0 && { kinds }),
    ...(pinned_views.length > 0 && { pinned_views }),
    ...(needsFactor && { second_factor_setup_required: true }),
  }
}

const toSentSession = ({ caller }: Ctx, session: Session): SentSession => ({
  id: session.id,
  created_at: session.createdAt.toISOString(),
  last_seen_at: session.renewedAt.toISOString(),
  expires_at: session.expiresAt.toISOString(),
  ip_address: session.ipAddress,
  user_agent: session.userAgent,
  method: session.method,
  provider_id: session.providerId,
  is_current: caller.via === 'session' && caller.credentialId === session.id,
})

/** Returns the valid sessions of a user, newest first. */
const openSessions = async (ctx: Ctx, store: SessionStore, userId: string): Promise<Session[]> => {
  const account = await findAccount(ctx, userId)
  if (!account?.isActive) return []
  const now = Date.parse(ctx.now)
  const isOpen = ({ userGeneration, expiresAt, method }: Session): boolean =>
    userGeneration === account.generation &&
    expiresAt.getTime() > now &&
    (method !== 'passkey' || account.passkeysUntilMs > now)
  // UUIDv7 ids sort by time.
  const newestFirst = (a: Session, b: Session): number =>
    b.createdAt.getTime() - a.createdAt.getTime() || (a.id < b.id ? 1 : -1)
  return (await store.list(userId)).filter(isOpen).sort(newestFirst)
}

type ListInput = ParsedInputOf<typeof sessions.list>

const list = async (
  ctx: Ctx,
  store: SessionStore,
  { user_id, limit, offset = 0 }: ListInput,
): Promise<JsonList<SentSession>> => {
  const userId = user_id ?? ctx.caller.userId ?? ''
  if (userId !== ctx.caller.userId) ctx.require('users:update')
  await requireChargeById(ctx, userId)
  const all = (await openSessions(ctx, store, userId)).map((session) => JSON.stringify(toSentSession(ctx, session)))
  return new JsonList({
    revision: computeEtag(all.join()),
    total: async () => all.length,
    rows: async function* () {
      yield all.slice(offset, limit === undefined ? undefined : offset + limit)
    },
  })
}

/** Ends a session. An external store is called before the transaction, which contains only SQL. */
export const endSession = async (call: Ctx, store: SessionStore, id: string): Promise<(ctx: Ctx) => Promise<void>> => {
  if (!store.isInDatabase) {
    await call.confirmRightsFinally()
    await store.remove(id)
  }
  return async (ctx) => {
    if (store.isInDatabase) await store.remove(id, ctx.db)
    await ctx.emit('session.ended', { id })
  }
}

/** Another user's session does not exist without users:update. @throws AppError FORBIDDEN */
const remove = async (ctx: Ctx, store: SessionStore, id: string): Promise<(ctx: Ctx) => Promise<void>> => {
  // The session is removed before any transaction, so the rights are checked here.
  if (!store.isInDatabase) await ctx.confirmRights()
  const session = await store.get(id)
  const mayEnd = ({ caller }: Ctx) => session?.userId === caller.userId || caller.permissions.has('users:update')
  if (!session || !mayEnd(ctx)) throw notFound('session', id)
  await requireChargeById(ctx, session.userId)
  ctx.precondition(toSentSession(ctx, session))
  const finish = await endSession(ctx, store, id)
  return async (tx) => {
    // The caller may have lost the permission since, or its user may have gained others.
    if (!mayEnd(tx)) throw notFound('session', id)
    if (store.isInDatabase) await requireChargeById(tx, session.userId)
    await finish(tx)
  }
}

const signInOptions = async (
  ctx: Ctx,
  { config, signInFactors, signInProviders }: SessionsOptions,
): Promise<SignInOptions> => ({
  password: true,
  ...(config.passwordSignIn === 'break-glass' && { password_for: 'break-glass' as const }),
  passkeys: await signInFactors.hasPasskeys(ctx),
  ...(!(await hasSignedIn(ctx)) && { first_sign_in: true as const }),
  providers: await signInProviders(ctx),
})

const respondUnstored = (body: object): Response => Response.json(body, { headers: { 'Cache-Control': 'no-store' } })

export const sessionsFeature = (options: SessionsOptions): Feature => {
  const { config, sessions: store } = options
  const cookie = createCookie(config)
  const terms: SessionTerms = { sessions: store, cookie, ttlMs: config.sessionTtlMs }
  return {
    operations: implement(sessions, {
      me: showMe,
      list: (ctx, input) => list(ctx, store, input),
      delete: { prepare: (ctx, { id }) => remove(ctx, store, id) },
    }),
    routes: [
      {
        route: sessionRoutes.signInOptions,
        handler: async (ctx) => respondUnstored(await signInOptions(ctx, options)),
      },
      {
        route: sessionRoutes.login,
        handler: (ctx, request, audit) => handleLogin(ctx, request, { ...options, ...terms, audit }),
      },
      {
        route: sessionRoutes.passkeyOptions,
        handler: async (ctx) => respondUnstored(await options.signInFactors.passkeyOptions(ctx)),
      },
      {
        route: sessionRoutes.passkey,
        handler: (ctx, request, audit) => handlePasskeySignIn(ctx, request, { ...options, ...terms, audit }),
      },
      {
        route: sessionRoutes.logout,
        handler: async (ctx, _, audit) => {
          const { via, credentialId } = ctx.caller
          // A caller with an API key has no session.
          if (via === 'session' && credentialId !== undefined) {
            audit.note({ resourceId: credentialId })
            await ctx.write(await endSession(ctx, store, credentialId), { audit })
          } else await audit.succeeded()
          return new Response(null, { status: 204, headers: { 'Set-Cookie': cookie.clear } })
        },
      },
    ],
  }
}
