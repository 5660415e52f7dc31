/** The contract of signing in and out. Browser-safe. */
import { z } from 'zod'
import { idOf, Page, Timestamp } from '../../platform/contract/fields.ts'
import { operation, rawRoute } from '../../platform/operation/operation.ts'
import { User } from '../users/api.ts'

/** The resources that the UI shows once there is an object. */
export const OPTIONAL = ['spaces', 'vlans'] as const
export type Optional = (typeof OPTIONAL)[number]

export const Me = User.extend({
  permissions: z.array(z.string()).describe('Names of permissions, sorted'),
  in_use: z
    .array(z.enum(OPTIONAL))
    .optional()
    .describe('Of the resources that the UI shows once there is an object: those that have one and that you may list'),
}).meta({ id: 'Me' })
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
    ip_address: z.string().describe('The address of the sign-in'),
    user_agent: z.string(),
    is_current: z.boolean().describe('True for the session of this request'),
  })
  .meta({ id: 'Session', columns: ['id', 'created_at', 'last_seen_at', 'ip_address', 'user_agent', 'is_current'] })
export type Session = z.infer<typeof Session>

export const sessions = {
  me: operation({
    name: 'sessions.me',
    summary: 'Show your account and its permissions',
    http: 'GET /api/auth/me',
    access: 'authenticated',
    needsNoConsent: true,
    cli: { command: 'whoami' },
    input: () => z.object({}),
    output: Me,
  }),
  list: operation({
    name: 'sessions.list',
    summary: 'List your sessions, newest first; with the permission users:update, those of another user',
    description: 'For those of another user you must also hold all permissions of this user.',
    http: 'GET /api/sessions',
    access: 'authenticated',
    input: () =>
      z.object({
        user_id: idOf('users').optional().describe('The user whose sessions are listed; yours without it'),
        ...Page,
      }),
    output: () => z.array(Session),
  }),
  delete: operation({
    name: 'sessions.delete',
    summary: 'End a session of yours or, with the permission users:update, of another user',
    description: 'For that of another user you must also hold all permissions of this user.',
    http: 'DELETE /api/sessions/{id}',
    access: 'authenticated',
    // The session may be stored outside of the database, so a dry run could not be rolled back.
    mcp: 'hidden',
    input: () => z.object({ id: idOf('sessions') }),
    output: () => z.void(),
  }),
}

/** These routes set and clear the session cookie. */
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
