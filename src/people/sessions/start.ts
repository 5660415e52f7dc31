/** Starts a session for a user who has signed in, in whichever way. */

import { createSecret, hashSecret } from '../../base/security/secret-token.ts'
import type { Ctx } from '../../kernel/ctx.ts'
import type { OwnCookie } from '../../surfaces/http/credentials.ts'
import type { SignedIn } from '../users/account.ts'
import type { SignInMethod } from './api.ts'
import type { SessionStore } from './store.ts'

export type SessionTerms = {
  readonly sessions: SessionStore
  readonly cookie: OwnCookie
  readonly ttlMs: number
}

type NewSession = {
  readonly signedIn: SignedIn
  readonly method: SignInMethod
  /** The provider of a sign-in by single sign-on. */
  readonly providerId?: string
  /** When the session ends, used or not. */
  readonly endsAt?: Date
  /** The request that signs in. */
  readonly request: Request
}

export type StartedSession = {
  readonly id: string
  readonly expiresAt: Date
  /** The Set-Cookie value. */
  readonly cookie: string
}

/** Longer than that of any browser, and short enough for a table. */
const MAX_USER_AGENT = 255

/** Returns the User-Agent header as text that can be stored and shown. */
const getUserAgent = ({ headers }: Request): string =>
  (headers.get('user-agent') ?? '')
    .replace(/\p{Cc}/gu, ' ')
    .slice(0, MAX_USER_AGENT)
    .toWellFormed()

/** Returns the expiry of a session that is used at a time. */
export const computeExpiry = (
  at: Date,
  { ttlMs, endsAt }: { readonly ttlMs: number; readonly endsAt?: Date | null | undefined },
): Date => new Date(Math.min(at.getTime() + ttlMs, endsAt?.getTime() ?? Infinity))

/** Called after the transaction of the sign-in: if the user changes in between, the session is of an earlier generation. */
export const startSession = async (
  ctx: Pick<Ctx, 'client'>,
  { signedIn: { user, generation, at }, method, providerId, endsAt, request }: NewSession,
  { sessions, cookie, ttlMs }: SessionTerms,
): Promise<StartedSession> => {
  const token = createSecret()
  // Not the time of the request: the password may have waited in the queue.
  const createdAt = new Date(at)
  const expiresAt = computeExpiry(createdAt, { ttlMs, endsAt })
  const id = Bun.randomUUIDv7()
  await sessions.create(
    {
      ...{ id, userId: user.id, userGeneration: generation, createdAt, renewedAt: createdAt, expiresAt },
      ...{ ipAddress: ctx.client, userAgent: getUserAgent(request), method },
      ...{ providerId: providerId ?? null, endsAt: endsAt ?? null },
    },
    hashSecret(token),
  )
  return { id, expiresAt, cookie: cookie.set(token) }
}
