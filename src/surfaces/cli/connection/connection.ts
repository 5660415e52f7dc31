/** Finds the server and the API key of a request. A stored key is sent only to the server that issued it. */

import { canPropose } from '../../../contract/can-propose.ts'
import { AppError } from '../../../contract/errors.ts'
import { takesIdempotencyKey } from '../../../contract/idempotency-key.ts'
import { getErrorCode } from '../../../contract/unknown.ts'
import type { AnyOperation } from '../../../kernel/operation.ts'
import type { Io } from '../io.ts'
import { createUsageError } from '../parse/usage-error.ts'
import type { Fetch, Transport } from './client.ts'
import { refuseForeignAnswers } from './foreign-answer.ts'
import { repeatIfCut } from './repeat.ts'
import { readSettings, type Settings } from './settings.ts'

export const DEFAULT_URL = 'http://localhost:8080'

export type Connection = {
  readonly transport: Transport
  readonly url: string
  readonly hasToken: boolean
}

type Asked = { readonly url: string | undefined; readonly token: string | undefined }

/** @example normalizeUrl('https://Plat.example.com/') // 'https://plat.example.com' @throws AppError INVALID_INPUT */
export const normalizeUrl = (text: string): string => {
  const url = URL.parse(/^[a-z][a-z0-9+.-]*:\/\//i.test(text) ? text : `http://${text}`)
  if (!url || !['http:', 'https:'].includes(url.protocol) || url.host === '')
    throw createUsageError(`"${text}" is not the URL of a server`)
  return `${url.origin}${url.pathname.replace(/\/+$/, '')}`
}

/** Explains a redirect: to the same path at another address of the server, or to another page, such as for a sign-in. */
const explainRedirect = (base: string, from: string, location: string | null): string => {
  const target = location === null ? null : URL.parse(location, from)
  if (!target) return `${base} sends on to another address: correct PLAT_URL or --url`
  const { pathname } = new URL(from)
  if (target.pathname === pathname)
    return `${base} sends on to ${target.origin}: use ${target.origin}${new URL(base).pathname.replace(/\/$/, '')} as PLAT_URL or --url`
  if (target.pathname === '/') return `${base} sends on to ${target.href}: use that as PLAT_URL or --url`
  return `${base} sends on to ${target.href}, a page of a proxy or network in between: sign in there, or correct PLAT_URL or --url`
}

/** Refuses redirects. A redirect turns a POST into a GET that answers 200: if followed, a create would become a list. */
const refuseRedirects =
  (fetch: Fetch, base: string): Fetch =>
  async (url, init) => {
    const response = await fetch(url, { ...init, redirect: 'manual' })
    if (response.status < 300 || response.status >= 400 || response.status === 304) return response
    throw new AppError('UNAVAILABLE', explainRedirect(base, url, response.headers.get('location')))
  }

const NOT_THERE = 'nothing listens there. Is the server running? Its address is PLAT_URL or --url'
const CUT = 'the connection was cut before the end of the answer. A change may have been made'
/** Reasons by the code of an error of Bun or of the system. */
const REASONS: Readonly<Record<string, string>> = {
  ConnectionRefused: NOT_THERE,
  ECONNREFUSED: NOT_THERE,
  ECONNRESET: CUT,
  EPIPE: CUT,
}

/** Explains a failed connection in words. */
const explain =
  (fetch: Fetch): Fetch =>
  async (url, init) => {
    try {
      return await fetch(url, init)
    } catch (error) {
      if (error instanceof AppError || init.signal?.aborted) throw error
      const reason = REASONS[getErrorCode(error)]
      throw reason === undefined ? error : new Error(reason, { cause: error })
    }
  }

/** Returns a response with its whole body in memory. */
const readWhole = async (response: Response): Promise<Response> => {
  const { status, headers } = response
  return new Response(await response.arrayBuffer(), { status, headers })
}

/** Returns the requested URL, else the one of the login, else the default. */
export const selectUrl = (io: Io, asked: string | undefined, stored: Settings | undefined): string =>
  normalizeUrl(asked || io.env.PLAT_URL || stored?.url || DEFAULT_URL)

/** True for a call that a key keeps from being done twice. Proposals keep no key. */
const isDoneOnce = (op: AnyOperation, { proposal }: Readonly<Record<string, unknown>>): boolean =>
  takesIdempotencyKey(op) && !(canPropose(op) && proposal !== undefined)

export const createTransport = (io: Io, url: string, headers: Readonly<Record<string, string>> = {}): Transport => ({
  fetch: refuseForeignAnswers(refuseRedirects(explain(io.fetch), url), url),
  baseUrl: url,
  headers,
  complete: (op, input) => (isDoneOnce(op, input) ? { idempotency_key: crypto.randomUUID(), ...input } : input),
  repeat: (op, input, send) => (isDoneOnce(op, input) ? repeatIfCut(async () => readWhole(await send())) : send()),
})

const checkToken = (token: string): string => {
  if (/^[\x21-\x7e]+$/.test(token)) return token
  throw createUsageError('the token holds characters that no API key has')
}

export const connect = async (io: Io, asked: Asked): Promise<Connection> => {
  const token = asked.token || io.env.PLAT_TOKEN
  const hasUrl = Boolean(asked.url || io.env.PLAT_URL)
  // The stored login is not read if both are given, so it may be unreadable.
  const stored = token && hasUrl ? undefined : await readSettings(io.env)
  const url = selectUrl(io, asked.url, stored)
  const key = token || (stored && normalizeUrl(stored.url) === url ? stored.key : undefined)
  const headers: Record<string, string> = key === undefined ? {} : { authorization: `Bearer ${checkToken(key)}` }
  return { url, hasToken: key !== undefined, transport: createTransport(io, url, headers) }
}
