/** Sends the requests of one fetch within bounds, and names each error. It is the only way out of a kind. */

import type { Outbound } from '../../base/security/outbound.ts'
import { OutboundError } from '../../base/security/outbound-target.ts'
import type { Answered, Ask, AskOptions, SourceKind } from '../kinds/source-kind.ts'
import { checkStatus, createHtmlError, isHtml } from './answer-errors.ts'
import { FetchError } from './fetch-error.ts'
import type { FetchLog } from './fetch-log.ts'
import { parseAnswer } from './json-answer.ts'
import { createLimit } from './limit.ts'
import { type Base, parseBase } from './target.ts'

const MAX_AT_ONCE = 8
const MAX_ANSWER_BYTES = 64 * 1024 * 1024
const MAX_BYTES = 1024 ** 3
const MAX_REQUESTS = 200_000
/** The part of a path that messages have. */
const MAX_PATH = 200
/** Alerts of TLS about the certificate of the client: RFC 8446 6.2. */
const CLIENT_REFUSED = /ALERT_(BAD_CERTIFICATE|UNKNOWN_CA|CERTIFICATE_\w+|UNSUPPORTED_CERTIFICATE)/
/** Errors that one request may have while the system answers. */
const OPTIONAL: ReadonlySet<string> = new Set(['unauthorized', 'forbidden', 'wrong_url', 'bad_answer'])

export type AskSettings = {
  /** The URL of the source, or the default one of its kind. */
  readonly url: string
  readonly send: Outbound['exchange']
  readonly kind: Pick<SourceKind, 'title' | 'needs'>
  readonly log: FetchLog
  /** Limit of all requests together, from now on. */
  readonly timeoutMs: number
  readonly signal?: AbortSignal
  readonly bounds?: { readonly answerBytes?: number; readonly bytes?: number; readonly requests?: number }
}

export const createAsk = ({ url, send, kind, log, timeoutMs, signal: given, bounds = {} }: AskSettings): Ask => {
  const { answerBytes = MAX_ANSWER_BYTES, bytes = MAX_BYTES, requests = MAX_REQUESTS } = bounds
  const runLimited = createLimit(MAX_AT_ONCE)
  const deadline = AbortSignal.timeout(timeoutMs)
  const signal = given ? AbortSignal.any([deadline, given]) : deadline
  const startedMs = performance.now()

  const createTimeoutError = (what: string) =>
    new FetchError('timeout', `${what}: the whole fetch takes longer than ${timeoutMs / 1000} s (timeout_seconds)`)

  const translate = (error: unknown, what: string, { timeoutMs: ownMs }: AskOptions): unknown => {
    if (error instanceof FetchError) return error
    if (deadline.aborted) return createTimeoutError(what)
    if (!(error instanceof OutboundError)) return error
    if (error.failure === 'timeout')
      return ownMs === undefined ? createTimeoutError(what) : new FetchError('timeout', `${what}: ${error.message}`)
    const code = error.failure === 'refused' ? 'target' : error.failure
    const hint = CLIENT_REFUSED.test(error.message) ? '. The system refuses the client certificate, or wants one' : ''
    return new FetchError(code, log.clean(`${what}: ${error.message}${hint}`), undefined, { cause: error })
  }

  /** Sends one request. @returns its answer, whatever its status. @throws FetchError */
  const exchange = async (what: string, target: URL, options: AskOptions): Promise<Answered> => {
    const { method = 'GET', headers = {}, body, timeoutMs: ownMs = timeoutMs } = options
    log.lastRequest = what
    if (log.requests >= requests) throw new FetchError('too_large', `${what}: more than ${requests} requests`)
    log.requests++
    const left = bytes - log.bytes
    const atMs = performance.now()
    const answer = await send({
      url: target.href,
      method,
      headers: { accept: 'application/json', 'user-agent': 'Plat', ...headers },
      ...(body === undefined ? {} : { body: typeof body === 'string' ? new TextEncoder().encode(body) : body }),
      timeoutMs: Math.max(1, Math.min(ownMs, timeoutMs - (atMs - startedMs))),
      maxBytes: Math.min(answerBytes, left),
      signal,
    })
    const tookMs = performance.now() - atMs
    if (log.requests === 1) log.latencyMs = tookMs
    log.bytes += answer.body.length
    log.line(`${what}: ${answer.status}, ${answer.body.length} bytes in ${Math.round(tookMs)} ms`)
    if (answer.isCut) {
      const most = left < answerBytes ? `${bytes} bytes in all` : `${answerBytes} bytes an answer`
      throw new FetchError('too_large', `${what}: more than ${most}`)
    }
    return answer
  }

  const build = (text: string): Ask => {
    let base: Base | undefined
    // A kind that is read by a program of the client has no URL.
    const getBase = (): Base => {
      base ??= parseBase(text)
      return base
    }
    const describe = ({ method = 'GET' }: AskOptions, target: URL) =>
      `${method} ${log.clean(getBase().show(target), MAX_PATH)}`

    const ask = async (path: string, options: AskOptions = {}): Promise<Answered> => {
      const target = getBase().resolve(path)
      const what = describe(options, target)
      const answer = await runLimited(() => exchange(what, target, options), signal).catch((error: unknown) => {
        throw translate(error, what, options)
      })
      const problem = checkStatus(answer, { what, kind, log, also: options.alsoAllows ?? [] })
      if (!problem) {
        if (!options.allowsHtml && isHtml(answer)) throw createHtmlError(what, kind)
        return answer
      }
      if (!options.isOptional || problem.code === 'rate_limited') throw problem
      log.warn(problem.message)
      return answer
    }

    const json = async <T>(path: string, options: AskOptions = {}): Promise<T> => {
      const answer = await ask(path, options)
      const parsed = parseAnswer(answer.body)
      if (!parsed.isJson)
        throw new FetchError(
          'bad_answer',
          `${describe(options, getBase().resolve(path))}: the answer ${parsed.problem}`,
        )
      // The kind checks the shape: see `Ask`.
      return parsed.value as T
    }

    const optionalJson = async <T>(path: string, options: AskOptions = {}): Promise<T | undefined> => {
      try {
        return await json<T>(path, options)
      } catch (error) {
        if (!(error instanceof FetchError) || !OPTIONAL.has(error.code)) throw error
        log.warn(error.message)
        return undefined
      }
    }

    return Object.assign(ask, { json, optionalJson, at: build })
  }
  return build(url)
}
