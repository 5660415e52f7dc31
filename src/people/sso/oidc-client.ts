/**
 * The client of OpenID Connect providers: discovery, the authorization code flow, userinfo, and logout tokens. Requests go
 * through the outbound client, which follows no redirect.
 */
import type { JWK } from 'jose'
import type {
  AuthorizationCodeGrantChecks,
  ClientAuth,
  Configuration,
  CustomFetch,
  ServerMetadata,
} from 'openid-client'
import type { Outbound } from '../../base/security/outbound.ts'
import { OutboundError } from '../../base/security/outbound-target.ts'
import { isRecord } from '../../contract/unknown.ts'
import { type Claims, mergeClaims } from './claims.ts'
import type { Provider } from './provider-store.ts'

/** The provider could not be reached, or its answer is wrong. The message is for administrators. */
export class OidcError extends Error {
  override readonly name = 'OidcError'
  constructor(
    message: string,
    /** `denied`: the user or the provider has refused (RFC 6749 4.1.2.1). */
    readonly kind: 'wrong' | 'denied' = 'wrong',
    options?: ErrorOptions,
  ) {
    super(message, options)
  }
}

/** The fields of a provider that decide how it is called. */
export type Registration = Pick<Provider, 'id' | 'issuer' | 'client_id' | 'allow_http'> & {
  readonly secret: string | undefined
}

export type AuthorizationRequest = {
  readonly redirectUri: string
  readonly scopes: readonly string[]
  readonly state: string
  readonly nonce: string
  readonly verifier: string
  readonly acr: string
}

export type AuthorizationResponse = Pick<AuthorizationRequest, 'state' | 'nonce' | 'verifier'> & {
  /** The address of the callback, with the parameters that the provider has sent. */
  readonly url: URL
  /** Returns true if the claims lack one that is needed; userinfo is then asked for it. */
  readonly needsMore: (claims: Claims) => boolean
}

export type Answer = { readonly claims: Claims; readonly idToken: string }

export type LogoutClaims = {
  readonly sub: string | undefined
  readonly sid: string | undefined
  readonly jti: string
  /** When the token may be forgotten. */
  readonly expiresAt: Date
}

export type Facts = {
  readonly issuer: string
  readonly authorization_endpoint: string
  readonly end_session_endpoint: string | null
  readonly backchannel_logout_supported: boolean
  readonly keys: number
}

/** All methods throw OidcError. */
export type OidcClient = {
  /** Returns the address to send the browser to. */
  readonly authorize: (to: Registration, request: AuthorizationRequest, signal: AbortSignal) => Promise<URL>
  /** Exchanges the code and validates the answer (OpenID Connect Core 1.0 section 3.1.3.7). */
  readonly complete: (by: Registration, response: AuthorizationResponse, signal: AbortSignal) => Promise<Answer>
  /** Returns the address that ends the session at the provider (RP-Initiated Logout 1.0); undefined without one. */
  readonly endSession: (
    at: Registration,
    request: { readonly idToken: string | undefined; readonly returnTo: string },
    signal: AbortSignal,
  ) => Promise<URL | undefined>
  /** Validates a logout token (Back-Channel Logout 1.0 section 2.6), except that `jti` was not seen before. */
  readonly verifyLogout: (from: Registration, token: string, signal: AbortSignal) => Promise<LogoutClaims>
  /** Reads the discovery document and the keys. The next request of the provider reads them again. */
  readonly facts: (of: Pick<Registration, 'id' | 'issuer' | 'allow_http'>, signal: AbortSignal) => Promise<Facts>
}

export type OidcClientOptions = { readonly outbound: Outbound; readonly now: () => Date }

const TIMEOUT_MS = 10_000
/** Above any discovery document or key set. */
const MAX_ANSWER = 1024 * 1024
const DISCOVERY_LIFE_MS = 3_600_000
/** The shortest time between two requests for the keys because of an unknown `kid`. */
const KEYS_AGAIN_MS = 60_000
/** Statuses of answers without a body. */
const BODILESS: ReadonlySet<number> = new Set([101, 204, 205, 304])
const CLOCK_SKEW_S = 30
/** The largest age of a logout token, in seconds. */
const LOGOUT_AGE_S = 120
const LOGOUT_EVENT = 'http://schemas.openid.net/event/backchannel-logout'

/** RFC 7518 3.1, RFC 8037, RFC 9864: signatures by a published key. `none` and HMAC are not among them. */
const ALGORITHMS: readonly string[] = [
  ...['RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512', 'ES256', 'ES384', 'ES512', 'EdDSA', 'Ed25519'],
]

/** Compares issuers, a slash at the end aside: some providers name themselves with one. */
const isSameIssuer = (a: string, b: string): boolean => a.replace(/\/$/, '') === b.replace(/\/$/, '')

