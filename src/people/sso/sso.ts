/** Single sign-on by OpenID Connect: docs/decisions/sso.md. */

import type { Config } from '../../base/config/config.ts'
import type { Secrets } from '../../base/security/crypto.ts'
import type { Outbound } from '../../base/security/outbound.ts'
import { AppError } from '../../contract/errors.ts'
import type { Ctx, DbScope, Feature } from '../../kernel/ctx.ts'
import type { Identify } from '../../kernel/request.ts'
import type { OwnCookie } from '../../surfaces/http/credentials.ts'
import type { SignInOptions } from '../sessions/api.ts'
import { createCookie, type SessionsOptions } from '../sessions/sessions.ts'
import { ssoRoutes } from './api.ts'
import { handleCallback, start } from './flow/flow.ts'
import * as store from './flow/flow-store.ts'
import { identityOperations } from './identities.ts'
import { removeIdentities } from './identity-store.ts'
import { handleBackchannelLogout, handleLogout } from './logout.ts'
import { createOidcClient } from './oidc-client.ts'
import { findEnabled } from './provider-store.ts'
import { createProviderOperations, dropGroup } from './providers.ts'
import { findWarnings } from './warnings.ts'

export type SsoOptions = {
  readonly config: Pick<Config, 'publicUrl' | 'cookieSecure' | 'sessionTtlMs'>
  readonly secrets: Secrets
  readonly sessions: SessionsOptions['sessions']
  readonly now: () => Date
  /** Identifies callers on all other routes. */
  readonly identify: Identify
  readonly providerOutbound: Outbound
}

const PURGE_MS = 600_000
const PURGE_BATCH = 500

/** Returns the providers that the sign-in page offers. */
export const signInProviders = async (scope: DbScope): Promise<SignInOptions['providers']> =>
  (await findEnabled(scope)).map(({ id, name }) => ({ id, name, url: `/api/auth/sso/${encodeURIComponent(id)}` }))

const removeExpired = async (ctx: Ctx): Promise<void> => {
  for (const { expired, remove } of store.EXPIRING)
    for (;;) {
      const keys = (await expired(ctx, { now: ctx.now, limit: PURGE_BATCH })).map(({ key }) => key)
      if (keys.length > 0) await ctx.write((tx) => remove(tx, keys))
      if (keys.length < PURGE_BATCH) break
    }
}

/** Identifies the user of a browser session, if any. Other credentials do not count here. */
const limitToSession =
  (identify: Identify): Identify =>
  async (headers) => {
    try {
      const identity = await identify(headers)
      return identity?.caller.via === 'session' ? identity : undefined
    } catch (thrown) {
      if (thrown instanceof AppError && thrown.status === 401) return undefined
      throw thrown
    }
  }

export const ssoFeature = (options: SsoOptions): Feature => {
  const { config, sessions, now, identify, providerOutbound } = options
  const oidc = createOidcClient({ outbound: providerOutbound, now })
  const cookie: OwnCookie = createCookie(config)
  const flow = { ...options, oidc, terms: { sessions, cookie, ttlMs: config.sessionTtlMs } }
  const leaving = { ...options, oidc, cookie }
  return {
    operations: [...createProviderOperations({ ...options, oidc }), ...identityOperations],
    routes: [
      {
        route: ssoRoutes.start,
        identify: limitToSession(identify),
        handler: (ctx, request) => start(ctx, request, flow),
      },
      {
        route: ssoRoutes.callback,
        handler: (ctx, request, audit) => handleCallback(ctx, request, { ...flow, audit }),
      },
      {
        route: ssoRoutes.logout,
        handler: (ctx, _, audit) => handleLogout(ctx, audit, leaving),
      },
      {
        route: ssoRoutes.backchannelLogout,
        handler: (ctx, request, audit) => handleBackchannelLogout(ctx, request, { ...leaving, audit }),
      },
    ],
    warnings: (ctx) => findWarnings(ctx, { sessions }),
    reactions: {
      'user.deleting': (ctx, { id }: { id: string }) => removeIdentities(ctx, { user_id: id }),
      'session.ended': (ctx, { id }: { id: string }) => store.removeSession(ctx, id),
      'group.deleted': (ctx, { id }: { id: string }) => dropGroup(ctx, id),
    },
    jobs: [
      {
        name: 'sso.purge',
        summary: 'Deletes sign-ins in progress, logout tokens and provider sessions that have expired',
        everyMs: PURGE_MS,
        runsAtStart: true,
        run: removeExpired,
      },
    ],
  }
}
