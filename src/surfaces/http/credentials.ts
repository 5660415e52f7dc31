/** Reads the credentials of a request and writes the session cookie. Checks their form only, not their validity. */
import { AppError } from '../../contract/errors.ts'

export type Credentials = { readonly kind: 'bearer' | 'cookie'; readonly token: string }

/** RFC 6750 2.1; the bound is far above the length of any token of Plat. */
const BEARER = /^Bearer +([A-Za-z0-9._~+/-]{1,512}=*) *$/i

/** Returns the value of a cookie in a Cookie header; undefined if it is missing or empty. */
export const getCookie = (header: string, name: string): string | undefined => {
  for (const pair of header.split(';')) {
    const at = pair.indexOf('=')
    if (at !== -1 && pair.slice(0, at).trim() === name) return pair.slice(at + 1).trim() || undefined
  }
  return undefined
}

/** An Authorization header precedes the cookie, because it is sent on purpose. @throws AppError UNAUTHORIZED */
export const readCredentials = (headers: Headers, cookieName: string): Credentials | undefined => {
  const authorization = headers.get('authorization')
  if (authorization !== null) {
    const [, token] = BEARER.exec(authorization) ?? []
    if (token === undefined) throw new AppError('UNAUTHORIZED', 'The Authorization header must be: Bearer <API key>')
    return { kind: 'bearer', token }
  }
  const cookies = headers.get('cookie')
  const token = cookies === null ? undefined : getCookie(cookies, cookieName)
  return token === undefined ? undefined : { kind: 'cookie', token }
}

export type OwnCookie = {
  readonly name: string
  /** The Set-Cookie value that carries the token for `ttlMs`. */
  readonly set: (token: string) => string
  /** The Set-Cookie value that makes a browser delete it. */
  readonly clear: string
}

/**
 * Creates the session cookie. The prefix `__Host-` (RFC 6265bis 4.1.3.2) stops other hosts of the domain from setting
 * it; it requires Secure.
 * @example createSessionCookie({ isSecure: false, ttlMs: 1000 }).clear // 'session=; Max-Age=0; Path=/; HttpOnly; SameSite=Strict'
 */
export const createSessionCookie = (options: CookieOptions): OwnCookie => createCookie('session', options)

export type CookieOptions = {
  readonly isSecure: boolean
  readonly ttlMs: number
  /** `Lax`: also sent when another site sends the browser here. */
  readonly sameSite?: 'Strict' | 'Lax'
}

/** Creates a cookie for this server only, out of reach of scripts and other sites. */
export const createCookie = (base: string, { isSecure, ttlMs, sameSite = 'Strict' }: CookieOptions): OwnCookie => {
  const name = isSecure ? `__Host-${base}` : base
  const write = (value: string, seconds: number) =>
    `${name}=${value}; Max-Age=${seconds}; Path=/; HttpOnly; SameSite=${sameSite}${isSecure ? '; Secure' : ''}`
  return { name, set: (token) => write(token, Math.ceil(ttlMs / 1000)), clear: write('', 0) }
}
