/** An OAuth client with the parts that the consent page needs. */
import { createHash, randomBytes } from 'node:crypto'
import type { Role, RunningPlat } from './server.ts'

/** Requests are not limited, because each counts as a login. The pages do not depend on the issuer. */
export const OAUTH = {
  MCP_OAUTH_ENABLED: 'true',
  MCP_OAUTH_ISSUER_URL: 'http://localhost:8080',
  LOGIN_RATE_LIMIT_REQUESTS: '1000',
}

export type Registration = { readonly client_name?: string; readonly scope?: string; readonly redirect_uri?: string }

export type OauthProgram = {
  readonly clientId: string
  /** The path of the consent request, optionally with changed parameters. */
  readonly authorizePath: (change?: Readonly<Record<string, string>>) => string
  /** The code or the error of the callback URL. */
  readonly answerIn: (url: string) => { readonly code: string | null; readonly error: string | null }
  readonly exchange: (code: string) => Promise<{ readonly access_token: string; readonly scope: string }>
  /** Returns the status of a call of /mcp. */
  readonly call: (accessToken: string) => Promise<number>
}

export const CALLBACK = '/callback'

const SCOPE = 'devices:list devices:read networks:list networks:read devices:create devices:delete'

/** Registers a client at a server. */
export const oauthProgram = async (url: string, registration: Registration = {}): Promise<OauthProgram> => {
  const { client_name = 'Inventory helper', scope = SCOPE, redirect_uri = url + CALLBACK } = registration
  const registered = await fetch(`${url}/mcp-oauth/register`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ client_name, scope, redirect_uris: [redirect_uri] }),
  })
  if (registered.status !== 201) throw new Error(await registered.text())
  const { client_id: clientId } = (await registered.json()) as { client_id: string }
  const verifier = randomBytes(32).toString('base64url')
  const challenge = createHash('sha256').update(verifier).digest('base64url')
  return {
    clientId,
    authorizePath: (change = {}) => {
      const own = { response_type: 'code', client_id: clientId, redirect_uri, scope, state: 'xyz 1+1' }
      const pkce = { code_challenge: challenge, code_challenge_method: 'S256' }
      return `/mcp-oauth/authorize?${new URLSearchParams({ ...own, ...pkce, ...change })}`
    },
    answerIn: (came) => {
      const { searchParams } = new URL(came)
      if (searchParams.get('state') !== 'xyz 1+1') throw new Error(`the state did not come back: ${came}`)
      return { code: searchParams.get('code'), error: searchParams.get('error') }
    },
    exchange: async (code) => {
      const body = {
        grant_type: 'authorization_code',
        code,
        redirect_uri,
        client_id: clientId,
        code_verifier: verifier,
      }
      const answer = await fetch(`${url}/mcp-oauth/token`, { method: 'POST', body: new URLSearchParams(body) })
      if (!answer.ok) throw new Error(await answer.text())
      return (await answer.json()) as { access_token: string; scope: string }
    },
    call: async (accessToken) => {
      const answer = await fetch(`${url}/mcp`, {
        method: 'POST',
        headers: {
          authorization: `Bearer ${accessToken}`,
          'content-type': 'application/json',
          accept: 'application/json, text/event-stream',
        },
        body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list' }),
      })
      await answer.body?.cancel()
      return answer.status
    },
  }
}

/** Grants consent without a browser, and returns an access token. */
export const agreed = async (
  { url, signIn }: Pick<RunningPlat, 'url' | 'signIn'>,
  program: OauthProgram,
  role: Role,
): Promise<string> => {
  const { name, value } = await signIn(role)
  const query = new URLSearchParams(program.authorizePath().split('?')[1])
  const answer = await fetch(`${url}/mcp-oauth/authorize`, {
    method: 'POST',
    headers: { cookie: `${name}=${value}`, 'content-type': 'application/json', 'x-requested-with': 'XMLHttpRequest' },
    body: JSON.stringify({ ...Object.fromEntries(query), approved: true }),
  })
  if (!answer.ok) throw new Error(await answer.text())
  const { redirect_uri } = (await answer.json()) as { redirect_uri: string }
  const { code } = program.answerIn(redirect_uri)
  return (await program.exchange(code ?? '')).access_token
}

/** Registers known clients, some of them with grants. */
export const seedPrograms = async (plat: RunningPlat) => {
  const reads = 'devices:list devices:read networks:list networks:read pools:list pools:read search:read'
  const claude = await oauthProgram(plat.url, {
    client_name: 'Claude',
    redirect_uri: 'https://claude.ai/api/mcp/auth_callback',
    scope: `${reads} devices:create devices:update reservations:create reservations:delete conflicts:resolve`,
  })
  const editor = await oauthProgram(plat.url, {
    client_name: 'Cursor',
    redirect_uri: 'http://localhost:33418/callback',
    scope: reads,
  })
  await oauthProgram(plat.url, { client_name: 'Night report', redirect_uri: 'https://reports.example.com/plat' })
  const token = await agreed(plat, claude, 'admin')
  await agreed(plat, claude, 'operator')
  await agreed(plat, editor, 'admin')
  await claude.call(token)
  return { client: claude.clientId, ask: claude.authorizePath(), askLocal: editor.authorizePath() }
}
