/** The authorization endpoint. Its errors have another format (RFC 6749 4.1.2.1) than the API client's. */
import type { ConsentRequest } from '../../../src/people/oauth/schema.ts'
import { CONSENT } from '../paths.ts'

export type Refusal = {
  readonly error: string
  readonly description: string
  /** The host of the client, or '' if the server does not know the client. */
  readonly host: string
  /** The URL that reports the error to the client, for a signed-in user. '' for all others. */
  readonly to: string
}

export type Asked =
  | { readonly kind: 'ask'; readonly request: ConsentRequest }
  | { readonly kind: 'sign-in' }
  /** The request is invalid. The browser is not redirected automatically. */
  | { readonly kind: 'refused'; readonly refusal: Refusal }
  /** A temporary failure. The request may be retried. */
  | { readonly kind: 'failed'; readonly description: string }
  /** The user has decided, and the browser returns to the client. */
  | { readonly kind: 'sent'; readonly to: string }

const MARK = { accept: 'application/json', 'x-requested-with': 'XMLHttpRequest' }

/** Returns the query as loaded: the router merges repeated parameters, which the server must see to refuse them. */
export const getQuery = (): string => {
  const [navigation] = performance.getEntriesByType('navigation')
  const came = navigation && URL.canParse(navigation.name) ? new URL(navigation.name) : undefined
  return came?.pathname === CONSENT ? came.search : location.search
}

type Body = Readonly<Record<string, unknown>>

const findText = (body: Body, ...names: readonly string[]): string =>
  names.map((name) => body[name]).find((value) => typeof value === 'string') ?? ''

const readBody = async (response: Response): Promise<Body> => {
  const body: unknown = await response.json().catch(() => ({}))
  // The caller checks each field.
  return typeof body === 'object' && body !== null ? (body as Body) : {}
}

const UNREACHED = 'The server does not answer. Try again in a moment.'

const toFailure = (response: Response, body: Body): Asked => {
  if (response.status === 401) return { kind: 'sign-in' }
  if (response.status === 429)
    return { kind: 'failed', description: 'Too many attempts from this address. Wait a minute.' }
  if (response.status >= 500) return { kind: 'failed', description: UNREACHED }
  const error = findText(body, 'error')
  const description = findText(body, 'error_description')
  const host = findText(body, 'redirect_host')
  const to = findText(body, 'redirect_uri')
  return {
    kind: 'refused',
    refusal: { error: description === '' ? '' : error, description: description || error, host, to },
  }
}

const send = async (init: RequestInit & { readonly search?: string }, good: (body: Body) => Asked): Promise<Asked> => {
  const { search = '', ...rest } = init
  const response = await fetch(CONSENT + search, rest).catch(() => undefined)
  if (!response) return { kind: 'failed', description: UNREACHED }
  const body = await readBody(response)
  return response.ok ? good(body) : toFailure(response, body)
}

export const askWhat = (): Promise<Asked> =>
  send({ headers: MARK, search: getQuery() }, (body) => ({
    kind: 'ask',
    // The server returns values of the contract's type.
    request: body as unknown as ConsentRequest,
  }))

/** @param scope the granted part of the requested scopes */
export const sendDecision = (approved: boolean, scope: string): Promise<Asked> =>
  send(
    {
      method: 'POST',
      headers: { ...MARK, 'content-type': 'application/json' },
      body: JSON.stringify({ ...Object.fromEntries(new URLSearchParams(getQuery())), scope, approved }),
    },
    (body) => ({ kind: 'sent', to: findText(body, 'redirect_uri') }),
  )
