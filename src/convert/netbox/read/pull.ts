/** Reads a NetBox by its URL, through the rules for requests that leave Plat. */

import type { Outbound } from '../../../base/security/outbound.ts'
import { OutboundError } from '../../../base/security/outbound-target.ts'
import { AppError, invalidField } from '../../../contract/errors.ts'
import { buildAuthorization, type FetchPage } from './read-api.ts'

const MAX_PAGE_BYTES = 16 * 1024 * 1024
const PAGE_TIMEOUT_MS = 120_000
const TOKEN = /^[\x21-\x7e]{1,255}$/

export type PullRequest = {
  /** The address of the NetBox, with its path if it has one. */
  readonly url: string
  readonly token: string
  readonly signal?: AbortSignal
}

/** Returns the address without a final slash. @throws AppError VALIDATION_ERROR on `url` */
const checkBaseUrl = async (outbound: Outbound, url: string): Promise<string> => {
  const problem = await outbound.problem(url)
  if (problem !== undefined) throw invalidField('url', problem)
  if (/[?#]/.test(url)) throw invalidField('url', 'must have no query and no fragment')
  return url.replace(/\/+$/, '').replace(/\/api$/, '')
}

/**
 * Returns the function that fetches the pages of a NetBox.
 *
 * @throws AppError VALIDATION_ERROR on `url` or `token`, or PROVIDER_UNREACHABLE; so does the function
 */
export const connectNetbox = async (outbound: Outbound, { url, token, signal }: PullRequest): Promise<FetchPage> => {
  if (!TOKEN.test(token)) throw invalidField('token', 'must be 1-255 visible ASCII characters')
  const base = await checkBaseUrl(outbound, url)
  return async (path) => {
    const answer = await outbound
      .send({
        url: base + path,
        method: 'GET',
        headers: { Accept: 'application/json' },
        ownHeaders: { Authorization: buildAuthorization(token) },
        timeoutMs: PAGE_TIMEOUT_MS,
        maxBytes: MAX_PAGE_BYTES,
        ...(signal ? { signal } : {}),
      })
      .catch((error: unknown) => {
        if (error instanceof OutboundError)
          throw new AppError('PROVIDER_UNREACHABLE', `The NetBox ${error.message}`, { cause: error })
        throw error
      })
    if (answer.isCut)
      throw new AppError('PROVIDER_UNREACHABLE', `The NetBox answered with more than ${MAX_PAGE_BYTES} bytes a page`)
    return answer
  }
}