type Document = ServerMetadata & { readonly authorization_endpoint: string; readonly jwks_uri: string }

type Known = {
  readonly key: string
  /** One for each way in which the client may show its secret, the one to try first in front. */
  configs: readonly [Configuration, ...Configuration[]]
  readonly document: Document
  readonly untilMs: number
  keys: { readonly jwks: readonly JWK[]; readonly readMs: number } | undefined
}

/** The longest text of a provider in a message. */
const MAX_QUOTED = 200

/** Returns the message of an error of the library, or that of its cause, which says more. */
const getMessage = (error: unknown): string => {
  if (!(error instanceof Error)) return String(error)
  const { error: code, error_description: description } = error as { error?: unknown; error_description?: unknown }
  if (typeof code === 'string')
    return `the provider says ${[code, description].filter(Boolean).join(': ').slice(0, MAX_QUOTED)}`
  const { cause } = error
  // The library wraps the error of the outbound client.
  if (cause instanceof OutboundError || cause instanceof OidcError) return cause.message
  return cause instanceof Error ? cause.message : error.message
}

const toOidcError = (error: unknown): OidcError =>
  error instanceof OidcError ? error : new OidcError(getMessage(error), 'wrong', { cause: error })

const parseFields = (bytes: Uint8Array, what: string): Readonly<Record<string, unknown>> => {
  let value: unknown
  try {
    value = JSON.parse(new TextDecoder().decode(bytes))
  } catch (cause) {
    throw new OidcError(`${what} is not JSON`, 'wrong', { cause })
  }
  if (!isRecord(value)) throw new OidcError(`${what} is not a JSON object`)
  return value
}

/** @throws OidcError for a document that lacks an endpoint, or has one that may not be used */
const checkEndpoints = (document: Readonly<Record<string, unknown>>, allowHttp: boolean): void => {
  const check = (name: string, isRequired: boolean): void => {
    const value = document[name]
    if (value === undefined && !isRequired) return
    const url = typeof value === 'string' ? URL.parse(value) : null
    if (url?.protocol !== 'https:' && !(allowHttp && url?.protocol === 'http:'))
      throw new OidcError(`the discovery document has no valid ${name}`)
  }
  for (const name of ['authorization_endpoint', 'token_endpoint', 'jwks_uri']) check(name, true)
  for (const name of ['userinfo_endpoint', 'end_session_endpoint']) check(name, false)
}

