/** The contract of signing in and out. Browser-safe. */
import { z } from 'zod'
import { idOf, Page, Timestamp } from '../../contract/fields/fields.ts'
import { Kind } from '../../inventory/kinds/api.ts'
import { RESOURCES } from '../../inventory/resources.ts'
import { operation, rawRoute } from '../../kernel/operation.ts'
import { Code, PasskeyOptions, ShownPasskey } from '../factors/api.ts'
import { User } from '../users/api.ts'
import { Grant } from '../users/grants-api.ts'
import { PinnedView } from '../views/api.ts'

type OptionalFacts = Extract<(typeof RESOURCES)[number], { readonly isOptional: unknown }>
/** The resources that the UI shows once there is an object. */
export type Optional = OptionalFacts['name'] | 'dns-zones' | 'sources'
export const OPTIONAL: readonly Optional[] = [
  ...RESOURCES.flatMap((facts) => ('isOptional' in facts ? [facts.name] : [])),
  'dns-zones',
  'sources',
]

const SetupRequired = z
  .literal(true)
  .optional()
  .describe('A role requires a second factor, and the user has none: the session can only set one up')

/** A kind as the sidebar shows it. */
export const ShownKind = Kind.pick({ id: true, name: true, singular: true, icon: true }).meta({ id: 'ShownKind' })
export type ShownKind = z.infer<typeof ShownKind>

export const Me = User.extend({
  permissions: z.array(z.string()).describe('Names of permissions, sorted'),
  is_scoped: z
    .boolean()
    .optional()
    .describe('True if some of the permissions count in the scopes of your grants alone; absent otherwise'),
  grants: z
    .array(Grant)
    .optional()
    .describe(
      'Your grants and those of your groups. Absent if they are the roles of `roles` alone, for an API key with limits, and for an OAuth client',
    ),
  in_use: z
    .array(z.enum(OPTIONAL))
    .optional()
    .describe('Of the resources that the UI shows once there is an object: those that have one and that you may list'),
  kinds: z
    .array(ShownKind)
    .optional()
    .describe('The kinds that have an entry in the sidebar, in their order; absent without any'),
  pinned_views: z.array(PinnedView).optional().describe('The views that you have pinned to your menu, by name'),
  second_factor_setup_required: SetupRequired,
}).meta({ id: 'Me' })
export type Me = z.infer<typeof Me>

/** A sign-in shows one of the second factors. */
const FACTORS = ['totp', 'recovery_code', 'passkey'] as const

export const Login = z
  .object({
    username: z.string().min(1, 'is required'),
    password: z.string().min(1, 'is required'),
    totp: Code.optional().describe('The code of the authenticator app, if the user has one'),
    recovery_code: Code.optional().describe('In place of any other second factor'),
    passkey: ShownPasskey.optional(),
  })
  .check((check) => {
    const [, second] = FACTORS.filter((field) => check.value[field] !== undefined)
    if (second === undefined) return
    check.issues.push({ code: 'custom', path: [second], message: 'is one factor too many', input: check.value })
  })

export const LoggedIn = z
  .object({
    user: User,
    expires_at: Timestamp.describe('When the session ends unless it is used before'),
    second_factor_setup_required: SetupRequired,
  })
  .meta({ id: 'LoggedIn' })
export type LoggedIn = z.infer<typeof LoggedIn>

/** The ways to sign in. */
export const SIGN_IN_METHODS = ['password', 'passkey', 'sso'] as const
export type SignInMethod = (typeof SIGN_IN_METHODS)[number]

export const Session = z
  .object({
    id: z.string(),
    created_at: Timestamp,
    last_seen_at: Timestamp.describe('To the minute'),
    expires_at: Timestamp.describe('When it ends unless it is used before'),
    ip_address: z.string().describe('The address of the sign-in'),
    user_agent: z.string(),
    method: z.enum(SIGN_IN_METHODS).describe('How the user signed in'),
    provider_id: z.string().nullable().describe('The provider of a sign-in by single sign-on'),
    is_current: z.boolean().describe('True for the session of this request'),
  })
  .meta({
    id: 'Session',
    columns: ['id', 'created_at', 'last_seen_at', 'ip_address', 'user_agent', 'method', 'is_current'],
  })
export type Session = z.infer<typeof Session>

export const SignInOptions = z
  .object({
    password: z.boolean().describe('A name and a password sign in'),
    password_for: z
      .literal('break-glass')
      .optional()
      .describe('With PASSWORD_SIGN_IN=break-glass: a password signs in only users who are marked so'),
    passkeys: z.boolean().describe('A passkey signs in, and there is one'),
    first_sign_in: z.literal(true).optional().describe('Present until a user has signed in'),
    providers: z
      .array(z.object({ id: z.string(), name: z.string(), url: z.string().describe('Where a browser starts') }))
      .describe('The providers of single sign-on'),
  })
  .meta({ id: 'SignInOptions' })
export type SignInOptions = z.infer<typeof SignInOptions>

export const sessions = {
  me: operation({
    name: 'sessions.me',
    summary: 'Show your account and its permissions',
    http: 'GET /api/auth/me',
    access: 'authenticated',
    skipsConsent: true,
    beforeSetup: true,
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

/** The sign-in page asks for the first; the others set and clear the session cookie. */
export const sessionRoutes = {
  signInOptions: rawRoute({
    name: 'sessions.sign-in-options',
    summary: 'Show the ways to sign in',
    http: 'GET /api/auth/login',
    access: 'public',
    output: SignInOptions,
  }),
  login: rawRoute({
    name: 'sessions.login',
    summary: 'Sign in with a password; the answer sets the session cookie and the device cookie',
    description:
      'A user with a second factor sends it too, in totp, passkey or recovery_code. Without it the right password is answered with SECOND_FACTOR_REQUIRED, whose details name what the user has.',
    http: 'POST /api/auth/login',
    isSensitive: true,
    access: 'public',
    errors: [401],
    audit: { action: 'login', resource: 'session' },
    input: Login,
    output: LoggedIn,
  }),
  passkeyOptions: rawRoute({
    name: 'sessions.passkey-options',
    summary: 'Show the options with which a browser signs in with a passkey; they are valid for 5 minutes',
    http: 'POST /api/auth/passkey/options',
    access: 'public',
    errors: [400],
    output: PasskeyOptions,
  }),
  passkey: rawRoute({
    name: 'sessions.passkey',
    summary: 'Sign in with a passkey alone; the answer sets the session cookie',
    description:
      'A user without a password must have signed in by an enabled identity provider at most `max_session_hours` ago. The session ends then.',
    http: 'POST /api/auth/passkey',
    isSensitive: true,
    access: 'public',
    errors: [401],
    audit: { action: 'login', resource: 'session' },
    input: ShownPasskey,
    output: LoggedIn,
  }),
  logout: rawRoute({
    name: 'sessions.logout',
    summary: 'End the session',
    http: 'POST /api/auth/logout',
    status: 204,
    access: 'authenticated',
    beforeSetup: true,
    audit: { action: 'logout', resource: 'session' },
  }),
}
