/**
 * What a client asks for, as the authorization endpoint tells it, and the answer that it is given. The endpoint has errors of
 * its own (RFC 6749 4.1.2.1), so these calls don't go the way of the others.
 */
import type { ConsentRequest } from '../../../src/features/oauth/schema.ts'
import { CONSENT } from '../paths.ts'

export type Refusal = {
  readonly error: string
  readonly description: string
  /** The host of the client; empty where the server does not know it. */
  readonly host: string
  /** Where a signed-in user may go to tell the client; empty for everyone else. */
  readonly to: string
}

export type Asked =
  | { readonly kind: 'ask'; readonly request: ConsentRequest }
  | { readonly kind: 'sign-in' }
  /** The request is wrong: nobody is sent anywhere unasked. */
  | { readonly kind: 'refused'; readonly refusal: Refusal }
  /** It may go well another time. */
  | { readonly kind: 'failed'; readonly description: string }
  /** The user has answered, and goes back to the client with it. */
  | { readonly kind: 'sent'; readonly to: string }

const MARK = { accept: 'application/json', 'x-requested-with': 'XMLHttpRequest' }

/**
 * The query as the browser was sent here with it: the router writes its own way of it into the address, in which a parameter
 * that was there twice, which the server refuses, is there once.
 */
const query = (): string => {
  const [navigation] = performance.getEntriesByType('navigation')
  const came = navigation && URL.canParse(navigation.name) ? new URL(navigation.name) : undefined
  return came?.pathname === CONSENT ? came.search : location.search
}

type Body = Readonly<Record<string, unknown>>

const textIn = (body: Body, ...names: readonly string[]): string =>
  names.map((name) => body[name]).find((value) => typeof value === 'string') ?? ''

const bodyOf = async (response: Response): Promise<Body> => {
  const body: unknown = await response.json().catch(() => ({}))
  // Read field by field below.
  return typeof body === 'object' && body !== null ? (body as Body) : {}
}

const UNREACHED = 'The server does not answer. Try again in a moment.'

const failed = (response: Response, body: Body): Asked => {
  if (response.status === 401) return { kind: 'sign-in' }
  if (response.status === 429)
    return { kind: 'failed', description: 'Too many tries from this address. Wait a minute.' }
  if (response.status >= 500) return { kind: 'failed', description: UNREACHED }
  const error = textIn(body, 'error')
  const description = textIn(body, 'error_description')
  const host = textIn(body, 'redirect_host')
  const to = textIn(body, 'redirect_uri')
  return {
    kind: 'refused',
    refusal: { error: description === '' ? '' : error, description: description || error, host, to },
  }
}

const send = async (init: RequestInit & { readonly search?: string }, good: (body: Body) => Asked): Promise<Asked> => {
  const { search = '', ...rest } = init
  const response = await fetch(CONSENT + search, rest).catch(() => undefined)
  if (!response) return { kind: 'failed', description: UNREACHED }
  const body = await bodyOf(response)
  return response.ok ? good(body) : failed(response, body)
}

export const askWhat = (): Promise<Asked> =>
  send({ headers: MARK, search: query() }, (body) => ({
    kind: 'ask',
    // The server's half of the contract.
    request: body as unknown as ConsentRequest,
  }))

/** @param scope what is agreed to, of what was asked for */
export const decide = (approved: boolean, scope: string): Promise<Asked> =>
  send(
    {
      method: 'POST',
      headers: { ...MARK, 'content-type': 'application/json' },
      body: JSON.stringify({ ...Object.fromEntries(new URLSearchParams(query())), scope, approved }),
    },
    (body) => ({ kind: 'sent', to: textIn(body, 'redirect_uri') }),
  )