export const createOidcClient = ({ outbound, now }: OidcClientOptions): OidcClient => {
  const known = new Map<string, Known>()

  const get = async (url: string, what: string, signal: AbortSignal): Promise<Readonly<Record<string, unknown>>> => {
    const headers = { accept: 'application/json' }
    const { status, body, isCut } = await outbound.exchange({
      ...{ url, method: 'GET', headers, timeoutMs: TIMEOUT_MS, maxBytes: MAX_ANSWER, signal },
    })
    if (status !== 200) throw new OidcError(`${what} was answered with status ${status}`)
    if (isCut) throw new OidcError(`${what} is larger than 1 MiB`)
    return parseFields(body, what)
  }

  const discover = async (of: Pick<Registration, 'issuer' | 'allow_http'>, signal: AbortSignal): Promise<Document> => {
    const url = `${of.issuer.replace(/\/$/, '')}/.well-known/openid-configuration`
    const document = await get(url, 'the discovery document', signal)
    const { issuer } = document
    if (typeof issuer !== 'string' || !isSameIssuer(issuer, of.issuer))
      throw new OidcError(`the discovery document is of another issuer: ${JSON.stringify(issuer)?.slice(0, 200)}`)
    checkEndpoints(document, of.allow_http)
    // Both were just checked.
    return document as Document
  }

  /** Adapts the outbound client to the one that the library calls. */
  const fetchOutbound: CustomFetch = async (url, { body, headers: given, method }) => {
    const headers = Object.fromEntries(new Headers(given))
    const bytes = body === undefined || body === null ? undefined : new TextEncoder().encode(String(body))
    const answer = await outbound.exchange({
      ...{ url, method: method === 'POST' ? 'POST' : 'GET', headers, timeoutMs: TIMEOUT_MS, maxBytes: MAX_ANSWER },
      ...(bytes && { body: bytes }),
    })
    if (answer.isCut) throw new OidcError('an answer is larger than 1 MiB')
    const isEmpty = BODILESS.has(answer.status)
    return new Response(isEmpty ? null : Uint8Array.from(answer.body), answer)
  }

  const createConfiguration = async (
    of: Registration,
    document: Document,
    auth: ClientAuth,
  ): Promise<Configuration> => {
    const client = await import('openid-client')
    const supported = document.id_token_signing_alg_values_supported
    const algorithms = Array.isArray(supported) ? supported.filter((one) => ALGORITHMS.includes(one)) : ['RS256']
    const metadata = {
      ...(of.secret !== undefined && { client_secret: of.secret }),
      [client.clockTolerance]: CLOCK_SKEW_S,
      [client.clockSkew]: Math.round((now().getTime() - Date.now()) / 1000),
    }
    const server = { ...document, id_token_signing_alg_values_supported: algorithms }
    const config = new client.Configuration(server, of.client_id, metadata, auth)
    // The client would otherwise accept a token from the token endpoint without a look at its signature.
    client.enableNonRepudiationChecks(config)
    if (of.allow_http) client.allowInsecureRequests(config)
    config.timeout = TIMEOUT_MS / 1000
    config[client.customFetch] = fetchOutbound
    return config
  }

  const createConfigurations = async (of: Registration, document: Document): Promise<Known['configs']> => {
    const { ClientSecretBasic, ClientSecretPost, None } = await import('openid-client')
    const { secret } = of
    if (secret === undefined) return [await createConfiguration(of, document, None())]
    const methods = document.token_endpoint_auth_methods_supported
    const hasPost = Array.isArray(methods) && methods.includes('client_secret_post')
    const post = hasPost ? await createConfiguration(of, document, ClientSecretPost(secret)) : undefined
    if (post && methods?.includes('client_secret_basic') === false) return [post]
    // The method of a client that is registered without one (OpenID Connect Dynamic Client Registration 1.0 section 2).
    const basic = await createConfiguration(of, document, ClientSecretBasic(secret))
    return post ? [basic, post] : [basic]
  }

  const loadProvider = async (of: Registration, signal: AbortSignal): Promise<Known> => {
    const { issuer, client_id, allow_http, secret } = of
    const key = JSON.stringify([issuer, client_id, allow_http, secret])
    const before = known.get(of.id)
    if (before?.key === key && before.untilMs > now().getTime()) return before
    const document = await discover(of, signal)
    const configs = await createConfigurations(of, document)
    const fresh: Known = { key, configs, document, untilMs: now().getTime() + DISCOVERY_LIFE_MS, keys: undefined }
    known.set(of.id, fresh)
    return fresh
  }

  const readKeys = async (document: Document, signal: AbortSignal): Promise<readonly JWK[]> => {
    const { keys } = await get(document.jwks_uri, 'the key set', signal)
    if (!Array.isArray(keys)) throw new OidcError('the key set has no keys')
    return keys.filter(isRecord)
  }

  /** Returns the keys of the provider; reads them again for an unknown `kid`, at most once a minute. */
  const loadKeys = async (provider: Known, kid: string | undefined, signal: AbortSignal): Promise<readonly JWK[]> => {
    const atMs = now().getTime()
    const held = provider.keys
    const isKnown = held?.jwks.some((one) => kid === undefined || one.kid === kid)
    if (held && (isKnown || atMs - held.readMs < KEYS_AGAIN_MS)) return held.jwks
    const jwks = await readKeys(provider.document, signal)
    provider.keys = { jwks, readMs: atMs }
    return jwks
  }

  const checkAnswer = async (claims: Claims, idToken: string, clientId: string): Promise<void> => {
    const { decodeProtectedHeader } = await import('jose')
    const { alg } = decodeProtectedHeader(idToken)
    if (alg === undefined || !ALGORITHMS.includes(alg)) throw new OidcError(`the ID token is signed by ${alg}`)
    if (claims.azp !== undefined && claims.azp !== clientId)
      throw new OidcError('the ID token was issued to another client (azp)')
    if (typeof claims.sub !== 'string' || claims.sub === '' || claims.sub.length > 255)
      throw new OidcError('the ID token has no valid sub')
  }

  /** Exchanges the code. Providers disagree on the ways in which a client may show its secret, so a refusal tries the next. */
  const exchangeCode = async (provider: Known, url: URL, checks: AuthorizationCodeGrantChecks) => {
    const client = await import('openid-client')
    for (const config of provider.configs) {
      try {
        const tokens = await client.authorizationCodeGrant(config, url, checks)
        provider.configs = [config, ...provider.configs.filter((other) => other !== config)]
        return { tokens, config }
      } catch (error) {
        if (error instanceof client.AuthorizationResponseError && error.error === 'access_denied')
          throw new OidcError('the provider says access_denied', 'denied', { cause: error })
        const isRefused =
          // RFC 6749 5.2: a challenge is the answer to a failed authentication of the client.
          error instanceof client.WWWAuthenticateChallengeError ||
          (error instanceof client.ResponseBodyError && error.error === 'invalid_client')
        if (!isRefused) throw error
      }
    }
    throw new OidcError('the provider refuses the client ID or its secret (invalid_client)')
  }

  const complete: OidcClient['complete'] = async (by, { url, state, nonce, verifier, needsMore }, signal) => {
    const client = await import('openid-client')
    const provider = await loadProvider(by, signal)
    const checks = { expectedState: state, expectedNonce: nonce, pkceCodeVerifier: verifier, idTokenExpected: true }
    const { tokens, config } = await exchangeCode(provider, url, checks)
    const idToken = tokens.id_token ?? ''
    const claims = (tokens.claims() ?? {}) as Claims
    await checkAnswer(claims, idToken, by.client_id)
    if (!needsMore(claims) || provider.document.userinfo_endpoint === undefined) return { claims, idToken }
    const more = await client.fetchUserInfo(config, tokens.access_token, claims.sub)
    return { claims: mergeClaims(claims, more), idToken }
  }

  const verifyLogout: OidcClient['verifyLogout'] = async (from, token, signal) => {
    const { createLocalJWKSet, decodeProtectedHeader, jwtVerify } = await import('jose')
    const provider = await loadProvider(from, signal)
    const { kid, typ } = decodeProtectedHeader(token)
    // Section 2.4 recommends the type; other tokens of the provider have other types.
    if (typ !== undefined && !/^(?:application\/)?(?:logout\+jwt|jwt)$/i.test(typ))
      throw new OidcError('the logout token has another type')
    const keys = createLocalJWKSet({ keys: [...(await loadKeys(provider, kid, signal))] })
    const { payload } = await jwtVerify(token, keys, {
      issuer: provider.document.issuer,
      audience: from.client_id,
      algorithms: [...ALGORITHMS],
      clockTolerance: CLOCK_SKEW_S,
      maxTokenAge: LOGOUT_AGE_S,
      requiredClaims: ['iat', 'exp', 'jti', 'events'],
      currentDate: now(),
    })
    const { sub, sid, jti, events, nonce, exp } = payload
    if (nonce !== undefined) throw new OidcError('the logout token has a nonce')
    if (!isRecord(events) || !isRecord(events[LOGOUT_EVENT])) throw new OidcError('the logout token has another event')
    if (typeof jti !== 'string' || jti === '' || exp === undefined) throw new OidcError('the logout token has no jti')
    if (sid !== undefined && typeof sid !== 'string') throw new OidcError('the logout token has no valid sid')
    if (!sub && !sid) throw new OidcError('the logout token has neither sub nor sid')
    const expiresAt = new Date((exp + CLOCK_SKEW_S + LOGOUT_AGE_S) * 1000)
    return { sub: sub || undefined, sid: sid || undefined, jti, expiresAt }
  }

  /** Turns every error into an OidcError. */
  const withOidcErrors =
    <Args extends readonly unknown[], T>(work: (...args: Args) => Promise<T>) =>
    async (...args: Args): Promise<T> => {
      try {
        return await work(...args)
      } catch (error) {
        throw toOidcError(error)
      }
    }

  return {
    authorize: withOidcErrors(async (to, { redirectUri, scopes, state, nonce, verifier, acr }, signal) => {
      const client = await import('openid-client')
      const { configs } = await loadProvider(to, signal)
      return client.buildAuthorizationUrl(configs[0], {
        redirect_uri: redirectUri,
        response_type: 'code',
        scope: scopes.join(' '),
        state,
        nonce,
        code_challenge: await client.calculatePKCECodeChallenge(verifier),
        code_challenge_method: 'S256',
        ...(acr !== '' && { acr_values: acr }),
      })
    }),
    complete: withOidcErrors(complete),
    endSession: withOidcErrors(async (of, { idToken, returnTo }, signal) => {
      const client = await import('openid-client')
      const { configs, document } = await loadProvider(of, signal)
      if (document.end_session_endpoint === undefined) return undefined
      return client.buildEndSessionUrl(configs[0], {
        ...(idToken !== undefined && { id_token_hint: idToken }),
        post_logout_redirect_uri: returnTo,
      })
    }),
    verifyLogout: withOidcErrors(verifyLogout),
    facts: withOidcErrors(async (of, signal) => {
      known.delete(of.id)
      const document = await discover(of, signal)
      const keys = await readKeys(document, signal)
      const { issuer, authorization_endpoint, end_session_endpoint, backchannel_logout_supported } = document
      return {
        issuer,
        authorization_endpoint,
        end_session_endpoint: end_session_endpoint ?? null,
        backchannel_logout_supported: backchannel_logout_supported === true,
        keys: keys.filter(({ use }) => use === undefined || use === 'sig').length,
      }
    }),
  }
}
