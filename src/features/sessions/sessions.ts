/** The rules of sessions: sign-in, sign-out, and who is asking. */
import type { Config } from '../../platform/config.ts'
import { AppError } from '../../platform/errors.ts'
import { type SessionCookie, sessionCookie } from '../../platform/http/credentials.ts'
import type { Passwords } from '../../platform/passwords.ts'
import { type Ctx, type Feature, implement } from '../ctx.ts'
import { findUser } from '../users/users.ts'
import { type Me, sessionRoutes, sessions as sessionsApi } from './api.ts'
import { login } from './login.ts'
import type { SessionStore } from './store.ts'

export type SessionsOptions = {
  readonly config: Pick<Config, 'cookieSecure' | 'sessionTtlMs'>
  readonly passwords: Passwords
  readonly sessions: SessionStore
}

export const cookieFor = ({ cookieSecure, sessionTtlMs }: SessionsOptions['config']): SessionCookie =>
  sessionCookie({ isSecure: cookieSecure, ttlMs: sessionTtlMs })

const me = async (ctx: Ctx): Promise<Me> => {
  const { userId, permissions } = ctx.caller
  const user = userId === undefined ? undefined : await findUser(ctx, userId)
  if (!user) throw new AppError('UNAUTHORIZED', 'Your account is gone')
  return { ...user, permissions: [...permissions].sort() }
}

export const sessionsFeature = ({ config, passwords, sessions }: SessionsOptions): Feature => {
  const cookie = cookieFor(config)
  return {
    operations: implement(sessionsApi, { me }),
    routes: [
      {
        route: sessionRoutes.login,
        handler: (ctx, request) => login(ctx, request, { passwords, sessions, cookie, ttlMs: config.sessionTtlMs }),
      },
      {
        route: sessionRoutes.logout,
        handler: async ({ caller }) => {
          // With an API key there is no session to end.
          if (caller.via === 'session' && caller.credentialId !== undefined) await sessions.remove(caller.credentialId)
          return new Response(null, { status: 204, headers: { 'Set-Cookie': cookie.clear } })
        },
      },
    ],
  }
}
