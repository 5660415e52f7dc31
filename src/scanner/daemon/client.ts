/** Requests to the server: each answer is sorted by what the scanner has to do next. Follows no redirect. */
import { getErrorMessage, getTextErrorCode, isRecord } from '../../contract/unknown.ts'

export type Reply =
  | { readonly kind: 'ok'; readonly body: unknown }
  /** 401 of Plat: the credential is no longer good. */
  | { readonly kind: 'refused'; readonly code: string; readonly message: string }
  /** 404 of Plat: there is no such thing for this scanner. */
  | { readonly kind: 'unknown'; readonly message: string }
  /** 400 or 413 of Plat: the same request would be refused again. */
  | { readonly kind: 'invalid'; readonly fields: readonly string[]; readonly message: string }
  /** No usable answer; it may come later. */
  | { readonly kind: 'away'; readonly message: string; readonly retryAfterMs: number | undefined }

export type Request = {
  readonly path: string
  readonly token: string
  /** JSON. */
  readonly body: string
  readonly timeoutMs: number
  readonly signal: AbortSignal
}

export type Client = { readonly send: (request: Request) => Promise<Reply> }

export type ClientOptions = {
  readonly url: string
  /** Certificates of authorities, as PEM; undefined: the authorities of the system. */
  readonly ca: string | undefined
  readonly version: string
}

/** The largest answer has the plans of eight scans. */
const MAX_ANSWER_BYTES = 32 * 2 ** 20
const MOST_RETRY_AFTER_MS = 600_000
const MOST_QUOTED = 300

/** @returns undefined for a body that is larger than the bound */
const readBody = async (response: Response): Promise<string | undefined> => {
  if (!response.body) return ''
  const parts: Uint8Array[] = []
  let size = 0
  for await (const part of response.body) {
    size += part.length
    if (size > MAX_ANSWER_BYTES) return undefined
    parts.push(part)
  }
  return Buffer.concat(parts).toString()
}

const parseJson = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    // A page of a proxy.
    return undefined
  }
}

/** RFC 9110 section 10.2.3, in seconds: the server sends no date. */
const parseRetryAfter = (text: string | null): number | undefined =>
  text !== null && /^\d{1,9}$/.test(text) ? Math.min(MOST_RETRY_AFTER_MS, Number(text) * 1000) : undefined

const away = (message: string, retryAfterMs?: number): Reply => ({ kind: 'away', message, retryAfterMs })

const shorten = (text: string): string => (text.length <= MOST_QUOTED ? text : `${text.slice(0, MOST_QUOTED)}...`)

const HINTS: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'nothing listens there',
  ConnectionRefused: 'nothing listens there, or the name is unknown',
  ENOTFOUND: 'the name is unknown',
  ECONNRESET: 'the connection was closed',
}

const explain = (error: unknown): string => {
  const code = getTextErrorCode(error)
  if (error instanceof DOMException && error.name === 'TimeoutError') return 'no answer in time'
  if (/CERT|SIGNED|ISSUER|ALTNAME|VERIFY/i.test(code))
    return `its certificate is not trusted (${code}); --ca FILE names an authority of your own`
  const hint = HINTS[code]
  return hint === undefined ? shorten(getErrorMessage(error)) : `${hint} (${code})`
}

/** Returns the error of Plat in an answer; undefined for an answer of somebody else. */
const parseError = (body: unknown): { code: string; message: string; fields: string[] } | undefined => {
  if (!isRecord(body) || typeof body.code !== 'string' || typeof body.error !== 'string') return undefined
  const details = Array.isArray(body.details) ? body.details : []
  const fields = details.flatMap((one: unknown) => (isRecord(one) && typeof one.field === 'string' ? [one.field] : []))
  return { code: body.code, message: shorten(body.error), fields }
}

const sort = (url: string, response: Response, text: string | undefined): Reply => {
  const { status, headers } = response
  if (status === 204) return { kind: 'ok', body: undefined }
  if (text === undefined) return away(`${url} sent an answer that is too large`)
  if (status >= 300 && status < 400)
    return away(`${url} sends on to ${shorten(headers.get('location') ?? 'another address')}: correct --url`)
  const body = parseJson(text)
  if (status >= 200 && status < 300)
    return isRecord(body) ? { kind: 'ok', body } : away(`${url} answers with something else than Plat does`)
  const error = parseError(body)
  const retryAfterMs = parseRetryAfter(headers.get('retry-after'))
  if (error === undefined) return away(`${url} answers ${status}, and not as Plat does`, retryAfterMs)
  const { code, message, fields } = error
  if (status === 401) return { kind: 'refused', code, message }
  if (status === 404) return { kind: 'unknown', message }
  if (status === 400 || status === 413) return { kind: 'invalid', fields, message }
  return away(`${url} answers ${status}: ${message}`, retryAfterMs)
}

/** Bun takes proxies from HTTPS_PROXY, HTTP_PROXY and NO_PROXY. */
export const createClient = ({ url, ca, version }: ClientOptions): Client => ({
  send: async ({ path, token, body, timeoutMs, signal }) => {
    try {
      const response = await fetch(`${url}${path}`, {
        method: 'POST',
        headers: {
          authorization: `Bearer ${token}`,
          'content-type': 'application/json',
          'user-agent': `plat-scanner/${version}`,
        },
        body,
        redirect: 'manual',
        signal: AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]),
        ...(ca === undefined ? {} : { tls: { ca } }),
      })
      return sort(url, response, await readBody(response))
    } catch (error) {
      return away(`${url} cannot be reached: ${explain(error)}`)
    }
  },
})
