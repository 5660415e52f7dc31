/** An OpenID Connect provider on this machine. A test scripts its answers, right ones and wrong ones. */
import { createHash, type KeyObject } from 'node:crypto'
import { exportJWK, generateKeyPair, type JWTPayload, SignJWT } from 'jose'

export type Claims = Readonly<Record<string, unknown>>

/** Changes the answers to one sign-in. */
export type Script = {
  /** Replaces claims of the ID token; undefined removes one. */
  readonly claims?: Claims
  /** Claims of userinfo. */
  readonly userinfo?: Claims
  /** Replaces the whole ID token. */
  readonly idToken?: (claims: Claims) => Promise<string> | string
  /** Replaces the answer of the token endpoint. */
  readonly token?: (idToken: string) => Response
}

type Issued = {
  readonly nonce: string
  readonly challenge: string
  readonly redirectUri: string
  readonly script: Script
}
type Key = Awaited<ReturnType<typeof generateKeyPair>>['privateKey'] | KeyObject

const b64 = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64url')

export const scriptedProvider = async (now: () => Date = () => new Date()) => {
  const own = await generateKeyPair('RS256', { extractable: true })
  const foreign = await generateKeyPair('RS256', { extractable: true })
  const codes = new Map<string, Issued>()
  /** The discovery document, beside the usual fields. */
  let discovery: Claims = {}
  const requests: { path: string; body: URLSearchParams; authorization: string | null }[] = []
  let userinfo: Claims = {}
  let ofPage: Script = {}

  /** Agrees as the user of the script. @returns the code */
  const agree = (authorization: URL, script: Script = {}): string => {
    const at = (name: string): string => authorization.searchParams.get(name) ?? ''
    const code = Bun.randomUUIDv7()
    codes.set(code, { nonce: at('nonce'), challenge: at('code_challenge'), redirectUri: at('redirect_uri'), script })
    return code
  }
  /** Returns the sign-in page of the provider, on which a user is signed in and agrees at once. */
  const agreed = (authorization: URL): Response => {
    const to = new URL(authorization.searchParams.get('redirect_uri') ?? '')
    to.searchParams.set('code', agree(authorization, ofPage))
    to.searchParams.set('state', authorization.searchParams.get('state') ?? '')
    return Response.redirect(to.href)
  }

  const tokenAnswer = async (form: URLSearchParams): Promise<Response> => {
    const code = form.get('code') ?? ''
    const issued = codes.get(code)
    codes.delete(code)
    const challenge = createHash('sha256')
      .update(form.get('code_verifier') ?? '')
      .digest('base64url')
    if (issued?.challenge !== challenge || issued.redirectUri !== form.get('redirect_uri'))
      return Response.json({ error: 'invalid_grant' }, { status: 400 })
    const { script, nonce } = issued
    const claims = { ...standard(), sub: 'ada', preferred_username: 'ada', nonce, ...script.claims }
    userinfo = { sub: claims.sub, ...script.userinfo }
    const idToken = await (script.idToken?.(claims) ?? sign(claims))
    if (script.token) return script.token(idToken)
    return Response.json({ access_token: 'at', token_type: 'Bearer', id_token: idToken, expires_in: 60 })
  }

  const server: Bun.Server<undefined> = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    fetch: async (request): Promise<Response> => {
      const { pathname: path } = new URL(request.url)
      const body = new URLSearchParams(request.method === 'POST' ? await request.text() : '')
      requests.push({ path, body, authorization: request.headers.get('authorization') })
      if (path === '/.well-known/openid-configuration') return Response.json({ ...metadata(), ...discovery })
      if (path === '/jwks') return Response.json({ keys: [await publicKey()] })
      if (path === '/token') return tokenAnswer(body)
      if (path === '/authorize') return agreed(new URL(request.url))
      if (path === '/logout')
        return Response.redirect(new URL(request.url).searchParams.get('post_logout_redirect_uri') ?? '')
      if (path === '/userinfo') return Response.json(userinfo)
      return new Response(null, { status: 404 })
    },
  })
  const issuer = `http://127.0.0.1:${server.port}`

  const metadata = (): Claims => ({
    issuer,
    authorization_endpoint: `${issuer}/authorize`,
    token_endpoint: `${issuer}/token`,
    jwks_uri: `${issuer}/jwks`,
    userinfo_endpoint: `${issuer}/userinfo`,
    end_session_endpoint: `${issuer}/logout`,
    backchannel_logout_supported: true,
    id_token_signing_alg_values_supported: ['RS256', 'HS256', 'none'],
    token_endpoint_auth_methods_supported: ['client_secret_basic'],
  })
  const publicKey = async () => ({ ...(await exportJWK(own.publicKey)), kid: 'own', use: 'sig', alg: 'RS256' })
  const nowS = () => Math.floor(now().getTime() / 1000)
  const standard = () => ({ iss: issuer, aud: 'plat', iat: nowS(), exp: nowS() + 300 })
  const sign = (claims: Claims, key: Key = own.privateKey, header: Claims = {}): Promise<string> =>
    new SignJWT(claims as JWTPayload).setProtectedHeader({ alg: 'RS256', kid: 'own', ...header }).sign(key as never)

  return {
    issuer,
    requests,
    foreignKey: foreign.privateKey,
    sign,
    /** Returns a token of these claims without a signature. */
    unsigned: (claims: Claims): string => `${b64({ alg: 'none' })}.${b64(claims)}.`,
    /** Signs with the published key as the secret of an HMAC. */
    signedByPublicKey: async (claims: Claims): Promise<string> => {
      const text = `${b64({ alg: 'HS256', kid: 'own' })}.${b64(claims)}`
      const secret = JSON.stringify(await publicKey())
      return `${text}.${new Bun.CryptoHasher('sha256', secret).update(text).digest('base64url')}`
    },
    standard,
    describe: (fields: Claims): void => {
      discovery = fields
    },
    agree,
    /** The script of users who come to its page. */
    signInAs: (script: Script): void => {
      ofPage = script
    },
    logoutToken: (claims: Claims = {}, key?: Key, header: Claims = { typ: 'logout+jwt' }): Promise<string> => {
      const events = { 'http://schemas.openid.net/event/backchannel-logout': {} }
      return sign({ ...standard(), sub: 'ada', jti: Bun.randomUUIDv7(), events, ...claims }, key, header)
    },
    close: () => server.stop(true),
  }
}

export type ScriptedProvider = Awaited<ReturnType<typeof scriptedProvider>>
