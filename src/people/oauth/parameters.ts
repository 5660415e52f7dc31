/** Reads the parameters of protocol requests: each at most once, and an empty one counts as absent (RFC 6749 3.1). */

import { AppError } from '../../contract/errors.ts'
import { parseJson, readBytes, requireJsonType } from '../../surfaces/http/body/body.ts'
import type { Parameters } from './authorization.ts'
import { OauthProtocolError } from './oauth-error.ts'

/** Far above any request of the protocol; most of these endpoints need no sign-in. */
const MAX_BODY_BYTES = 64 * 1024

const FORM = /^application\/x-www-form-urlencoded\s*(;|$)/i

export const isForm = ({ headers }: Request): boolean => FORM.test(headers.get('content-type') ?? '')

const toParameters = (pairs: Iterable<readonly [string, string]>): Parameters => {
  const found = new Map<string, string>()
  for (const [name, value] of pairs) {
    if (found.has(name)) throw new OauthProtocolError('invalid_request', 'A parameter is repeated')
    found.set(name, value)
  }
  // Has no prototype, because the names are untrusted input.
  const parameters: Record<string, string> = Object.create(null)
  for (const [name, value] of found) if (value !== '') parameters[name] = value
  return parameters
}

/** @throws OauthProtocolError invalid_request */
export const parseQuery = (request: Request): Parameters => toParameters(new URL(request.url).searchParams)

/** @throws OauthProtocolError invalid_request; AppError for a body that is too large or incomplete. */
export const readForm = async (request: Request): Promise<Parameters> => {
  if (!isForm(request))
    throw new OauthProtocolError('invalid_request', 'The Content-Type must be application/x-www-form-urlencoded')
  const bytes = await readBytes(request, MAX_BODY_BYTES)
  return toParameters(new URLSearchParams(new TextDecoder().decode(bytes)))
}

/** Reads a body that is a JSON object. @param error for any other body @throws OauthProtocolError, AppError */
export const readJsonMembers = async (
  request: Request,
  error: 'invalid_request' | 'invalid_client_metadata',
): Promise<Readonly<Record<string, unknown>>> => {
  const refused = () => new OauthProtocolError(error, 'The body must be a JSON object, sent as application/json')
  let body: unknown
  try {
    requireJsonType(request)
    body = parseJson(await readBytes(request, MAX_BODY_BYTES))
  } catch (thrown) {
    const isForm = thrown instanceof AppError && thrown.status === 400
    throw isForm ? refused() : thrown
  }
  if (typeof body !== 'object' || body === null || Array.isArray(body)) throw refused()
  // Null and arrays are excluded, so it is a JSON object.
  return body as Readonly<Record<string, unknown>>
}

const toText = (name: string, value: unknown): string => {
  if (typeof value === 'string') return value
  if (typeof value === 'boolean') return String(value)
  throw new OauthProtocolError(
    'invalid_request',
    `A parameter must be text${name === 'approved' ? ', true or false' : ''}`,
  )
}

/** Returns the parameters of a form or a JSON object, together with the parameters of the query. */
export const readPostedParameters = async (request: Request): Promise<Parameters> => {
  if (isForm(request)) return mergeParameters(parseQuery(request), await readForm(request))
  const members = Object.entries(await readJsonMembers(request, 'invalid_request')).filter(
    ([, value]) => value !== null,
  )
  return mergeParameters(
    parseQuery(request),
    toParameters(members.map(([name, value]) => [name, toText(name, value)] as const)),
  )
}

const mergeParameters = (query: Parameters, body: Parameters): Parameters =>
  toParameters([...Object.entries(query), ...Object.entries(body)].map(([name, value = '']) => [name, value] as const))
