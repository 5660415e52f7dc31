/** Completes an answer with the common headers and those of the limits. */
import type { Answered, RequestContext } from '../request-context.ts'
import { getLongBody, type LongBody, toLongBody } from './respond.ts'

/** Closes the source of an answer that is not sent. Otherwise it would hold its snapshot of the database. */
export const discard = (answered: Answered | Response): void => {
  const long = answered instanceof Response ? getLongBody(answered) : toLongBody(answered.body)
  void Promise.resolve(long?.source.return?.(undefined)).catch(() => {})
  if (answered instanceof Response) void answered.body?.cancel()
}

type Finish = {
  readonly context: RequestContext
  readonly security: Headers
  readonly limits: Readonly<Record<string, string>>
  readonly send: (long: LongBody) => ReadableStream<Uint8Array>
}

/** Returns the answer with the common headers and the headers of the limits. */
export const finish = (answered: Answered | Response, { context, security, limits, send }: Finish): Response => {
  const { requestId, setCookie, raw, answerHeaders, foreignApi } = context
  if (raw.method === 'HEAD') discard(answered)
  if (!(answered instanceof Response)) {
    const { status, headers, body } = answered
    // A copy of existing headers takes half the time of building them from an object.
    const all = new Headers(security)
    for (const name in headers) all.set(name, headers[name] ?? '')
    for (const name in foreignApi?.headers) all.set(name, foreignApi.headers[name] ?? '')
    all.set('X-Request-Id', requestId)
    for (const name in limits) all.set(name, limits[name] ?? '')
    for (const name in answerHeaders) all.set(name, answerHeaders[name] ?? '')
    if (setCookie !== undefined) all.set('Set-Cookie', setCookie)
    const long = raw.method === 'HEAD' ? undefined : toLongBody(body)
    if (long?.length !== undefined) all.set('Content-Length', String(long.length))
    // A source is always long.
    const sent = long ? send(long) : (body as string | Uint8Array<ArrayBuffer> | null)
    return new Response(raw.method === 'HEAD' ? null : sent, { status, headers: all })
  }
  const { headers } = answered
  for (const [name, value] of security) headers.set(name, value)
  for (const name in foreignApi?.headers) headers.set(name, foreignApi.headers[name] ?? '')
  headers.set('X-Request-Id', requestId)
  for (const name in limits) headers.set(name, limits[name] ?? '')
  for (const name in answerHeaders) headers.set(name, answerHeaders[name] ?? '')
  if (setCookie !== undefined && !headers.has('set-cookie')) headers.append('set-cookie', setCookie)
  if (raw.method === 'HEAD') return new Response(null, answered)
  const long = getLongBody(answered)
  if (!long) return answered
  if (long.length !== undefined) headers.set('Content-Length', String(long.length))
  return new Response(send(long), answered)
}
