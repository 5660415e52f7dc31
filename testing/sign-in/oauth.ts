/** An app with OAuth enabled, and a client that takes each step of the protocol separately, correctly or not. */
import { afterAll, beforeAll } from 'bun:test'
import { createHash, randomBytes } from 'node:crypto'
import { z } from 'zod'
import { createPasswords } from '../../src/base/security/passwords.ts'
import { type TestApp, type TestCaller, type TestOptions, testApp } from '../app/app.ts'
import { createRole, createUser } from '../estates/identities.ts'
import type { Dialect } from '../servers/servers.ts'
import { cookieOf } from './sign-in.ts'

export const ISSUER = 'http://plat.test'
export const RESOURCE = `${ISSUER}/mcp`
export const REDIRECT = 'http://127.0.0.1:7777/cb'
export const OAUTH_ENV = { MCP_OAUTH_ENABLED: 'true', MCP_OAUTH_ISSUER_URL: ISSUER, RATE_LIMIT_ENABLED: 'false' }
const QUICK = 'quick to check'

export const oauthApp = (options: TestOptions = {}): Promise<TestApp> =>
  testApp({ passwords: createPasswords({ cost: 4 }), ...options, env: { ...OAUTH_ENV, ...options.env } })

export type Client = {
  readonly client_id: string
  readonly client_secret?: string | undefined
  readonly token_endpoint_auth_method: string
}
const Registered = z.object({
  client_id: z.string(),
  client_secret: z.string().optional(),
  token_endpoint_auth_method: z.string(),
})

const Tokens = z.object({
  access_token: z.string(),
  refresh_token: z.string().default(''),
  token_type: z.literal('Bearer'),
  expires_in: z.int(),
  scope: z.string(),
})
export type Tokens = z.infer<typeof Tokens>

/** RFC 7636 4.1, 4.2. */
export const newVerifier = (): string => randomBytes(32).toString('base64url')
export const challengeOf = (verifier: string): string => createHash('sha256').update(verifier).digest('base64url')

type Values = Readonly<Record<string, string | undefined>>

export const formOf = (values: Values): string =>
  new URLSearchParams(
    Object.entries(values).flatMap(([name, value]): [string, string][] => (value === undefined ? [] : [[name, value]])),
  ).toString()

export const TOOLS_LIST = { jsonrpc: '2.0', id: 1, method: 'tools/list', params: {} }
export const toolCall = (name: string, args: object = {}) => ({
  jsonrpc: '2.0',
  id: 1,
  method: 'tools/call',
  params: { name, arguments: args },
})

export type Signed = { readonly id: string; readonly username: string; readonly cookie: string }

