/** The headers of a webhook: sealed in the database, masked in answers, in clear only in a request. */

import type { Logger } from '../../base/runtime/log.ts'
import { type Place, SealedValueError, type Secrets } from '../../base/security/crypto.ts'
import { type FieldIssue, invalidField, rejectIssues } from '../../contract/errors.ts'
import { buildMissingKeyIssue } from '../../secrets/secrets/secrets.ts'
import { MASK } from './header-rules.ts'

export type Headers = Readonly<Record<string, string>>

/** The stored form. At most one of the two is set; neither without headers. */
export type KeptHeaders = {
  readonly sealed: string | null
  /** Stored by an earlier version, until the first start with a key. */
  readonly clear: Headers | null
}

const NONE: KeptHeaders = { sealed: null, clear: null }

export const buildHeadersPlace = (id: string): Place => ({ table: 'webhooks', column: 'sealed_headers', id })

export const maskHeaders = (headers: Headers): Headers =>
  Object.fromEntries(Object.keys(headers).map((name) => [name, MASK]))

/** @throws SealedValueError */
export const openHeaders = (secrets: Secrets, id: string, { sealed, clear }: KeptHeaders): Headers =>
  // `sealHeaders` wrote the sealed value.
  sealed === null ? (clear ?? {}) : (JSON.parse(secrets.open(buildHeadersPlace(id), sealed)) as Headers)

export const sealHeaders = (secrets: Secrets, id: string, headers: Headers): KeptHeaders =>
  Object.keys(headers).length === 0
    ? NONE
    : { sealed: secrets.seal(buildHeadersPlace(id), JSON.stringify(headers)), clear: null }

/** Returns the stored value of a name, compared without case (RFC 9110 section 5.1). */
const findValue = (stored: Headers, name: string): string | undefined => {
  const wanted = name.toLowerCase()
  const found = Object.keys(stored).find((one) => one.toLowerCase() === wanted)
  return found === undefined ? undefined : stored[found]
}

export const hasMask = (headers: Headers): boolean => Object.values(headers).includes(MASK)

/** Checks that they are the headers of an answer: the same names, and only masked values. */
const isAsShown = (shown: Headers, given: Headers): boolean => {
  const names = Object.keys(given)
  return (
    names.length === Object.keys(shown).length &&
    names.every((name) => given[name] === MASK && Object.hasOwn(shown, name))
  )
}

/** Returns the issues of the given headers. `shown` are the masked headers of the webhook; none for a new one. */
export const checkHeaders = (secrets: Secrets, shown: Headers, given: Headers | undefined): FieldIssue[] => {
  if (given === undefined || Object.keys(given).length === 0 || isAsShown(shown, given)) return []
  const unknown = Object.keys(given).find((name) => given[name] === MASK && findValue(shown, name) === undefined)
  if (unknown !== undefined)
    return [{ field: 'headers', message: `${unknown} is "${MASK}", and no value is stored for it` }]
  return secrets.isEnabled ? [] : [buildMissingKeyIssue('headers')]
}

type Before = { readonly id: string; readonly shown: Headers; readonly kept: KeptHeaders }

const openForChange = (secrets: Secrets, { id, kept }: Before, log: Logger): Headers => {
  try {
    return openHeaders(secrets, id, kept)
  } catch (error) {
    if (!(error instanceof SealedValueError)) throw error
    log.error('the headers of a webhook cannot be decrypted', { error })
    throw invalidField('headers', 'are needed with all their values, because what is stored cannot be decrypted')
  }
}

/**
 * Returns the headers after an update; undefined when they do not change. A given value always counts as new: otherwise
 * the ETag would reveal that it equals the stored one.
 * @throws AppError VALIDATION_ERROR
 */
export const resolveHeaders = (
  secrets: Secrets,
  before: Before,
  { given, log }: { readonly given: Headers | undefined; readonly log: Logger },
): { readonly shown: Headers; readonly kept: KeptHeaders } | undefined => {
  if (given === undefined || isAsShown(before.shown, given)) return undefined
  const issues = checkHeaders(secrets, before.shown, given)
  rejectIssues(issues)
  const stored = hasMask(given) ? openForChange(secrets, before, log) : {}
  const values = Object.fromEntries(
    Object.entries(given).map(([name, value]) => [name, value === MASK ? (findValue(stored, name) ?? '') : value]),
  )
  return { shown: maskHeaders(values), kept: sealHeaders(secrets, before.id, values) }
}
