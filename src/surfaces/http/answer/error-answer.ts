/** Builds the answer of an error: in Plat's form, or in that of a foreign API. */
import { type AppError, toErrorBody } from '../../../contract/errors.ts'
import type { ForeignApi } from '../../../kernel/context.ts'
import { DATA_CACHE_CONTROL } from '../headers.ts'
import type { Answered } from '../request-context.ts'

export const buildErrorAnswer = (error: AppError, foreignApi?: ForeignApi): Answered => {
  const { status, body } = foreignApi
    ? foreignApi.describeError(error)
    : { status: error.status, body: toErrorBody(error) }
  const headers: Record<string, string> = { 'Content-Type': 'application/json', 'Cache-Control': DATA_CACHE_CONTROL }
  if (error.challenge ?? status === 401) headers['WWW-Authenticate'] = error.challenge ?? 'Bearer'
  // The rest of a body that arrived too slowly is not read (RFC 9110 15.5.9).
  if (status === 408) headers.Connection = 'close'
  if (error.retryAt) headers['Retry-After'] = error.retryAt.toUTCString()
  if (error.retryAfterS !== undefined) headers['Retry-After'] = String(error.retryAfterS)
  return { status, headers, body: JSON.stringify(body) }
}