export const oauthOf = (app: Pick<TestApp, 'guest' | 'db'>) => {
  let people = 0

  const post = (path: string, body: Values | string, headers: Record<string, string> = {}) =>
    app.guest('POST', path, typeof body === 'string' ? body : formOf(body), {
      'Content-Type': 'application/x-www-form-urlencoded',
      ...headers,
    })

  /** Creates a signed-in user with the roles, or with exactly the permissions. */
  const person = async (who: { roles?: readonly string[]; permissions?: readonly string[] } = { roles: ['admin'] }) => {
    const username = `human-${++people}`
    const own = who.permissions ? [(await createRole(app.db, { name: username, permissions: who.permissions })).id] : []
    const { id } = await createUser(app.db, { username, roles: [...(who.roles ?? []), ...own], password: QUICK })
    const cookie = cookieOf(await app.guest('POST', '/api/auth/login', { username, password: QUICK }))
    return { id, username, cookie } satisfies Signed
  }

  const register = async (metadata: object = {}): Promise<Client> => {
    const response = await app.guest('POST', '/mcp-oauth/register', { redirect_uris: [REDIRECT], ...metadata })
    return Registered.parse(await response.json())
  }

  const parametersFor = (client: Client, verifier: string, more: Values = {}): Values => ({
    response_type: 'code',
    client_id: client.client_id,
    redirect_uri: REDIRECT,
    code_challenge: challengeOf(verifier),
    code_challenge_method: 'S256',
    state: 'st4te',
    resource: RESOURCE,
    ...more,
  })

  /** Sends the consent as the browser page does. */
  const consent = (parameters: Values, { cookie }: Pick<Signed, 'cookie'>, more: object = { approved: true }) =>
    app.guest(
      'POST',
      '/mcp-oauth/authorize',
      { ...parameters, ...more },
      { Cookie: cookie, 'X-Requested-With': 'XMLHttpRequest' },
    )

  /** Returns the parameters of the redirect to the client. */
  const wentTo = async (response: Response): Promise<URLSearchParams> => {
    const to =
      response.headers.get('location') ??
      z.object({ redirect_uri: z.string() }).parse(await response.json()).redirect_uri
    return new URL(to).searchParams
  }

  const codeFor = async (client: Client, human: Signed, { verifier = newVerifier(), ...more }: Values = {}) => {
    const code = (await wentTo(await consent(parametersFor(client, verifier, more), human))).get('code')
    if (code === null) throw new Error('the user agreed, and there is no code')
    return { code, verifier }
  }

  /** Authenticates a client by its registered method. */
  const proofOf = ({ client_id, client_secret, token_endpoint_auth_method: method }: Client) => {
    if (client_secret === undefined) return { body: { client_id }, headers: {} }
    if (method === 'client_secret_post') return { body: { client_id, client_secret }, headers: {} }
    return { body: {}, headers: { Authorization: `Basic ${btoa(`${client_id}:${client_secret}`)}` } }
  }

  const askToken = (client: Client, values: Values) => {
    const { body, headers } = proofOf(client)
    return post('/mcp-oauth/token', { ...body, ...values }, headers)
  }
  const exchange = (client: Client, { code, verifier }: { code: string; verifier: string }, more: Values = {}) =>
    askToken(client, {
      grant_type: 'authorization_code',
      code,
      code_verifier: verifier,
      redirect_uri: REDIRECT,
      resource: RESOURCE,
      ...more,
    })
  const refresh = (client: Client, refresh_token: string, more: Values = {}) =>
    askToken(client, { grant_type: 'refresh_token', refresh_token, ...more })
  const revoke = (client: Client, token: string) => {
    const { body, headers } = proofOf(client)
    return post('/mcp-oauth/revoke', { ...body, token }, headers)
  }

  const tokensOf = async (response: Response): Promise<Tokens> => {
    if (response.status !== 200) throw new Error(`no tokens: ${response.status} ${await response.text()}`)
    return Tokens.parse(await response.json())
  }
  /** Runs the whole authorization, for tests of later steps. */
  const tokensFor = async (client: Client, human: Signed, more: Values = {}): Promise<Tokens> =>
    tokensOf(await exchange(client, await codeFor(client, human, more)))

  const mcp = (token: string | undefined, message: object = TOOLS_LIST) =>
    app.guest('POST', '/mcp', message, {
      Accept: 'application/json, text/event-stream',
      ...(token === undefined ? {} : { Authorization: `Bearer ${token}` }),
    })
  /** Returns the status that the token gets at /mcp. */
  const opens = async (token: string): Promise<number> => {
    const response = await mcp(token)
    await response.text()
    return response.status
  }

  return {
    post,
    person,
    register,
    parametersFor,
    consent,
    wentTo,
    codeFor,
    proofOf,
    askToken,
    exchange,
    refresh,
    revoke,
    tokensOf,
    tokensFor,
    mcp,
    opens,
  }
}
export type OauthSteps = ReturnType<typeof oauthOf>

/** The first suite on PostgreSQL waits for the server to start. */
const START_TIMEOUT_MS = 60_000

/** One app for a suite, on a clock that the tests set. Each getter throws before the suite has started. */
export const oauthSuite = (dialect: Dialect) => {
  const clock = { ms: Date.parse('2026-11-21T12:00:00.000Z') }
  let parts: { app: TestApp; oauth: OauthSteps; admin: TestCaller; ada: Signed; client: Client } | undefined
  const started = () => {
    if (parts === undefined) throw new Error('the suite has not started')
    return parts
  }
  beforeAll(async () => {
    const app = await oauthApp({ dialect, now: () => new Date(clock.ms) })
    const oauth = oauthOf(app)
    const [admin, ada] = [await app.as('admin'), await oauth.person()]
    const client = await oauth.register({
      scope: 'devices:list devices:read devices:create',
      client_name: 'Claude Code',
    })
    parts = { app, oauth, admin, ada, client }
  }, START_TIMEOUT_MS)
  afterAll(() => parts?.app.close(), START_TIMEOUT_MS)
  return {
    clock,
    get app() {
      return started().app
    },
    get oauth() {
      return started().oauth
    },
    /** An admin with a session cookie. */
    get admin() {
      return started().admin
    },
    /** A user, signed in, with the role admin. */
    get ada() {
      return started().ada
    },
    /** A public client that may ask for three permissions on devices. */
    get client() {
      return started().client
    },
    /** Replaces the admin and ada after their sessions have expired. */
    signInAgain: async (): Promise<void> => {
      const { app, oauth } = started()
      parts = { ...started(), admin: await app.as('admin'), ada: await oauth.person() }
    },
  }
}

/** Returns status and code of a protocol error. */
export const problemOf = async (response: Response): Promise<[number, string]> => {
  const { error } = z.object({ error: z.string(), error_description: z.string() }).parse(await response.json())
  return [response.status, error]
}
