/** The contract of signing in and out. Browser-safe. */
import { z } from 'zod'
import { idOf, Page, Timestamp } from '../../platform/contract/fields.ts'
import { operation, rawRoute } from '../../platform/operation/operation.ts'
import { User } from '../users/api.ts'

export const Me = User.extend({ permissions: z.array(z.string()).describe('Names of permissions, sorted') }).meta({
  id: 'Me',
})
export type Me = z.infer<typeof Me>

export const Login = z.object({
  username: z.string().min(1, 'is required'),
  password: z.string().min(1, 'is required'),
})

export const LoggedIn = z
  .object({ user: User, expires_at: Timestamp.describe('When the session ends unless it is used before') })
  .meta({ id: 'LoggedIn' })
export type LoggedIn = z.infer<typeof LoggedIn>

export const Session = z
  .object({
    id: z.string(),
    created_at: Timestamp,
    last_seen_at: Timestamp.describe('To the minute'),
    expires_at: Timestamp.describe('When it ends unless it is used before'),
    ip_address: z.string().describe('Whence the sign-in came'),
    user_agent: z.string(),
    is_current: z.boolean().describe('Whether it is the one that asks'),
  })
  .meta({ id: 'Session', columns: ['id', 'created_at', 'last_seen_at', 'ip_address', 'user_agent', 'is_current'] })
export type Session = z.infer<typeof Session>

export const sessions = {
  me: operation({
    name: 'sessions.me',
    summary: 'Show who you are and what you may do',
    http: 'GET /api/auth/me',
    effect: 'read',
    access: 'authenticated',
    needsNoConsent: true,
    cli: { command: 'whoami' },
    input: () => z.object({}),
    output: Me,
  }),
  list: operation({
    name: 'sessions.list',
    summary: "List your sessions, newest first; with the permission users:update, someone else's",
    description: 'For those of someone else you must also hold all that this user holds.',
    http: 'GET /api/sessions',
    effect: 'read',
    access: 'authenticated',
    input: () => z.object({ user_id: idOf('users').optional().describe('Whose sessions; yours without it'), ...Page }),
    output: () => z.array(Session),
  }),
  delete: operation({
    name: 'sessions.delete',
    summary: "End a session of yours or, with the permission users:update, of someone else's",
    description: 'For that of someone else you must also hold all that this user holds.',
    http: 'DELETE /api/sessions/{id}',
    effect: 'delete',
    access: 'authenticated',
    // It may end where no transaction reaches, so that nobody could be shown what it would do.
    mcp: 'hidden',
    cli: { args: ['id'] },
    input: () => z.object({ id: idOf('sessions') }),
    output: () => z.void(),
  }),
}

/** These set and clear the session cookie. */
export const sessionRoutes = {
  login: rawRoute({
    name: 'sessions.login',
    summary: 'Sign in with a password; the answer sets the session cookie and the device cookie',
    http: 'POST /api/auth/login',
    isSensitive: true,
    access: 'public',
    errors: [401],
    audit: { action: 'login', resource: 'session' },
    input: Login,
    output: LoggedIn,
  }),
  logout: rawRoute({
    name: 'sessions.logout',
    summary: 'End the session',
    http: 'POST /api/auth/logout',
    status: 204,
    access: 'authenticated',
    audit: { action: 'logout', resource: 'session' },
  }),
}
