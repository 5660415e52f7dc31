/** Answers that no Plat has made: error pages of proxies, sign-in pages of networks, other programs. Browser-safe. */
import { AppError } from '../../../contract/errors.ts'
import { type Fetch, getRetryAfterS, toErrorCode } from './client.ts'

/** An answer without an error of Plat. */
export class ForeignAnswerError extends AppError {}

const MAYBE_DONE = 'A write may have been carried out'

/** The cause of a status that a proxy answers by itself. */
const CAUSES: Readonly<Record<number, string>> = {
  413: 'a proxy in between takes no body of this size (in nginx, set client_max_body_size 512m)',
  502: `a proxy in between does not reach Plat, or has lost it. ${MAYBE_DONE}`,
  503: 'a proxy in between has no Plat to send to',
  504: `a proxy in between has waited too long for Plat (in nginx, raise proxy_read_timeout). ${MAYBE_DONE}`,
}
const UNKNOWN = 'a proxy in between, or another program at this address'

/** Returns the error of an answer with a status above 399 and no error of Plat. @param from the name of the server */
export const createForeignAnswerError = (from: string, status: number, retryAfterS?: number): ForeignAnswerError =>
  new ForeignAnswerError(
    // The 404 of another program says nothing about an object.
    status === 404 ? 'UNAVAILABLE' : toErrorCode(status),
    `${from} answered with HTTP status ${status}, and not with an error of Plat: ${CAUSES[status] ?? UNKNOWN}`,
    { status, retryAfterS },
  )

const isErrorOfPlat = (text: string): boolean => {
  try {
    const body: unknown = JSON.parse(text)
    return typeof body === 'object' && body !== null && 'error' in body && typeof body.error === 'string'
  } catch {
    return false
  }
}

/** Passes on the answers of Plat. @throws ForeignAnswerError for others */
export const refuseForeignAnswers =
  (fetch: Fetch, from: string): Fetch =>
  async (url, init) => {
    const response = await fetch(url, init)
    const { status, headers } = response
    if (status >= 400) {
      const text = await response.text()
      if (!isErrorOfPlat(text)) throw createForeignAnswerError(from, status, getRetryAfterS(response))
      return new Response(text, { status, headers })
    }
    // No operation of Plat answers with a page.
    if (!/^text\/html\b/i.test(headers.get('content-type') ?? '')) return response
    throw new ForeignAnswerError(
      'UNAVAILABLE',
      `${from} answered with a page, and not as Plat does: a sign-in page of a network or proxy, or another program at this address`,
    )
  }
