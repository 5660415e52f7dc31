/** The contract of signing in and out. Browser-safe. */
import { z } from 'zod'
import { Timestamp } from '../../platform/fields.ts'
import { operation, rawRoute } from '../../platform/operation.ts'
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

export const sessions = {
  me: operation({
    name: 'sessions.me',
    summary: 'Show who you are and what you may do',
    http: 'GET /api/auth/me',
    effect: 'read',
    access: 'authenticated',
    cli: { command: 'whoami' },
    input: z.object({}),
    output: Me,
  }),
}

/** These set and clear the session cookie. */
export const sessionRoutes = {
  login: rawRoute({
    name: 'sessions.login',
    summary: 'Sign in with a password; the answer sets the session cookie',
    http: 'POST /api/auth/login',
    isSensitive: true,
    access: 'public',
    input: Login,
    output: LoggedIn,
  }),
  logout: rawRoute({
    name: 'sessions.logout',
    summary: 'End the session',
    http: 'POST /api/auth/logout',
    status: 204,
    access: 'authenticated',
  }),
}
