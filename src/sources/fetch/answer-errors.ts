/** Names what an answer says that is not the expected one. */
import { isRecord } from '../../contract/unknown.ts'
import type { Answered, SourceKind } from '../kinds/source-kind.ts'
import { FetchError } from './fetch-error.ts'
import type { FetchLog } from './fetch-log.ts'

const MAX_RETRY_AFTER_S = 3600
const MAX_EXCERPT = 200
/** The beginning of a body that is looked at. */
const LOOK_BYTES = 4096

type Named = Pick<SourceKind, 'title' | 'needs'>

const peek = ({ body }: Answered): string => new TextDecoder().decode(body.subarray(0, LOOK_BYTES)).trim()

/** Returns true for a page that is made for people. */
export const isHtml = (answer: Answered): boolean =>
  /^text\/html\b/i.test(answer.headers.get('content-type') ?? '') || /^(<!doctype html|<html[\s>])/i.test(peek(answer))

export const createHtmlError = (what: string, { title }: Named): FetchError =>
  new FetchError(
    'wrong_url',
    `${what}: the answer is a web page, and not that of ${title}: check the url, its port and path`,
  )

/** Returns the seconds of Retry-After (RFC 9110 10.2.3): a number, or a date. */
const parseRetryAfter = (headers: Headers): number | undefined => {
  const text = headers.get('retry-after')?.trim()
  if (!text) return undefined
  // The parser takes nearly every text for a date, which begins with a day here.
  const atMs = /^[A-Z][a-z]+,? /.test(text) ? Date.parse(text) : Number.NaN
  const seconds = /^\d{1,9}$/.test(text) ? Number(text) : Math.ceil((atMs - Date.now()) / 1000)
  return Number.isNaN(seconds) ? undefined : Math.min(Math.max(seconds, 0), MAX_RETRY_AFTER_S)
}

/** Returns the message of a body: of JSON the usual member, of a page nothing. */
const findMessage = (answer: Answered, log: FetchLog): string => {
  if (isHtml(answer)) return ''
  const text = peek(answer)
  let message: unknown = text
  try {
    const value: unknown = JSON.parse(text)
    if (isRecord(value)) message = value.message ?? value.error ?? value.detail ?? value.errors ?? text
    if (isRecord(message)) message = message.message ?? message
  } catch {
    // The system's word is no JSON, or longer than what is looked at.
  }
  const word = log.clean(typeof message === 'string' ? message : JSON.stringify(message), MAX_EXCERPT)
  return word === '' ? '' : ` ("${word}")`
}

type Question = {
  /** The request, as `GET /version`. */
  readonly what: string
  readonly kind: Named
  readonly log: FetchLog
  /** Further statuses that are answers. */
  readonly also: readonly number[]
}

/** Returns the error of an answer that has another status than 200; undefined without one. */
export const checkStatus = (answer: Answered, { what, kind, log, also }: Question): FetchError | undefined => {
  const { status, headers } = answer
  if (status === 200 || also.includes(status)) return undefined
  const word = findMessage(answer, log)
  const needs = `Needed: ${kind.needs}`
  if (status === 401) return new FetchError('unauthorized', `${what}: 401, the secrets are refused${word}. ${needs}`)
  if (status === 403) return new FetchError('forbidden', `${what}: 403, the account may not ask this${word}. ${needs}`)
  if (status >= 300 && status < 400) {
    const target = log.clean(headers.get('location') ?? 'nowhere', MAX_EXCERPT)
    return new FetchError(
      'wrong_url',
      `${what}: ${status}, a redirect to ${target}, which is not followed: set that as url`,
    )
  }
  const retryAfter = parseRetryAfter(headers)
  if (status === 429 || (status === 503 && retryAfter !== undefined)) {
    const when = retryAfter === undefined ? '' : `, again in ${retryAfter} s`
    return new FetchError('rate_limited', `${what}: ${status}, too many requests${when}${word}`, retryAfter)
  }
  if (status === 404 || status === 405 || status === 410)
    return new FetchError('wrong_url', `${what}: ${status}, ${kind.title} has no such path there${word}: check the url`)
  if (status >= 502 && status <= 504)
    return new FetchError('unreachable', `${what}: ${status}, the system does not answer behind its proxy${word}`)
  return new FetchError('bad_answer', `${what}: ${status} in place of 200${word}`)
}
